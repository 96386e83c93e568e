"""A match: the loop that plays it, its observers (agents, models, the record), and the driver for agents here."""

from kibitz.core.game import Position
from kibitz.core.match.events import NO_REPLY, Event, Moment, Reply, Request, Requests, Result
from kibitz.core.match.loop import (
    Match,
    Observer,
    Steps,
    checked_action,
    drawn_outcome,
    forfeit_returns,
    given_action,
)
from kibitz.core.match.options import Conditions, MatchOptions
from kibitz.core.records.records import Fault

__all__ = [
    "NO_REPLY",
    "Conditions",
    "Event",
    "Fault",
    "Match",
    "MatchOptions",
    "Moment",
    "Observer",
    "Position",
    "Reply",
    "Request",
    "Requests",
    "Result",
    "Steps",
    "checked_action",
    "drawn_outcome",
    "forfeit_returns",
    "given_action",
]
