"""Kinds of units of both games as data, and armies read from what people write: `2 inf 1 tank`, `2i1t`.

How far units move in the land game, `land/board.py` may cap.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Literal, Protocol, TypeAlias

import msgspec

from kibitz.core.errors import NotUnderstood, closest, short_list

Army: TypeAlias = tuple[int, ...]
"""How many units of each kind, in the order of a list of units."""
MOST, MOST_IN_ARMY = 200, 400
"""The most units of a kind, and of all kinds, in an army; more would be a typing error."""
NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
SPOKEN = {word: number for number, word in enumerate(NUMBERS)} | {"a": 1, "an": 1, "the": 1, "no": 0}
# An article needs a word of some length behind it: `1i a t` has an artillery.
PIECE = re.compile(
    rf"(?:(?P<count>[-+]?\d+)|(?P<spoken>{'|'.join(SPOKEN)})\b(?=\s+[^\W\d_]{{2}}))?\s*[x×*]?\s*"
    r"(?P<name>[^\W\d_](?:[^\W\d_]|[-_](?=[^\W\d_])|\s(?=guns?\b))*\.?)",
    re.IGNORECASE,
)
BETWEEN = re.compile(r"[\s,;+&]*(?:\band\b)?[\s,;+&]*")
AGAINST = re.compile(r"\s*(?:\b(?:vs?|versus|against|attack(?:s|ing)?)\b\.?|>)\s*", re.IGNORECASE)


Strength: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=6)]


class Unit(msgspec.Struct, frozen=True, cache_hash=True, forbid_unknown_fields=True):
    """A kind of unit: what it hits with, its price, and what else it can do."""

    name: str
    attack: Strength
    defence: Strength
    price: Annotated[int, msgspec.Meta(ge=0, le=1000)] = msgspec.field(name="cost")  # as files call it
    move: Annotated[int, msgspec.Meta(ge=0, le=20)] = 1
    domain: Literal["land", "air", "sea"] = "land"
    hits: Annotated[int, msgspec.Meta(ge=1, le=9)] = 1
    """How many hits it takes to destroy one."""
    supports: bool = False
    """Whether it lifts the attack of one supported unit by 1."""
    supported: bool = False
    blitz: bool = False
    """Whether it may go on through an empty hostile area, taking it."""
    bombards: bool = False
    """Whether it fires once from the sea before a landing."""
    surprise: bool = False
    """Whether it fires first, at ships only, unless the other side detects it."""
    detects: bool = False
    anti_air: bool = False
    """Whether it fires once at every attacking aircraft."""
    also: tuple[str, ...] = ()
    """Other names for it."""

    @property
    def fights(self) -> bool:
        """Whether it takes part in battles: guns against aircraft and factories are only captured."""
        return self.attack > 0 or self.defence > 0


REVISED: tuple[Unit, ...] = (
    Unit("infantry", 1, 2, 3, supported=True, also=("i", "inf", "inft", "foot", "soldier")),
    Unit("artillery", 2, 2, 4, supports=True, also=("a", "art", "arty", "rtl")),
    Unit("tank", 3, 3, 5, move=2, blitz=True, also=("t", "tnk", "arm", "armour", "armor", "panzer")),
    Unit("fighter", 3, 4, 10, move=4, domain="air", also=("f", "ftr", "fig", "fgt", "plane")),
    Unit("bomber", 4, 1, 15, move=6, domain="air", also=("b", "bmb", "bom", "bmr")),
    Unit("submarine", 2, 2, 8, move=2, domain="sea", surprise=True, also=("s", "sub", "ss")),
    Unit("transport", 0, 1, 8, move=2, domain="sea", also=("trn", "trans", "tra", "tp")),
    Unit("destroyer", 3, 3, 12, move=2, domain="sea", detects=True, also=("d", "dd", "des", "dst")),
    Unit("carrier", 1, 3, 16, move=2, domain="sea", also=("c", "cv", "ac", "car", "aircraft-carrier")),
    Unit("battleship", 4, 4, 24, move=2, domain="sea", hits=2, bombards=True, also=("bb", "bs", "bat", "bship")),
    Unit("aa gun", 0, 0, 5, anti_air=True, also=("aa", "aagun", "aa-gun", "anti-aircraft gun", "flak")),
)
"""The units of the Revised rules; a factory is a property of its area."""

OTHER_EDITIONS = {
    **dict.fromkeys(("cruiser", "cru", "ca"), "cruiser"),
    **dict.fromkeys(("mech", "mechanized", "mechanised", "mechinf", "mech-inf"), "mechanized infantry"),
    **dict.fromkeys(("tac", "tactical", "tacbomber", "tac-bomber"), "tactical bomber"),
}
"""Units of later editions, which people know and ask for."""


def read_army(text: str, units: Sequence[Unit] = REVISED) -> Army:
    """The army in *text*, names abbreviated or not; raises NotUnderstood with the word it stops at.

    >>> read_army("two inf, a tank and AA gun"), read_army("2i1t")
    ((2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1), (2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0))
    """
    text, counts = text.strip(" \t\n,;+&"), [0] * len(units)
    position, end = 0, len(text)
    while position < end:
        match = PIECE.match(text, position)
        if match is None:
            raise NotUnderstood(text, text[position:end].split()[0], "write a number and a unit, such as '2 infantry'")
        number = SPOKEN[match["spoken"].lower()] if match["spoken"] else int((match["count"] or "1")[:9])
        kind = unit_named(match["name"], units, text)
        counts[kind] += number
        if number < 0 or counts[kind] > MOST:
            what = "it is negative" if number < 0 else f"it makes more than {MOST}"
            raise NotUnderstood(text, match[0].strip(), f"{what}; a count is from 0 to {MOST}")
        between = BETWEEN.match(text, match.end())
        position = between.end() if between else match.end()
    if sum(counts) > MOST_IN_ARMY:
        raise NotUnderstood(text, text, f"an army has at most {MOST_IN_ARMY} units, not {sum(counts)}")
    return tuple(counts)


class NamedKind(Protocol):
    """Anything with a name and other names for it."""

    @property
    def name(self) -> str: ...
    @property
    def also(self) -> tuple[str, ...]: ...


def unit_named(name: str, units: Sequence[NamedKind], text: str = "") -> int:
    """The place of the unit called *name* in the list, forgiving case, plural and abbreviation."""
    wanted = name.casefold().rstrip(".").replace("_", " ")
    names = [unit.name for unit in units]
    spelled = [(name.casefold().replace("_", " "), *unit.also) for name, unit in zip(names, units, strict=True)]
    known = {word: place for place, words in enumerate(spelled) for word in words}
    one = re.sub("ies$", "y", wanted).removesuffix("s")
    for candidate in (wanted, one, one.replace("-", " "), one.replace(" ", "")):
        if candidate in known:
            return known[candidate]
    close = closest(wanted, known)
    remedy = f"did you mean {names[known[close]]!r}?" if close else f"there are {short_list(names, 20)}"
    if one == "factory":
        remedy = "a factory belongs to its area, and is no unit"
    elif one in OTHER_EDITIONS:
        whose = "the Revised rules have" if tuple(units) == REVISED else "this scenario has"
        remedy = f"{whose} no {OTHER_EDITIONS[one]}; there are {short_list(names, 20)}"
    raise NotUnderstood(text or name, name, remedy)


def spell_unit(text: str, units: Sequence[Unit]) -> str:
    """*text* with the whole name of the unit that it begins with.

    >>> spell_unit("inf G > M", REVISED)
    'infantry G > M'
    """
    match = PIECE.match(text.strip())
    if match is None or match["count"] or match["spoken"]:
        return text
    try:
        return units[unit_named(match["name"], units)].name + text.strip()[match.end() :]
    except NotUnderstood:
        return text


def read_battle(text: str, units: Sequence[Unit] = REVISED) -> tuple[Army, Army]:
    """Attackers and defenders of a line such as `2 inf 2 art 1 tank vs 3 inf 1 art`."""
    sides = AGAINST.split(text.strip())
    if len(sides) != 2:
        why = "write attackers, 'vs' and defenders, such as '2 inf 1 tank vs 3 inf'"
        raise NotUnderstood(text, text, why if len(sides) < 2 else f"more than two sides; {why}")
    armies = read_army(sides[0], units), read_army(sides[1], units)
    for army, side, who in zip(armies, sides, ("attacker", "defender"), strict=True):
        if not any(army):
            raise NotUnderstood(text, side or text, f"the {who} needs at least one unit, such as '2 infantry'")
    return armies


def army_text(army: Sequence[int], units: Sequence[Unit]) -> str:
    """An army in words: `2 infantry 1 tank`; `nothing` where there is none."""
    return " ".join(f"{count} {unit.name}" for count, unit in zip(army, units, strict=True) if count) or "nothing"


def army_price(army: Sequence[int], units: Sequence[Unit]) -> int:
    """The price of an army."""
    return sum(count * unit.price for count, unit in zip(army, units, strict=True))
