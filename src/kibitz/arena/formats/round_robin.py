"""Round robin: every agent meets every other."""

from collections.abc import Iterable, Sequence
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import TYPE_CHECKING, ClassVar

from kibitz.arena.formats.format import Format
from kibitz.arena.seatings import Field

if TYPE_CHECKING:
    from kibitz.arena.tournament import Tournament


class RoundRobin(Format):
    """All fields of as many agents as the game seats; with *mirror* an agent also meets itself."""

    name: ClassVar[str] = "round-robin"
    keys: ClassVar[tuple[str, ...]] = ("mirror",)

    def fields(self, tournament: "Tournament", order: Sequence[str], players: int, stage: int) -> Iterable[Field]:
        return combinations_with_replacement(order, players) if tournament.mirror else combinations(order, players)

    def count(self, tournament: "Tournament", players: int) -> int:
        agents = len(tournament.agents)
        return comb(agents + players - 1 if tournament.mirror else agents, players)
