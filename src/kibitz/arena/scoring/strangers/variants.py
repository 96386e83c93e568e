"""Variants of a model for strangers: with another prior of an unknown player, or without one of its strategies."""

from typing import Any

from kibitz.core.errors import KibitzError
from kibitz.core.game import Game
from kibitz.core.match.watchers import make_watcher
from kibitz.core.model import Model
from kibitz.core.registry import spec_of
from kibitz.core.registry.specs import constructor_parameters
from kibitz.models.hypotheses import known_strategies

HYPOTHESES = ("strategies", "agents")
"""The names of the parameter that holds a model's hypotheses; one of them allows leaving one out. If it is empty,
`strategies` stands for the model's `usual(game)` or all that come with the game, and `agents` for none."""
PRIOR = "unknown"
"""The name of the parameter that is the prior of an unknown player."""
HALF = 0.5


def seat_text(text: str, game: Game) -> tuple[Model, str]:
    """The model of a watcher's text, and the part of the text that names its seat."""
    watcher = make_watcher(text, game)
    return watcher.model, "" if watcher.seat is None else f"@{watcher.seat}"


def with_even_prior(text: str, game: Game) -> str | None:
    """The model with a prior of one half that a player is unknown; None if it has no such parameter."""
    model, seat = seat_text(text, game)
    return changed_text(model, {PRIOR: HALF}) + seat if PRIOR in constructor_parameters(type(model)) else None


def without_strategy(text: str, game: Game, label: str) -> str | None:
    """The model without the strategy *label* among its hypotheses; None if it cannot be left out."""
    model, seat = seat_text(text, game)
    name = next((each for each in HYPOTHESES if each in constructor_parameters(type(model))), None)
    if name is None:
        return None
    held = tuple(getattr(model, name)) or (default_hypotheses(model, game) if name == "strategies" else ())
    left = tuple(each for each in held if str(spec_of(each)) != label)
    return changed_text(model, {name: left}) + seat if 0 < len(left) < len(held) else None


def default_hypotheses(model: Model, game: Game) -> tuple[Any, ...]:
    """The hypotheses of a model that names none: its own for this game, or the game's strategies."""
    usual = getattr(model, "usual", None)
    try:
        return tuple(usual(game)) if callable(usual) else known_strategies(game)
    except KibitzError:
        return ()


def changed_text(model: Model, changed: dict[str, Any]) -> str:
    """The spec of a model with some parameters changed."""
    return str(spec_of(type(model)(**{**model.parameters(), **changed})))
