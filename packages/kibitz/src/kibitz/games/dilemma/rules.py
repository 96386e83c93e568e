"""The iterated prisoner's dilemma (Axelrod 1984), and the state of every game here that repeats a stage.

Both choose at once, for a known number of rounds; a stage is a table of what both earn.
"""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from kibitz import core
from kibitz.core.kit.positions import Stage

COOPERATE, DEFECT = 0, 1
UNKNOWN = -1
"""A choice that the viewer may not see."""
NAMES = ("cooperate", "defect")
Points = Annotated[float, Meta(ge=-1_000_000.0, le=1_000_000.0)]
Table = tuple[tuple[tuple[float, float], ...], ...]
"""What both players earn, by the action of player 0, then of player 1."""


class RepeatedStage(core.Game):
    """A stage of two players, played for a number of rounds; *noise* turns a choice into another one."""

    rounds: int
    noise: float
    table: Table
    names: tuple[tuple[str, ...], tuple[str, ...]]
    """The actions of both players."""
    choices: tuple[tuple[int, ...], ...]
    """The same by number."""

    def set_bounds(self) -> None:
        """Derive what the game declares of itself from its table, its rounds and its noise."""
        payoffs = [points for row in self.table for pair in row for points in pair]
        least, most = min(0.0, min(payoffs) * self.rounds), max(0.0, max(payoffs) * self.rounds)
        self.utility = (least, max(most, least + 1.0))
        self.zero_sum = all(sum(pair) == 0.0 for row in self.table for pair in row)
        self.action_bound = max(map(len, self.names))
        self.choices = tuple(tuple(range(len(names))) for names in self.names)
        self.hidden = self.noise > 0.0
        self.worlds = 16 if self.noise else core.Game.worlds  # all choices are possible then, but they differ in little
        self.max_plies = max(core.Game.max_plies, 2 * self.rounds)

    def new_initial_state(self) -> "State":
        return State(self)


class State(core.State):
    """Rounds played and points earned; players remember the choices themselves.

    *chosen* is what both chose in a round with noise, until chance has settled what they do.
    """

    def __init__(
        self,
        game: RepeatedStage,
        played: int = 0,
        points: tuple[float, float] = (0.0, 0.0),
        chosen: tuple[int, int] | None = None,
    ) -> None:
        self.game, self.played, self.points, self.chosen = game, played, points, chosen

    def current_player(self) -> int:
        if self.chosen is not None:
            return core.CHANCE
        return core.SIMULTANEOUS if self.played < self.game.rounds else core.TERMINAL

    def is_terminal(self) -> bool:
        return self.played >= self.game.rounds

    def legal_actions(self, player: int | None = None) -> tuple[int, ...]:
        if self.chosen is not None or self.played >= self.game.rounds:
            return ()
        return self.game.choices[player or 0]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        if self.chosen is None:
            return []
        rows, columns = (
            self.deeds(choice, len(names)) for choice, names in zip(self.chosen, self.game.names, strict=True)
        )
        shares = [one * other for one in rows for other in columns]
        return [(pair, share) for pair, share in enumerate(shares) if share > 0.0]

    def deeds(self, choice: int, count: int) -> list[float]:
        """How likely a choice becomes each of *count* actions."""
        if choice == UNKNOWN or count == 1:
            return [1.0 / count] * count
        noise = self.game.noise
        return [1.0 - noise if action == choice else noise / (count - 1) for action in range(count)]

    def apply_action(self, action: int) -> None:
        if self.chosen is None:
            raise TypeError("both choose at once: apply_actions")
        self.chosen = None
        self.score(*divmod(action, len(self.game.names[1])))

    def apply_actions(self, actions: Sequence[int]) -> None:
        one, other = actions
        if self.game.noise:
            self.chosen = (one, other)
        else:
            self.score(one, other)

    def score(self, one: int, other: int) -> None:
        """End a round in which the players did this."""
        (mine, theirs), (first, second) = self.game.table[one][other], self.points
        self.points = (first + mine, second + theirs)
        self.played += 1

    def returns(self) -> list[float]:
        return list(self.points)

    def stage(self) -> Stage:
        return Stage(self.game.table, self.game.rounds - self.played, self.game.noise)

    def view(self, player: int | None) -> "State":
        if self.chosen is None:
            return self.clone()
        one, other = self.chosen
        seen = (one if player == 0 else UNKNOWN, other if player == 1 else UNKNOWN)
        return State(self.game, self.played, self.points, seen)

    def complete(self, rng: core.Rng) -> "State":
        if self.chosen is None:
            return self.clone()
        one, other = (
            int(rng.random() * len(names)) if choice == UNKNOWN else choice
            for choice, names in zip(self.chosen, self.game.names, strict=True)
        )
        return State(self.game, self.played, self.points, (one, other))

    def seen_action(self, observer: int | None, player: int, action: int) -> int | None:
        return action if not self.game.noise or player in (observer, core.CHANCE) else None

    def key(self) -> core.Key:
        earned = self.played, plain_number(self.points[0]), plain_number(self.points[1])
        return earned if self.chosen is None else (*earned, self.chosen)

    def clone(self) -> "State":
        return State(self.game, self.played, self.points, self.chosen)

    def action_to_string(self, player: int, action: int) -> str:
        names = self.game.names
        if player == core.CHANCE:
            one, other = divmod(action, len(names[1]))
            return f"{names[0][one]} and {names[1][other]}"
        return names[player][action]

    def __str__(self) -> str:
        return f"round {self.played} of {self.game.rounds}, points {self.points[0]:g} : {self.points[1]:g}"


class Dilemma(RepeatedStage):
    """The iterated prisoner's dilemma: cooperate or defect, at once, *rounds* times.

    *noise* is the probability that a choice turns into the other one; both players then see what was done, not what was
    chosen. *payoffs*: the reward for cooperating, what a lone cooperator gets, the temptation, the punishment.
    """

    names = (NAMES, NAMES)

    def __init__(
        self,
        rounds: core.Count = 20,
        noise: core.Probability = 0.0,
        payoffs: tuple[Points, Points, Points, Points] = (3.0, 0.0, 5.0, 1.0),
    ) -> None:
        self.rounds, self.noise, self.payoffs = rounds, noise, payoffs
        reward, sucker, temptation, punishment = payoffs
        self.table = (
            ((reward, reward), (sucker, temptation)),
            ((temptation, sucker), (punishment, punishment)),
        )
        self.set_bounds()


def plain_number(points: float) -> int | str:
    """Points as a part of a key."""
    return int(points) if points.is_integer() else repr(points)


def round_played(transition: core.Transition) -> tuple[int, int] | None:
    """What both did in the round of the dilemma that an event ended; None if it ended none."""
    if transition.player == core.CHANCE:
        return divmod(transition.actions[0] or 0, 2)
    one, other = transition.actions
    return None if one is None or other is None else (one, other)


def deeds_of_round(transition: core.Transition) -> tuple[int, int] | None:
    """What both did in the round of any repeated game that an event ended; None if it ended none."""
    if transition.player != core.CHANCE:
        return round_played(transition)
    after = transition.after
    assert isinstance(after, State)
    return divmod(transition.actions[0] or 0, len(after.game.names[1]))
