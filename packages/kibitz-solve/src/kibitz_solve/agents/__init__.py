"""Agents that play what was solved, or plan online."""
