"""Names and specs: finds games, agents, models and abilities by name, and makes them from text."""

from kibitz.core.registry.factory import make_agent, make_game, make_importer, make_model, make_odds
from kibitz.core.registry.registry import (
    Kind,
    RegistryEntry,
    at_home,
    bridged_entries,
    can_train,
    entries,
    find,
    forget,
    has_ability,
    house_agents,
    spec_of,
    trainer,
)

__all__ = [
    "Kind",
    "RegistryEntry",
    "at_home",
    "bridged_entries",
    "can_train",
    "entries",
    "find",
    "forget",
    "has_ability",
    "house_agents",
    "make_agent",
    "make_game",
    "make_importer",
    "make_model",
    "make_odds",
    "spec_of",
    "trainer",
]
