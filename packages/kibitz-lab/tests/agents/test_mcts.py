"""Monte Carlo tree search: better than chance everywhere, exact where it must be, in time, and reproducible."""

from collections.abc import Iterator
from statistics import fmean, stdev

import pytest

from kibitz import core, make_agent, make_game, play
from kibitz.core.kernels import jit_enabled
from kibitz.core.registry import kit_of
from kibitz.core.seeds import kernel_stream, stream
from kibitz.games.dilemma.rules import DEFECT
from kibitz.games.pennies.rules import HEADS
from kibitz.testing.walks import random_step
from kibitz_lab.games.pawns.rules import position
from kibitz_lab.search.mcts.agent import MCTS, MctsResult, play_weights
from kibitz_lab.search.mcts.playouts import (
    EvaluatedLeaves,
    KernelPlayout,
    Leaves,
    PythonPlayout,
    leaves_for,
    playout_for,
)
from kibitz_lab.search.mcts.tree import Node, Tree


def seated(spec: str, game: core.Game, player: int = 0, seed: int = 0) -> MCTS:
    agent = make_agent(spec)
    assert isinstance(agent, MCTS)
    agent.begin(game, player, stream(seed, "agent", player))
    return agent


def edges(game: str, agent: str, matches: int) -> list[float]:
    """What *agent* earned more than the random players it met, match by match, from every seat in turn."""
    rules, found = make_game(game), []
    for seed in range(matches):
        seat = seed % rules.players
        agents = ["random"] * rules.players
        agents[seat] = agent
        returns = play(rules, agents, seed=seed).ending.returns
        found.append(returns[seat] - fmean(r for player, r in enumerate(returns) if player != seat))
    return found


def nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children.values():
        yield from nodes(child)


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "simulations", "matches"),
    [
        ("pawns", 60, 10),
        ("kuhn(players=2)", 60, 400),
        ("kuhn(players=3)", 60, 240),
        ("offers", 80, 40),
        ("dilemma(rounds=10)", 80, 24),
    ],
)
def test_it_beats_random_players(game: str, simulations: int, matches: int) -> None:
    found = edges(game, f"mcts(simulations={simulations})", matches)
    assert fmean(found) - 2.6 * stdev(found) / matches**0.5 > 0.0  # 99 %


@pytest.mark.parametrize("seed", range(4))
def test_it_wins_in_two_where_anything_else_is_too_slow(seed: int) -> None:
    state = position("e7 +2", "b4 +3")
    agent = seated("mcts(simulations=400)", state.game, seed=seed)
    action = agent.act(state.clone(), core.Clock())
    assert state.action_to_string(0, action) == "e7-f7"
    threat = state.child(action)
    for reply in threat.legal_actions():
        after = threat.child(reply)
        assert any(after.child(move).returns() == [1.0, -1.0] for move in after.legal_actions())


@pytest.mark.long
def test_pennies_come_out_near_fifty_fifty() -> None:
    game, shares = make_game("pennies"), []
    for seed in range(8):
        agent = seated("mcts(simulations=400)", game, seed % 2, seed)
        agent.act(game.new_initial_state(), core.Clock())
        weights = play_weights(agent.found, mixed=True, variety=0.0)
        shares.append(weights.get(HEADS, 0.0) / sum(weights.values()))
    assert all(abs(share - 0.5) < 0.3 for share in shares)
    assert abs(fmean(shares) - 0.5) < 0.08


def test_players_do_not_learn_to_cooperate_by_exploring_in_step() -> None:
    game = make_game("dilemma(rounds=1)")
    for seed in range(6):
        agent = seated("mcts(simulations=1000)", game, seed % 2, seed)
        agent.act(game.new_initial_state(), core.Clock())
        assert agent.found.action == DEFECT


def test_positions_the_player_cannot_tell_apart_share_a_node() -> None:
    game = make_game("kuhn(players=2)")
    state = game.new_initial_state()
    for card in [card for card, _ in state.chance_outcomes()][:2]:
        state.apply_action(card)
    rng = stream(0, "tree")
    tree = Tree(game, 0, Leaves(game, rng), rng, exploration=0.7, horizon=100)
    for _ in range(300):
        tree.simulate(state.view(0).complete(rng), 100)
    assert len(list(nodes(tree.root))) == 9  # the public histories of two players, whatever the cards
    assert tree.root.decisions[0].visits == 300
    assert len(tree.other_roots) == 2  # the other player holds one of two cards, and knows which


