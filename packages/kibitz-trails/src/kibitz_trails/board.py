"""`Board`: coloured squares, starts, chips, the goal and the scoring, with questions about what chips can reach.

Sets of chips are counts of each colour, and people write them `3y` or `three yellow`.

`best_use` is exact: the best score that a set of chips can reach from a square, and the chips that ways to the goal
take. Dynamic programming over sets of chips (a multi-objective shortest path): a square keeps the sets that pay a way
to it and do not contain one another. Paths with cycles are left out: cutting the cycle out saves chips.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import product
from operator import le
from typing import Annotated, TypeAlias

import msgspec

from kibitz.core.errors import BadGame, NotUnderstood

Chips: TypeAlias = tuple[int, ...]
MOST_COLOURS, MOST_CHIPS = 8, 127
"""Kernels keep a set of chips in one word, a byte for each colour."""
MOST_GIFTS = 60
"""So many sets of chips of one size are looked at."""


def plus(chips: Chips, more: Sequence[int]) -> Chips:
    """Two sets of chips together."""
    return tuple([one + other for one, other in zip(chips, more, strict=True)])


def minus(chips: Chips, less: Sequence[int]) -> Chips:
    """A set of chips less another, of each colour the difference."""
    return tuple([one - other for one, other in zip(chips, less, strict=True)])


def short(need: Sequence[int], chips: Chips) -> Chips:
    """The chips of *need* that are missing in *chips*."""
    return tuple([one - other if one > other else 0 for one, other in zip(need, chips, strict=True)])


def common(chips: Chips, others: Sequence[int]) -> Chips:
    """What two sets of chips have in common."""
    return tuple(map(min, chips, others))


def within(chips: Sequence[int], most: Sequence[int]) -> bool:
    """Whether a set of chips is part of another, which therefore pays for it."""
    return all(map(le, chips, most))


def all_parts(chips: Chips) -> Iterator[Chips]:
    """Every part of a set of chips, all of it first."""
    return product(*(range(held, -1, -1) for held in chips))


def sets_of(chips: Chips, size: int) -> list[Chips]:
    """Some of the parts of *chips* that have *size* chips, in the order of the colours."""
    found = []
    for part in product(*(range(min(held, size), -1, -1) for held in chips)):
        if sum(part) == size:
            found.append(part)
            if len(found) == MOST_GIFTS:
                break
    return found


def in_words(colours: Sequence[str], chips: Sequence[int]) -> str:
    """Chips as people write them: `2 yellow 1 gray`, or nothing."""
    return " ".join(f"{count} {colour}" for colour, count in zip(colours, chips, strict=True) if count) or "nothing"


def colour_letters(colours: tuple[str, ...]) -> list[str]:
    """A letter for each colour: the first of its own that is free, or a digit."""
    letters: list[str] = []
    for number, colour in enumerate(colours):
        own = [letter for letter in colour.upper() if letter.isalpha() and letter not in letters]
        letters.append(own[0] if own else str(number))
    return letters


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


MOST_WAYS = 50_000
"""How many ways from one square are kept, of those that do not contain one another."""


class Reach(msgspec.Struct, frozen=True):
    """An end of a path: the chips it takes, the points it adds to those of the chips held, and where it ends."""

    gain: int
    need: Chips
    end: int


class Frontier(msgspec.Struct, frozen=True):
    """All ends worth reaching from one square, the best first, and the sets of chips that pay a way to the goal."""

    reaches: tuple[Reach, ...]
    to_goal: tuple[Chips, ...]
    chip: int
    """Points for each chip that is left."""

    def best(self, chips: Chips) -> Reach:
        """The best end that *chips* pay for."""
        return next(reach for reach in self.reaches if within(reach.need, chips))

    def best_use(self, chips: Chips) -> int:
        """The best score that *chips* can reach."""
        return self.best(chips).gain + self.chip * sum(chips)

    def cheapest(self, chips: Chips, others: Chips | None = None) -> Chips | None:
        """The set that pays a way to the goal and lacks the fewest chips, the first of them.

        With *others*, the missing chips must be among them.
        """
        found, fewest = None, -1
        for need in self.to_goal:
            lacking = short(need, chips)
            if (found is None or sum(lacking) < fewest) and (others is None or within(lacking, others)):
                found, fewest = need, sum(lacking)
        return found


def find_frontier(board: "Board", start: int) -> Frontier:
    """What can be reached from *start* with the chips there are on the board."""
    ways = cheapest_ways(board, start)
    ends = [(board.score(end, (-length(need),)), need, end) for end, needs in ways.items() for need in needs]
    ends.sort(key=lambda reach: (-reach[0], *order(reach[1]), reach[2]))
    kept: list[int] = []
    reaches = []
    for gain, need, end in ends:
        if not is_dominated(need, kept):
            kept.append(need)
            reaches.append(Reach(gain, chips_in(need, board), end))
    to_goal = sorted(ways.get(board.goal, []), key=order)
    return Frontier(tuple(reaches), tuple(chips_in(need, board) for need in to_goal), board.scoring.chip)


GUARD = 0x8080808080808080
"""The highest bit of each byte. A set of chips is one number here, a byte for each colour, as in kernels."""


def is_dominated(need: int, others: list[int]) -> bool:
    """Whether a set contains one of the others: subtracting that one borrows nothing, so the highest bits stay."""
    guarded = need | GUARD
    return any((guarded - less) & GUARD == GUARD for less in others)


def order(need: int) -> tuple[int, bytes]:
    """Sets in order: the smaller first, then by how many chips they have of the first colour, the second …"""
    return length(need), need.to_bytes(8, "little")


def length(need: int) -> int:
    """How many chips there are in a number."""
    return sum(need.to_bytes(8, "little"))


def chips_in(need: int, board: "Board") -> Chips:
    """The chips in a number."""
    return tuple(need.to_bytes(8, "little")[: len(board.colours)])


def cheapest_ways(board: "Board", start: int) -> dict[int, list[int]]:
    """For every square the sets of chips that pay a way to it from *start* and do not contain one another, as numbers.

    Ways are tried by their length, so that no later way is better than one that is kept.
    """
    in_play = sum(held << 8 * colour for colour, held in enumerate(board.in_play))
    ways: dict[int, list[int]] = {start: [0]}
    waiting, total = [(0, start)], 0
    while waiting:
        longer: set[tuple[int, int]] = set()
        for need, square in waiting:
            for target in board.neighbours[square] if square != board.goal else ():
                if target is not None:
                    longer.add((need + (1 << 8 * board.grid[target]), target))
        waiting = []
        for paid, target in sorted(longer):
            known = ways.setdefault(target, [])
            if is_dominated(in_play, [paid]) and not is_dominated(paid, known):
                known.append(paid)
                waiting.append((paid, target))
        total += len(waiting)
        if total > MOST_WAYS:
            why = f"there are more than {MOST_WAYS:,} ways to look at; take fewer squares, colours or chips"
            raise BadGame(f"board {board.name}", why)
    return {square: needs for square, needs in ways.items() if needs}


REMEMBERED = 1 << 16
"""How many answers about sets of chips are kept for each board."""
STEPS = {"up": (-1, 0), "left": (0, -1), "right": (0, 1), "down": (1, 0)}
"""The ways a player may go, in the order of their actions."""


class Scoring(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Points for reaching the goal, for each chip that is left, and for each step that is left to the goal."""

    goal: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 100
    chip: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 5
    distance: Annotated[int, msgspec.Meta(ge=-10_000, le=0)] = -10


