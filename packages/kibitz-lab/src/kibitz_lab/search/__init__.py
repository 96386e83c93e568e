"""Agents that search any game tree, some of them with a model of the opponent."""
