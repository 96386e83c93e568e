"""Rock-paper-scissors, repeated: to *wins* won rounds, or for a number of rounds."""

from typing import Annotated, Literal

from msgspec import Meta

from kibitz.core.errors import BadSpec
from kibitz.core.kit.positions import Stage
from kibitz.games.recursive.matrix import ROCK_PAPER_SCISSORS
from kibitz.games.recursive.rules import Few, Payoffs, Position, Recursive, State, when_lost

SHAPES = ("rock", "paper", "scissors")
UNLIMITED = -1


class RockPaperScissors(Recursive):
    """Rock-paper-scissors until a player has won enough rounds.

    *goal* of player 0: be the `first` to win *wins* rounds; win so many `ever`, whatever the other wins; `tie` all of
    *rounds* rounds; earn `points`, the rounds won less those lost. *rounds*: how many are played; 0: no limit.
    """

    names = (SHAPES, SHAPES)
    quantities = ("own", "others", "left")

    def __init__(
        self,
        wins: Few = 1,
        goal: Literal["first", "ever", "tie", "points"] = "first",
        rounds: Annotated[int, Meta(ge=0, le=1_000_000)] = 0,
        payoffs: Payoffs = "survival",
    ) -> None:
        self.wins, self.goal, self.rounds, self.payoffs = wins, goal, rounds, payoffs
        most = float(rounds) if goal == "points" and rounds else 1.0
        self.utility = (-most, most)
        self.max_plies = max(Recursive.max_plies, rounds)

    def new_initial_state(self) -> State:
        if not self.rounds and self.goal in ("tie", "points"):
            raise BadSpec(repr(self), f"goal={self.goal} needs a number of rounds")
        return super().new_initial_state()

    def opening(self) -> Position:
        return 0, 0, self.rounds or UNLIMITED

    def follow(self, position: Position, actions: tuple[int, ...]) -> Position:
        own, others, left = position
        ahead = (actions[0] - actions[1]) % 3  # paper beats rock, scissors paper, rock scissors
        counted = self.goal != "ever"
        return own + (ahead == 1), others + (ahead == 2 and counted), left - (left != UNLIMITED)

    def worth(self, position: Position) -> float | None:
        own, others, left = position
        match self.goal:
            case "points":
                return float(own - others) if left == 0 else None
            case "tie" if own or others:
                return when_lost(self.payoffs)
            case "tie":
                return 1.0 if left == 0 else None
        if own == self.wins:
            return 1.0
        return when_lost(self.payoffs) if others == self.wins or left == 0 else None

    def describe(self, position: Position) -> str:
        own, others, left = position
        return f"{own} : {others}" + (f", {left} rounds left" if left != UNLIMITED else "")

    def stage(self, position: Position) -> Stage | None:
        left = position[2]
        if self.goal != "points" or left == UNLIMITED:  # rounds are alike where points are counted
            return None
        return Stage(tuple(tuple((won, 0.0 - won) for won in row) for row in ROCK_PAPER_SCISSORS), left)
