"""What the server still knows of a match that is over: a few words. Its record is in the store."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kibitz_web.server.live.participants import Participant

if TYPE_CHECKING:
    from kibitz_web.server.live.matches import LiveMatch


@dataclass(frozen=True)
class SeatSummary:
    """Who sits on a seat; no name if it is open."""

    player: int
    name: str | None
    guest: bool
    """Whether a person or a program from outside plays."""


@dataclass(frozen=True)
class MatchSummary:
    """The public information about a match: no seed, and no hidden choice. The API sends it as it is."""

    number: int
    game: str
    status: str
    seats: tuple[SeatSummary, ...]
    plies: int
    returns: tuple[float, ...] | None
    failure: str


def summary_of(match: "LiveMatch") -> MatchSummary:
    """The summary of a match as it is now."""
    ending = match.match.record.ending if match.match is not None and match.status == "finished" else None
    seats = tuple(
        SeatSummary(player, None if agent is None else match.who(player), isinstance(agent, Participant))
        for player, agent in enumerate(match.agents)
    )
    return MatchSummary(
        number=match.number,
        game=repr(match.game),
        status=match.status,
        seats=seats,
        plies=len(match.events),
        returns=None if ending is None else tuple(ending.returns),
        failure=match.failure,
    )


class FinishedMatches:
    """The summaries of the last *most* matches that are over; of these the last *whole* are still in *matches*.

    A match holds every position and all that its players were told, so few stay whole, for pages that are reloaded and
    spectators who come late.
    """

    def __init__(self, matches: "dict[int, LiveMatch]", most: int, whole: int) -> None:
        self.matches, self.most, self.whole = matches, most, whole
        self.summaries: OrderedDict[int, MatchSummary] = OrderedDict()

    def add(self, match: "LiveMatch") -> None:
        """Note a match that is over, and drop those that ended before."""
        self.summaries[match.number] = summary_of(match)
        numbers = list(self.summaries)
        for number in numbers[: max(0, len(numbers) - self.whole)]:
            dropped = self.matches.pop(number, None)
            if dropped is not None:
                dropped.seats.clear()  # they refer to it: without them it goes as soon as nobody looks at it
        if len(numbers) > self.most:
            self.summaries.popitem(last=False)

    def find(self, number: int) -> MatchSummary | None:
        """The summary of a match, as it is now or as it ended; None if it is unknown."""
        match = self.matches.get(number)
        return self.summaries.get(number) if match is None else summary_of(match)

    def is_dropped(self, number: int) -> bool:
        """Whether a match was played to its end and is only a record now."""
        return number not in self.matches and number in self.summaries and self.summaries[number].status == "finished"

    def all(self) -> list[MatchSummary]:
        """The summaries of all matches that are open, running or lately over, by their numbers."""
        found = self.summaries | {number: summary_of(match) for number, match in self.matches.items()}
        return [found[number] for number in sorted(found)]
