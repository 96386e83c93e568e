"""Alpha-beta: the definition, the Python search and the compiled one agree; the parts do what they are for."""

import time

import numpy as np
import pytest

from agent_definitions import midgame, minimax
from kibitz.core.agent import Clock
from kibitz.core.errors import BadSpec
from kibitz.core.kit.compiled import words_of
from kibitz.core.match.play import play
from kibitz.core.registry import kit_of, make_agent, make_game
from kibitz.core.seeds import stream
from kibitz_lab.games.pawns.agents import TABLE
from kibitz_lab.games.pawns.features import evaluate
from kibitz_lab.games.pawns.rules import State, position
from kibitz_lab.search import compiled_search, game_tree, kernel, searcher
from kibitz_lab.search.alphabeta import FORCED, AlphaBeta, move_weights
from kibitz_lab.search.compiled_search import CompiledSearch
from kibitz_lab.search.settings import Settings

SWITCHES = [
    {},
    {"table": False},
    {"history": False},
    {"sort": False},
    {"table": False, "history": False, "sort": False},
    {"margin": 1.0},
    {"noise_seed": 9},
    {"win_value": "features"},
]
WEIGHTS = (3.0, -7.0, 1.5, -110.0, 2.0, 5.0)


def pawn_hash(state: State) -> int:
    return game_tree.words_hash(words_of(state)[:3].tolist())


@pytest.mark.long
@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_the_compiled_search_is_the_python_search(switches: dict[str, object]) -> None:
    compiled = CompiledSearch(kit_of("pawns").kernels)
    for number, state in enumerate(midgame(3)):
        weights = [WEIGHTS, TABLE["S2"], TABLE["S4"]][number]
        for depth in (1, 2, 3):
            settings = Settings(depth=depth, **switches)  # type: ignore[arg-type]
            slow = game_tree.search(state, settings, lambda s: evaluate(s, weights), pawn_hash)  # type: ignore[arg-type] # noqa: B023
            assert compiled.search(state, settings, weights) == slow


@pytest.mark.long
@pytest.mark.parametrize("win_value", ["mate", "features"])
def test_alpha_beta_is_minimax(win_value: str) -> None:
    for state in midgame(4, seed=2):
        for depth in (1, 2, 3):
            value = minimax(state, depth, lambda s: evaluate(s, WEIGHTS), win_value)
            for switches in ({}, {"sort": False}, {"table": False, "history": False}):
                settings = Settings(depth=depth, win_value=win_value, **switches)  # type: ignore[arg-type]
                found = CompiledSearch(kit_of("pawns").kernels).search(state, settings, WEIGHTS)
                assert found.value == pytest.approx(value)


def test_a_short_search_finds_the_same_with_a_small_table(monkeypatch: pytest.MonkeyPatch) -> None:
    small = CompiledSearch(kit_of("pawns").kernels)
    found = [small.search(state, Settings(depth=4, margin=1e-9), TABLE["S4"]) for state in midgame(4)]
    monkeypatch.setattr(compiled_search, "SHORT", 0)
    large = CompiledSearch(kit_of("pawns").kernels)
    assert found == [large.search(state, Settings(depth=4, margin=1e-9), TABLE["S4"]) for state in midgame(4)]
    assert len(small.work.table_keys) < len(large.work.table_keys)


def test_table_and_history_keep_the_value_and_save_nodes() -> None:
    compiled = CompiledSearch(kit_of("pawns").kernels)
    plain, full = Settings(depth=7, table=False, history=False, noise_seed=4), Settings(depth=7, noise_seed=4)
    nodes = [0, 0]
    for state in midgame(8, seed=3):
        found = [compiled.search(state, settings, TABLE["S4"]) for settings in (plain, full)]
        assert found[0].value == found[1].value
        nodes = [nodes[0] + found[0].nodes, nodes[1] + found[1].nodes]
    assert nodes[1] < 0.6 * nodes[0]


def test_the_line_is_played_out_to_its_value() -> None:
    for state in midgame(4, seed=4):
        found = CompiledSearch(kit_of("pawns").kernels).search(state, Settings(depth=4, table=False), WEIGHTS)
        mover, end = state.player, state
        for action in found.line:
            end = end.child(action)
        assert len(found.line) == 4 or end.is_terminal()
        if not end.is_terminal():
            assert found.value == evaluate(end, WEIGHTS) * (1 if mover == 0 else -1)


def test_it_wins_in_one_and_sees_a_loss_coming() -> None:
    state = position("g6 +2", "d5 d4 +0", "black")
    found = CompiledSearch(kit_of("pawns").kernels).search(state, Settings(depth=3), TABLE["S4"])
    assert state.action_to_string(0, found.action) in ("g6-g7", "g6-f6")
    assert found.value > FORCED
    quick = CompiledSearch(kit_of("pawns").kernels).search(state, Settings(depth=5), TABLE["S4"])
    assert quick.line[:1] == found.line[:1]


def test_near_ties_get_exact_values_within_the_margin() -> None:
    compiled = CompiledSearch(kit_of("pawns").kernels)
    for state in midgame(4, seed=5):
        exact = compiled.search(state, Settings(depth=4, margin=float("inf")), TABLE["S3"]).values
        near = compiled.search(state, Settings(depth=4, margin=1.0), TABLE["S3"])
        for action, value in exact.items():
            if value > near.value - 1.0:
                assert near.values[action] == value
            else:
                assert near.values[action] <= near.value - 1.0


def test_tie_noise_is_fair_small_and_the_same_everywhere() -> None:
    draws = [game_tree.tie_noise(position, 7) for position in range(20_000)]
    assert max(map(abs, draws)) < 0.5
    assert np.mean(draws) == pytest.approx(0.0, abs=0.01)
    assert np.var(draws) == pytest.approx(1 / 12, abs=0.003)
    for word in (0, 1, 2**63, 2**64 - 1):
        assert kernel.tie_noise(word, 12345) == game_tree.tie_noise(word, 12345)


