"""Trees that use a model of the opponent: what they must equal, what they must never do, and what they cost."""

import time
from collections.abc import Sequence
from functools import cache

import pytest

from kibitz import core
from kibitz.agents.search import game_tree
from kibitz.agents.search.alphabeta import AlphaBeta
from kibitz.agents.search.asymmetric import Asymmetric
from kibitz.agents.search.node_policy import ShownNode
from kibitz.agents.search.opponent import Tally, make_rule
from kibitz.agents.search.opponent_agent import OpponentModelAgent
from kibitz.agents.search.prom import Prom, PromSearcher
from kibitz.agents.search.settings import WIN_SOONER, ModelSearchResult, Settings
from kibitz.agents.search.win_probability import chance, default_scale, fitted_scale, scale_of
from kibitz.core.abilities import ability
from kibitz.core.clocks import Clock, TimeControl
from kibitz.core.errors import BadSpec, UnknownName, Unsupported
from kibitz.core.match.play import play
from kibitz.core.registry import entries, make_agent, make_game, make_model
from kibitz.core.seeds import stream
from kibitz.games.pawns.agents import TABLE
from kibitz.games.pawns.rules import position
from kibitz.models.strategy_filter import StrategyFilter
from kibitz.testing import check_agent

OPTIONS: list[dict[str, object]] = [
    {},
    {"noise": "none"},
    {"noise": "leaf"},
    {"win_value": "features"},
    {"table": False},
    {"history": False},
    {"table": False, "history": False, "noise": "none"},
    {"weights": TABLE["S2"]},
]
DEPTH1 = StrategyFilter(depth=1)
SURE = StrategyFilter(depth=1, unknown=0.0)
"""It counts on known players alone, so some replies are hardly likely already before it has seen any."""


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


@cache
def midgame(count: int, game: str = "pawns", seed: int = 1, fast: bool = True) -> list[core.State]:
    """Positions of games between house strategies."""
    pair = {"pawns": ["s4(depth=2)", "s1(depth=2)"], "breakthrough": ["runner(depth=2)", "wall(depth=2)"]}[game]
    rules, found, rng = make_game(game, fast=fast), [], stream(seed, "midgame")
    while len(found) < count:
        record = play(game, pair, seed=int(rng.integers(1 << 32)))
        state = rules.new_initial_state()
        for entry in record.entries[: 6 + int(rng.random() * (len(record.entries) - 8))]:
            state.apply_action(state.string_to_action(state.current_player(), entry.actions[0]))
        found.append(state)
    return found


def seated(agent: AlphaBeta, state: core.State, game: str = "pawns", fast: bool = True) -> AlphaBeta:
    """The agent in the seat of whoever moves."""
    agent.begin(make_game(game, fast=fast), state.current_player(), stream(5, "seat"))
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


@pytest.mark.long
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("plies", [1, 2])
def test_without_trust_prom_is_alpha_beta(options: dict[str, object], plies: int) -> None:
    for number, state in enumerate(midgame(6)):
        depth = 2 + number % 3
        plain = seated(AlphaBeta(depth=depth, **options), state)  # type: ignore[arg-type]
        mixed = Prom(model=Nobody(), depth=depth, trust=0.0, plies=plies, **options)  # type: ignore[arg-type]
        seated(mixed, state)
        policies = [agent.policy(state) for agent in (plain, mixed)]
        assert policies[0].named == pytest.approx(policies[1].named)
        if options.get("noise", "root") != "root":
            assert plain.act(state, Clock()) == mixed.act(state, Clock())
        assert plain.found.value == mixed.found.value
        assert mixed.found.chances[mixed.found.action] == chance(mixed.found.value, default_scale(mixed.vector))


@pytest.mark.long
def test_without_trust_prom_plays_the_same_match() -> None:
    for game in ("pawns", "breakthrough"):
        ours = play(game, ["prom(depth=2, trust=0)", "alphabeta(depth=2)"], seed=4, max_plies=24)
        theirs = play(game, ["alphabeta(depth=2)", "alphabeta(depth=2)"], seed=4, max_plies=24)
        assert [entry.actions for entry in ours.entries] == [entry.actions for entry in theirs.entries]


