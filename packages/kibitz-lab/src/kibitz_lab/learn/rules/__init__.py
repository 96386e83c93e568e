"""Learners of rules: a theory by inverse entailment (Progol) and a first-order decision list (FOIDL)."""

from kibitz_lab.learn.rules.decision_list import DecisionList
from kibitz_lab.learn.rules.literals import Mode
from kibitz_lab.learn.rules.progol import Progol

__all__ = ["DecisionList", "Mode", "Progol"]
