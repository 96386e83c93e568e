"""Protocols, the match loop, records, registry, seeds, clocks, kernels, drawing and errors.

Authors of games, agents and models find what they need here: `from kibitz import core`.
"""

from kibitz.core.actions import Distribution, ProductActions, RangedActions, digits
from kibitz.core.agent import Agent, Clock, Model, PlayerType, SampledWorld, Strategy, TimeControl, ignores_view
from kibitz.core.errors import IllegalAction, KibitzError, Unsupported
from kibitz.core.game import CHANCE, SIMULTANEOUS, TERMINAL, Game, Key, Rng, State, Transition, digest
from kibitz.core.specs import Count, Probability, Seats, Spec

__all__ = [
    "CHANCE",
    "SIMULTANEOUS",
    "TERMINAL",
    "Agent",
    "Clock",
    "Count",
    "Distribution",
    "Game",
    "IllegalAction",
    "Key",
    "KibitzError",
    "Model",
    "PlayerType",
    "Probability",
    "ProductActions",
    "RangedActions",
    "Rng",
    "SampledWorld",
    "Seats",
    "Spec",
    "State",
    "Strategy",
    "TimeControl",
    "Transition",
    "Unsupported",
    "digest",
    "digits",
    "ignores_view",
]
