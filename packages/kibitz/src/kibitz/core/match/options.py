"""The options of a match, and the conditions under which it is played; add an option here."""

from collections.abc import Sequence
from math import inf
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from kibitz.core.agent import Seconds, TimeControl
from kibitz.core.errors import BadSpec, short_repr
from kibitz.core.match.watchers import WatcherLike
from kibitz.core.seeds import checked_seed

MaxPlies = Annotated[int, Meta(ge=1, description="Stop after N events.")]
Opening = Annotated[int, Meta(ge=0, le=10_000, description="Number of random moves at the start.")]


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """How a match is played. Command line, REST, tournaments and Python take these options from here.

    Raises BadSpec for an invalid value.
    """

    move_time: Seconds | None = None
    """Seconds allowed per move."""
    game_time: Seconds | None = None
    """Seconds allowed per game."""
    max_plies: MaxPlies | None = None
    strikes: Annotated[int, Meta(ge=1)] = 3
    """Faults after which a player forfeits."""

    def __post_init__(self) -> None:
        for name in ("move_time", "game_time"):
            seconds: object = getattr(self, name)
            if seconds is not None and not (isinstance(seconds, (int, float)) and 0.0 < seconds < inf):
                raise BadSpec(f"{name}={short_repr(seconds)}", "must be a number of seconds above 0")
        if self.max_plies is not None:
            check_count("max_plies", self.max_plies)
        check_count("strikes", self.strikes)

    @property
    def time_control(self) -> TimeControl:
        """The limits of the clocks."""
        return TimeControl(self.move_time, self.game_time)

    def conditions(self) -> dict[str, Any]:
        """The conditions alone, by name."""
        return {name: getattr(self, name) for name in Conditions.__struct_fields__}


class MatchOptions(Conditions, frozen=True, kw_only=True):
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
    opening: Opening = 0
    given: Sequence[Sequence[str]] = ()
    """Events before those of the opening, in the notation of each player's action: the start of another match."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("opening", self.opening, least=0)
        msgspec.structs.force_setattr(self, "seed", checked_seed(self.seed))  # NumPy's numbers become plain ones
        if self.names and not self.memory:
            raise BadSpec(f"names={short_repr(self.names)}", "names are for a memory; name its folder, too")


def check_count(name: str, value: object, least: int = 1) -> None:
    """Raise BadSpec unless *value* is a whole number, *least* or more."""
    if type(value) is not int or value < least:
        raise BadSpec(f"{name}={short_repr(value)}", f"must be a whole number, {least} or more")


USUAL = MatchOptions()
