"""Expectimax against exact expectations in a race with dice, and against minimax where there is no chance."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from kibitz import core, make_agent, make_game
from kibitz.agents.search import game_tree
from kibitz.agents.search.alphabeta import AlphaBeta
from kibitz.agents.search.expectimax import Expectimax
from kibitz.agents.search.prom import Prom
from kibitz.agents.search.searcher import evaluation_of
from kibitz.agents.search.settings import WIN
from kibitz.agents.search.win_probability import chance
from kibitz.core.abilities.evaluation import Evaluation
from kibitz.core.seeds import stream
from kibitz.games.pawns.rules import position
from kibitz.testing import check_agent, check_game
from kibitz.testing.walks import walk
from other_package import installed_package

GOAL, TURNS = 5, 6
DICE = (((1, Fraction(1, 2)), (2, Fraction(1, 2))), ((0, Fraction(2, 3)), (4, Fraction(1, 3))))
STEADY, WILD = 0, 1


class RaceState(core.State):
    """How far both have come, whose turn it is, and the die that is about to be thrown."""

    def __init__(self, game: "Race", steps: tuple[int, int] = (0, 0), turn: int = 0, die: int | None = None) -> None:
        self.game, self.steps, self.turn, self.die = game, steps, turn, die

    def current_player(self) -> int:
        if max(self.steps) >= GOAL or self.turn == TURNS:
            return core.TERMINAL
        if self.die is not None:
            return core.CHANCE
        return core.SIMULTANEOUS if self.turn == self.game.together else self.turn % 2

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        return () if self.current_player() in (core.TERMINAL, core.CHANCE) else (STEADY, WILD)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [] if self.die is None else [(pips, float(share)) for pips, share in DICE[self.die]]

    def apply_action(self, action: int) -> None:
        if self.die is None and self.turn % 2 != self.game.steady:
            self.die = action
            return
        own = self.steps[self.turn % 2] + action
        self.steps = (own, self.steps[1]) if self.turn % 2 == 0 else (self.steps[0], own)
        self.turn, self.die = self.turn + 1, None

    def returns(self) -> list[float]:
        won = earned(*self.steps)
        return [float(won), -float(won)]

    def key(self) -> core.Key:
        return self.steps, self.turn, self.die


class Race(core.Game):
    """Throw one of two dice in turn: the first to the goal wins, and doubly against one who never moved.

    Who is *steady* throws none and takes no step or one.
    """

    utility = (-2.0, 2.0)

    def __init__(self, together: int = -1, steady: int = -1) -> None:
        self.together, self.steady = together, steady

    def new_initial_state(self) -> RaceState:
        return RaceState(self)


def earned(first: int, second: int) -> int:
    if max(first, second) < GOAL:
        return 0
    return (1 if first >= GOAL else -1) * (2 if min(first, second) == 0 else 1)


@cache
def expected(first: int, second: int, turn: int) -> Fraction:
    """Player 0's expected return under best play, in whole fractions: the ground truth."""
    if max(first, second) >= GOAL or turn == TURNS:
        return Fraction(earned(first, second))
    values = [expected_of_die(first, second, turn, die) for die in DICE]
    return max(values) if turn % 2 == 0 else min(values)


def expected_of_die(first: int, second: int, turn: int, die: Sequence[tuple[int, Fraction]]) -> Fraction:
    after = [(first + pips, second) if turn % 2 == 0 else (first, second + pips) for pips, _ in die]
    return sum((share * expected(*steps, turn + 1) for steps, (_, share) in zip(after, die, strict=True)), Fraction(0))


def evaluate(state: core.State, weights: Sequence[float]) -> float:
    assert isinstance(state, RaceState)
    return weights[0] * (state.steps[0] - state.steps[1]) + weights[1] * state.returns()[0]


GAMES = {"race": f"{__name__}:Race"}
EVALUATION = f"{__name__}:RACE_VALUE"
RACE_VALUE = Evaluation((100.0, 0.0), evaluate)
BY_RETURN = (0.0, 1e6)
"""Weights that make an evaluation of a state's return alone."""


@pytest.fixture(autouse=True)
def race_is_registered(tmp_path: Path) -> Iterator[None]:
    with installed_package(tmp_path, "race", f"[kibitz.games]\nrace = {__name__}\n"):
        yield


