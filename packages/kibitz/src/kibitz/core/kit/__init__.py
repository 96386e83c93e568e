"""The types of what games may offer besides their rules: `kibitz.plugins.GameKit` lists it."""
