"""Agents that play any game. To add an agent, write its file and name it in the plugin of its package."""
