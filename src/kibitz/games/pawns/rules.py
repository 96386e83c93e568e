"""Pawns (Pedersen 2008, after Kalles): two bases in opposite corners; reach the other one, or wall its pawns in.

This is the readable reference, on sets of coordinates. Files a–h and ranks 1–8 are x and y from 0; black's base is the
lower left corner, white's the upper right. What the thesis leaves open is a named option.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, Self

from msgspec import Meta

from kibitz import core
from kibitz.core.drawing.squares import FILES, Square, coordinates, name, number, parse_square
from kibitz.core.errors import BadSpec

BLACK, WHITE = 0, 1
BASE = 64
"""The origin of an action that leaves a base taken as one square; other origins are 8 * y + x."""

ORTHOGONAL: tuple[Square, ...] = ((0, -1), (-1, 0), (1, 0), (0, 1))
DIAGONAL: tuple[Square, ...] = ((-1, -1), (1, -1), (-1, 1), (1, 1))


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
        if self.size < 2 * self.base_size:
            raise BadSpec(repr(self), "the bases overlap; size must be at least twice base_size")
        if self.base == "cells" and self.pawns > self.base_size**2:
            raise BadSpec(repr(self), f"a base of cells holds at most {self.base_size**2} pawns")
        at_home = (self.pawns, self.pawns)
        outside: tuple[frozenset[Square], frozenset[Square]] = (frozenset(), frozenset())
        if self.base == "cells":
            outside = (self.base_pawns(BLACK), self.base_pawns(WHITE))
            at_home = (0, 0)
        state = State(self, outside, at_home, BLACK if self.first == "black" else WHITE)
        state.remove_the_trapped()  # with cells and `dies` the corner pawns are dead before the first move
        return state

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

    def base_pawns(self, player: int) -> frozenset[Square]:
        """Where the pawns stand at first if a base is made of cells: nearest to the middle last, row by row."""
        squares = self.base_squares(player) if player == BLACK else self.base_squares(player)[::-1]
        return frozenset(squares[: self.pawns])

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


class State(core.State):
    """Pawns outside, pawns at home (where a base is one square), the player to move, and the plies played."""

    def __init__(
        self,
        game: Pawns,
        outside: tuple[frozenset[Square], frozenset[Square]],
        at_home: tuple[int, int],
        player: int = BLACK,
        ply: int = 0,
    ) -> None:
        self.game, self.outside, self.at_home, self.player, self.ply = game, outside, at_home, player, ply
        self.outcome: int | None = None
        """The winner, or -1 for a draw; None while the game goes on."""

    def current_player(self) -> int:
        return self.player if self.outcome is None else core.TERMINAL

    def is_terminal(self) -> bool:
        return self.outcome is not None

    def returns(self) -> list[float]:
        if self.outcome in (None, -1):
            return [0.0, 0.0]
        return [1.0, -1.0] if self.outcome == BLACK else [-1.0, 1.0]

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        if self.outcome is not None or player not in (None, self.player):
            return ()
        steps = [
            64 * number(square) + number(target)
            for square in sorted(self.outside[self.player], key=number)
            for target in self.steps(square, self.player)
        ]
        if self.at_home[self.player]:
            steps += [64 * BASE + number(target) for target in self.free_exits(self.player)]
        return steps

    def steps(self, square: Square, player: int) -> list[Square]:
        """Where a pawn may go: free neighbours that are not nearer to its own base."""
        nearest = self.game.distance(square, player)
        taken = self.outside[BLACK] | self.outside[WHITE]
        return [
            target
            for target in self.game.neighbours(square)
            if target not in taken and self.game.distance(target, player) >= nearest
        ]

    def free_exits(self, player: int) -> list[Square]:
        """The free exits of a base."""
        taken = self.outside[BLACK] | self.outside[WHITE]
        return [square for square in self.game.exits(player) if square not in taken]

    def apply_action(self, action: int) -> None:
        origin, target = divmod(action, 64)
        mover, other = self.player, 1 - self.player
        own = set(self.outside[mover])
        homes = list(self.at_home)
        if origin == BASE:
            homes[mover] -= 1
        else:
            own.remove(coordinates(origin))
        own.add(coordinates(target))
        self.place(mover, frozenset(own), tuple(homes))
        self.ply += 1
        self.player = other
        if self.game.distance(coordinates(target), other) == 0:
            self.outcome = mover
            return
        self.remove_the_trapped()
        alive = [self.count(player) > 0 for player in (BLACK, WHITE)]
        if not any(alive):
            self.outcome = {"mover": mover, "opponent": other, "draw": -1}[self.game.double_wipe]
        elif not all(alive):
            self.outcome = BLACK if alive[BLACK] else WHITE
        elif self.ply >= self.game.draw_plies:
            self.outcome = -1

    def place(self, player: int, own: frozenset[Square], homes: Sequence[int]) -> None:
        """Put the pawns of one player where they are now."""
        self.outside = (own, self.outside[WHITE]) if player == BLACK else (self.outside[BLACK], own)
        self.at_home = (homes[BLACK], homes[WHITE])

    def remove_the_trapped(self) -> None:
        """Remove every pawn without a step, all judged on the same position."""
        trapped = {
            player: [
                square
                for square in self.outside[player]
                if not self.steps(square, player) and not self.safe(square, player)
            ]
            for player in (BLACK, WHITE)
        }
        shut = [player for player in (BLACK, WHITE) if self.at_home[player] and not self.free_exits(player)]
        for player in (BLACK, WHITE):
            homes = [0 if each in shut else self.at_home[each] for each in (BLACK, WHITE)]
            self.place(player, self.outside[player] - set(trapped[player]), homes)

    def safe(self, square: Square, player: int) -> bool:
        """Whether a pawn stands on a cell of its own base where none is removed."""
        return self.game.home == "exempt" and self.game.distance(square, player) == 0

    def count(self, player: int) -> int:
        """How many pawns a player has left."""
        return len(self.outside[player]) + self.at_home[player]

    def clone(self) -> Self:
        copied = type(self)(self.game, self.outside, self.at_home, self.player, self.ply)
        copied.outcome = self.outcome
        return copied

    def key(self) -> core.Key:
        boards = tuple(sum(1 << number(square) for square in side) for side in self.outside)
        return boards, self.at_home, self.player, self.ply

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
    outside = [frozenset(parse_square(word) for word in side if word[0] != "+") for side in sides]
    homes = [sum(int(word) for word in side if word[0] == "+") for side in sides]
    player = BLACK if to_move == "black" else WHITE
    return State(game or Pawns(), (outside[0], outside[1]), (homes[0], homes[1]), player)
