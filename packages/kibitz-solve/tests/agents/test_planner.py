"""The planner and the one-step look-ahead: what they make, what they play, and what that is proved to be worth."""

import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from kibitz import core, make_agent, make_game
from kibitz.core.errors import UnknownName, Unsupported
from kibitz.core.kit.numbers import Heuristic
from kibitz.core.match.play import play
from kibitz.core.registry import kit_of
from kibitz.core.seeds import stream
from kibitz_solve import (
    PartialGame,
    RecursiveGame,
    best_response,
    build_game,
    heuristics_of,
    iterate,
    recursive_game,
    solve,
    strategy_shares,
    survival_operator,
)
from kibitz_solve.agents.planner import Lookahead, Planner
from kibitz_solve.recursive.building import forward_generation

LEANS = ("optimistic", "even", "cautious")
SMALL = (
    "right-turn(radius=6)",
    "bear-brawl(radius=2)",
    "inspection",
    "duel(distance=2, shells=[1, 1])",
    "rps(wins=2)",
    "purgatory(levels=2)",
)
DISCOUNTED = 1e-3
"""What a discount of .9999 may cost."""


def seated(agent: core.Agent | str, game: str | core.Game, player: int = 0) -> Lookahead:
    made = make_agent(agent)
    made.begin(make_game(game), player, stream(1, "seat"))
    assert isinstance(made, Lookahead)
    return made


def certified(model: RecursiveGame, agent: str, game: str, player: int) -> np.ndarray:
    """What a player's whole policy is proved to earn him, by the best answer to it."""
    shares = strategy_shares(model, seated(agent, game, player), player)
    guaranteed = best_response(model, shares, player).guaranteed[: model.choices]
    return guaranteed if player == 0 else -guaranteed


@pytest.mark.long
@pytest.mark.parametrize("spec", [*SMALL, "big-match", "chauffeur(radius=5)"])
def test_a_budget_for_everything_makes_the_game_that_enumeration_makes(spec: str) -> None:
    game = make_game(spec)
    explored = PartialGame(game, heuristics_of(game)["range"])
    whole, made = build_game(spec, table=False), explored.grow_game(game.new_initial_state(), 10_000)
    assert made.exact_ends
    names = [[each.states.name(node) for node in range(each.choices)] for each in (made, whole)]
    assert sorted(names[0]) == sorted(names[1])
    values = [iterate(each, survival_operator(0.9)).values for each in (made, whole)]
    for name in names[0]:
        ours, theirs = (vector[each.states.node(name)] for vector, each in zip(values, (made, whole), strict=True))
        assert ours == pytest.approx(theirs, abs=1e-7)


@pytest.mark.parametrize("order", ["breadth", "best"])
def test_no_state_is_looked_into_twice_and_no_more_than_allowed(order: forward_generation.Order) -> None:
    game = make_game("right-turn(radius=8)")
    explored = PartialGame(game, heuristics_of(game)["range"])
    for nodes in (1, 5, 40):
        made = explored.grow_game(game.new_initial_state(), nodes, order)
        names = [made.states.name(node) for node in range(made.choices)]
        assert len(set(names)) == len(names)
        assert len(names) == nodes if order == "best" else len(names) <= nodes


def test_breadth_means_whole_layers() -> None:
    """A layer that is not complete would be judged unevenly: some of its states by what follows, others by a guess."""
    game = make_game("right-turn(radius=8)")
    explored = PartialGame(game, heuristics_of(game)["range"])
    start = game.new_initial_state()
    first = {state.key() for state in explored.successors(start.key(), start).states if not state.is_terminal()}
    sizes = {nodes: explored.grow_game(start, nodes).choices for nodes in range(1, 30)}
    assert sizes[1] == sizes[len(first)] == 1
    assert sizes[len(first) + 1] == len(first) + 1
    assert len(set(sizes.values())) <= 3


