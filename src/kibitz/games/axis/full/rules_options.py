"""`FullRules`: every rule of the whole game that can be switched, made once from what the game was asked for."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from kibitz.core.errors import BadSpec, advice, short_repr

Cities = Annotated[int, msgspec.Meta(ge=1, le=1000)]
Small = Annotated[int, msgspec.Meta(ge=0, le=6)]
Bid = Annotated[int, msgspec.Meta(ge=0, le=1000)]
NEVER = 10_000


class FullRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The switches, each with the value that Revised is played with."""

    research: bool = True
    """Whether powers may pay for technologies."""
    late_technology: bool = False
    """Whether a technology works only when the turn is over."""
    low_luck: bool = False
    """Whether hits in battles are the strength divided by 6, with one die for the rest."""
    low_luck_guns: bool = False
    low_luck_research: bool = False
    low_luck_raids: bool = False
    super_submarine_defence: Small = 0
    heavy_bomber_dice: Annotated[int, msgspec.Meta(ge=1, le=3)] = 2
    lhtr_heavy_bombers: bool = False
    """Whether a heavy bomber takes the better of its dice, and one more in a raid."""
    raid_limit: bool = False
    """Whether raids and rockets together take at most the value of an area in a turn."""
    overflight_fire: bool = True
    """Whether guns fire at aircraft that pass over them."""
    kamikaze: bool = False
    """Whether aircraft may fly where they cannot land."""
    submersible: bool = True
    """Whether submarines pass under enemies and submerge."""
    two_hit_battleships: bool = True
    repair: bool = True
    """Whether damaged battleships are whole again after every turn."""
    fighters_on_new_carriers: bool = True
    """Whether new fighters may be placed on carriers."""
    fighters_move_to_new_carriers: bool = True
    lhtr_carriers: bool = False
    """Whether a fighter may wait in a zone for a carrier that will be placed there."""
    unload_twice: bool = False
    """Whether a transport that unloaded in combat may unload into the same area after the battles."""
    projection: bool = True
    projection_cities: Cities = 9
    surrender: bool = False
    surrender_cities: Cities = 10
    total: bool = False
    total_cities: Cities = 12
    losses: Literal["cheapest", "choose"] = "cheapest"
    """Whether lost units are the cheapest, or the owner chooses them one by one."""
    rounds: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 20
    """The number of rounds after which the game is over in any case."""
    bids: dict[str, Bid] = {}
    """What a power may spend on units before the first round."""

    @property
    def cities(self) -> int:
        """The number of cities that wins; more than any side can hold, if no such victory is switched on."""
        wanted = (
            (self.projection, self.projection_cities),
            (self.surrender, self.surrender_cities),
            (self.total, self.total_cities),
        )
        return min((cities for on, cities in wanted if on), default=NEVER)


LHTR: Mapping[str, Any] = {
    "late_technology": True,
    "super_submarine_defence": 1,
    "lhtr_heavy_bombers": True,
    "raid_limit": True,
    "overflight_fire": False,
    "fighters_move_to_new_carriers": False,
    "lhtr_carriers": True,
    "projection": False,
    "projection_cities": 8,
    "surrender": True,
}
"""What the Larry Harris Tournament Rules switch."""


def read_rules(
    switches: Mapping[str, Any], defaults: Mapping[str, Any] | None = None, powers: Sequence[str] | None = None
) -> FullRules:
    """The rules with these switches, `lhtr` among them; raises BadSpec for one there is not.

    *defaults* are what the file of a board switches, *powers* those who may bid.
    """
    given = {
        **(defaults or {}),
        **(LHTR if switches.get("lhtr") else {}),
        **{name: x for name, x in switches.items() if name != "lhtr"},
    }
    try:
        found = msgspec.convert(given, FullRules)
    except msgspec.ValidationError as error:
        raise BadSpec(f"switches={dict(switches)}", str(error)) from None
    for name in found.bids:
        if powers is not None and name not in powers:
            raise BadSpec(f"switches={dict(switches)}", f"no power {short_repr(name)} can bid; {advice(name, powers)}")
    return found
