"""A match: the loop that plays it, the driver for agents in this process, and the models that watch."""

from kibitz.core.match.choices import Fault
from kibitz.core.match.loop import (
    NO_REPLY,
    Event,
    Match,
    Reply,
    Request,
    Result,
    checked_action,
    drawn_outcome,
    forfeit_returns,
    given_action,
)
from kibitz.core.match.options import MatchOptions
from kibitz.core.transition import Position

__all__ = [
    "NO_REPLY",
    "Event",
    "Fault",
    "Match",
    "MatchOptions",
    "Position",
    "Reply",
    "Request",
    "Result",
    "checked_action",
    "drawn_outcome",
    "forfeit_returns",
    "given_action",
]
