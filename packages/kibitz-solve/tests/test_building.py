from typing import ClassVar

import numpy as np
import pytest
from games_by_hand import Walk, WalkState, guan, walk_table

from kibitz import core
from kibitz.core.errors import BadGame, UnknownName
from kibitz.core.kernels import kernel
from kibitz.core.kit.numbers import Heuristic
from kibitz.core.kit.state_table import PAYOFF, SUCCESSORS
from kibitz_solve import PartialGame, build_game, recursive_game, solve, survival
from kibitz_solve.recursive.building.enumeration import enumerate_game
from kibitz_solve.recursive.building.recursive_game import mirror_game
from kibitz_solve.recursive.building.tabled import from_table


class Turns(core.Game):
    """Player 0 takes a coin or leaves it; a die decides what player 1, if he moves, may still take."""

    def __init__(self, returns: object = (1.0, -1.0), stuck: bool = False) -> None:
        self.returns, self.stuck = returns, stuck

    def new_initial_state(self) -> "Turn":
        return Turn(self, "begin")


class Turn(core.State):
    PLAYERS: ClassVar = {"begin": core.CHANCE, "choose": 0, "answer": 1}

    def __init__(self, game: Turns, at: str) -> None:
        self.game, self.at = game, at

    def current_player(self) -> int:
        return self.PLAYERS.get(self.at, core.TERMINAL)

    def legal_actions(self, player: int | None = None) -> list[int]:
        return [] if self.at not in self.PLAYERS or (self.game.stuck and self.at == "answer") else [0, 1]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(0, 0.25), (1, 0.75)]

    def apply_action(self, action: int) -> None:
        follow = {"begin": ("choose", "answer"), "choose": ("won", "answer"), "answer": ("lost", "choose")}
        self.at = follow[self.at][action]

    def returns(self) -> list[float]:
        return self.game.returns if self.at == "won" else [-1.0, 1.0] if self.at == "lost" else [0.0, 0.0]

    def key(self) -> core.Key:
        return self.at


class Standoff(core.Game):
    """Player 0 may wait for ever, or give up and lose a half; *unfinished* is what `returns` says before the end."""

    def __init__(self, unfinished: object = None) -> None:
        self.unfinished = unfinished

    def new_initial_state(self) -> "Standing":
        return Standing(self, "waiting")


class Standing(core.State):
    def __init__(self, game: Standoff, at: str) -> None:
        self.game, self.at = game, at

    def current_player(self) -> int:
        return 0 if self.at == "waiting" else core.TERMINAL

    def legal_actions(self, player: int | None = None) -> list[int]:
        return [0, 1] if self.at == "waiting" else []

    def apply_action(self, action: int) -> None:
        self.at = ("waiting", "lost")[action]

    def returns(self) -> list[float]:
        return [-0.5, 0.5] if self.at == "lost" else self.game.unfinished  # type: ignore[return-value]

    def key(self) -> core.Key:
        return self.at


class Impatient(Standoff):
    """The same, with something to say of play without end."""

    def infinite_play(self, state: core.State) -> list[float]:
        return self.unfinished  # type: ignore[return-value]


@pytest.mark.parametrize("unfinished", [None, [-1.0, 1.0], [float("nan"), 0.0]])
def test_play_without_end_is_worth_0_where_the_game_says_nothing_of_it(unfinished: object) -> None:
    game = Standoff(unfinished)
    assert solve(game).interval("waiting") == (0.0, 0.0)
    grown = PartialGame(game, Heuristic(lambda state: (-1.0, 1.0))).grow_game(game.new_initial_state(), 9)
    assert solve(grown).interval("waiting") == (0.0, 0.0)


def test_play_without_end_is_worth_what_the_game_or_the_caller_says() -> None:
    assert solve(Impatient([-1.0, 1.0])).interval("waiting") == (-0.5, -0.5)
    assert solve(Standoff(), infinite_play=-1.0).interval("waiting") == (-0.5, -0.5)


@pytest.mark.parametrize("said", [None, -1.0, [-1.0], [-1.0, -1.0], [float("nan"), 0.0], ["a", "b"]])
def test_what_a_game_says_of_play_without_end_is_checked(said: object) -> None:
    with pytest.raises(BadGame, match=r"infinite_play.*two numbers that add up to 0"):
        build_game(Impatient(said))


@pytest.mark.parametrize("paid", [None, 1.0, [1.0], ["a", "b"]])
def test_ends_that_pay_no_numbers_are_named(paid: object) -> None:
    with pytest.raises(BadGame, match=r"'won'.*two numbers that add up to 0"):
        build_game(Turns(returns=paid))


def test_a_table_and_an_enumeration_are_the_same_game() -> None:
    game = Walk(7)
    tabled, listed = from_table(game, walk_table(game)), enumerate_game(game)
    for state in (WalkState(game, cell) for cell in range(1, 6)):
        one, other = (model.matrix(model.states.node(state), numbered(model)) for model in (tabled, listed))
        assert one.tolist() == other.tolist()
    assert solve(tabled).value(WalkState(game, 5)) == pytest.approx(solve(listed).value(5), abs=1e-9)


def numbered(model) -> np.ndarray:
    """A vector that says which state is where: the cell of a live state, the payoff of an end."""
    return np.array(
        [float(str(model.states.name(node))) for node in range(model.choices)] + (10.0 * model.low).tolist()
    )


