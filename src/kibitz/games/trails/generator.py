"""Makes boards of any size on which each player provably lacks a given number of chips.

All squares of one distance to the goal form a layer, and every way to the goal crosses each layer nearer than its
start: with a layer all in one colour, each crossing costs a chip of that colour. Each player has a colour of their own
for as many layers as they should lack chips, and none of those chips; the others hold them. All other layers are in
colours that all players hold enough of. So each player lacks exactly that number of chips.
"""

from typing import Annotated

import msgspec

from kibitz.core.errors import BadSpec
from kibitz.core.seeds import stream
from kibitz.games.trails.board import Board
from kibitz.games.trails.chips import MOST_CHIPS, Chips

OWN = ("gray", "yellow", "purple", "orange")
"""The colour that each player lacks."""
COMMON = ("red", "green", "blue", "white")
"""Colours that all players hold."""
Side = Annotated[int, msgspec.Meta(ge=2, le=30)]


class Layers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board in layers on which player *i* lacks *missing[i]* chips; *spare* is how many they hold beyond their needs.

    Players start in the corners of the last row and, if they are more than two, between them; the goal is in the middle
    of the first row.
    """

    rows: Side = 7
    cols: Side = 5
    missing: tuple[Annotated[int, msgspec.Meta(ge=0, le=20)], ...] = (3, 3)
    spare: Annotated[int, msgspec.Meta(ge=0, le=40)] = 8
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0

    def board(self, name: str) -> Board:
        """The board, drawn by the seed."""
        goal = self.cols // 2
        starts = self.starts()
        if not 2 <= len(self.missing) <= 4 or len(set(starts)) < len(starts) or self.rows < 2:
            raise BadSpec(name, "2 to 4 numbers of missing chips, and a column for each player")
        distances = [row + abs(col - goal) for row in range(self.rows) for col in range(self.cols)]
        nearest = min(distances[start] for start in starts)
        if sum(self.missing) > nearest:
            raise BadSpec(name, f"at most {nearest} chips can be missing on a board of this size, all players together")
        layers = self.layer_colours(nearest, max(distances))
        chips = self.starting_chips(layers, [distances[start] for start in starts], name)
        return Board(
            name=name,
            rows=self.rows,
            cols=self.cols,
            colours=(*COMMON, *OWN[: len(starts)]),
            grid=tuple(layers[distance] for distance in distances),
            goal=goal,
            starts=starts,
            chips=chips,
            hands=tuple(map(self.hands, range(len(starts)), chips)),
            about=f"made in layers: the players lack {', '.join(map(str, self.missing))} chips",
            names=tuple(f"P{player}" for player in range(len(starts))),
        )

    def hands(self, player: int, chips: Chips) -> tuple[Chips, ...]:
        """Where chips are hidden, a player may also have been dealt what they lack, instead of as many spare chips."""
        supplied, own = list(chips), len(COMMON) + player
        for number in range(min(self.missing[player], self.spare)):
            supplied[number % len(COMMON)] -= 1
            supplied[own] += 1
        return tuple(dict.fromkeys((chips, tuple(supplied))))

    def starts(self) -> tuple[int, ...]:
        """Where the players start, evenly along the last row."""
        last = (self.rows - 1) * self.cols
        apart = (self.cols - 1) / max(1, len(self.missing) - 1)
        return tuple(last + round(player * apart) for player in range(len(self.missing)))

    def layer_colours(self, nearest: int, farthest: int) -> list[int]:
        """The colour of each layer by its distance; the players' own colours lie between all starts and the goal."""
        rng = stream(self.seed, "trails layers", repr(self))
        own = [len(COMMON) + player for player, count in enumerate(self.missing) for _ in range(count)]
        inner = [*own, *(int(rng.integers(len(COMMON))) for _ in range(nearest - len(own)))]
        outer = [int(rng.integers(len(COMMON))) for _ in range(farthest + 1 - nearest)]
        return [inner[place] for place in rng.permutation(nearest)] + outer

    def starting_chips(self, layers: list[int], distances: list[int], name: str) -> tuple[Chips, ...]:
        """What each player needs except their own colour; enough to supply every other's colour; and the spare."""
        players = len(self.missing)
        dealt = []
        for player, distance in enumerate(distances):
            crossed = layers[:distance]
            chips = [crossed.count(colour) for colour in range(len(COMMON) + players)]
            chips[len(COMMON) + player] = 0
            for other, count in enumerate(self.missing):
                if other != player:
                    chips[len(COMMON) + other] += -(-count // (players - 1))
            for extra in range(self.spare):
                chips[extra % len(COMMON)] += 1
            dealt.append(tuple(chips))
        if max(sum(held[colour] for held in dealt) for colour in range(len(dealt[0]))) > MOST_CHIPS:
            raise BadSpec(name, f"more than {MOST_CHIPS} chips of one colour would be in play")
        return tuple(dealt)
