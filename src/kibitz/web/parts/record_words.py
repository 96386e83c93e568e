"""A record in a line for people: who played, when, and how it ended."""

from datetime import datetime

from kibitz.core.abilities.about import label_name
from kibitz.core.errors import KibitzError
from kibitz.core.records import Record
from kibitz.core.registry import make_game
from kibitz.server.live.archive import names_of


def record_words(record: Record) -> str:
    """Who played, the number of moves, and when: `A person against s4, 31 moves, 17 November 2026, 03:20`."""
    names = " against ".join(player_names(record.header.game, names_of(record)))
    return ", ".join(filter(None, (names, f"{len(record.entries)} moves", date_words(record.header.started))))


def player_names(game: str, names: tuple[str, ...]) -> list[str]:
    """The players of a record by their names, agents without the name of the game."""
    try:
        made = make_game(game)
    except KibitzError:  # it needs a package that is not installed here
        return list(names)
    return [label_name(made, name) for name in names]


def date_words(started: str) -> str:
    """The date and time of a record; empty if it does not say.

    >>> date_words("2026-11-17T03:20:11+00:00")
    '17 November 2026, 03:20'
    """
    try:
        return f"{datetime.fromisoformat(started):%-d %B %Y, %H:%M}"
    except ValueError:
        return ""