def seated(spec: str, game: core.Game, player: int = 0) -> core.Strategy:
    agent = make_agent(spec)
    assert isinstance(agent, core.Strategy)
    agent.begin(game, player, stream(0, "agent", player))
    return agent


ALL_RACES = [(a, b, turn) for a in range(GOAL) for b in range(GOAL) for turn in range(TURNS)]


@pytest.mark.filterwarnings("ignore::kibitz.testing.games.MissingDescription")
def test_the_race_keeps_the_game_contract() -> None:
    check_game("race")


def test_it_keeps_the_agent_contract() -> None:
    check_agent("expectimax(depth=3)", ["race"])
    check_agent("expectimax(depth=1)")


def test_values_are_the_exact_expectation_of_every_move_everywhere() -> None:
    game = Race()
    agents = [seated(f"expectimax(depth={TURNS}, win_value='features', weights={BY_RETURN})", game, p) for p in (0, 1)]
    for first, second, turn in ALL_RACES:
        agents[turn % 2].policy(RaceState(game, (first, second), turn))
        found = agents[turn % 2].found
        sign = 1 if turn % 2 == 0 else -1
        assert found.value == pytest.approx(1e6 * sign * float(expected(first, second, turn)), abs=1e-3)
        for die, value in found.values.items():
            exact = sign * expected_of_die(first, second, turn, DICE[die])
            assert value == pytest.approx(1e6 * float(exact), abs=1e-3)


def test_with_mate_values_odds_decide_unless_they_are_within_the_price_of_haste() -> None:
    game = Race()
    agents = [seated(f"expectimax(depth={TURNS})", game, player) for player in (0, 1)]
    haste = 2 * TURNS * 0.01 + 0.001  # WIN_SOONER is 1 % of WIN, and the returns go to 2; the rest is the evaluation
    for first, second, turn in ALL_RACES:
        sign = 1 if turn % 2 == 0 else -1
        values = [sign * expected_of_die(first, second, turn, die) for die in DICE]
        found = agents[turn % 2]
        for die in found.policy(RaceState(game, (first, second), turn)).named:
            assert max(values) - values[die] < haste
        assert found.found.value == pytest.approx(WIN / 2 * float(max(values)), abs=WIN / 2 * haste)


def test_a_shallow_search_averages_the_evaluation_over_the_dice() -> None:
    agent = seated("expectimax(depth=1)", Race())
    agent.policy(RaceState(Race(), (0, 0), 0))
    assert agent.found.values == pytest.approx({STEADY: 150.0, WILD: 400.0 / 3.0})


def test_one_who_must_gamble_gambles() -> None:
    behind, ahead = RaceState(Race(), (1, 4), 4), RaceState(Race(), (3, 1), 4)
    agent = seated("expectimax(depth=2)", Race())
    assert agent.policy(behind).named == {WILD: 1.0}
    assert agent.policy(ahead).named == {STEADY: 1.0}


