"""Questions that decide between explanations (SPR: Mirsky, Stern, Gal & Kalech 2016).

A question asks whether some observations, and no others so far, serve a certain plan. The actor or an expert answers
yes or no, and only the explanations that agree remain.
"""

from collections.abc import Sequence
from math import log2
from typing import NamedTuple

from kibitz_lab.plans.answers.explanations import Explanation


class Question(NamedTuple):
    """Whether there is such a plan, served by exactly these observations (numbered from 0)."""

    plan: str
    observations: tuple[int, ...]

    def __str__(self) -> str:
        numbers = ", ".join(str(time + 1) for time in self.observations)
        one = len(self.observations) == 1
        return f"{'does observation' if one else 'do observations'} {numbers} serve {self.plan}?"


def questions_of(explanation: Explanation) -> set[Question]:
    """The questions that an explanation answers with yes."""
    return {
        Question(node.part.symbol, tuple(sorted(node.times())))
        for root in explanation.roots
        for node in root.walk()
        if not node.part.action and node.times()
    }


def shares(explanations: Sequence[Explanation]) -> dict[Question, float]:
    """Every open question, and the probability that its answer is yes."""
    total = sum(each.probability for each in explanations)
    found: dict[Question, float] = {}
    counts: dict[Question, int] = {}
    for each in explanations:
        for question in questions_of(each):
            found[question] = found.get(question, 0.0) + each.probability / total
            counts[question] = counts.get(question, 0) + 1
    return {question: share for question, share in found.items() if counts[question] < len(explanations)}


def best_question(explanations: Sequence[Explanation]) -> Question | None:
    """The question whose answer leaves the least expected entropy; None if no question decides between them."""
    found = shares(explanations)
    return max(sorted(found), key=lambda question: round(answer_entropy(found[question]), 12), default=None)


def consistent_explanations(explanations: Sequence[Explanation], question: Question, yes: bool) -> list[Explanation]:
    """The explanations that agree with an answer, with probabilities that add up to 1."""
    left = [each for each in explanations if (question in questions_of(each)) is yes]
    total = sum(each.probability for each in left)
    return [each._replace(probability=each.probability / total) for each in left]


def answer_entropy(share: float) -> float:
    """The entropy in bits of an answer that is yes with this probability: the expected information it gives."""
    return sum(-p * log2(p) for p in (share, 1.0 - share) if p > 0.0)
