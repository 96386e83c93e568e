"""`FullRules`: every rule of the whole game that can be switched, made once from what the game was asked for."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec

from kibitz.core.errors import BadSpec, advice, short_repr

NEVER = 10_000


class FullRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The switches, each with the value that Revised is played with."""

    research: bool = True
    """Whether powers may pay for technologies."""
    low_luck: bool = False
    """Whether hits in battles are the strength divided by 6, with one die for the rest."""
    lhtr: bool = False
    """Whether the Larry Harris Tournament Rules are played: a technology works when the turn is over, super submarines
    defend with 1 more, a heavy bomber takes the better of its dice and one more in a raid, raids and rockets take at
    most the value of an area in a turn, guns do not fire at aircraft that pass, fighters wait for carriers that will be
    placed and do not board new ones, and 10 cities win."""
    cities: Annotated[int, msgspec.Meta(ge=0, le=NEVER)] = 0
    """How many victory cities win at the end of a round; 0 is what the rules say: 9, or 10 with *lhtr*."""
    rounds: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 20
    """The number of rounds after which the game is over in any case."""
    bids: dict[str, Annotated[int, msgspec.Meta(ge=0, le=1000)]] = {}
    """What a power may spend on units before the first round."""

    @property
    def winning_cities(self) -> int:
        """How many cities win."""
        return self.cities or (10 if self.lhtr else 9)


def read_rules(
    switches: Mapping[str, Any], defaults: Mapping[str, Any] | None = None, powers: Sequence[str] | None = None
) -> FullRules:
    """The rules with these switches; raises BadSpec for one there is not.

    *defaults* are what the file of a board switches, *powers* those who may bid.
    """
    try:
        found = msgspec.convert({**(defaults or {}), **switches}, FullRules)
    except msgspec.ValidationError as error:
        raise BadSpec(f"switches={dict(switches)}", str(error)) from None
    for name in found.bids:
        if powers is not None and name not in powers:
            raise BadSpec(f"switches={dict(switches)}", f"no power {short_repr(name)} can bid; {advice(name, powers)}")
    return found
