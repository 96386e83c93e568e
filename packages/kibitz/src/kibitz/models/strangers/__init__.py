"""Learners of players whom no known strategy describes; a model needs them for its label `unknown`."""

from kibitz.models.strangers.stranger import COUNTED, Learner, Stranger, Trust, caution_of, new_stranger

__all__ = ["COUNTED", "Learner", "Stranger", "Trust", "caution_of", "new_stranger"]
