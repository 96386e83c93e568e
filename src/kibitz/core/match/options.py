"""How a match is played: seed, clocks, limits, and the models that watch. Everything that starts matches takes this."""

from collections.abc import Sequence

import msgspec

from kibitz.core.clocks import TimeControl
from kibitz.core.errors import BadSpec, short_repr
from kibitz.core.match.watchers import WatcherLike
from kibitz.core.seeds import checked_seed


class MatchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """All that decides a match besides its game and its players; raises BadSpec where a value makes no sense."""

    models: Sequence[WatcherLike] = ()
    """The models that watch."""
    insights: bool = False
    """Whether the record keeps predictions and reasons of the models, besides their beliefs."""
    seed: int = 0
    time_control: TimeControl = TimeControl()
    max_plies: int | None = None
    """The match ends after so many events; None: as many as the game allows."""
    strikes: int = 3
    """After so many faults a player forfeits."""
    opening: int = 0
    """The first moves are drawn at random by the seed alone, so that players without chance meet in many games."""
    given: Sequence[Sequence[str]] = ()
    """Events that stand before all that, by the notation of everybody's action: how another match began."""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "seed", checked_seed(self.seed))  # NumPy's numbers become plain ones
        check_time(self.time_control)
        if self.max_plies is not None:
            check_count("max_plies", self.max_plies)
        check_count("strikes", self.strikes)
        check_count("opening", self.opening, least=0)


def check_count(name: str, value: object, least: int = 1) -> None:
    """Raise BadSpec unless *value* is a whole number, *least* or more."""
    if type(value) is not int or value < least:
        raise BadSpec(f"{name}={short_repr(value)}", f"it is a whole number from {least}")


def check_time(control: TimeControl) -> None:
    """Raise BadSpec unless the limits are seconds above 0."""
    for name, seconds in (("move", control.move), ("game", control.game)):
        if not is_time_limit(seconds):
            raise BadSpec(f"{name}={short_repr(seconds)}", "time is given in seconds above 0")


def is_time_limit(seconds: object) -> bool:
    """Whether *seconds* can limit a clock; None is no limit."""
    return seconds is None or (isinstance(seconds, (int, float)) and 0.0 < seconds < float("inf"))


DEFAULTS = MatchOptions()
