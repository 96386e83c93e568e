"""Ladder: neighbours meet, round after round, and the better one moves up."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import TYPE_CHECKING, ClassVar

from kibitz.arena.formats.format import Format, Problem
from kibitz.arena.seatings import Field

if TYPE_CHECKING:
    from kibitz.arena.tournament import Tournament
    from kibitz.core.game import Game


class Ladder(Format):
    """Neighbours meet for *rounds* rounds, by default one per agent; agents start in the order they are named."""

    name: ClassVar[str] = "ladder"
    keys: ClassVar[tuple[str, ...]] = ("rounds",)
    ranks_by_order: ClassVar[bool] = True

    def fields(self, tournament: "Tournament", order: Sequence[str], players: int, stage: int) -> Iterable[Field]:
        return rungs(order, players, stage)

    def count(self, tournament: "Tournament", players: int) -> int:
        return len(tournament.agents) // players * self.stages(tournament)

    def stages(self, tournament: "Tournament") -> int:
        return tournament.rounds or len(tournament.agents)

    def reorder(
        self, order: Sequence[str], fields: Sequence[Field], scores: Mapping[str, Sequence[float]]
    ) -> list[str]:
        return climb(order, fields, scores)

    def problems(self, tournament: "Tournament", games: Sequence["Game"]) -> Iterator[Problem]:
        if len(games) != 1:
            yield "games", "a ladder is for one game"
        elif not games[0].zero_sum:
            unfit = f"a ladder ranks agents by who earns more, and {games[0]!r} is not zero-sum"
            yield "format", f"{unfit}; use a round robin"


def rungs(order: Sequence[str], players: int, number: int) -> list[Field]:
    """The fields of a ladder's round: neighbours, shifted by half a field every other round.

    >>> rungs("abcde", 2, 0), rungs("abcde", 2, 1)
    ([('a', 'b'), ('c', 'd')], [('b', 'c'), ('d', 'e')])
    """
    shift = players // 2 if number % 2 and len(order) >= players + players // 2 else 0
    starts = range(shift, len(order) - players + 1, players)
    return [tuple(order[start : start + players]) for start in starts]


def climb(order: Sequence[str], fields: Sequence[Field], scores: Mapping[str, Sequence[float]]) -> list[str]:
    """The ladder after a round: within each field agents are sorted by mean score, ties as before.

    >>> climb("abc", [("a", "b")], {"a": [0.0], "b": [1.0]})
    ['b', 'a', 'c']
    """
    better = {field: sorted(field, key=lambda name: -fmean(scores[name])) for field in fields}
    played = set(chain.from_iterable(fields))
    first = {field[0]: field for field in fields}
    after: list[str] = []
    for name in order:
        after += better[first[name]] if name in first else [] if name in played else [name]
    return after
