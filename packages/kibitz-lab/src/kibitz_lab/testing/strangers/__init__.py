"""Strangers: players who follow none of a game's strategies, to test models with; and versioned sets of them."""

from kibitz_lab.testing.strangers.generator import GeneratedStranger, generated_strangers
from kibitz_lab.testing.strangers.sets import SETS, StrangerSet, find_set, players_of, set_digest

__all__ = ["SETS", "GeneratedStranger", "StrangerSet", "find_set", "generated_strangers", "players_of", "set_digest"]
