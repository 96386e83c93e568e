"""The standings of a run: every agent's summary, best first, game by game."""

from collections.abc import Sequence

import msgspec

from kibitz.arena.runs import TournamentRun, by_game, why_unrated
from kibitz.arena.statistics import Summary, summary
from kibitz.core.registry import make_game
from kibitz.store.results import MatchResult, RunKind


class Standings(msgspec.Struct, frozen=True):
    """The agents of one game, the best first; on a ladder the highest rung first."""

    game: str
    rows: list[Summary]
    ratings: dict[str, tuple[float, float]] = {}
    """Mu and sigma by name, once the run is finished."""
    zero_sum: bool = True
    """Whether the game is zero-sum; in others, wins say little about returns, and tables leave them out."""
    unrated: str = ""
    """Why there are no ratings, if the game allows none."""


class RunSummary(msgspec.Struct, frozen=True):
    """The current state of a run; `--json` prints it as it is."""

    run: int
    name: str
    stored: int
    planned: int
    complete: bool
    games: list[Standings]


def standings(results: Sequence[MatchResult], order: Sequence[str] = ()) -> list[Standings]:
    """The standings of every game, by mean score, or in the *order* of a ladder."""
    found = []
    for game, played in by_game(results).items():
        made = make_game(game)
        rows = summary(played, bounds=made.utility)
        ranked = order or sorted(rows, key=lambda name: -rows[name].score.mean)
        ordered, unrated = [rows[name] for name in ranked if name in rows], why_unrated(game, played)
        found.append(Standings(game, ordered, zero_sum=made.zero_sum, unrated=unrated))
    return found


def table(running: TournamentRun) -> RunSummary:
    """The current table of a run."""
    order = running.plan.standing(running.results) if is_ladder(running) and running.complete else ()
    run = running.run
    rated = running.store.ratings(run.run)
    games = []
    for each in standings(running.results, order):
        own = {name: rating for (game, name), rating in rated.items() if game == each.game and not each.unrated}
        games.append(msgspec.structs.replace(each, ratings=own))
    return RunSummary(run.run, run.name, len(running.results), running.run.planned, running.complete, games)


def is_ladder(running: TournamentRun) -> bool:
    """Whether a run is a ladder in a zero-sum game; other runs are ranked by score."""
    if running.run.kind not in (RunKind.TOURNAMENT, RunKind.COMPARISON) or not running.plan.format.ranks_by_order:
        return False
    return make_game(running.tournament.games[0]).zero_sum
