"""Names and specs: finds games, agents and models by name, and makes them from text."""

from kibitz.core.registry.registry import (
    Kind,
    RegistryEntry,
    at_home,
    bridged_entries,
    entries,
    find,
    forget,
    house_agents,
    kit_of,
    make_agent,
    make_game,
    make_importer,
    make_model,
    make_odds,
    spec_of,
)

__all__ = [
    "Kind",
    "RegistryEntry",
    "at_home",
    "bridged_entries",
    "entries",
    "find",
    "forget",
    "house_agents",
    "kit_of",
    "make_agent",
    "make_game",
    "make_importer",
    "make_model",
    "make_odds",
    "spec_of",
]
