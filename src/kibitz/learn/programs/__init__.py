"""The programs that learners write: readable trees and rule lists, evaluated row by row or compiled."""

from kibitz.learn.programs.conditions import Condition
from kibitz.learn.programs.flat import FlatProgram
from kibitz.learn.programs.program import Choice, Leaf, Program, Rule, RuleList, Size, Split, Tree

__all__ = ["Choice", "Condition", "FlatProgram", "Leaf", "Program", "Rule", "RuleList", "Size", "Split", "Tree"]
