"""`Recursive`, the base of the games in this folder: plain positions, simultaneous choices, then chance.

A game says where it begins (`opening`), what each player may choose (`names`, `options`), what follows (`follow`, or
`outcomes` where chance has a say) and what a finished game is worth to player 0 (`payoff`).
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, ClassVar, Literal, TypeAlias

from msgspec import Meta

from kibitz import core
from kibitz.core.game import Variables
from kibitz.core.kit.positions import Stage

Position: TypeAlias = tuple[int, ...]
Outcomes: TypeAlias = Sequence[tuple[Position, float]]
"""The positions that chance may lead to, each once, with its probability."""
Payoffs: TypeAlias = Literal["survival", "signed"]
"""What it is worth to player 0 to lose: 0 (a game of survival) or −1."""
Few: TypeAlias = Annotated[int, Meta(ge=1, le=60)]
"""A parameter that counts a handful of things, such as cards or coins."""
Endless: TypeAlias = Annotated[float, Meta(ge=-1.0, le=1.0)]
"""What it is worth to player 0 if play never ends."""

BEFORE: Position = ()
"""Where chance has yet to draw the opening."""


class Recursive(core.Game):
    """Two players, zero-sum, perfect information; play may go in circles."""

    max_plies = 1000
    seats: ClassVar[tuple[str, str]] = ("player 0", "player 1")
    """The names of the players."""
    names: tuple[Sequence[str], Sequence[str]]
    """The notation of each player's actions, by number."""
    quantities: Sequence[str]
    """The names of the numbers of a position."""
    endless: float = 0.0
    """What it is worth to player 0 if play never ends."""

    def opening(self) -> Position:
        """Where play begins."""
        raise NotImplementedError

    def openings(self) -> Outcomes:
        """Where play may begin if chance decides that."""
        return ((self.opening(), 1.0),)

    def mover(self, position: Position) -> int:
        """Who chooses here: both at once, or one player."""
        return core.SIMULTANEOUS

    def options(self, position: Position, player: int) -> Sequence[int]:
        """The actions *player* may choose here, sorted."""
        return range(len(self.names[player]))

    def follow(self, position: Position, actions: tuple[int, ...]) -> Position:
        """The position that *actions* lead to where nothing is left to chance."""
        raise NotImplementedError

    def outcomes(self, position: Position, actions: tuple[int, ...]) -> Outcomes:
        """The positions that *actions* may lead to."""
        return ((self.follow(position, actions), 1.0),)

    def payoff(self, position: Position) -> float | None:
        """What player 0 has won where the game is over; None where it goes on."""
        raise NotImplementedError

    def action_name(self, player: int, action: int) -> str:
        """The notation of an action."""
        return self.names[player][action]

    def describe(self, position: Position) -> str:
        """The position in a line."""
        raise NotImplementedError

    def variables(self, position: Position) -> dict[str, int]:
        """What programs that play the game look at."""
        return dict(zip(self.quantities, position, strict=True))

    def stage(self, position: Position) -> Stage | None:
        """The round that is played now, if rounds are all alike."""
        return None

    def chance_name(self, position: Position) -> str:
        """The notation of chance leading to *position*."""
        return self.describe(position)

    @property
    def action_bound(self) -> int:  # type: ignore[override]
        return max(map(len, self.names))

    def new_initial_state(self) -> "State":
        openings = self.openings()
        return State(self, openings[0][0]) if len(openings) == 1 else State(self, BEFORE, ())

    def infinite_play(self, state: core.State) -> list[float]:
        return [self.endless, 0.0 - self.endless]

    def player_name(self, player: int) -> str:
        return self.seats[player]


class State(core.State):
    """A position; *chosen* is what the players chose there as long as chance has not settled it."""

    def __init__(self, game: Recursive, position: Position, chosen: tuple[int, ...] | None = None) -> None:
        self.game = game
        self.stand(position, chosen)

    def stand(self, position: Position, chosen: tuple[int, ...] | None = None, drawn: Outcomes = ()) -> None:
        """Move to another position; its worth and its outcomes are computed once."""
        self.position, self.chosen, self.drawn = position, chosen, drawn
        self.won = self.game.payoff(position) if chosen is None else None

    def current_player(self) -> int:
        if self.chosen is not None:
            return core.CHANCE
        return self.game.mover(self.position) if self.won is None else core.TERMINAL

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        current = self.current_player()
        if current in (core.CHANCE, core.TERMINAL) or (current >= 0 and player not in (None, current)):
            return ()
        return self.game.options(self.position, max(current, player or 0))

    def apply_action(self, action: int) -> None:
        match self.current_player():
            case core.CHANCE:
                self.stand(self.pending()[action][0])
            case core.SIMULTANEOUS:
                raise TypeError("both choose at once: apply_actions")
            case _:
                self.apply_actions((action,))

    def apply_actions(self, actions: Sequence[int]) -> None:
        chosen = tuple(actions)
        outcomes = self.game.outcomes(self.position, chosen)
        if len(outcomes) == 1:
            self.stand(outcomes[0][0])
        else:
            self.stand(self.position, chosen, outcomes)

    def pending(self) -> Outcomes:
        """The outcomes of what was chosen."""
        if self.chosen is None:
            return ()
        return self.drawn or self.game.openings()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(number, probability) for number, (_, probability) in enumerate(self.pending())]

    def returns(self) -> list[float]:
        won = self.won or 0.0
        return [won, 0.0 - won]

    def key(self) -> core.Key:
        return self.position if self.chosen is None else (self.position, self.chosen)

    def stage(self) -> Stage | None:
        return self.game.stage(self.position)

    def variables(self) -> Variables:
        return dict(self.game.variables(self.position))

    def action_to_string(self, player: int, action: int) -> str:
        if player == core.CHANCE:
            return self.game.chance_name(self.pending()[action][0])
        return self.game.action_name(player, action)

    def __str__(self) -> str:
        if self.position == BEFORE:
            return "before the start"
        if self.chosen is None:
            return self.game.describe(self.position)
        names = [self.game.action_name(player, action) for player, action in enumerate(self.chosen)]
        return f"{self.game.describe(self.position)}, chosen {' and '.join(names)}"


def merge_outcomes(outcomes: Iterable[tuple[Position, float]]) -> Outcomes:
    """Outcomes with the probabilities of equal positions added up, in the order of the positions."""
    total: dict[Position, float] = {}
    for position, probability in outcomes:
        if probability > 0.0:
            total[position] = total.get(position, 0.0) + probability
    return sorted(total.items())


def when_lost(payoffs: Payoffs) -> float:
    """What a lost game is worth to player 0."""
    return 0.0 if payoffs == "survival" else -1.0


def clip_value(value: int, least: int, most: int) -> int:
    """The nearest number within bounds."""
    return min(most, max(least, value))
