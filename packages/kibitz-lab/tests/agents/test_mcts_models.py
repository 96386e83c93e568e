"""Monte Carlo tree search with a model: against whom it plays, what that is worth, and what it does without."""

from collections.abc import Sequence
from statistics import fmean, stdev

import pytest

from kibitz import core, make_agent, make_game, play
from kibitz.core.insight import UNKNOWN
from kibitz.core.registry import entries
from kibitz.core.seeds import stream
from kibitz.games.dilemma.rules import COOPERATE, DEFECT
from kibitz.models.strategy_filter import StrategyFilter
from kibitz.models.worlds import known_strategies
from kibitz_lab.search.mcts.agent import MCTS

GAMES = sorted(entries("game"))


def seated(agent: str | core.Agent, game: core.Game, player: int = 0, seed: int = 0) -> MCTS:
    made = make_agent(agent)
    assert isinstance(made, MCTS)
    made.begin(game, player, stream(seed, "agent", player))
    return made


def show_moves(agent: core.Agent, game: core.Game, moves: Sequence[Sequence[int]]) -> core.State:
    """Play *moves* in an open game before *agent*, and return the position after them."""
    state = game.new_initial_state()
    for ply, actions in enumerate(moves):
        before = state.clone()
        state.step(actions)
        agent.observe(core.Transition(ply, before.current_player(), tuple(actions), before, state.clone()))
    return state


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_with_a_model_it_plays_every_game(name: str) -> None:
    game = make_game(name)
    agents = ["mcts(model=strategy_filter, simulations=3, rollout_plies=4)", *["random"] * (game.players - 1)]
    record = play(game, agents, seed=1, max_plies=7)
    assert record.ending.strikes == (0,) * game.players
    assert not any("search" in entry.truths[0] for entry in record.entries if entry.truths)  # the model never failed


def test_it_learns_whom_it_plays_and_exploits_them() -> None:
    game = make_game("pennies(lead=4)")
    agent = seated("mcts(model=strategy_filter, simulations=200)", game)
    state = show_moves(agent, game, [(0, 0), (1, 0), (0, 0), (1, 0), (0, 0), (1, 0)])
    action = agent.act(state.clone(), core.Clock())
    assert agent.found.types[1]["pennies.heads"] > 0.5
    assert action == 0  # player 0 wins if both show the same side


def test_what_players_did_is_part_of_what_they_know() -> None:
    """After CD, DC and after DC, CD the dilemma is in the same position, but the players are not."""
    game = make_game("dilemma(rounds=4)")
    agent = seated("mcts(simulations=400)", game)
    agent.act(game.new_initial_state(), core.Clock())
    first, second = (COOPERATE, DEFECT), (DEFECT, COOPERATE)
    keys = {show_moves(make_agent("random"), game, moves).key() for moves in ([first, second], [second, first])}
    assert len(keys) == 1
    root = agent.root
    assert root is not None
    assert root.children[first].children[second] is not root.children[second].children[first]


def test_the_tree_goes_on_from_move_to_move() -> None:
    game = make_game("pawns")
    for model, share in (("", 1.0), (", model=strategy_filter(depth=1)", 0.5)):
        agent = seated(f"mcts(simulations=120{model})", game)
        state = game.new_initial_state()
        own = agent.act(state.clone(), core.Clock())
        reply = next(iter(agent.root.children[own,].children))[0]
        held = agent.root.children[own,].children[reply,].visits
        agent.act(show_moves(agent, game, [(own,), (reply,)]), core.Clock())
        assert held > 3
        assert agent.found.simulations == 120
        assert sum(agent.found.visits.values()) == pytest.approx(120 + share * held, abs=0.2 * held + 6)


def test_a_tree_of_another_position_is_not_used() -> None:
    game = make_game("pawns")
    agent = seated("mcts(simulations=60)", game)
    state = game.new_initial_state()
    agent.act(state.clone(), core.Clock())
    for _ in range(2):
        state.apply_action(state.legal_actions()[3])
    agent.act(state, core.Clock())
    assert sum(agent.found.visits.values()) == 60


@pytest.mark.parametrize("game", ["kuhn", "dilemma", "pawns"])
def test_the_same_seed_finds_the_same_with_a_model_and_a_copy_goes_on_alike(game: str) -> None:
    records = [
        play(game, ["mcts(model=strategy_filter(depth=1), simulations=20)", *rest], seed=4, max_plies=8)
        for rest in [["random"] * (make_game(game).players - 1)] * 2
    ]
    assert [entry.actions for entry in records[0].entries] == [entry.actions for entry in records[1].entries]
    rules = make_game("dilemma")
    agent = seated("mcts(model=strategy_filter, simulations=30)", rules)
    state = show_moves(agent, rules, [(COOPERATE, COOPERATE), (DEFECT, COOPERATE)])
    copied = agent.clone()
    assert copied.act(state.clone(), core.Clock()) == agent.act(state.clone(), core.Clock())
    assert copied.found == agent.found


def test_worlds_fit_what_is_seen_and_types_what_is_believed() -> None:
    game = make_game("kuhn(players=2)")
    state = game.new_initial_state()
    model = StrategyFilter()
    model.begin(game, 0, stream(1, "model"))
    for ply in range(3):
        before, mover = state.clone(), state.current_player()
        action = state.chance_outcomes()[0][0] if mover == core.CHANCE else state.legal_actions()[-1]
        seen = state.seen_action(0, mover, action)
        state.apply_action(action)
        model.observe(core.Transition(ply, mover, (seen,), before.view(0), state.view(0)))
    worlds = model.sample_worlds(state.view(0), 400, stream(2, "worlds"))
    assert {world.state.view(0).key() for world in worlds} == {state.view(0).key()}
    assert len({world.state.key() for world in worlds}) == 2  # the other player holds one of two cards
    drawn = [world.types[1].label if 1 in world.types else UNKNOWN for world in worlds]
    for label, share in model.belief(1).items():
        assert drawn.count(label) / 400 == pytest.approx(share, abs=0.02)


