"""Sets of three cards and what they are worth, by the three card rules."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import combinations_with_replacement
from typing import Literal, TypeAlias

from kibitz.games.risk.board import ARTILLERY, CAVALRY, INFANTRY, SYMBOLS, WILD

CardRule: TypeAlias = Literal["increasing", "fixed", "italian"]
Symbols: TypeAlias = tuple[int, ...]
SET = 3
"""Cards a set has."""
RISING = (4, 6, 8, 10, 12, 15)
FIXED = {INFANTRY: 4, CAVALRY: 6, ARTILLERY: 8, WILD: 12}
ITALIAN = {ARTILLERY: 4, INFANTRY: 6, CAVALRY: 8}
MIXED, WITH_WILD = 10, 12


def worth(rule: CardRule, symbols: Symbols, traded: int = 0) -> int:
    """Armies for a set after *traded* sets; 0 where the cards make no set.

    >>> worth("fixed", (INFANTRY, INFANTRY, WILD)), worth("italian", (INFANTRY, CAVALRY, WILD))
    (4, 0)
    """
    plain = [symbol for symbol in symbols if symbol != WILD]
    kinds, wilds = set(plain), SET - len(plain)
    if wilds == 0 and len(kinds) == 2:
        return 0
    if rule == "increasing":
        return RISING[traded] if traded < len(RISING) else RISING[-1] + 5 * (traded - len(RISING) + 1)
    alike = len(kinds) == 1
    if rule == "italian":
        if wilds:
            return WITH_WILD if wilds == 1 and alike else 0
        return ITALIAN[plain[0]] if alike else MIXED
    if wilds == SET:
        return FIXED[WILD]
    return FIXED[plain[0]] if alike and wilds < 2 else MIXED


@cache
def sets(rule: CardRule) -> tuple[Symbols, ...]:
    """All sets there are, each sorted."""
    triples = combinations_with_replacement(range(len(SYMBOLS)), SET)
    return tuple(each for each in triples if worth(rule, each))


def most_defence_dice(defence: int, rule: CardRule) -> int:
    """The most dice a defender rolls, by the option *defence*; 0 is three by the Italian rule, and else two."""
    return defence or (3 if rule == "italian" else 2)


def begins_set(rule: CardRule, shown: Iterable[int], held: Mapping[int, int]) -> bool:
    """Whether the symbols that are *shown* can be made a set with those that are *held*, counted by symbol."""
    begun = Counter(shown)
    for each in sets(rule):
        needed = Counter(each)
        if begun <= needed and needed - begun <= Counter(held):
            return True
    return False
