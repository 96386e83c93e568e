"""The interface of tournament formats: the fields of every stage, their number, and the keys they need."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from kibitz.arena.seatings import Field

if TYPE_CHECKING:
    from kibitz.arena.tournament import Tournament
    from kibitz.core.game import Game

Problem = tuple[str, str]
"""The wrong key of a tournament, and the reason."""


class Format(ABC):
    """Who meets whom in a tournament."""

    name: ClassVar[str]
    keys: ClassVar[tuple[str, ...]] = ()
    """Keys that only tournaments of this format may have."""
    ranks_by_order: ClassVar[bool] = False
    """Whether the order after the last stage is the final ranking; otherwise scores rank the agents."""

    @abstractmethod
    def fields(self, tournament: "Tournament", order: Sequence[str], players: int, stage: int) -> Iterable[Field]:
        """The fields of a stage in a game of *players* players; *order* is that of the agents before the stage.

        All even stages have as many fields as the first one, and all odd ones as the second, whatever the order.
        """

    @abstractmethod
    def count(self, tournament: "Tournament", players: int) -> int:
        """The number of fields in all stages, without listing them."""

    def stages(self, tournament: "Tournament") -> int:
        """Parts of the tournament, each planned when the results of those before are known."""
        return 1

    def reorder(
        self, order: Sequence[str], fields: Sequence[Field], scores: Mapping[str, Sequence[float]]
    ) -> list[str]:
        """The order of the agents after a stage, by their scores in it."""
        return list(order)

    def problems(self, tournament: "Tournament", games: Sequence["Game"]) -> Iterator[Problem]:
        """The reasons why the tournament cannot be played in this format."""
        yield from ()