def test_a_search_leaves_the_worlds_of_its_model_as_they_are() -> None:
    agent = seated(MCTS(simulations=20, model=StrategyFilter()), make_game("pawns"))
    assert isinstance(agent.watcher, StrategyFilter)
    (world,), view = agent.watcher.possible, agent.game.new_initial_state()
    before = view.key()
    agent.act(view, core.Clock())
    assert view.key() == world.state.key() == before


def test_a_stranger_is_understood_the_better_the_more_was_seen() -> None:
    game = make_game("pennies(lead=50)")
    model = StrategyFilter(unknown=1.0)
    model.begin(game, 0, stream(1, "model"))
    state, understood = game.new_initial_state(), []
    for ply in range(25):
        if ply in (0, 8, 24):
            worlds = model.sample_worlds(state, 200, stream(2, "worlds"))
            understood.append(sum(1 in world.types for world in worlds) / 200)
        before = state.clone()
        state.step((ply % 2, ply // 2 % 2))
        model.observe(core.Transition(ply, core.SIMULTANEOUS, (ply % 2, ply // 2 % 2), before, state.clone()))
    assert understood[0] == 0.0
    assert understood[1] == pytest.approx(0.5, abs=0.1)
    assert understood[2] == pytest.approx(0.75, abs=0.1)


class Broken(core.Model):
    """Predicts as long as it likes, then fails."""

    answers = ("action",)

    def observe(self, transition: core.Transition) -> None:
        """Learn nothing."""

    def predict(self, view: core.State, player: int) -> core.Distribution:
        raise RuntimeError("no idea")


class Confident(core.Model):
    """Knows who everyone is, and not what they will do."""

    answers = ("type",)

    def observe(self, transition: core.Transition) -> None:
        """Learn nothing."""


def test_a_model_that_fails_is_not_asked_again_and_the_match_goes_on() -> None:
    record = play("dilemma(rounds=3)", [MCTS(simulations=10, model=Broken()), "random"], seed=1)
    assert record.ending.strikes == (0, 0)
    truths = [entry.truths[0] for entry in record.entries if entry.truths]
    assert "no idea" in truths[-1]["search"]["model_fault"]


@pytest.mark.parametrize(
    ("spec", "game", "words"),
    [
        ("mcts(model=dbn)", "offers", "dbn"),
        (MCTS(model=Confident()), "pennies", "does not predict actions"),
        ("mcts(model=rehearsal(agents=[mcts]))", "pennies", "its model supposes mcts"),
        ("mcts(model=rehearsal(agents=[random, mcts(simulations=5)]))", "pennies", "its model supposes mcts"),
        ("mcts(model=strategy_filter(strategies=[mcts]))", "pennies", "strategies"),
    ],
)
def test_a_model_that_does_not_fit_is_refused_in_one_line(spec: str | core.Agent, game: str, words: str) -> None:
    with pytest.raises(core.KibitzError, match=words) as error:
        play(game, [spec, "random"], seed=1)
    assert "\n" not in str(error.value)


def test_seconds_end_a_search() -> None:
    game = make_game("pennies")
    ticks = iter(range(10**7))
    clock = core.Clock(now=lambda: next(ticks) / 100.0)
    agent = seated("mcts(seconds=0.5)", game)
    agent.act(game.new_initial_state(), clock)
    assert 40 < agent.found.simulations <= 51


def gains(game: str, simulations: int, pairs: int) -> list[float]:
    """What a model earns more against the game's own strategies, pair by pair: the same seat, others and seed."""
    rules, found = make_game(game), []
    strategies = [repr(strategy) for strategy in known_strategies(rules)]
    for seed in range(pairs):
        draws = stream(seed, "pair")
        others: list[str | core.Agent] = [
            strategies[int(draws.integers(len(strategies)))] for _ in range(rules.players)
        ]
        seat, earned = seed % rules.players, []
        for model in (", model=strategy_filter", ""):
            agents = list(others)
            agents[seat] = f"mcts(simulations={simulations}{model})"
            earned.append(play(rules, agents, seed=seed).ending.returns[seat])
        found.append(earned[0] - earned[1])
    return found


@pytest.mark.parametrize(
    ("game", "simulations", "pairs"),
    [
        pytest.param("pennies", 40, 16, marks=pytest.mark.long),
        pytest.param("offers", 40, 30, marks=pytest.mark.long),
        pytest.param("kuhn", 200, 2000, marks=pytest.mark.slow),
        pytest.param("kuhn(players=2)", 200, 2000, marks=pytest.mark.slow),
        pytest.param("pennies", 200, 200, marks=pytest.mark.slow),
        pytest.param("dilemma", 200, 140, marks=pytest.mark.slow),
        pytest.param("offers", 200, 400, marks=pytest.mark.slow),
        pytest.param("pawns", 100, 60, marks=pytest.mark.slow),
    ],
)
def test_a_model_gains_against_players_that_it_knows(game: str, simulations: int, pairs: int) -> None:
    found = gains(game, simulations, pairs)
    assert fmean(found) - 1.96 * stdev(found) / pairs**0.5 > 0.0