@pytest.mark.long
def test_without_trust_values_keep_their_order() -> None:
    for state in midgame(6, seed=3):
        exact = searched_plainly(state, 3)
        found = searched(seated(Prom(model=DEPTH1, trust=0.0, safety=0.5), state), state, depth=3)
        assert found.values == exact
        by_chance = sorted(found.chances, key=lambda action: (found.chances[action], found.values[action]))
        assert [exact[action] for action in by_chance] == sorted(exact.values())


def searched_plainly(state: core.State, depth: int, weights: tuple[float, ...] = TABLE["S4"]) -> dict[int, float]:
    """The exact minimax value of every move."""
    agent = seated(AlphaBeta(weights=weights), state)
    return agent.searcher.search(state, Settings(depth=depth, margin=float("inf")), agent.vector).values


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


def test_a_picture_changes_no_value() -> None:
    for kind in (Asymmetric(model=Somebody()), Prom(model=Somebody(), trust=0.5)):
        for state in midgame(3, seed=8):
            agent = seated(kind, state)
            plain = agent.searcher.make_search(Settings(depth=3), agent.vector).root(state)  # type: ignore[attr-defined]
            shown = agent.searcher.make_search(Settings(depth=3), agent.vector, shown=3).root(state)  # type: ignore[attr-defined]
            assert (plain.value, plain.chances) == (shown.value, shown.chances)


# Winners.


@pytest.mark.long
@pytest.mark.parametrize("spec", ["asymmetric(depth=3)", "prom(depth=3)", "asymmetric(depth=2, deeper=3)"])
def test_it_wins_in_one_and_never_searches_behind_a_win(spec: str) -> None:
    state = position("g6 +2", "d5 d4 +0", "black")
    agent = seated(make_agent(spec), state)  # type: ignore[arg-type]
    for _ in range(5):
        assert state.action_to_string(0, agent.act(state, Clock())) in ("g6-g7", "g6-f6")
    assert agent.found.value > 5e6


def test_a_game_that_ends_inside_the_tree_is_no_leaf_to_expand() -> None:
    game = make_game("pawns(draw_plies=3)")
    for spec in ("asymmetric(depth=6)", "prom(depth=6, plies=3)"):
        agent = make_agent(spec)
        agent.begin(game, 0, stream(1, "x"))
        assert agent.act(game.new_initial_state(), Clock()) in game.new_initial_state().legal_actions()


# Python and compiled are twins.


@pytest.mark.long
@pytest.mark.parametrize(
    "settings", [{}, {"noise_seed": 7}, {"table": False}, {"history": False}, {"margin": 1.0}], ids=str
)
@pytest.mark.parametrize("agent", [Asymmetric(model=DEPTH1), Prom(model=DEPTH1, trust=0.7, plies=2)], ids=repr)
def test_the_part_below_is_the_same_compiled_and_in_python(
    agent: OpponentModelAgent, settings: dict[str, object]
) -> None:
    for state in midgame(2, seed=9):
        seated(agent, state)
        compiled = searched(agent, state, depth=3, **settings)
        made = agent.searcher.make_search(Settings(depth=3, **settings), agent.vector)  # type: ignore[attr-defined, arg-type]
        slow = made.without_kernels().root(state)
        for name in ("action", "value", "line", "values", "chances", "level", "predicted", "named"):
            assert getattr(slow, name) == getattr(compiled, name)
        assert slow.nodes - slow.model_nodes == compiled.nodes - compiled.model_nodes


@pytest.mark.long
def test_without_kernels_it_plays_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    agents = ["asymmetric(depth=2, noise='none')", "prom(depth=2, noise='none')"]
    fast = play("pawns", agents, seed=1, max_plies=8)
    monkeypatch.setenv("KIBITZ_NO_JIT", "1")
    slow = play("pawns", agents, seed=1, max_plies=8)
    assert [entry.actions for entry in fast.entries] == [entry.actions for entry in slow.entries]