@pytest.mark.long
@pytest.mark.parametrize(
    "spec", ["duel(shells=[1, 1])", "inspection", "goofspiel(cards=3)", pytest.param("duel", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("player", [0, 1])
def test_larger_plans_are_not_worse(spec: str, player: int) -> None:
    model = build_game(spec)
    found = [certified(model, f"planner(nodes={nodes})", spec, player) for nodes in (1, 2, 4, 8, 16, 64)]
    for fewer, more in pairwise(found):
        assert more.mean() >= fewer.mean() - DISCOUNTED
        assert more[0] >= fewer[0] - DISCOUNTED


@pytest.mark.long
@pytest.mark.parametrize("spec", ["purgatory", "guan", "duel(shells=[1, 1])"])
def test_a_plan_of_the_whole_game_equals_its_solution(spec: str) -> None:
    model = build_game(spec)
    solution = solve(model)
    for player in (0, 1):
        proved = solution.guarantee(player)[: model.choices] - model.infinite_play
        assert certified(model, "planner(nodes=10000)", spec, player) == pytest.approx(
            proved if player == 0 else -proved, abs=1e-5
        )


@pytest.mark.long
@pytest.mark.parametrize("spec", SMALL)
def test_what_a_plan_proves_holds_the_value_and_narrows_as_it_grows(spec: str) -> None:
    start = make_game(spec).new_initial_state()
    low, high = solve(spec, width=1e-2).interval(start)
    intervals = [seated(f"planner(nodes={nodes})", spec).plan(start).interval(1e-2) for nodes in (1, 3, 27)]
    for found in intervals:
        assert found[0] <= high + 1e-9
        assert found[1] >= low - 1e-9
    for before, after in pairwise(intervals):
        assert after[0] >= before[0] - 1e-2
        assert after[1] <= before[1] + 1e-2


@pytest.mark.long
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("spec", [*SMALL, "oshi-zumo(coins=[6, 6], size=2)"])
def test_planning_is_certified_no_worse_than_looking_one_round_ahead(spec: str, player: int) -> None:
    model = build_game(spec)
    planned = certified(model, "planner(nodes=16)", spec, player)
    looked = certified(model, "lookahead", spec, player)
    assert (planned >= looked - DISCOUNTED).all()


@pytest.mark.long
def test_shares_that_are_roundings_are_left_out_so_that_plans_can_be_certified() -> None:
    """They would make ways out of circles so rare that the best answer's equations drown in rounding."""
    spec = "bear-brawl(radius=2)"
    model = build_game(spec)
    planned = certified(model, "planner(nodes=16, lean=even)", spec, 0)
    assert planned.mean() > 0.3


def test_waiting_for_ever_is_what_hope_without_iteration_does() -> None:
    """Guan: one look ahead sees that waiting is worth 1 and waits; a plan of the same single state runs in time."""
    model = build_game("guan")
    assert certified(model, "lookahead(heuristic=range)", "guan", 0)[0] == 0.0
    assert certified(model, "planner(nodes=1, heuristic=range)", "guan", 0)[0] > 0.99


def test_guesses_are_compiled_where_the_game_has_kernels() -> None:
    game = make_game("breakthrough")
    state = game.new_initial_state()
    evaluation = kit_of("breakthrough").evaluation
    for place in (3, 6, 20):
        state = state.child(state.legal_actions()[place])
        guess = np.tanh(evaluation.evaluate(state, evaluation.weights) / (2.0 * evaluation.scale))
        assert heuristics_of(game)["estimate"].bounds(state) == pytest.approx((guess, guess), abs=1e-12)


def test_time_that_is_over_leaves_a_plan_of_the_state_alone() -> None:
    agent = seated(Planner(seconds=1e-9), "right-turn")
    plan = agent.plan(make_game("right-turn").new_initial_state())
    assert plan.game.choices == 1
    assert sum(plan.shares()) == pytest.approx(1.0)


def test_a_match_clock_is_kept_to() -> None:
    control = {"move_time": 5.0, "now": time.process_time}
    record = play("right-turn(radius=30)", ["planner", "random"], seed=1, max_plies=4, **control)
    assert all(not entry.faults for entry in record.entries)


def test_plans_lean_to_hope_fear_or_the_middle() -> None:
    start = make_game("soccer(ball=west)").new_initial_state()
    values = [seated(f"planner(nodes=5, lean={lean})", "soccer").plan(start).value for lean in LEANS]
    assert values[0] > values[1] > values[2]
    mirrored = [seated(f"planner(nodes=5, lean={lean})", "soccer", 1).plan(start).value for lean in LEANS]
    assert mirrored == pytest.approx(values[::-1], abs=1e-6)


def test_names_that_mean_nothing_and_games_with_secrets_are_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean 'box'"):
        seated("planner(heuristic=bax)", "right-turn")
    with pytest.raises(Unsupported, match="without secrets"):
        seated("lookahead", "kuhn")


class Fork(core.Game):
    """Player 0 goes one of two ways; the first is worth .5, the other .4."""

    def new_initial_state(self) -> "ForkState":
        return ForkState()


class ForkState(core.State):
    place = "start"

    def current_player(self) -> int:
        return core.TERMINAL if self.place == "over" else 0

    def legal_actions(self, player: int | None = None) -> list[int]:
        return [0, 1] if self.place == "start" else [0]

    def apply_action(self, action: int) -> None:
        self.paid = {"start": 0.0, "a": 0.5, "b": 0.4}[self.place]
        self.place = "ab"[action] if self.place == "start" else "over"

    def returns(self) -> list[float]:
        return [self.paid, -self.paid] if self.place == "over" else [0.0, 0.0]

    def key(self) -> core.Key:
        return self.place, getattr(self, "paid", 0.0)


def test_a_dominating_heuristic_may_still_choose_worse() -> None:
    """The conjecture read as the error of strategies is false: .5 and .6 choose the way worth .4, .9 and .8 do not."""
    for bounds, chosen in (((0.5, 0.6), 1), ((0.9, 0.8), 0)):
        agent = seated("lookahead", Fork())
        hopes = {"start": 1.0, "a": bounds[0], "b": bounds[1]}
        agent.explored = PartialGame(Fork(), Heuristic(lambda state, hopes=hopes: (0.0, hopes[state.place])))
        assert agent.policy(ForkState()).probability(chosen) == 1.0


@settings(deadline=None, max_examples=25)
@given(some.integers(0, 10_000), some.integers(1, 30))
def test_values_under_a_dominating_heuristic_are_never_farther_off(seed: int, sweeps: int) -> None:
    """The conjecture read as the error of values holds: v <= h1 <= h2 stays so under every number of sweeps."""
    rng = np.random.default_rng(seed)
    names = ["a", "b", "c", "d"]
    ends = {"won": 1.0, "half": 0.5, "lost": 0.0}
    pool = [*names, *ends]
    game = recursive_game(
        {name: [[pool[rng.integers(len(pool))] for _ in range(2)] for _ in range(2)] for name in names}, ends
    )
    operator = survival_operator(0.9)
    value = iterate(game, operator, tolerance=1e-13).values
    near, far = (np.minimum(value + room, 1.0) for room in np.sort(rng.random((2, len(value))), axis=0))
    for vector in (near, far):
        vector[game.live :] = value[game.live :]
    swept = [
        iterate(game, operator, method="jacobi", start=start, sweeps=sweeps, tolerance=0.0).values
        for start in (near, far)
    ]
    assert (value <= swept[0] + 1e-9).all()
    assert (swept[0] <= swept[1] + 1e-9).all()
