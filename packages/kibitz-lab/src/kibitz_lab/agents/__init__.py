"""Agents that play any game, besides those that search, learn or adapt by a model."""