def test_a_model_that_follows_lines_is_stepped_along_them() -> None:
    class Counting(Nobody):
        """Expects the move whose number is how many moves it has seen."""

        follows_lines = True

        def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
            super().begin(game, seat, rng)
            self.seen: list[tuple[int | None, ...]] = []

        def observe(self, transition: core.Transition) -> None:
            assert transition.before.child(transition.actions[0]).key() == transition.after.key()  # type: ignore[arg-type]
            self.seen.append(transition.actions)

        def predict(self, view: core.State, player: int) -> core.Distribution:
            legal = view.legal_actions(player)
            return core.Distribution.certain(legal[len(self.seen) % len(legal)], legal)

    state = make_game("pawns").new_initial_state()
    agent = seated(Asymmetric(model=Counting(), deeper=2), state)
    search = agent.searcher.make_search(Settings(depth=3, prune=False), agent.vector, shown=9)  # type: ignore[attr-defined]
    search.root(state)
    assert agent.opponent.fault == ""  # type: ignore[attr-defined]
    for ply, node in walk(search.tree.seen):
        expected = [child for child in node.children if child.share == 1.0]
        for child in expected:
            legal = sorted(each.action for each in node.children)
            if len(legal) > ply:
                assert child.action == legal[ply % len(legal)] or len(node.children) < len(legal)
    assert agent.opponent.model.seen == []  # type: ignore[attr-defined]


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

    def belief(self, player: int) -> dict[str, float]:
        if self.lie == "belief":
            raise RuntimeError("not today")
        return {"unknown": float("nan")} if self.lie == "nan belief" else {}

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


LIES = ["begin", "observe", "belief", "nan belief", "raise", "none", "nan", "negative", "illegal", "sum"]


@pytest.mark.parametrize("lie", LIES)
def test_a_lying_model_never_breaks_a_match_and_the_record_says_so(lie: str) -> None:
    for kind in (Asymmetric, Prom):
        record = play("pawns", [kind(model=Liar(lie), depth=2), "random"], seed=2, max_plies=8)
        plain = play("pawns", ["alphabeta(depth=2)", "random"], seed=2, max_plies=8)
        assert record.ending.strikes == (0, 0)
        truth = next(entry.truths[0] for entry in reversed(record.entries) if entry.truths)
        silent = lie == "nan belief" or (lie == "belief" and kind is Asymmetric)
        assert bool(truth["search"].get("model_fault")) != silent
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
    for kind in (Asymmetric, Prom):
        try:
            record = play("pawns", [kind(model=model, depth=2), "random"], seed=3, max_plies=8)
        except Unsupported:
            continue
        assert record.ending.strikes == (0, 0)


# Risk.


@pytest.mark.long
@pytest.mark.parametrize("plies", [1, 2])
@pytest.mark.parametrize("safety", [0.0, 0.02, 0.2])
def test_no_more_is_risked_than_allowed(safety: float, plies: int) -> None:
    moved = 0
    for state in midgame(10, seed=10):
        agent = seated(Prom(model=Somebody(last=True), safety=safety, depth=3, plies=plies), state)
        odds = {
            action: chance(value, default_scale(agent.vector)) for action, value in searched_plainly(state, 3).items()
        }
        policy = agent.policy(state)
        assert all(odds[action] >= max(odds.values()) - safety - 1e-12 for action in policy.named)
        free = seated(Prom(model=Somebody(last=True), depth=3, plies=plies), state).policy(state)
        moved += set(free.named) != set(policy.named)
    assert moved or safety > 0.0


def test_a_trusted_model_changes_what_is_played() -> None:
    """Against somebody sure to play his last legal move, the best answer is not minimax's everywhere."""
    differ = 0
    for state in midgame(10, seed=11):
        trusting = seated(Prom(model=Somebody(last=True), depth=2), state)
        found = searched(trusting, state, depth=2)
        for action, share in found.chances.items():
            child = state.child(action)
            if child.is_terminal():
                continue
            reply = child.child(child.legal_actions()[-1])
            value = trusting.ground.evaluate(trusting.vector)(reply)  # type: ignore[attr-defined]
            if not reply.is_terminal() and action in found.level:
                sign = 1.0 if state.current_player() == 0 else -1.0
                assert share == pytest.approx(chance(sign * value, default_scale(trusting.vector)))
        differ += found.level != tuple(a for a, v in found.values.items() if v > max(found.values.values()) - 1.0)
    assert differ


