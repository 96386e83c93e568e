"""Opponent models that watch any game. To add a model, write its file and name it in the plugin of its package."""
