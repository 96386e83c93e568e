"""The plan of a tournament: its series, each determined by the tournament and its number."""

from collections.abc import Iterator
from typing import NamedTuple

from kibitz.arena.formats import FORMATS
from kibitz.arena.seatings import Field, seatings
from kibitz.arena.series import Series
from kibitz.arena.tournament import Tournament, check_tournament
from kibitz.core.registry import make_agent, make_game, spec_of
from kibitz.core.seeds import derived_seed, derived_seeds

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
        self.shared = tournament.shared or bool(tournament.seeds)
        self.specs = {
            (repr(game), name): str(spec_of(make_agent(spec, spec_of(game).name)))
            for game in self.games
            for name, spec in tournament.agents.items()
        }
        self.meetings = [
            Meeting(repr(game), field, seatings(field, tournament.seats))
            for game in self.games
            for field in FORMATS[tournament.format].fields(tournament, game.players)
        ]
        seated = sum(len(meeting.seatings) for meeting in self.meetings)
        self.planned = seated * tournament.blocks * tournament.series

    def series(self) -> Iterator[Series]:
        """All series, in order."""
        options, blocks = self.tournament.options, self.block_seeds()
        index = block = 0
        for repeat in range(self.tournament.blocks):
            if self.shared:
                seeds = self.seeds(repeat, next(blocks))
            for meeting in self.meetings:
                if not self.shared:
                    seeds = self.seeds(repeat, next(blocks))
                for names in meeting.seatings:
                    specs = tuple(self.specs[meeting.game, name] for name in names)
                    yield Series(index, block, meeting.game, names, specs, seeds, options)
                    index += 1
                block += not self.shared
            block += self.shared

    def block_seeds(self) -> Iterator[int]:
        """The seeds of all blocks, derived many at a time."""
        block, count = 0, 1
        while True:
            yield from derived_seeds(self.tournament.seed, "block", range(block, block + count))
            block, count = block + count, min(8 * count, AT_ONCE)

    def seeds(self, repeat: int, derived: int) -> tuple[int, ...]:
        """The seeds of the matches of a series: those of a block are the same in every seating."""
        tournament = self.tournament
        own = tournament.seeds[repeat] if tournament.seeds else derived
        return (own, *(derived_seed(own, "match", number) for number in range(1, tournament.series)))
