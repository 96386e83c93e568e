"""The plan of a tournament: its series, each determined by the tournament and its number."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kibitz.arena.formats import FORMATS
from kibitz.arena.seatings import Field, seatings
from kibitz.arena.series import Series
from kibitz.arena.tournament import Tournament, check_tournament
from kibitz.core.registry import make_agent, make_game, spec_of
from kibitz.core.seeds import derived_seed, derived_seeds
from kibitz.store.results import MatchResult

AT_ONCE = 4096
"""The most seeds that are derived in advance."""


class Meeting(NamedTuple):
    """A field in one game, with its seatings."""

    game: str
    field: Field
    seatings: list[Field]


class Plan:
    """The order of play: all meetings once, then all again, so that the table fills evenly."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = check_tournament(tournament)
        self.games = [make_game(spec) for spec in tournament.games]
        self.format = FORMATS[tournament.format]
        self.shared = tournament.shared or bool(tournament.seeds)
        self.stages = self.format.stages(tournament)
        self.specs = {
            (repr(game), name): str(spec_of(make_agent(spec, spec_of(game).name)))
            for game in self.games
            for name, spec in tournament.agents.items()
        }
        order = list(tournament.agents)
        self.begun = [(order, 0, 0)]
        """The start of every known stage: the order of the agents, its first match and block."""
        even, odd = (self.matches(self.meetings(stage, order)) for stage in (0, 1))
        self.planned = even * (self.stages - self.stages // 2) + odd * (self.stages // 2)

    def stage(self, number: int, results: Sequence[MatchResult]) -> Iterator[Series]:
        """The series of one stage; *results* holds those of all stages before it."""
        order, first, block = self.before(number, results)
        return self.series(self.meetings(number, order), first // self.tournament.series, block)

    def standing(self, results: Sequence[MatchResult]) -> list[str]:
        """The order of the agents after all stages; of a ladder from the highest rung down."""
        return self.before(self.stages, results)[0]

    def before(self, number: int, results: Sequence[MatchResult]) -> tuple[list[str], int, int]:
        """The order of the agents when a stage begins, and the numbers of its first match and block."""
        for earlier in range(len(self.begun) - 1, number):
            order, first, block = self.begun[earlier]
            meetings = self.meetings(earlier, order)
            last = first + self.matches(meetings)
            scores = returns_by_agent(result for result in results if first <= result.index < last)
            order = self.format.reorder(order, [meeting.field for meeting in meetings], scores)
            blocks = self.tournament.blocks * (1 if self.shared else len(meetings))
            self.begun.append((order, last, block + blocks))
        return self.begun[number]

    def meetings(self, stage: int, order: list[str]) -> list[Meeting]:
        """The meetings of a stage; *order* is that of the agents before it."""
        found = []
        for game in self.games:
            fields = self.format.fields(self.tournament, order, game.players, stage)
            found += [Meeting(repr(game), field, seatings(field, self.tournament.seats)) for field in fields]
        return found

    def matches(self, meetings: Sequence[Meeting]) -> int:
        """The number of matches of the meetings."""
        seatings = sum(len(meeting.seatings) for meeting in meetings)
        return seatings * self.tournament.blocks * self.tournament.series

    def series(self, meetings: Sequence[Meeting], index: int, block: int) -> Iterator[Series]:
        """The series of all meetings, numbered from *index*, in blocks numbered from *block*."""
        options, blocks = self.tournament.options, self.block_seeds(block)
        for repeat in range(self.tournament.blocks):
            if self.shared:
                seeds = self.seeds(repeat, next(blocks))
            for meeting in meetings:
                if not self.shared:
                    seeds = self.seeds(repeat, next(blocks))
                for names in meeting.seatings:
                    specs = tuple(self.specs[meeting.game, name] for name in names)
                    yield Series(index, block, meeting.game, names, specs, seeds, options)
                    index += 1
                block += not self.shared
            block += self.shared

    def block_seeds(self, block: int) -> Iterator[int]:
        """The seeds of all blocks from *block* on, derived many at a time."""
        count = 1
        while True:
            yield from derived_seeds(self.tournament.seed, "block", range(block, block + count))
            block, count = block + count, min(8 * count, AT_ONCE)

    def seeds(self, repeat: int, derived: int) -> tuple[int, ...]:
        """The seeds of the matches of a series: those of a block are the same in every seating."""
        tournament = self.tournament
        own = tournament.seeds[repeat] if tournament.seeds else derived
        return (own, *(derived_seed(own, "match", number) for number in range(1, tournament.series)))


def returns_by_agent(results: Iterable[MatchResult]) -> dict[str, list[float]]:
    """The returns of each agent, match by match."""
    found: dict[str, list[float]] = {}
    for result in results:
        for name, returned in zip(result.names, result.returns, strict=True):
            found.setdefault(name, []).append(returned)
    return found
