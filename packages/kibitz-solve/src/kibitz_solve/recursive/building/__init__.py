"""Builds recursive games as arrays: from any game, from names or from tables; and their policy tables."""
