"""Probabilities of a library learned from traces, and samplers that draw traces and streams from a library."""
