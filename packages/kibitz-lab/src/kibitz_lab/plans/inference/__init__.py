"""Hypotheses about plans: trees by their frontier, what is pending, and how they go on."""
