"""Trees that use a model of the opponent: what they must equal, what they must never do, and what they cost."""

import time
from collections.abc import Sequence

import pytest

from agent_definitions import leaf_value, midgame
from kibitz import core
from kibitz.core.agent import Clock
from kibitz.core.errors import Unsupported
from kibitz.core.match.play import play
from kibitz.core.registry import entries, make_agent, make_game, make_model
from kibitz.core.seeds import stream
from kibitz.models.strategy_filter import StrategyFilter
from kibitz_lab.games.pawns.rules import position
from kibitz_lab.search.alphabeta import AlphaBeta
from kibitz_lab.search.asymmetric import Asymmetric
from kibitz_lab.search.node_policy import ShownNode
from kibitz_lab.search.opponent import Tally
from kibitz_lab.search.settings import WIN_SOONER, ModelSearchResult, Settings

DEPTH1 = StrategyFilter(depth=1)


class Nobody(core.Model):
    """Holds every move equally likely, so that no rule names any."""

    answers = ("action",)

    def observe(self, transition: core.Transition) -> None:
        pass


class Somebody(Nobody):
    """Is sure of the first legal move, or of the last."""

    def __init__(self, last: bool = False) -> None:
        self.last = last

    def predict(self, view: core.State, player: int) -> core.Distribution:
        legal = view.legal_actions(player)
        return core.Distribution.certain(legal[-1 if self.last else 0], legal)


class Everybody:
    """A rule by which all are likely."""

    def likely(self, likelihoods: Sequence[float]) -> list[bool]:
        return [True] * len(likelihoods)


def seated(agent: AlphaBeta, state: core.State, game: str = "pawns") -> AlphaBeta:
    """The agent in the seat of whoever moves."""
    agent.begin(make_game(game), state.current_player(), stream(5, "seat"))
    return agent


def searched(agent: AlphaBeta, state: core.State, **settings: object) -> ModelSearchResult:
    found = agent.searcher.search(state, Settings(**settings), agent.vector)  # type: ignore[arg-type]
    assert isinstance(found, ModelSearchResult)
    return found


def asymmetric(state: core.State, everybody: bool = False, **parameters: object) -> Asymmetric:
    agent = Asymmetric(model=Nobody(), **parameters)  # type: ignore[arg-type]
    seated(agent, state)
    if everybody:
        agent.opponent.rule = Everybody()  # type: ignore[assignment]
    return agent


# Without knowledge they are alpha-beta.


@pytest.mark.parametrize("game", ["pawns", "breakthrough"])
def test_where_nobody_is_likely_the_tree_is_alpha_betas(game: str) -> None:
    for number, state in enumerate(midgame(6, game)):
        depth = 1 + number % 4
        plain = seated(AlphaBeta(), state, game)
        agent = seated(Asymmetric(model=Nobody()), state, game)
        expected = plain.searcher.search(state, Settings(depth=depth), plain.vector)
        found = searched(agent, state, depth=depth)
        assert (found.value, found.line, found.nodes) == (expected.value, expected.line, expected.nodes)
        assert found.values == expected.values


@pytest.mark.parametrize("win_value", ["mate", "features"])
def test_where_everybody_is_likely_the_tree_is_as_deep_as_the_deepest(win_value: str) -> None:
    for number, state in enumerate(midgame(6, seed=4)):
        depth = 2 + number % 3
        plain = seated(AlphaBeta(), state)
        expected = plain.searcher.search(state, Settings(depth=depth + 2, win_value=win_value), plain.vector).value  # type: ignore[arg-type]
        found = searched(asymmetric(state, everybody=True), state, depth=depth, win_value=win_value)
        won = (found.value > 5e6) - (found.value < -5e6)
        assert found.value + won * 2 * WIN_SOONER == pytest.approx(expected)  # a win is counted from *depth*


def test_deeper_by_nothing_is_alpha_beta() -> None:
    for state in midgame(3, seed=5):
        plain = seated(AlphaBeta(), state)
        expected = plain.searcher.search(state, Settings(depth=4), plain.vector)
        assert searched(asymmetric(state, everybody=True, deeper=0), state, depth=4).value == expected.value


# The limits.


def walk(seen: ShownNode, ply: int = 0) -> list[tuple[int, ShownNode]]:
    return [(ply, seen)] + [pair for child in seen.children for pair in walk(child, ply + 1)]


