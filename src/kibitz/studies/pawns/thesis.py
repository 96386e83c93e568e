"""The numbers that Pedersen (2008) reports, and what follows from them."""

from math import comb

import msgspec

from kibitz.arena.statistics import Estimate
from kibitz.games.pawns.agents import TABLE
from kibitz.studies.comparisons import share

SOURCE = "Pedersen 2008"
STRATEGIES = tuple(TABLE)
"""S1 to S4, whose weights are Table 10.1."""
PAIRINGS = len(STRATEGIES) ** 2
GAMES = 9
"""The number of tournaments, and so of games of every pairing."""
DISTINCT = 3
"""The most games of a pairing that can have differed: all shares are thirds."""
Pairing = tuple[str, str]
"""Black's strategy and white's."""


class Share(msgspec.Struct, frozen=True):
    """Games that black won and that were drawn, in percent."""

    won: int
    drawn: int = 0

    def __str__(self) -> str:
        return f"{self.won} %" + (f" ({self.drawn} %)" if self.drawn else "")

    def of(self, games: int) -> Estimate:
        """The share that black won, with its interval for *games* games."""
        return share(self.count(games), games)

    def count(self, games: int) -> int:
        """How many of *games* black won."""
        return round(self.won * games / 100)


def balance(*rows: tuple[int | tuple[int, int], ...]) -> dict[Pairing, Share]:
    """A table of the thesis by pairing: a row for black's strategy, a column for white's."""
    return {
        (black, white): Share(cell) if isinstance(cell, int) else Share(*cell)
        for black, row in zip(STRATEGIES, rows, strict=True)
        for white, cell in zip(STRATEGIES, row, strict=True)
    }


PLAIN = balance((67, 0, 67, 0), (67, (33, 67), 33, 0), (67, (33, 33), 33, 33), (100, 100, 67, 100))
"""Table 10.2: plain search against plain search."""
ASYMMETRIC = balance((67, (67, 33), 0, 0), (33, (0, 67), 0, 33), (67, 100, 33, 67), (100, 100, 0, 67))
"""Table 11.1: black's tree is asymmetric."""
UP = {("S1", "S2"): 67, ("S2", "S4"): 33, ("S3", "S1"): 100, ("S3", "S2"): 100}
"""Table 11.2: what black won with the asymmetric tree in pairings reported as gains."""
DOWN = {("S1", "S3"): 0, ("S2", "S1"): 33, ("S2", "S2"): 0, ("S2", "S3"): 0, ("S4", "S3"): 0, ("S4", "S4"): 67}
"""Table 11.3: the same in pairings reported as losses."""

NODES = {"plain": 2670.0, "asymmetric": 2673.0}
SECONDS = {"plain": 0.197, "asymmetric": 0.873}
"""Nodes per search."""
RIGHT, PREDICTIONS = 2007, 5520
SAID = 0.5
"""The share of right predictions by the text."""
LIKELY, BRANCHING = 5, 10.5
"""The number of likely moves if a prediction was right, and the number of legal moves."""
ALL_ALIKE = 75
"""Moves of a pessimistic ratio of 1, which figure 11.1 leaves out."""


def changes() -> dict[str, list[Pairing]]:
    """The pairings in which black won more, less and as much with the asymmetric tree, by Tables 10.2 and 11.1."""
    found: dict[str, list[Pairing]] = {"up": [], "down": [], "same": []}
    for pairing, plain in PLAIN.items():
        change = ASYMMETRIC[pairing].won - plain.won
        found["up" if change > 0 else "down" if change < 0 else "same"].append(pairing)
    return found


def mean_won(table: dict[Pairing, Share], black: str = "") -> float:
    """Black's wins in percent over all pairings, or over those of one strategy.

    >>> mean_won(PLAIN), mean_won(ASYMMETRIC), mean_won(ASYMMETRIC, "S2")
    (50.0, 45.875, 16.5)
    """
    won = [cell.won for pairing, cell in table.items() if black in ("", pairing[0])]
    return sum(won) / len(won)


def fisher(first: int, second: int, games: int) -> float:
    """The probability that two counts of *games* each differ this much by chance (Fisher's exact test, two-sided).

    >>> round(fisher(0, 2, 3), 2), round(fisher(0, 6, 9), 3)
    (0.4, 0.009)
    """
    total = first + second
    ways = [comb(games, k) * comb(games, total - k) for k in range(max(0, total - games), min(games, total) + 1)]
    seen = comb(games, first) * comb(games, second)
    return sum(way for way in ways if way <= seen) / comb(2 * games, total)
