"""Recursive games as arrays: building them from any game, from names or from tables."""