@pytest.mark.parametrize("unlikely", [None, 2, 3])
def test_limits_are_absolute_and_never_added_twice(unlikely: int | None) -> None:
    for last in (False, True):
        for state in midgame(3, seed=6):
            agent = seated(Asymmetric(model=Somebody(last), unlikely_depth=unlikely), state)
            search = agent.searcher.make_search(Settings(depth=3, prune=False), agent.vector, shown=9)  # type: ignore[attr-defined]
            search.root(state)
            seen = walk(search.tree.seen)
            assert {node.limit for _, node in seen} <= {3, 5, unlikely or 3}
            assert any(node.likely for _, node in seen)
            assert all(node.limit == 5 for _, node in seen if node.likely)
            assert max(ply for ply, _ in seen) <= 5
            for ply, node in seen:
                for child in node.children:
                    trying = ply % 2 == 1 and child.share is not None
                    assert trying or child.limit == node.limit


def test_only_the_likely_go_on_being_predicted() -> None:
    state = make_game("pawns").new_initial_state()
    agent = seated(Asymmetric(model=Somebody(), deeper=4), state)
    search = agent.searcher.make_search(Settings(depth=2, prune=False), agent.vector, shown=9)  # type: ignore[attr-defined]
    search.root(state)
    for ply, node in walk(search.tree.seen):
        if ply == 2:
            below = [child.share for grandchild in node.children for child in grandchild.children]
            assert node.likely or not any(share is not None for share in below)
    assert any(ply == 4 and node.likely for ply, node in walk(search.tree.seen))


# Winners.


@pytest.mark.long
@pytest.mark.parametrize("spec", ["asymmetric(depth=3)", "asymmetric(depth=2, deeper=3)"])
def test_it_wins_in_one_and_never_searches_behind_a_win(spec: str) -> None:
    state = position("g6 +2", "d5 d4 +0", "black")
    agent = seated(make_agent(spec), state)  # type: ignore[arg-type]
    for _ in range(5):
        assert state.action_to_string(0, agent.act(state, Clock())) in ("g6-g7", "g6-f6")
    assert agent.found.value > 5e6


def test_a_game_that_ends_inside_the_tree_is_no_leaf_to_expand() -> None:
    game = make_game("pawns(draw_plies=3)")
    agent = make_agent("asymmetric(depth=6)")
    agent.begin(game, 0, stream(1, "x"))
    assert agent.act(game.new_initial_state(), Clock()) in game.new_initial_state().legal_actions()


# Models that lie, raise or do not know.


class Liar(Nobody):
    """Answers nonsense of one kind or another."""

    def __init__(self, lie: str = "sum") -> None:
        self.lie = lie

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        if self.lie == "begin":
            raise RuntimeError("not today")

    def observe(self, transition: core.Transition) -> None:
        if self.lie == "observe":
            raise RuntimeError("not today")

    def predict(self, view: core.State, player: int) -> core.Distribution:
        legal = view.legal_actions(player)
        match self.lie:
            case "raise":
                raise RuntimeError("not today")
            case "none":
                return None  # type: ignore[return-value]
            case "nan":
                return core.Distribution({legal[0]: float("nan")}, legal)
            case "negative":
                return core.Distribution(dict.fromkeys(legal, -1.0), legal)
            case "illegal":
                return core.Distribution({-7: 1.0}, [-7])
            case "sum":
                return core.Distribution({legal[0]: 3.0}, legal)
        return super().predict(view, player)


LIES = ["begin", "observe", "raise", "none", "nan", "negative", "illegal", "sum"]


@pytest.mark.parametrize("lie", LIES)
def test_a_lying_model_never_breaks_a_match_and_the_record_says_so(lie: str) -> None:
    record = play("pawns", [Asymmetric(model=Liar(lie), depth=2), "random"], seed=2, max_plies=8)
    plain = play("pawns", ["alphabeta(depth=2)", "random"], seed=2, max_plies=8)
    assert record.ending.strikes == (0, 0)
    truth = next(entry.truths[0] for entry in reversed(record.entries) if entry.truths)
    assert truth["search"]["model_fault"]
    assert [entry.actions for entry in record.entries] == [entry.actions for entry in plain.entries]


