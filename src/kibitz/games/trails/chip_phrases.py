"""Reads chips as people write them: `3y`, `three yellow and 2 grey`; look here for what a person may type."""

import re
from collections.abc import Sequence

from kibitz.core.errors import NotUnderstood
from kibitz.games.trails.chips import Chips, colour_letters

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
OTHER_NUMBERS = {"no": 0, "a": 1, "an": 1}
OTHER_NAMES = {"grey": "gray", "violet": "purple", "lilac": "purple"}
"""Colours by another name or spelling."""
FILLERS = frozenset(("and", "of", "the", "my", "your", "chip", "chips", "plus"))
"""Words that may stand between chips."""
TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+|\S")
SEPARATORS = str.maketrans(",+&", "   ")
MOST_DIGITS = 4


def read_chips(text: str, colours: Sequence[str]) -> Chips:
    """The chips that *text* names, each colour with its count before it; raises NotUnderstood.

    >>> read_chips("3y, two grey and 1 red", ("red", "green", "yellow", "gray"))
    (1, 0, 3, 2)
    >>> read_chips("3 greys and a yellow", ("red", "green", "yellow", "gray"))
    (0, 0, 1, 3)
    """
    counts = [0] * len(colours)
    words = [word for word in TOKEN.findall(text.casefold().translate(SEPARATORS)) if word not in FILLERS]
    if not words:
        raise NotUnderstood(text, text, "name chips, such as 3 yellow, or nothing")
    if words == ["nothing"]:
        return tuple(counts)
    count: int | None = None
    for word in words:
        if count is None:
            count = read_count(word, text, colours)
            continue
        counts[read_colour(word, text, colours)] += count
        count = None
    if count is not None:
        raise NotUnderstood(text, words[-1], f"say of which colour: {', '.join(colours)}")
    return tuple(counts)


def read_count(word: str, text: str, colours: Sequence[str]) -> int:
    """A number of chips, in digits or as a word."""
    if word.isascii() and word.isdecimal() and len(word) <= MOST_DIGITS:
        return int(word)
    if word in NUMBERS:
        return NUMBERS.index(word)
    if word in OTHER_NUMBERS:
        return OTHER_NUMBERS[word]
    if word[0].isdecimal():
        raise NotUnderstood(text, word, f"a number of chips is whole and has at most {MOST_DIGITS} digits from 0 to 9")
    named = colour_of(word, colours)
    why = f"say how many {colours[named]}" if named is not None else "name a number and a colour, such as 3 yellow"
    raise NotUnderstood(text, word, why)


def read_colour(word: str, text: str, colours: Sequence[str]) -> int:
    """The number of the colour that a word names."""
    found = colour_of(word, colours)
    if found is None:
        letters = map(str.lower, colour_letters(tuple(colours)))
        known = ", ".join(map(" ".join, zip(letters, colours, strict=True)))
        raise NotUnderstood(text, word, f"the colours are {known}")
    return found


def colour_of(word: str, colours: Sequence[str]) -> int | None:
    """The colour of a name, of another spelling, of the letter on the board, or of the beginning of one name only."""
    known = [colour.casefold() for colour in colours]
    letters = [letter.casefold() for letter in colour_letters(tuple(colours))]
    for each in (word, word.removesuffix("s")):
        named = OTHER_NAMES.get(each, each)
        if named in known:
            return known.index(named)
    if word in letters:
        return letters.index(word)
    begun = [number for number, name in enumerate(known) if len(word) > 1 and name.startswith(word)]
    return begun[0] if len(begun) == 1 else None


def excess_words(chips: Sequence[int], most: Sequence[int], colours: Sequence[str], holder: str) -> str:
    """Why these chips cannot be given: what *holder* has of the colours that are too many; empty if there are none.

    >>> excess_words((7, 1), (6, 0), ("yellow", "gray"), "you hold")
    'you hold 6 yellow and no gray'
    """
    lacking = [
        f"{held or 'no'} {colour}" for count, held, colour in zip(chips, most, colours, strict=True) if count > held
    ]
    return f"{holder} {' and '.join(lacking)}" if lacking else ""
