"""The switches of the rules that the properties of a map file of TripleA's set."""

from collections import Counter
from typing import Any

from kibitz.games.axis.triplea import VICTORIES, Map

SWITCHES = {
    "Tech Development": "research",
    "Low Luck": "low_luck",
    "Low Luck for AntiAircraft": "low_luck_guns",
    "Low Luck for Technology": "low_luck_research",
    "Low Luck for Bombing and Territory Damage": "low_luck_raids",
    "Super Sub Defence Bonus": "super_submarine_defence",
    "Heavy Bomber Dice Rolls": "heavy_bomber_dice",
    "LHTR Heavy Bombers": "lhtr_heavy_bombers",
    "Territory Turn Limit": "raid_limit",
    "Always on AA": "overflight_fire",
    "Kamikaze Airplanes": "kamikaze",
    "Submersible Subs": "submersible",
    "Two hit battleship": "two_hit_battleships",
    "Two hit battleships": "two_hit_battleships",
    "Units Repair Hits End Turn": "repair",
    "Battleships repair at end of round": "repair",
    "Produce fighters on carriers": "fighters_on_new_carriers",
    "Move existing fighters to new carriers": "fighters_move_to_new_carriers",
    "LHTR Carrier production rules": "lhtr_carriers",
    "Projection of Power": "projection",
    "Honorable Surrender": "surrender",
    "Total Victory": "total",
}
"""The properties that are switches of the rules."""
NUMBERS = {"super_submarine_defence": (0, 6), "heavy_bomber_dice": (1, 3)}
"""The switches that are numbers, and how far they go."""
CLOSED_NEUTRALS = ("Neutrals Are Impassable", "neutralsImpassable")
KNOWN = {
    *SWITCHES,
    *CLOSED_NEUTRALS,
    "WW2V2",
    "mapName",
    "notes",
    "Allied Air Dependents",
    "Roll AA Individually",
}


def is_on(found: Map, name: str) -> bool:
    """Whether a property is true."""
    return found.properties.get(name, "").strip().lower() == "true"


def switches_of(found: Map, sides: list[str], missing: Counter[str]) -> dict[str, Any]:
    """The switches that the properties of the file set."""
    told: dict[str, Any] = {"research": False, "projection": False, "low_luck": False}
    for name, switch in SWITCHES.items():
        value = found.properties.get(name, "").strip().lower()
        if switch in NUMBERS and value:
            least, most = NUMBERS[switch]
            told[switch] = min(most, max(least, whole_number(value)))
        elif switch not in NUMBERS and value in ("true", "false"):
            told[switch] = value == "true"
    steps = [name.lower() for name, _ in found.steps]
    if not any("tech" in name for name in steps):
        told["research"] = False
    told["late_technology"] = activates_late(steps)
    for name, switch in zip(VICTORIES, ("projection", "surrender", "total"), strict=True):
        numbers = {whole_number(found.properties.get(f"{side} {VICTORIES[name]}", "")) for side in sides} - {0}
        if numbers:
            told[f"{switch}_cities"] = min(1000, max(numbers))
            if len(numbers) > 1:
                missing[f"{name}: the larger number of cities counts for all sides"] += 1
        else:
            told[switch] = False
    return told


def activates_late(steps: list[str]) -> bool:
    """Whether technologies are made to work after the moves of a turn."""
    activations = [place for place, name in enumerate(steps) if name.endswith("techactivation")]
    moves = [place for place, name in enumerate(steps) if name.endswith("combatmove")]
    return bool(activations and moves) and activations[0] > moves[0]


def whole_number(text: str) -> int:
    """A whole number from 0 to a million, 0 where the text is none."""
    return min(1_000_000, int(text)) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