@pytest.mark.long
@pytest.mark.parametrize("win_value", ["mate", "features"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_without_chance_it_is_minimax(depth: int, win_value: str) -> None:
    game = make_game("pawns(size=5, pawns=2)", fast=False)
    evaluation = evaluation_of(game)

    def value_of(state: core.State) -> float:
        return evaluation.evaluate(state, evaluation.weights)

    for seed in range(2):
        for state in list(walk(game, stream(seed, "walk"), 40))[seed::4]:
            if state.is_terminal():
                continue
            agent = seated(f"expectimax(depth={depth}, win_value='{win_value}')", game, state.current_player())
            agent.policy(state)
            assert agent.found.value == game_tree.minimax(state, depth, value_of, win_value)


def test_ties_are_broken_evenly_and_noise_none_takes_the_first() -> None:
    level = RaceState(Race(), (4, 0), 0)  # either die may win at once or not, but both ways of winning pay alike
    policy = seated(f"expectimax(depth=1, win_value='features', weights={(0.0, 0.0)})", Race()).policy(level)
    assert policy.named == {STEADY: 0.5, WILD: 0.5}
    first = seated(f"expectimax(depth=1, noise='none', weights={(0.0, 0.0)}, win_value='features')", Race())
    assert first.policy(level).named == {STEADY: 1.0}


def test_it_takes_a_win_in_one_on_the_board() -> None:
    state = position("f7 +3", "e1 +3")
    agent = seated("expectimax(depth=1)", state.game)
    action = agent.act(state.clone(), core.Clock())
    assert state.child(action).returns() == [1.0, -1.0]
    assert agent.found.value >= WIN / 2


def test_a_node_budget_keeps_the_last_depth_finished() -> None:
    agent = seated(f"expectimax(depth={TURNS}, nodes=60)", Race())
    agent.policy(RaceState(Race()))
    assert 1 <= agent.found.depth < TURNS
    assert agent.found.complete


def test_a_clock_that_runs_out_stops_it() -> None:
    ticks = iter(range(10_000))
    clock = core.Clock(allowance=6.0, now=lambda: float(next(ticks)))
    agent = seated(f"expectimax(depth={TURNS})", Race())
    assert agent.act(RaceState(Race()), clock) in (STEADY, WILD)
    assert agent.found.depth < TURNS


@pytest.mark.parametrize(
    ("game", "why"),
    [
        ("kuhn(players=2)", "see everything"),
        ("pennies", "move in turn"),
        ("dilemma", "zero-sum games of two"),
        ("kuhn(players=3)", "zero-sum games of two"),
    ],
)
def test_it_says_why_it_cannot_play(game: str, why: str) -> None:
    with pytest.raises(core.Unsupported, match=why):
        seated("expectimax", make_game(game))


def test_moves_at_once_further_on_are_refused_when_they_are_met() -> None:
    agent = seated("expectimax(depth=3)", Race(together=2))
    with pytest.raises(core.Unsupported, match="simultaneously"):
        agent.policy(RaceState(Race(together=2)))


@pytest.mark.parametrize("spec", ["asymmetric(model=lots, deeper=0)", "prom(model=lots, trust=0)"])
def test_trees_with_a_model_average_over_chance_too(spec: str) -> None:
    game = Race()
    features = f"depth=4, win_value='features', weights={BY_RETURN})"
    agents = [seated(f"{spec[:-1]}, {features}", game, player) for player in (0, 1)]
    for first, second, turn in ALL_RACES[2::7]:
        if turn + 4 >= TURNS:
            agents[turn % 2].policy(RaceState(game, (first, second), turn))
            sign = 1 if turn % 2 == 0 else -1
            exact = 1e6 * sign * float(expected(first, second, turn))
            assert agents[turn % 2].found.value == pytest.approx(exact, abs=1e-3)


def test_alpha_beta_cuts_nothing_off_that_dice_can_change() -> None:
    game = Race(steady=0)
    plain = {"depth": 3, "weights": (100.0, 0.0), "win_value": "features"}
    for first, second, turn in ALL_RACES:
        state, found = RaceState(game, (first, second), turn), []
        for kind in (AlphaBeta, Expectimax):
            agent = kind(**plain)
            agent.begin(game, turn % 2, stream(0, "agent"))
            agent.policy(state)
            found.append(agent.found.value)
        assert found[0] == pytest.approx(found[1])


def test_prom_expects_dice_and_what_the_model_predicts() -> None:
    class Uniform(core.Model):
        """Holds both dice equally likely."""

        answers = ("action",)

        def observe(self, transition: core.Transition) -> None:
            pass

    game = Race()
    agent = Prom(model=Uniform(), depth=2, scale=1e6, win_value="features", weights=BY_RETURN, safety=0.999)
    agent.begin(game, 0, stream(0, "agent", 0))
    for steps in ((3, 3), (1, 4), (4, 0)):
        agent.policy(RaceState(game, steps, TURNS - 2))
        for die, found in agent.found.chances.items():
            mean = 0.0
            for pips, share in DICE[die]:
                if steps[0] + pips >= GOAL:
                    mean += float(share) * chance(1e6 * earned(steps[0] + pips, steps[1]), 1e6)
                    continue
                for reply in DICE:
                    for others, odds in reply:
                        won = earned(steps[0] + pips, steps[1] + others)
                        mean += float(share) * 0.5 * float(odds) * chance(1e6 * won, 1e6)
            assert found == pytest.approx(mean)


@pytest.mark.parametrize("spec", ["asymmetric(model=lots, depth=3)", "prom(model=lots, depth=3)", "alphabeta(depth=3)"])
def test_moves_at_once_are_refused_in_every_tree(spec: str) -> None:
    agent = seated(spec, Race(together=2))
    with pytest.raises(core.Unsupported, match="simultaneously"):
        agent.policy(RaceState(Race(together=2)))
