"""Protocols, the match loop, records, registry, seeds, clocks, kernels, drawing and errors.

Authors of games, agents and models find what they need here: `from kibitz import core`.
"""

from kibitz.core.actions import Distribution, Phrase, ProductActions, RangedActions, digits
from kibitz.core.agent import Agent, Strategy, ignores_view
from kibitz.core.clocks import Clock, TimeControl
from kibitz.core.errors import IllegalAction, KibitzError, Unsupported
from kibitz.core.game import CHANCE, SIMULTANEOUS, TERMINAL, Game, Key, Rng, State, digest
from kibitz.core.model import Model, PlayerType, SampledWorld
from kibitz.core.registry.specs import Count, Probability, Seats, Spec
from kibitz.core.transition import Transition

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
    "Phrase",
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
