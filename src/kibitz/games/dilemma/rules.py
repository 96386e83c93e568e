"""The iterated prisoner's dilemma (Axelrod 1984): cooperate or defect, at once, for a known number of rounds."""

from collections.abc import Sequence

from kibitz import core

COOPERATE, DEFECT = 0, 1
REWARD, SUCKER, TEMPTATION, PUNISHMENT = 3.0, 0.0, 5.0, 1.0
PAYOFFS = (((REWARD, REWARD), (SUCKER, TEMPTATION)), ((TEMPTATION, SUCKER), (PUNISHMENT, PUNISHMENT)))


class State(core.State):
    """Rounds played and points earned; players remember the choices themselves."""

    def __init__(self, game: "Dilemma", played: int = 0, points: tuple[float, float] = (0.0, 0.0)) -> None:
        self.game, self.played, self.points = game, played, points

    def current_player(self) -> int:
        return core.SIMULTANEOUS if self.played < self.game.rounds else core.TERMINAL

    def is_terminal(self) -> bool:
        return self.played >= self.game.rounds

    def legal_actions(self, player: int | None = None) -> tuple[int, ...]:
        return (COOPERATE, DEFECT) if self.played < self.game.rounds else ()

    def apply_action(self, action: int) -> None:
        raise TypeError("both choose at once: apply_actions")

    def apply_actions(self, actions: Sequence[int]) -> None:
        mine, other = PAYOFFS[actions[0]][actions[1]]
        self.points = (self.points[0] + mine, self.points[1] + other)
        self.played += 1

    def returns(self) -> list[float]:
        return list(self.points)

    def key(self) -> core.Key:
        return self.played, int(self.points[0]), int(self.points[1])

    def clone(self) -> "State":
        return State(self.game, self.played, self.points)

    def action_to_string(self, player: int, action: int) -> str:
        return ("cooperate", "defect")[action]

    def __str__(self) -> str:
        return f"round {self.played} of {self.game.rounds}, points {self.points[0]:g} : {self.points[1]:g}"


class Dilemma(core.Game):
    """The iterated prisoner's dilemma: cooperate or defect, at once, *rounds* times."""

    zero_sum = False

    def __init__(self, rounds: core.Count = 20) -> None:
        self.rounds = rounds
        self.utility = (SUCKER * rounds, TEMPTATION * rounds)
        self.max_plies = max(core.Game.max_plies, rounds)

    def new_initial_state(self) -> State:
        return State(self)
