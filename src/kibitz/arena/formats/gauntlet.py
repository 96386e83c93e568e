"""Gauntlet: one agent meets all others."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, ClassVar

from kibitz.arena.formats.format import Format, Problem
from kibitz.arena.seatings import Field

if TYPE_CHECKING:
    from kibitz.arena.tournament import Tournament
    from kibitz.core.game import Game


class Gauntlet(Format):
    """The champion in every field, the others in all combinations."""

    name: ClassVar[str] = "gauntlet"
    keys: ClassVar[tuple[str, ...]] = ("champion",)

    def fields(self, tournament: "Tournament", order: Sequence[str], players: int, stage: int) -> Iterable[Field]:
        champion = tournament.champion or ""
        others = [name for name in order if name != champion]
        return ((champion, *rest) for rest in combinations(others, players - 1))

    def count(self, tournament: "Tournament", players: int) -> int:
        return comb(len(tournament.agents) - 1, players - 1)

    def problems(self, tournament: "Tournament", games: Sequence["Game"]) -> Iterator[Problem]:
        if not tournament.champion:
            yield "champion", "a gauntlet needs one: the agent all others meet"
