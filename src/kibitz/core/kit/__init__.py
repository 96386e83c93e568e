"""What games may offer besides their rules: `GameKit` lists it, and the modules here hold its types."""

from kibitz.core.kit.plugin import GameKit, NamedCommand, Plugin

__all__ = ["GameKit", "NamedCommand", "Plugin"]
