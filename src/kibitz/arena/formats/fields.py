"""Given fields: the tournament lists every group that meets."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from kibitz.arena.formats.format import Format, Problem
from kibitz.arena.seatings import Field

if TYPE_CHECKING:
    from kibitz.arena.tournament import Tournament
    from kibitz.core.game import Game


class GivenFields(Format):
    """The *fields* of the definition, as given."""

    name: ClassVar[str] = "fields"
    keys: ClassVar[tuple[str, ...]] = ("fields",)

    def fields(self, tournament: "Tournament", order: Sequence[str], players: int, stage: int) -> Iterable[Field]:
        return tournament.fields

    def count(self, tournament: "Tournament", players: int) -> int:
        return len(tournament.fields)

    def problems(self, tournament: "Tournament", games: Sequence["Game"]) -> Iterator[Problem]:
        if not tournament.fields:
            yield "fields", "name at least one, a list of agents each"