def test_a_huge_set_of_actions_is_never_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(self: object) -> Iterator[int]:
        raise AssertionError("a product set was listed")

    monkeypatch.setattr(core.ProductActions, "__iter__", listed)
    record = play("offers(pool=[2000, 3000, 4000])", ["mcts(simulations=150)", "mcts(simulations=150)"], seed=3)
    assert record.ending.strikes == (0, 0)
    agent = seated("mcts(simulations=150)", make_game("offers(pool=[2000, 3000, 4000])"))
    state = agent.game.new_initial_state()
    for kind in (0, 1):
        state.apply_action(kind)
    agent.act(state.view(0), core.Clock())
    assert 10 < len(agent.found.visits) < 50


def test_the_clock_is_respected() -> None:
    game = make_game("pawns")
    ticks = iter(range(10**7))
    clock = core.Clock(allowance=1.0, now=lambda: next(ticks) / 100.0)
    agent = seated("mcts(simulations=1000000)", game)
    assert agent.act(game.new_initial_state(), clock) in game.new_initial_state().legal_actions()
    assert clock.elapsed_seconds() < 0.75
    assert 50 < agent.found.simulations < 75
    assert agent.act(game.new_initial_state(), core.Clock(allowance=0.0)) in game.new_initial_state().legal_actions()
    assert agent.found.simulations == 1


def test_the_same_seed_finds_the_same_and_a_copy_goes_on_alike() -> None:
    game = make_game("pawns")
    first, second = (seated("mcts(simulations=60, variety=0.8)", game, seed=5) for _ in range(2))
    state = game.new_initial_state()
    for _ in range(3):
        assert first.act(state.clone(), core.Clock()) == second.act(state.clone(), core.Clock())
        assert first.found == second.found
    copied = first.clone()
    assert copied.act(state.clone(), core.Clock()) == second.act(state.clone(), core.Clock())
    first.act(state.clone(), core.Clock())
    assert copied.found == second.found == first.found


@pytest.mark.long
@pytest.mark.skipif(not jit_enabled(), reason="without a compiler every playout is Python's")
def test_kernel_and_python_playouts_earn_the_same_on_average() -> None:
    game = make_game("pawns")
    start = position("e6 d5 +1", "g5 +3", game=game)
    python = PythonPlayout(game, stream(1, "playout"))
    kernel = KernelPlayout(game, kit_of("pawns").kernels, kernel_stream(1, "playout"))
    slow = [python(start.clone(), 1000)[0][0] for _ in range(150)]
    fast = [kernel(start.clone(), 1000)[0][0] for _ in range(3000)]
    error = (stdev(slow) ** 2 / len(slow) + stdev(fast) ** 2 / len(fast)) ** 0.5
    assert abs(fmean(fast)) > 0.1  # the position favours one side, so that swapped sides would show
    assert abs(fmean(slow) - fmean(fast)) < 3.5 * error


def test_a_playout_that_is_cut_earns_what_infinite_play_does() -> None:
    pennies, rng = make_game("pennies(lead=50)"), stream(0, "playout")
    assert PythonPlayout(pennies, rng)(pennies.new_initial_state(), 20) == ([0.0, 0.0], 20)
    pawns = make_game("pawns")
    assert list(playout_for(pawns, rng)(pawns.new_initial_state(), 3)[0]) == [0.0, 0.0]


def test_it_does_not_look_past_the_end_of_the_match() -> None:
    game = make_game("pennies")
    agent = seated("mcts(simulations=50)", game)
    state = game.new_initial_state()
    agent.observe(core.Transition(game.max_plies - 2, core.SIMULTANEOUS, (0, 0), state, state))
    agent.act(state, core.Clock())
    assert len(agent.found.line) == 1
    assert set(agent.found.values.values()) == {0.0}


def test_found_says_what_was_tried_and_what_came_of_it() -> None:
    game = make_game("pawns")
    agent = seated("mcts(simulations=200)", game)
    state = game.new_initial_state()
    action = agent.act(state.clone(), core.Clock())
    found = agent.found
    assert sum(found.visits.values()) == found.simulations == 200
    assert sorted(found.visits) == sorted(state.legal_actions())
    assert found.visits[action] == max(found.visits.values())
    assert found.line[0] == (action,)
    for (move,) in found.line:
        assert move in state.legal_actions()
        state.apply_action(move)


