"""Learners of rules: a theory by inverse entailment (Progol) and a first-order decision list (FOIDL)."""

from kibitz.learn.rules.decision_list import DecisionList
from kibitz.learn.rules.literals import Mode
from kibitz.learn.rules.progol import Progol

__all__ = ["DecisionList", "Mode", "Progol"]
