"""Probabilities of a library learned from traces."""
