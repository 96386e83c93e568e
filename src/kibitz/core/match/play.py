"""Plays a match between agents in this process, with models watching, and records it."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kibitz.core.agent import Agent
from kibitz.core.clocks import Now
from kibitz.core.game import Game
from kibitz.core.match.options import MatchOptions
from kibitz.core.match.recorded import Moment, RecordedMatch
from kibitz.core.records import Record


def play(
    game: str | Game,
    agents: Sequence[str | Agent],
    *,
    path: Path | str | None = None,
    now: Now = time.perf_counter,
    **options: Any,
) -> Record:
    """Play one match to its end and return the record; with *path* it is also written there, event by event.

    The options are those of `MatchOptions`: models, seed, time_control, max_plies, strikes, opening, given, memory …

    >>> play("pennies(lead=2)", ["pennies.heads", "pennies.alternator"], seed=3).ending.reason
    'max_plies'
    """
    table = RecordedMatch(game, agents, MatchOptions(**options), now=now)
    for _ in table.moments(path):
        pass
    return table.record


def playing(
    game: str | Game, agents: Sequence[str | Agent], *, path: Path | str | None = None, **options: Any
) -> Iterator[Moment]:
    """Like `play`, but yields the match moment by moment, the position before the first move included.

    >>> from kibitz import playing
    >>> for moment in playing("dilemma(rounds=2)", ["dilemma.grim", "dilemma.defector"], seed=1):
    ...     print(moment.state)
    round 0 of 2, points 0 : 0
    round 1 of 2, points 0 : 5
    round 2 of 2, points 1 : 6
    """
    return RecordedMatch(game, agents, MatchOptions(**options)).moments(path)