def test_strength_scales_the_simulations_but_leaves_a_few() -> None:
    game = make_game("kuhn(players=2)")
    state = game.new_initial_state()
    for card in [card for card, _ in state.chance_outcomes()][:2]:
        state.apply_action(card)
    for strength, expected in ((1.0, 200), (0.5, 100), (0.0, 32)):
        agent = seated(f"mcts(simulations=200, strength={strength})", game)
        agent.act(state.view(0), core.Clock())
        assert agent.found.simulations == expected


@pytest.mark.long
def test_variety_plays_fair_moves_and_never_hopeless_ones() -> None:
    found = MctsResult(1, {1: 100, 2: 60, 3: 50, 4: 5}, {1: 0.6, 2: 0.5, 3: -0.2, 4: 0.6}, spread=2.0)
    assert play_weights(found, mixed=False, variety=0.0) == {1: 1.0}
    assert play_weights(found, mixed=False, variety=1.0) == {1: 1.0, 2: 0.6}  # 3 is hopeless, 4 was hardly looked at
    assert play_weights(found, mixed=False, variety=0.5)[2] == pytest.approx(0.36)
    game = make_game("pawns")
    openings = {
        seated("mcts(simulations=60, variety=1.0)", game, seed=seed).act(game.new_initial_state(), core.Clock())
        for seed in range(8)
    }
    assert len(openings) > 1
    state = position("f7 c4 +2", "b3 +3")
    for seed in range(8):
        action = seated("mcts(simulations=200, variety=1.0)", state.game, seed=seed).act(state.clone(), core.Clock())
        assert state.child(action).returns() == [1.0, -1.0]


@pytest.mark.parametrize("matches", [pytest.param(200, marks=pytest.mark.slow)])
def test_it_beats_openspiels_search_at_equal_simulations(matches: int) -> None:
    """On OpenSpiel's own Breakthrough, where it has no evaluation and plays out at random as OpenSpiel does."""
    pytest.importorskip("pyspiel")
    players = ["mcts(simulations=400)", "openspiel_bot(simulations=400)"]
    found = [
        play("openspiel:breakthrough", players if seed % 2 else players[::-1], seed=seed).ending.returns[1 - seed % 2]
        for seed in range(matches)
    ]
    assert found.count(1.0) >= 0.55 * matches


def test_an_evaluation_that_is_no_guide_to_winning_is_left_alone() -> None:
    assert isinstance(leaves_for(make_game("pawns"), stream(0, "leaves"), evaluation=True), EvaluatedLeaves)
    for game, evaluation in (("cops", True), ("pawns", False), ("kuhn", True), ("goofspiel", True)):
        found = leaves_for(make_game(game), stream(0, "leaves"), evaluation)
        assert not isinstance(found, EvaluatedLeaves)


def test_playouts_never_leave_the_bounds_of_a_certain_heuristic() -> None:
    for name in ("goofspiel", "bear-brawl", "rps"):
        game, rng = make_game(name), stream(1, "bounds")
        leaves, state = leaves_for(game, rng, evaluation=True), game.new_initial_state()
        assert leaves.heuristic is not None
        while not state.is_terminal():
            returns, _ = leaves.value(state.clone(), 50, None)
            assert sum(returns) == 0.0
            if state.current_player() != core.CHANCE:
                least, most = leaves.heuristic.bounds(state)
                assert least <= returns[0] <= most
            random_step(game, state, rng)


def test_a_certain_win_and_a_certain_loss_are_proven() -> None:
    state = position("f7 c4 +2", "b3 +3")
    agent = seated("mcts(simulations=150, evaluation=False)", state.game)
    action = agent.act(state.clone(), core.Clock())
    assert agent.root.decisions[0].arms[action].proven == 1.0
    assert agent.root.decisions[0].proven_value() == 1.0
    threat = position("e7 +2", "b4 +3").child(position("e7 +2", "b4 +3").legal_actions()[0])
    other = seated("mcts(simulations=50, evaluation=False)", state.game, player=threat.current_player())
    other.act(threat, core.Clock())
    proven = [arm.proven for arm in other.root.decisions[1].arms.values()]
    assert all(value in (None, 0.0, 1.0) for value in proven)