def test_giving_up_is_noticed_and_the_last_finished_depth_is_kept() -> None:
    state = midgame(1, seed=6)[0]
    for settings in (Settings(depth=6, nodes=50),):
        assert not CompiledSearch(kit_of("pawns").kernels).search(state, settings, WEIGHTS).complete
        assert not game_tree.search(state, settings, lambda s: evaluate(s, WEIGHTS)).complete
    agent = make_agent("alphabeta(depth=12, nodes=2000)")
    assert isinstance(agent, AlphaBeta)
    agent.begin(make_game("pawns"), state.player, stream(1, "x"))
    agent.act(make_game("pawns").new_initial_state(), Clock())
    assert agent.found is not None
    assert agent.found.nodes <= 2000
    assert 2 <= agent.found.depth < 12


@pytest.mark.parametrize(("step", "depths"), [(1, {4, 5}), (2, {4})])
def test_a_budget_deepens_by_the_step(step: int, depths: set[int]) -> None:
    game, found = make_game("pawns"), set()
    for state in midgame(6, seed=2):
        agent = AlphaBeta(depth=6, nodes=1000, step=step)  # type: ignore[arg-type]
        agent.begin(game, state.current_player(), stream(1, "x"))
        agent.act(state, Clock())
        assert agent.found is not None
        assert agent.found.nodes <= 1000
        found.add(agent.found.depth)
    assert found >= depths
    assert step == 1 or not any(depth % 2 for depth in found)


def test_variety_plays_more_moves_but_no_blunders() -> None:
    values = {1: 100.0, 2: 99.5, 3: 60.0, 4: -50.0, 5: -2 * FORCED}
    assert move_weights(values, 0.0) == {1: 1.0, 2: 1.0}
    some = move_weights(values, 0.5)
    assert set(some) == {1, 2, 3}
    assert some[3] < 1.0
    assert 5 not in move_weights(values, 1.0)
    assert set(move_weights({1: 2 * FORCED, 2: 3 * FORCED, 3: 0.0}, 1.0)) <= {1, 2}
    assert set(move_weights({1: -2 * FORCED, 2: -3 * FORCED}, 0.0)) == {1}


@pytest.mark.long
def test_weaker_is_weaker() -> None:
    """A smaller twin of the strength check: deep search beats one ply with variety, from both seats."""
    wins = 0
    for seed in range(10):
        strong, weak = "pawns.s4(depth=5)", "alphabeta(depth=4, strength=0.0, variety=0.9)"
        for seat in (0, 1):
            agents = [strong, weak] if seat == 0 else [weak, strong]
            wins += play("pawns", agents, seed=seed).ending.returns[seat] > 0
    assert wins >= 15


def test_a_game_it_cannot_search_is_refused() -> None:
    from kibitz.core.errors import Unsupported

    for game in ("kuhn", "dilemma", "pennies", "offers"):
        with pytest.raises(Unsupported):
            make_agent("alphabeta").begin(make_game(game), 0, stream(1, "x"))


@pytest.mark.parametrize(
    "weights",
    [
        "[]",
        "[1]",
        "[1, 2, 3, 4, 5, 6, 7]",
        "[0, 0, 1, 0, 0, 0, 1000000000]",
        "[inf, 0, 0, 0, 0, 0]",
        "[1e9, 0, 0, 0, 0, 0]",
    ],
)
def test_weights_that_do_not_fit_never_reach_compiled_code(weights: str) -> None:
    with pytest.raises(BadSpec):
        make_agent(f"alphabeta(weights={weights})").begin(make_game("pawns"), 0, stream(1, "x"))


@pytest.mark.long
@pytest.mark.parametrize(
    ("agent", "control"),
    [
        ("alphabeta(depth=60)", {"move_time": 0.5}),
        ("alphabeta(depth=50)", {"game_time": 2.0}),
        ("mcts(simulations=1000000)", {"game_time": 2.0}),
    ],
)
def test_clocks_are_kept(agent: str, control: dict[str, float]) -> None:
    """A clock counts the time of this process alone, whatever else the machine does."""
    plies = 4 if "move_time" in control else None
    record = play("pawns", [agent, "random"], seed=1, now=time.process_time, max_plies=plies, **control)
    assert record.ending.strikes == (0, 0)


def test_deepening_ends_where_the_game_does() -> None:
    agent = make_agent("alphabeta(depth=200, nodes=100000)")
    game = make_game("pawns(draw_plies=3)")
    agent.begin(game, 0, stream(1, "x"))
    agent.act(game.new_initial_state(), Clock())
    assert agent.found.depth <= 4  # type: ignore[attr-defined]


def test_a_player_who_paces_himself_keeps_time() -> None:
    assert Clock(None).pace() == float("inf")
    assert Clock(2.0).pace() == 2.0
    assert Clock(2.0, bank=30.0).pace() == 1.0
    assert Clock(0.5, bank=30.0).pace() == 0.5


def test_a_plain_search_ends_when_the_kernels_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("pawns")
    state, settings = game.new_initial_state(), Settings(depth=4)
    ground = searcher.GameSearch(game)
    looks, compiled = iter([None, None]), ground.fast_search
    assert compiled is not None
    monkeypatch.setattr(searcher, "UNTIL_LOOK", 10)
    monkeypatch.setattr(searcher.GameSearch, "fast_search", property(lambda _: next(looks, compiled)))
    found = ground.search(state, settings, WEIGHTS)
    assert next(looks, None) is None
    assert found == compiled.search(state, settings, WEIGHTS)
