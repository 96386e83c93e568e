"""Learners of players whom no known strategy describes; a model needs them for its label `unknown`."""

from kibitz.models.strangers.stranger import Learner, Stranger, new_stranger
from kibitz.models.strangers.trust import COUNTED, Trust, caution_of

__all__ = ["COUNTED", "Learner", "Stranger", "Trust", "caution_of", "new_stranger"]