def test_a_model_that_cannot_watch_or_does_not_predict_is_refused_before_the_match() -> None:
    class Mute(Nobody):
        answers = ("strategy",)

    for agent in (Asymmetric(model=Mute()), Asymmetric(model=make_model("dbn(trained='none.json')"))):
        with pytest.raises(Unsupported):
            agent.begin(make_game("pawns"), 0, stream(1, "x"))


@pytest.mark.parametrize("name", sorted(entries("model")))
def test_any_registered_model_serves(name: str) -> None:
    model = make_model(name)
    if isinstance(model, StrategyFilter):
        model = DEPTH1
    try:
        record = play("pawns", [Asymmetric(model=model, depth=2), "random"], seed=3, max_plies=8)
    except Unsupported:
        return
    assert record.ending.strikes == (0, 0)


# What it costs, and how well it foretells.


def test_nodes_count_the_models_searches_too() -> None:
    model = StrategyFilter(depth=2)
    agent = Asymmetric(model=model, depth=2)
    record = play("pawns", [agent, "alphabeta(depth=2)"], seed=5, max_plies=9)
    last = next(entry.truths[0]["search"] for entry in reversed(record.entries) if entry.truths)
    plain = play("pawns", [Asymmetric(model=Nobody(), depth=2), "alphabeta(depth=2)"], seed=5, max_plies=9)
    bare = next(entry.truths[0]["search"] for entry in reversed(plain.entries) if entry.truths)
    assert bare["model_nodes"] == 0 < last["model_nodes"] < last["nodes"]
    assert agent.searched == last["nodes"]
    assert last["last_nodes"] > 0


def test_hits_sizes_and_abstentions_are_counted() -> None:
    tally = Tally()
    tally.count([True, False, False, True], 3)
    tally.count([True, False], 1)
    tally.count([False, False], 0)
    assert (tally.predictions, tally.abstentions, tally.hits, tally.named, tally.children) == (2, 1, 1, 3, 6)
    assert (tally.named_in_hits, tally.chance) == (2, 1.0)
    game = make_game("pawns")
    agent = Asymmetric(model=Somebody(), depth=2)
    agent.begin(game, 0, stream(1, "x"))
    state = game.new_initial_state()
    for ply in range(8):
        action = state.legal_actions()[0]
        after = state.child(action)
        agent.observe(core.Transition(ply, ply % 2, (action,), state, after))
        state = after
    assert (agent.opponent.tally.predictions, agent.opponent.tally.hits) == (4, 4)


@pytest.mark.long
def test_node_budgets_and_clocks_are_kept() -> None:
    record = play("pawns", ["asymmetric(depth=30, nodes=3000)", "random"], seed=1, max_plies=8)
    told = [entry.truths[0]["search"]["last_nodes"] for entry in record.entries if entry.truths]
    assert 100 < max(told) <= 3000
    # A clock that counts the time of this process alone, whatever else the machine does.
    timed = {"move_time": 0.6, "now": time.process_time}
    assert play("pawns", ["asymmetric(depth=40)", "random"], seed=1, max_plies=4, **timed).ending.strikes == (0, 0)


@pytest.mark.long
def test_the_definition_without_pruning_agrees() -> None:
    """The tree by its definition: limits passed down, plain minimax, no order, no table, no cuts."""
    for state in midgame(2, seed=15):
        agent = seated(Asymmetric(model=DEPTH1), state)
        evaluate = agent.game_search.evaluate(agent.vector)  # type: ignore[attr-defined]
        opponent = agent.opponent  # type: ignore[attr-defined]
        me, depth = state.current_player(), 3

        def value(node: core.State, ply: int, limit: int, trying: bool) -> float:
            if node.is_terminal() or ply >= limit:
                static = leaf_value(node, evaluate(node), depth - ply, "mate")  # noqa: B023
                return static if me == 0 else -static  # noqa: B023
            mine = node.current_player() == me  # noqa: B023
            limits = [(limit, trying)] * len(node.legal_actions())
            if trying and not mine:
                shares = opponent.shares(opponent.model, node)  # noqa: B023
                limits = [(5, True) if each else (3, False) for each in opponent.rule.likely(shares)]  # noqa: B023
            pairs = zip(node.legal_actions(), limits, strict=True)
            values = [value(node.child(action), ply + 1, *each) for action, each in pairs]
            return max(values) if mine else min(values)

        assert searched(agent, state, depth=depth).value == value(state, 0, depth, True)
