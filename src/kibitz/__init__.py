"""kibitz: opponent-aware agents for strategy games.

    >>> import kibitz
    >>> record = kibitz.play("dilemma(rounds=20)", ["dilemma.tit_for_tat", "dilemma.defector"], seed=1)
    >>> record.ending.returns
    [19.0, 24.0]

Nothing is loaded until it is asked for: importing this package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kibitz.core.match.play import play as play
    from kibitz.core.match.play import playing as playing
    from kibitz.core.records import read_record as read_record
    from kibitz.core.records.replay import replaying as replaying
    from kibitz.core.registry import make_agent as make_agent
    from kibitz.core.registry import make_game as make_game
    from kibitz.core.registry import make_model as make_model

__version__ = "0.1.0"

_HOME = {
    "make_agent": "kibitz.core.registry",
    "make_game": "kibitz.core.registry",
    "make_model": "kibitz.core.registry",
    "play": "kibitz.core.match.play",
    "playing": "kibitz.core.match.play",
    "read_record": "kibitz.core.records",
    "replaying": "kibitz.core.records.replay",
}

__all__ = ["__version__", *_HOME]  # noqa: PLE0604, RUF100


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'kibitz' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
