"""Pawns (Pedersen 2008, after Kalles): two bases in opposite corners; reach the other one, or wall its pawns in.

Here are the options and the geometry of the board; `kernels` moves the pawns. Files a–h and ranks 1–8 are x and y from
0; black's base is the lower left corner, white's the upper right. What the thesis leaves open is a named option.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from kibitz import core
from kibitz.core.errors import BadSpec
from kibitz.core.kit.compiled import CompiledState, Words
from kibitz_lab.games.bitboards import FILES, Square, coordinates, name, number, parse_square, squares_of, word_of
from kibitz_lab.games.pawns.kernels import BASE, BLACK, DIES, KERNELS, KING, WHITE, WORDS, without_trapped

ORTHOGONAL: tuple[Square, ...] = ((0, -1), (-1, 0), (1, 0), (0, 1))
DIAGONAL: tuple[Square, ...] = ((-1, -1), (1, -1), (-1, 1), (1, 1))
WIPES = ("mover", "draw", "opponent")


class Pawns(core.Game):
    """Pawns: bring a pawn into the other base, or leave the other side without pawns.

    *base*: `super` takes a base as one square that pawns leave; in `cells` they stand on its squares, and *home* says
    whether one that cannot move is safe there (`exempt`) or `dies`. *adjacency*: `orthogonal` or `king` steps.
    *double_wipe*: who wins where both sides lose their last pawn at once.
    """

    action_bound = 65 * 64

    def __init__(
        self,
        base: Literal["super", "cells"] = "super",
        adjacency: Literal["orthogonal", "king"] = "orthogonal",
        home: Literal["exempt", "dies"] = "exempt",
        first: Literal["black", "white"] = "black",
        draw_plies: core.Count = 200,
        double_wipe: Literal["mover", "draw", "opponent"] = "mover",
        size: Annotated[int, Meta(ge=4, le=8)] = 8,
        base_size: Annotated[int, Meta(ge=1, le=3)] = 2,
        pawns: Annotated[int, Meta(ge=1, le=16)] = 4,
    ) -> None:
        self.base, self.adjacency, self.home, self.first = base, adjacency, home, first
        self.draw_plies, self.double_wipe = draw_plies, double_wipe
        self.size, self.base_size, self.pawns = size, base_size, pawns

    def new_initial_state(self) -> "State":
        return State(self, self.first_words)

    @cached_property
    def first_words(self) -> Words:
        """The words of the first state; with cells and `dies` the corner pawns are dead before the first move."""
        if self.size < 2 * self.base_size:
            raise BadSpec(repr(self), "the bases overlap; size must be at least twice base_size")
        if self.base == "cells" and self.pawns > self.base_size**2:
            raise BadSpec(repr(self), f"a base of cells holds at most {self.base_size**2} pawns")
        mover = BLACK if self.first == "black" else WHITE
        if self.base == "super":
            return self.position_words(((), ()), (self.pawns, self.pawns), mover)
        black, white = self.base_squares(BLACK)[: self.pawns], self.base_squares(WHITE)[::-1][: self.pawns]
        words, nobody = self.position_words((black, white), (0, 0), mover), np.uint64(0)
        words[BLACK], words[WHITE], *_ = without_trapped(words[BLACK], words[WHITE], nobody, nobody, words, BLACK)
        return words

    def position_words(
        self, outside: tuple[Iterable[Square], Iterable[Square]], at_home: tuple[int, int], mover: int
    ) -> Words:
        """The words of a position with these pawns."""
        squares = [(x, y) for y in range(self.size) for x in range(self.size)]
        words = np.zeros(WORDS, np.uint64)
        words[BLACK], words[WHITE] = map(word_of, outside)
        words[2] = at_home[BLACK] | at_home[WHITE] << 8 | mover << 16
        words[3:] = self.options, word_of(squares), word_of(self.base_squares(BLACK)), word_of(self.base_squares(WHITE))
        return words

    @property
    def options(self) -> int:
        """The options as bits of one word."""
        flags = KING * (self.adjacency == "king") | DIES * (self.home == "dies")
        wipe = WIPES.index(self.double_wipe)
        return flags | wipe << 4 | self.size << 8 | self.base_size << 16 | self.draw_plies << 32

    def player_name(self, player: int) -> str:
        return ("black", "white")[player]

    def distance(self, square: Square, player: int) -> int:
        """How far a square is from the base of *player*: 0 inside, 1 beside it."""
        x, y = square if player == BLACK else (self.size - 1 - square[0], self.size - 1 - square[1])
        return max(x - self.base_size + 1, y - self.base_size + 1, 0)

    def corner(self, player: int) -> Square:
        """The outermost square of a base."""
        return (0, 0) if player == BLACK else (self.size - 1, self.size - 1)

    def base_squares(self, player: int) -> list[Square]:
        """The squares of a base."""
        squares = ((x, y) for y in range(self.size) for x in range(self.size))
        return [square for square in squares if self.distance(square, player) == 0]

    def neighbours(self, square: Square) -> Iterator[Square]:
        """The squares a king or a rook one step long may reach, in the order of their numbers."""
        steps = ORTHOGONAL if self.adjacency == "orthogonal" else ORTHOGONAL + DIAGONAL
        for dx, dy in sorted(steps, key=lambda step: (step[1], step[0])):
            x, y = square[0] + dx, square[1] + dy
            if 0 <= x < self.size and 0 <= y < self.size:
                yield x, y

    def exits(self, player: int) -> list[Square]:
        """The squares orthogonally or diagonally next to a base, in the order of their numbers."""
        base = self.base_squares(player)
        found = {target for square in base for target in self.neighbours(square)} - set(base)
        return sorted(found, key=number)


class State(CompiledState):
    """Pawns outside, pawns at home (where a base is one square), the player to move, and the plies played."""

    game: Pawns
    kernels = KERNELS

    @property
    def outside(self) -> tuple[frozenset[Square], frozenset[Square]]:
        """The squares of each side's pawns."""
        first, second = self.words[:2].tolist()
        return squares_of(first), squares_of(second)

    @property
    def at_home(self) -> tuple[int, int]:
        """How many pawns each side still has in a base that is one square."""
        meta = int(self.words[2])
        return meta & 255, meta >> 8 & 255

    @property
    def ply(self) -> int:
        """The plies played."""
        return int(self.words[2]) >> 32

    def key(self) -> core.Key:
        black, white, meta = self.words[:3].tolist()
        return (black, white), (meta & 255, meta >> 8 & 255), meta >> 16 & 1, meta >> 32

    def action_to_string(self, player: int, action: int) -> str:
        origin, target = divmod(action, 64)
        return f"{'base' if origin == BASE else name(coordinates(origin))}-{name(coordinates(target))}"

    def __str__(self) -> str:
        game, (black, white) = self.game, self.outside
        bases = {*game.base_squares(BLACK), *game.base_squares(WHITE)}
        rows = []
        for y in reversed(range(game.size)):
            row = [(x, y) for x in range(game.size)]
            cells = ["b" if s in black else "w" if s in white else ":" if s in bases else "." for s in row]
            rows.append(f"{y + 1} {' '.join(cells)}")
        files = " ".join(FILES[: game.size])
        homes = f"black {self.at_home[BLACK]} at home, white {self.at_home[WHITE]}"
        return "\n".join([*rows, f"  {files}", f"{homes}; ply {self.ply}, {game.player_name(self.player)} to move"])


def position(black: str, white: str, to_move: str = "black", game: Pawns | None = None) -> State:
    """A position from pawns outside and a number at home: `position("c1 d1 +2", "e7 g6 +2")`."""
    sides = [text.split() for text in (black, white)]
    outside = [[parse_square(each) for each in side if each[0] != "+"] for side in sides]
    homes = [sum(int(each) for each in side if each[0] == "+") for side in sides]
    rules = game or Pawns()
    player = BLACK if to_move == "black" else WHITE
    return State(rules, rules.position_words((outside[0], outside[1]), (homes[0], homes[1]), player))
