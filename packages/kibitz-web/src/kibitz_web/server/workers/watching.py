"""Calls in workers that show a match to watching models and return their insights.

They import nothing of live matches: a worker would have to load all that servers need.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from kibitz.core.game import Game
from kibitz.core.insight import Insight
from kibitz.core.match import Moment
from kibitz.core.match.watchers import Watchers, watcher_labels
from kibitz.core.records import Record
from kibitz.core.records.replay import Replay

Thought = tuple[Insight, ...]
"""The insights of all models at one moment."""


def insights_after(watchers: Watchers, moment: Moment) -> Thought:
    """Show a moment of a match to the models; return their insights."""
    watchers.see(None, moment)
    return moment.insights()


def checked_labels(game: Game, models: Sequence[str]) -> list[str]:
    """The labels of models that watch a game, each of which is begun; raises what a model raises that cannot."""
    Watchers(game, models, seed=0)
    return watcher_labels(game, models)


def replay_with_insights(record: Record, models: Sequence[str], source: str) -> list[Moment]:
    """All moments of a record with their insights, from the models or from the record itself."""
    found = []
    for moment in Replay(record, models=models, source=source).moments():
        moment.insights()
        found.append(replace(moment, watchers=None))  # models stay in the worker: not all of them can be sent
    return found