def test_doubt_in_the_model_lowers_trust() -> None:
    class Doubting(Somebody):
        def belief(self, player: int) -> dict[str, float]:
            return {"unknown": 0.75, "known": 0.25}

    state = midgame(1, seed=12)[0]
    found = searched(seated(Prom(model=Doubting(), trust=0.8), state), state, depth=2)
    assert found.trust == pytest.approx(0.2)


@pytest.mark.long
def test_replies_of_tiny_weight_cost_less_and_are_bounded() -> None:
    nodes = [0, 0]
    for state in midgame(6, seed=13):
        exact = searched(seated(Prom(model=SURE, tiny=0.0, safety=0.9), state), state, depth=4)
        quick = searched(seated(Prom(model=SURE, tiny=0.05, safety=0.9), state), state, depth=4)
        assert quick.values == exact.values
        for action, share in exact.chances.items():
            assert share - 0.05 * len(exact.chances) * 2 <= quick.chances[action] <= share + 1e-12
        nodes = [nodes[0] + exact.nodes, nodes[1] + quick.nodes]
    assert nodes[1] < nodes[0]


@pytest.mark.long
def test_moves_given_up_early_have_upper_bounds_and_the_choice_stays() -> None:
    nodes = [0, 0]
    for state in midgame(6, seed=13):
        exact = searched(seated(Prom(model=DEPTH1, tiny=0.0, safety=0.999), state), state, depth=4)
        quick = searched(seated(Prom(model=DEPTH1, tiny=0.0), state), state, depth=4)
        assert (quick.action, set(quick.level)) == (exact.action, set(exact.level))
        assert all(quick.chances[action] >= share - 1e-12 for action, share in exact.chances.items())
        nodes = [nodes[0] + exact.nodes, nodes[1] + quick.nodes]
    assert nodes[1] < nodes[0]


def test_a_game_says_its_scale_for_its_own_weights_only() -> None:
    evaluation = ability("breakthrough", "EVALUATION")
    assert scale_of(evaluation, evaluation.weights) == evaluation.scale == 790.0
    assert scale_of(evaluation, (7.0,) * 9) == default_scale((7.0,) * 9) == 7.0
    pawns = ability("pawns", "EVALUATION")
    assert scale_of(pawns, (*pawns.weights, 1.0)) == default_scale(pawns.weights) == 10_000.0
    for scale, expected in ((None, 790.0), (55.0, 55.0)):
        agent = make_agent("prom(model=dbn, depth=1)" if scale is None else f"prom(model=dbn, depth=1, scale={scale})")
        agent.begin(make_game("breakthrough"), 0, stream(1, "x"))
        assert isinstance(agent, Prom)
        assert PromSearcher(agent).make_search(agent.settings(), agent.vector).policy.scale == expected


def test_the_scale_is_fitted_to_games() -> None:
    rng = stream(1, "odds")
    values = [float(value) for value in rng.normal(0.0, 300.0, 4000)]
    games = [(value, float(rng.random() < chance(value, 150.0))) for value in values]
    assert fitted_scale(games) == pytest.approx(150.0, rel=0.1)
    assert fitted_scale([(10.0, 1.0), (-10.0, 0.0)]) < 1.0
    assert [chance(value, 1.0) for value in (-1e9, 0.0, 1e9)] == [pytest.approx(0.0), 0.5, 1.0]


# What it costs, and how well it foretells.


def test_nodes_count_the_models_searches_too() -> None:
    model = StrategyFilter(depth=2)
    agent = Prom(model=model, depth=2)
    record = play("pawns", [agent, "alphabeta(depth=2)"], seed=5, max_plies=9)
    last = next(entry.truths[0]["search"] for entry in reversed(record.entries) if entry.truths)
    plain = play("pawns", [Prom(model=Nobody(), depth=2), "alphabeta(depth=2)"], seed=5, max_plies=9)
    bare = next(entry.truths[0]["search"] for entry in reversed(plain.entries) if entry.truths)
    assert bare["model_nodes"] == 0 < last["model_nodes"] < last["nodes"]
    assert agent.searched == last["nodes"]
    assert last["last_nodes"] > 0


