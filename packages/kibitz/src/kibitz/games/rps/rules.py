"""Rock-paper-scissors, repeated: to *wins* won rounds, or for a number of rounds."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from kibitz import core
from kibitz.core.errors import BadSpec
from kibitz.core.game import Variables
from kibitz.core.kit.positions import Stage

SHAPES = ("rock", "paper", "scissors")
ROUND = tuple(tuple((won, 0.0 - won) for won in row) for row in ((0.0, -1.0, 1.0), (1.0, 0.0, -1.0), (-1.0, 1.0, 0.0)))
"""What each pair of shapes earns both players where points are counted."""
UNLIMITED = -1

Wins = Annotated[int, Meta(ge=1, le=60)]
Rounds = Annotated[int, Meta(ge=0, le=1_000_000)]


class State(core.State):
    """The rounds that each player has won, as far as they count, and the rounds left."""

    def __init__(self, game: "RockPaperScissors", own: int, others: int, left: int) -> None:
        self.game, self.own, self.others, self.left = game, own, others, left

    def value(self) -> float | None:
        """What a finished match is worth to player 0; None while it goes on."""
        game = self.game
        match game.goal:
            case "points":
                return float(self.own - self.others) if self.left == 0 else None
            case "tie" if self.own or self.others:
                return game.loss
            case "tie":
                return 1.0 if self.left == 0 else None
        if self.own == game.wins:
            return 1.0
        return game.loss if self.others == game.wins or self.left == 0 else None

    def current_player(self) -> int:
        return core.SIMULTANEOUS if self.value() is None else core.TERMINAL

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        return () if self.is_terminal() else range(len(SHAPES))

    def apply_action(self, action: int) -> None:
        raise TypeError("both choose at once: apply_actions")

    def apply_actions(self, actions: Sequence[int]) -> None:
        ahead = (actions[0] - actions[1]) % 3  # paper beats rock, scissors paper, rock scissors
        self.own += ahead == 1
        self.others += ahead == 2 and self.game.goal != "ever"
        self.left -= self.left != UNLIMITED

    def returns(self) -> list[float]:
        value = self.value() or 0.0
        return [value, 0.0 - value]

    def key(self) -> core.Key:
        return self.own, self.others, self.left

    def stage(self) -> Stage | None:
        """The round that is played now, if all rounds are alike: where points are counted."""
        return Stage(ROUND, self.left) if self.game.goal == "points" and self.left != UNLIMITED else None

    def variables(self) -> Variables:
        return {"own": self.own, "others": self.others, "left": self.left}

    def action_to_string(self, player: int, action: int) -> str:
        return SHAPES[action]

    def __str__(self) -> str:
        return f"{self.own} : {self.others}" + (f", {self.left} rounds left" if self.left != UNLIMITED else "")


class RockPaperScissors(core.Game):
    """Rock-paper-scissors until a player has won enough rounds.

    *goal* of player 0: be the `first` to win *wins* rounds; win so many `ever`, whatever the other wins; `tie` all of
    *rounds* rounds; earn `points`, the rounds won less those lost. *rounds*: how many are played; 0: no limit.
    """

    action_bound = len(SHAPES)

    def __init__(
        self,
        wins: Wins = 1,
        goal: Literal["first", "ever", "tie", "points"] = "first",
        rounds: Rounds = 0,
        payoffs: Literal["survival", "signed"] = "survival",
    ) -> None:
        self.wins, self.goal, self.rounds, self.payoffs = wins, goal, rounds, payoffs
        most = float(rounds) if goal == "points" and rounds else 1.0
        self.utility = (-most, most)
        self.max_plies = max(1000, rounds)

    @property
    def loss(self) -> float:
        """What a lost match is worth to player 0."""
        return 0.0 if self.payoffs == "survival" else -1.0

    def new_initial_state(self) -> State:
        if not self.rounds and self.goal in ("tie", "points"):
            raise BadSpec(repr(self), f"goal={self.goal} needs a number of rounds")
        return State(self, 0, 0, self.rounds or UNLIMITED)

    def infinite_play(self, state: core.State) -> list[float]:
        return [0.0, 0.0]
