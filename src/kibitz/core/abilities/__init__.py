"""Abilities: what a game may offer besides its rules, one type each."""
