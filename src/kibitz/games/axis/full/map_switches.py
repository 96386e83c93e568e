"""The switches of the rules that the properties of a TripleA map file set."""

from typing import Any

from kibitz.games.axis.full.rules_options import NEVER
from kibitz.games.axis.triplea import VICTORIES, Map

CLOSED_NEUTRALS = ("Neutrals Are Impassable", "neutralsImpassable")
KNOWN = {"Tech Development", "Low Luck", *VICTORIES, *CLOSED_NEUTRALS, "WW2V2", "mapName", "notes"}


def is_on(found: Map, name: str) -> bool:
    """Whether a property is true."""
    return found.properties.get(name, "").strip().lower() == "true"


def switches_of(found: Map, sides: list[str]) -> dict[str, Any]:
    """The switches that the properties of the file set; where sides need other numbers of cities, the larger counts."""
    tries = is_on(found, "Tech Development") and any("tech" in name.lower() for name, _ in found.steps)
    wanted = [
        max(whole_number(found.properties.get(f"{side} {cities}", "")) for side in sides)
        for name, cities in VICTORIES.items()
        if is_on(found, name)
    ]
    cities = min((number for number in wanted if number), default=NEVER)
    return {"research": tries, "low_luck": is_on(found, "Low Luck"), "cities": min(NEVER, cities)}


def whole_number(text: str) -> int:
    """A whole number from 0 to a million, 0 where the text is none."""
    return min(1_000_000, int(text)) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