def test_found_counts_what_watching_cost_since_the_last_move() -> None:
    game = make_game("pawns")
    agent = Asymmetric(model=StrategyFilter(depth=2), depth=2)
    agent.begin(game, 0, stream(1, "x"))
    state = game.new_initial_state()
    total = 0
    for ply in range(6):
        action = agent.act(state, Clock()) if ply % 2 == 0 else state.legal_actions()[0]
        if ply % 2 == 0:
            assert isinstance(agent.found, ModelSearchResult)
            total += agent.found.nodes
            assert agent.found.model_nodes <= agent.found.nodes
        after = state.child(action)
        agent.observe(core.Transition(ply, ply % 2, (action,), state, after))
        state = after
    assert agent.searched == total + agent.owed_nodes()


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
    for spec in ("asymmetric(depth=30, nodes=3000)", "prom(depth=30, nodes=3000)"):
        record = play("pawns", [spec, "random"], seed=1, max_plies=8)
        told = [entry.truths[0]["search"]["last_nodes"] for entry in record.entries if entry.truths]
        assert 100 < max(told) <= 3000
    for spec in ("asymmetric(depth=40)", "prom(depth=40)"):
        # A clock that counts the time of this process alone, whatever else the machine does.
        timed = {"time_control": TimeControl(move=0.6), "now": time.process_time}
        assert play("pawns", [spec, "random"], seed=1, max_plies=4, **timed).ending.strikes == (0, 0)


@pytest.mark.long
def test_both_sides_are_played() -> None:
    for spec in ("asymmetric(depth=2)", "prom(depth=2)"):
        for seat in (0, 1):
            agents = [spec, "random"] if seat == 0 else ["random", spec]
            assert play("pawns", agents, seed=3).ending.returns[seat] > 0


@pytest.mark.long
@pytest.mark.parametrize("spec", ["asymmetric(depth=2, rule='seen_before', noise=leaf)", "prom(depth=2, nodes=200)"])
def test_every_kind_keeps_the_contract(spec: str) -> None:
    check_agent(spec, ["pawns"], plies=20)


def test_rules_are_named_in_text() -> None:
    assert repr(make_rule("mass(mass=0.8)")) == "Mass(mass=0.8)"
    assert repr(make_rule("random_like(rule=max_ratio(max_pr=0.5))").rule) == "MaxRatio(max_pr=0.5)"  # type: ignore[attr-defined]
    with pytest.raises(UnknownName, match="rule"):
        make_rule("luck")
    for wrong in ("mass(mass=2)", "mass(share=0.5)"):
        with pytest.raises(BadSpec):
            make_rule(wrong)
    state = midgame(1, seed=14)[0]
    for rule in ("seen_before", "max_ratio", "random_like(rule=mass(mass=0.5))"):
        agent = seated(Asymmetric(model=DEPTH1, rule=rule), state)
        first, second = searched(agent, state, depth=3), searched(agent, state, depth=3)
        assert (first.value, first.named) == (second.value, second.named)


@pytest.mark.long
def test_the_definition_without_pruning_agrees() -> None:
    """The tree by its definition: limits passed down, plain minimax, no order, no table, no cuts."""
    for state in midgame(2, seed=15):
        agent = seated(Asymmetric(model=DEPTH1), state)
        evaluate = agent.ground.evaluate(agent.vector)  # type: ignore[attr-defined]
        opponent = agent.opponent  # type: ignore[attr-defined]
        me, depth = state.current_player(), 3

        def value(node: core.State, ply: int, limit: int, trying: bool) -> float:
            if node.is_terminal() or ply >= limit:
                static = game_tree.leaf_value(node, evaluate(node), depth - ply, "mate")  # noqa: B023
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
