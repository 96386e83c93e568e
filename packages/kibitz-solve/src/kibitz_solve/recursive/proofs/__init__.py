"""Proved bounds of recursive games, and the strategies that prove them."""
