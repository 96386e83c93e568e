"""Strategies beyond the equilibrium: fastest wins, lowered expectations, responses to a forecast; and pictures."""