def test_turns_and_chance_are_enumerated() -> None:
    model = build_game(Turns())
    assert (model.choices, model.live) == (2, 3)
    assert model.shape(model.states.node("choose")) == (2, 1)
    assert model.shape(model.states.node("answer")) == (1, 2)
    solution = solve(model)
    assert solution.interval("choose") == pytest.approx((1.0, 1.0))
    assert solution.interval("answer") == pytest.approx((-1.0, -1.0))
    assert solution.interval("begin") == pytest.approx((-0.5, -0.5))
    assert solution.strategy("choose", 0) == {"0": 1.0, "1": 0.0}
    assert solution.strategy("choose", 1) == {"–": 1.0}


def test_a_mirrored_game_is_its_own_mirror() -> None:
    model = recursive_game({"a": [["a", "x", "y"], ["y", "b", "x"]], "b": [["a"], ["x"]]}, {"x": 1, "y": -2})
    twice = mirror_game(mirror_game(model))
    assert all((one == other).all() for one, other in zip(twice.structure.arrays, model.structure.arrays, strict=True))
    assert mirror_game(model).matrix(0, np.arange(4.0)).tolist() == model.matrix(0, np.arange(4.0)).T.tolist()


def test_survival_counts_what_is_better_than_playing_on() -> None:
    model = recursive_game({"a": [["x", "y"]]}, {"x": 1, "y": -1}, infinite_play=-1.0)
    assert survival(model).low.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("transitions", "payoffs", "why"),
    [
        ({"a": [["a", "nowhere"]]}, {"x": 1}, "nowhere"),
        ({"a": [[]]}, {"x": 1}, "'a'"),
        ({"a": [["a"]], "x": [["a"]]}, {"x": 1}, "'x'"),
        ({"a": [["x"]]}, {"x": float("nan")}, "'x'"),
        ({"a": [["x", "y"]]}, {"x": 1.5e308, "y": float("-inf")}, "'y'.*-inf"),
        ({"a": [[{"a": 0.5, "x": 0.4}]]}, {"x": 1}, "'a'.*add up to 0.9, not 1"),
        ({"a": [[{"a": 0.5, "x": 0.50000001}]]}, {"x": 1}, "'a'.*add up to 1.00000001, not 1"),
        ({"a": [[{"a": 1.5, "x": -0.5}]]}, {"x": 1}, "'a'.*a probability of its chance move is -0.5"),
        ({"a": [[{"a": "half", "x": 0.5}]]}, {"x": 1}, "'a'.*a probability of its chance move is 'half'"),
        ({"a": [[{}]]}, {"x": 1}, "'a'.*chance move leads nowhere"),
    ],
)
def test_games_that_cannot_be_right_are_refused_by_name(transitions: dict, payoffs: dict, why: str) -> None:
    with pytest.raises(BadGame, match=why):
        recursive_game(transitions, payoffs)


WAITING = {"S": [["S", "X"], ["X", "D"]]}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"stage": {"S": [[0.0, float("nan")], [0.0, 0.0]]}}, "'S'.*payoff on the way is nan"),
        ({"stage": {"S": [[0.0, "a"], [0.0, 0.0]]}}, "'S'.*payoff on the way is 'a'"),
        ({"stage": {"S": [[0.0, 0.0, 0.0, 0.0]]}}, "'S'.*payoffs on the way.*2 rows of 2"),
        ({"stage": {"T": [[0.0]]}}, "'T'.*payoffs on the way.*not a state"),
        ({"actions": {"S": (("wait",), ("wait", "fire"))}}, "'S'.*1 names.*player 0.*2 actions"),
        ({"actions": {"S": (("wait", "wait"), ("wait", "fire"))}}, "'S'.*'wait' twice"),
        ({"actions": {"S": ("wait", "run", "fire")}}, "'S'.*two lists"),
        ({"actions": {"T": (("wait", "run"), ("wait", "fire"))}}, "'T'.*actions.*not a state"),
        ({"infinite_play": float("nan")}, "infinite play.*nan"),
        ({"infinite_play": -1.7e308}, "infinite play.*too far from the payoffs"),
    ],
)
def test_what_is_said_of_a_stated_game_is_checked(options: dict, why: str) -> None:
    with pytest.raises(BadGame, match=why):
        recursive_game(WAITING, {"X": 1e308, "D": 0}, **options)


def test_games_of_kibitz_that_cannot_be_solved_are_refused() -> None:
    with pytest.raises(BadGame, match="two players"):
        build_game("kuhn")
    with pytest.raises(BadGame, match=r"won.*add up"):
        build_game(Turns(returns=(1.0, 1.0)))
    with pytest.raises(BadGame, match="won"):
        build_game(Turns(returns=(float("nan"), 0.0)))
    with pytest.raises(BadGame, match=r"answer.*no legal action"):
        build_game(Turns(stuck=True))
    with pytest.raises(BadGame, match="more than 2 states"):
        build_game("pennies(lead=4)", limit=2)


@kernel(SUCCESSORS)
def wild_successors(parameters, number, found):
    found[0] = 99
    return 0 if number == 0 else 1 << 16 | 1


@kernel(PAYOFF)
def empty_payoff(parameters, number):
    return np.nan


@pytest.mark.parametrize("changes", [{"successors": wild_successors}, {"payoff": empty_payoff}, {"most_pairs": 3}])
def test_tables_that_cannot_be_right_are_refused_by_number(changes: dict) -> None:
    game = Walk()
    with pytest.raises(BadGame, match=r"number [01] of its table"):
        from_table(game, walk_table(game, **changes))


def test_unknown_states_are_named() -> None:
    solution = solve(guan())
    with pytest.raises(UnknownName, match="'T'"):
        solution.interval("T")
    with pytest.raises(UnknownName, match="choice"):
        solution.strategy("X", 0)
