"""Opponent models that watch any game, besides plan recognition."""
