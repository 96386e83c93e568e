"""Hypotheses about plans: trees by their frontier, what is pending, how they go on, samples of the dropped."""
