"""Pessimistic pruning (Quinlan 1993, ch. 4): it cuts trees back where that lowers the expected errors on new cases."""

from math import sqrt

from kibitz.learn.decision_tree.growth import GrownNode, resend_cases
from kibitz.learn.examples import Examples

LEVELS = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0)
DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)
"""Normal quantiles, between which C4.5 interpolates; with exact ones it would not print U(1, 16) = 0.157."""
SLACK = 0.1
"""A leaf may have this many more expected errors, because it is simpler."""


def deviation(confidence: float) -> float:
    """The number of standard deviations above the mean that is exceeded with probability *confidence*."""
    place = next(place for place, level in enumerate(LEVELS) if level >= confidence and place)
    share = (confidence - LEVELS[place - 1]) / (LEVELS[place] - LEVELS[place - 1])
    return DEVIATIONS[place - 1] + share * (DEVIATIONS[place] - DEVIATIONS[place - 1])


def extra_errors(weight: float, errors: float, confidence: float) -> float:
    """The expected errors beyond those seen, at the upper end of a confidence interval."""
    if weight <= 0.0:
        return 0.0
    none = weight * (1.0 - float(confidence ** (1.0 / weight)))
    if errors < 1e-6:
        return none
    if errors < 0.9999:
        return none + errors * (extra_errors(weight, 1.0, confidence) - none)
    if errors + 0.5 >= weight:
        return 0.67 * max(weight - errors, 0.0)
    square = deviation(confidence) ** 2
    seen = errors + 0.5
    share = (seen + square / 2 + sqrt(square * (seen * (1.0 - seen / weight) + square / 4))) / (weight + square)
    return weight * share - errors


def upper_error(weight: float, errors: float, confidence: float = 0.25) -> float:
    """Quinlan's U: the expected share of errors.

    >>> print(f"{upper_error(6, 0):.3f} {upper_error(16, 1):.3f}")
    0.206 0.157
    """
    return (errors + extra_errors(weight, errors, confidence)) / weight


def expected_errors(tree: GrownNode, confidence: float) -> float:
    """The expected errors of all leaves."""
    return sum(leaf.errors + extra_errors(leaf.weight, leaf.errors, confidence) for leaf in tree.leaves())


def prune_tree(examples: Examples, tree: GrownNode, confidence: float, *, raising: bool = False) -> GrownNode:
    """The tree with subtrees replaced by leaves and, with *raising*, by their largest branch."""
    if tree.test is None:
        return tree
    branches = tuple(prune_tree(examples, branch, confidence, raising=raising) for branch in tree.branches)
    kept = tree._replace(branches=branches)
    least = expected_errors(kept, confidence)
    raised = None
    if raising:
        largest = max(branches, key=lambda branch: branch.weight)
        if largest.test is not None:
            raised = resend_cases(examples, largest, tree.cases)
            least = min(least, expected_errors(raised, confidence))
    if expected_errors(tree.leaf(), confidence) <= least + SLACK:
        return tree.leaf()
    if raised is not None and expected_errors(raised, confidence) <= least + SLACK:
        return prune_tree(examples, raised, confidence, raising=raising)
    return kept