class Board(msgspec.Struct, frozen=True, dict=True, eq=False):
    """Squares are numbered row by row from the upper left. Where chips are hidden, players are dealt a hand."""

    name: str
    rows: int
    cols: int
    colours: tuple[str, ...]
    grid: tuple[int, ...]
    """The colour of each square."""
    goal: int
    starts: tuple[int, ...]
    chips: tuple[Chips, ...]
    """What each player holds at the start where chips are open."""
    hands: tuple[tuple[Chips, ...], ...]
    """What each player may be dealt where chips are hidden."""
    names: tuple[str, ...]
    scoring: Scoring = Scoring()
    about: str = ""

    @property
    def players(self) -> int:
        return len(self.starts)

    @cached_property
    def in_play(self) -> Chips:
        """The most chips of each colour that there can be."""
        dealt = [tuple(map(max, *(*hands, self.chips[player]), zeros(self))) for player, hands in enumerate(self.hands)]
        return tuple(map(sum, zip(*dealt, strict=True)))

    @cached_property
    def neighbours(self) -> tuple[tuple[int | None, ...], ...]:
        """The square each of `STEPS` leads to from each square; None is off the board."""
        return tuple(
            tuple(self.square(row + down, col + right) for down, right in STEPS.values())
            for row in range(self.rows)
            for col in range(self.cols)
        )

    @cached_property
    def distances(self) -> tuple[int, ...]:
        """Steps from each square to the goal."""
        goal_row, goal_col = divmod(self.goal, self.cols)
        return tuple(abs(row - goal_row) + abs(col - goal_col) for row in range(self.rows) for col in range(self.cols))

    def square(self, row: int, col: int) -> int | None:
        """The number of a square; None where it is off the board."""
        return row * self.cols + col if 0 <= row < self.rows and 0 <= col < self.cols else None

    def score(self, square: int, chips: Chips) -> int:
        """What a player has who ends on *square* with *chips*."""
        scoring = self.scoring
        reached = scoring.goal if square == self.goal else 0
        return reached + scoring.chip * sum(chips) + scoring.distance * self.distances[square]

    @cached_property
    def frontiers(self) -> dict[int, Frontier]:
        """What can be reached from the squares that were asked about so far."""
        return {}

    def frontier(self, square: int) -> Frontier:
        """What can be reached from *square*, worked out once."""
        found = self.frontiers.get(square)
        if found is None:
            found = self.frontiers[square] = find_frontier(self, square)
        return found

    @cached_property
    def best_use(self) -> Callable[[int, Chips], int]:
        """The best score from a square with a set of chips, by any path they pay for; of chips in play."""
        return lru_cache(REMEMBERED)(lambda square, chips: self.frontier(square).best_use(chips))

    @cached_property
    def need(self) -> Callable[..., Chips | None]:
        """All the chips that the first of the cheapest paths takes, from a square with a set of chips.

        With the chips of another player, only paths count whose missing chips are among them; None where there is none.
        """
        return lru_cache(REMEMBERED)(lambda square, *chips: self.frontier(square).cheapest(*chips))

    def independent(self, square: int, chips: Chips) -> bool:
        """Whether *chips* pay a path from *square* to the goal (task-independent, TI)."""
        need = self.need(square, chips)
        return need is not None and within(need, chips)

    def lacking(self, square: int, chips: Chips, others: Chips | None = None) -> Chips | None:
        """The chips that are missing, of the first of the cheapest paths."""
        need = self.need(square, chips, others)
        return None if need is None else short(need, chips)


def zeros(board: Board) -> Chips:
    """No chips at all."""
    return (0,) * len(board.colours)
