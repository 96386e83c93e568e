"""The programs that learners write: readable trees and rule lists."""

from kibitz_lab.learn.programs.program import Choice, Condition, Leaf, Program, Rule, RuleList, Size, Split, Tree

__all__ = ["Choice", "Condition", "Leaf", "Program", "Rule", "RuleList", "Size", "Split", "Tree"]
