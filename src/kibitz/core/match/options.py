"""MatchOptions: seed, clocks, limits and watching models. Everything that starts matches takes it."""

from collections.abc import Sequence

import msgspec

from kibitz.core.clocks import TimeControl
from kibitz.core.errors import BadSpec, short_repr
from kibitz.core.match.watchers import WatcherLike
from kibitz.core.seeds import checked_seed


class MatchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that determines a match besides its game and players; raises BadSpec for an invalid value."""

    models: Sequence[WatcherLike] = ()
    """The models that watch."""
    insights: bool = False
    """Whether the record holds the models' predictions and reasons besides their beliefs."""
    memory: str = ""
    """A folder in which the models keep what they learn of the players; empty: they begin without."""
    names: Sequence[str] = ()
    """The names of the players in that folder; where they are empty, their agents' specs."""
    seed: int = 0
    time_control: TimeControl = TimeControl()
    max_plies: int | None = None
    """The match ends after this many events; None: the game's own limit."""
    strikes: int = 3
    """A player forfeits after this many faults."""
    opening: int = 0
    """Number of first moves drawn at random from the seed, so that deterministic players meet in many games."""
    given: Sequence[Sequence[str]] = ()
    """Events before those, in the notation of each player's action: the start of another match."""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "seed", checked_seed(self.seed))  # NumPy's numbers become plain ones
        check_time(self.time_control)
        if self.max_plies is not None:
            check_count("max_plies", self.max_plies)
        check_count("strikes", self.strikes)
        check_count("opening", self.opening, least=0)
        if self.names and not self.memory:
            raise BadSpec(f"names={short_repr(self.names)}", "names are for a memory; name its folder, too")


def check_count(name: str, value: object, least: int = 1) -> None:
    """Raise BadSpec unless *value* is a whole number, *least* or more."""
    if type(value) is not int or value < least:
        raise BadSpec(f"{name}={short_repr(value)}", f"must be a whole number, {least} or more")


def check_time(control: TimeControl) -> None:
    """Raise BadSpec unless the limits are seconds above 0."""
    for name, seconds in (("move", control.move), ("game", control.game)):
        if not is_time_limit(seconds):
            raise BadSpec(f"{name}={short_repr(seconds)}", "must be a number of seconds above 0")


def is_time_limit(seconds: object) -> bool:
    """Whether *seconds* can limit a clock; None is no limit."""
    return seconds is None or (isinstance(seconds, (int, float)) and 0.0 < seconds < float("inf"))


DEFAULTS = MatchOptions()
