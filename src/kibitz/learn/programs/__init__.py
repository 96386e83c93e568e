"""What learners write: trees and lists of rules that a person can read, evaluated one by one or compiled."""

from kibitz.learn.programs.conditions import Condition
from kibitz.learn.programs.flat import FlatProgram
from kibitz.learn.programs.program import Choice, Leaf, Program, Rule, RuleList, Size, Split, Tree

__all__ = ["Choice", "Condition", "FlatProgram", "Leaf", "Program", "Rule", "RuleList", "Size", "Split", "Tree"]
