"""Kinds of units as data, and armies read from what people write: `2 inf 1 tank`, `2i1t`."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Literal, TypeAlias

import msgspec

from kibitz.core.errors import NotUnderstood, shortened

Army: TypeAlias = tuple[int, ...]
"""How many units of each kind, in the order of a list of units."""
MOST = 200
"""More units of a kind than an army may have would be a slip."""
PIECE = re.compile(r"(?P<count>[-+]?\d+)?\s*[x×*]?\s*(?P<name>[^\W\d_](?:[^\W\d_]|[-_](?=[^\W\d_])|\s(?=guns?\b))*\.?)")
BETWEEN = re.compile(r"[\s,;+&]*(?:\band\b)?[\s,;+&]*")
AGAINST = re.compile(r"\s*(?:\b(?:vs?|versus|against)\b\.?|>)\s*", re.IGNORECASE)


class Unit(msgspec.Struct, frozen=True, cache_hash=True):
    """A kind of unit: what it hits with, what it costs, and what else it can do."""

    name: str
    attack: int
    defence: int
    cost: int
    move: int = 1
    domain: Literal["land", "air", "sea"] = "land"
    hits: int = 1
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


def read_army(text: str, units: Sequence[Unit] = REVISED) -> Army:
    """The army that is written in *text*, names abbreviated or not; raises NotUnderstood with the word it stops at.

    >>> read_army("2 inf, 1 tank and AA gun"), read_army("2i1t")
    ((2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1), (2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0))
    """
    counts = [0] * len(units)
    position, end = 0, len(text.rstrip())
    while position < end:
        match = PIECE.match(text, position)
        if match is None:
            raise NotUnderstood(text, text[position:end].split()[0], "write a number and a unit, such as '2 infantry'")
        number = int(match["count"] or 1)
        if not 0 <= number <= MOST:
            raise NotUnderstood(text, match[0].strip(), f"a count is from 0 to {MOST}")
        counts[unit_named(match["name"], units, text)] += number
        between = BETWEEN.match(text, match.end())
        position = between.end() if between else match.end()
    return tuple(counts)


def unit_named(name: str, units: Sequence[Unit], text: str = "") -> int:
    """The place of the unit called *name* in the list, forgiving case, plural and abbreviation."""
    wanted = name.casefold().rstrip(".").replace("_", " ")
    known = {each: place for place, unit in enumerate(units) for each in (unit.name.casefold(), *unit.also)}
    for candidate in (wanted, wanted.removesuffix("s"), wanted.replace("-", " "), wanted.replace(" ", "")):
        if candidate in known:
            return known[candidate]
    close = get_close_matches(wanted, list(known), n=1)
    names = [unit.name for unit in units]
    advice = f"did you mean {names[known[close[0]]]!r}?" if close else f"there are {shortened(names, 20)}"
    raise NotUnderstood(text or name, name, advice)


def read_battle(text: str, units: Sequence[Unit] = REVISED) -> tuple[Army, Army]:
    """Attackers and defenders of a line such as `2 inf 2 art 1 tank vs 3 inf 1 art`."""
    sides = AGAINST.split(text)
    if len(sides) != 2:
        why = "write attackers, 'vs' and defenders, such as '2 inf 1 tank vs 3 inf'"
        raise NotUnderstood(text, text, why if len(sides) < 2 else f"more than two sides; {why}")
    return read_army(sides[0], units), read_army(sides[1], units)


def army_text(army: Sequence[int], units: Sequence[Unit]) -> str:
    """An army in words: `2 infantry 1 tank`; `nothing` where there is none."""
    return " ".join(f"{count} {unit.name}" for count, unit in zip(army, units, strict=True) if count) or "nothing"


def army_worth(army: Sequence[int], units: Sequence[Unit]) -> int:
    """What an army cost."""
    return sum(count * unit.cost for count, unit in zip(army, units, strict=True))
