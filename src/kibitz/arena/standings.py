"""The standings of a run: every agent's summary, best first, game by game."""

from collections.abc import Sequence

import msgspec

from kibitz.arena.runs import TournamentRun, by_game
from kibitz.arena.statistics import Summary, summary
from kibitz.core.registry import make_game
from kibitz.store.results import MatchResult


class Standings(msgspec.Struct, frozen=True):
    """The agents of one game, the best first."""

    game: str
    rows: list[Summary]
    zero_sum: bool = True
    """Whether the game is zero-sum; in others, wins say little about returns, and tables leave them out."""


class RunSummary(msgspec.Struct, frozen=True):
    """The current state of a run; `--json` prints it as it is."""

    run: int
    name: str
    stored: int
    planned: int
    complete: bool
    games: list[Standings]


def standings(results: Sequence[MatchResult]) -> list[Standings]:
    """The standings of every game, by mean score."""
    found = []
    for game, played in by_game(results).items():
        made = make_game(game)
        rows = summary(played, bounds=made.utility)
        ordered = sorted(rows.values(), key=lambda row: -row.score.mean)
        found.append(Standings(game, ordered, zero_sum=made.zero_sum))
    return found


def table(running: TournamentRun) -> RunSummary:
    """The current table of a run."""
    run = running.run
    games = standings(running.results)
    return RunSummary(run.run, run.name, len(running.results), running.run.planned, running.complete, games)
