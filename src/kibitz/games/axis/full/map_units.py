"""The kinds of units of a map file of TripleA's."""

from collections import Counter

from kibitz.games.axis.full.units import REVISED_SET, Kind, UnitSet
from kibitz.games.axis.triplea import RENAMED, Map

NUMBERS = {
    "attack": "attack",
    "defense": "defence",
    "movement": "move",
    "hitPoints": "hits",
    "transportCapacity": "room",
    "transportCost": "load",
    "carrierCapacity": "deck",
    "carrierCost": "berth",
}
"""The options that are numbers, and what each is called here."""
MOST = {"attack": 6, "defence": 6, "move": 20, "hits": 8, "room": 99, "load": 99, "deck": 99, "berth": 99}
FLAGS = {
    "canBlitz": "blitz",
    "artillery": "supports",
    "artillerySupportable": "supported",
    "isSub": "submarine",
    "canEvade": "submarine",
    "isFirstStrike": "submarine",
    "isDestroyer": "destroyer",
    "canBombard": "bombards",
    "isStrategicBomber": "raids",
}
"""The options that are true or false, and what each is called here."""
GUNS = ("isAA", "isAAforCombatOnly")
BUILDINGS = ("isFactory", "canProduceUnits")
OTHERS = {"isAir", "isSea", "isTwoHit", "isInfantry", "isInfrastructure", *GUNS, *BUILDINGS}
"""Further options that are read, or change nothing here."""


def kinds_of_map(found: Map, missing: Counter[str]) -> UnitSet:
    """The kinds of units of a file, in its order; options that are not played are noted."""
    return UnitSet(tuple(_kind(found, name, missing) for name in found.units))


def _kind(found: Map, name: str, missing: Counter[str]) -> Kind:
    bag = {
        option: node.attributes.get("value", "").strip()
        for option, node in found.options.get(("unit", name), {}).items()
    }
    if not bag:
        missing[f"unit {name}, which has no attachment"] += 1
    missing.update(f"unit option {option}" for option in bag if option not in {*NUMBERS, *FLAGS, *OTHERS})
    fields: dict[str, int] = {}
    for option, field in NUMBERS.items():
        text = bag.get(option, "")
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
        if number > MOST[field]:
            missing[f"{option} {number} of {name}, but {MOST[field]}"] += 1
        fields[field] = min(MOST[field], number)
    on = {option for option, value in bag.items() if value.lower() == "true"}
    flags = {field: True for option, field in FLAGS.items() if option in on}
    domain = "sea" if "isSea" in on else "air" if "isAir" in on else "land"
    factory = bool(on & set(BUILDINGS)) and domain == "land" and not fields["attack"]
    silent = not fields["attack"] and not fields["defence"]
    gun = bool(on & set(GUNS)) and domain == "land" and silent and not factory
    fields["hits"] = max(1, fields["hits"], 2 if "isTwoHit" in on else 1)
    fields["room"] = fields["room"] if domain == "sea" else 0
    fields["deck"] = fields["deck"] if domain == "sea" else 0
    fields["load"] = fields["load"] if domain == "land" else 0
    fields["berth"] = fields["berth"] if domain == "air" else 0
    flags = (
        flags
        if domain == "sea"
        else {f: on for f, on in flags.items() if f not in ("submarine", "destroyer", "bombards")}
    )
    flags = flags if domain == "air" else {field: on for field, on in flags.items() if field != "raids"}
    called = RENAMED[name] if name in RENAMED and RENAMED[name] not in found.units else name
    also = next((kind.also for kind in REVISED_SET.kinds if kind.name == called), ())
    price = found.costs.get(name, 0)
    return Kind(called, price, domain=domain, gun=gun, factory=factory, also=also, **fields, **flags)  # type: ignore[arg-type]
