"""Bounded recursion: which rules of a plan may still be chosen, because they can be finished within the depth.

A *level* is how many recursive plans may still be nested, or FREE without a bound; it is 0 below plans that lead to no
recursive one, so that equal plans have equal levels.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from math import inf

from kibitz.core.errors import BadPlan
from kibitz_lab.plans.library import PlanLibrary, Rule, predecessors

FREE = -1


@contextmanager
def explained_depth(library: PlanLibrary) -> Iterator[None]:
    """Turns Python's recursion error into one that says that plans are nested too deep."""
    try:
        yield
    except RecursionError:
        why = "its plans are nested too deep; remove some, or lower the depth"
        raise BadPlan(library.name, why) from None


class Recursion:
    """The levels of one library."""

    def __init__(self, library: PlanLibrary, depth: int | None) -> None:
        self.library, self.depth = library, library.depth if depth is None else depth
        self.rules = library.rules_by_plan()
        parts = {plan: _plans_in(rules, first=False) for plan, rules in self.rules.items()}
        self.reaching = dict.fromkeys(_leading_round(parts))
        self.recursive = {plan for plan in self.reaching if plan in _below(plan, parts)}
        self.needs = self.least_levels()
        self.check()
        self.options = cache(self._options)

    def check(self) -> None:
        """Require that recognition terminates."""
        if self.depth is None:
            first = {plan: _plans_in(rules, first=True) for plan, rules in self.rules.items()}
            for plan in _leading_round(first):
                if plan in _below(plan, first):
                    why = f"plan {plan!r} may begin with itself without end; set a depth to bound it"
                    raise BadPlan(self.library.name, why)
            return
        for goal in self.library.goals:
            if self.needs[goal] > self.depth:
                why = f"goal {goal!r} cannot be finished within depth {self.depth}; it needs {self.needs[goal]:g}"
                raise BadPlan(self.library.name, why)

    def least_levels(self) -> dict[str, float]:
        """For each plan, the least level at which it can be finished."""
        needs: dict[str, float] = {plan: inf if plan in self.reaching else 0 for plan in self.rules}
        changed = True
        while changed:
            changed = False
            for plan in self.reaching:
                own = self.rules[plan]
                below = [[needs[part.symbol] for part in rule.parts if not part.action] for _, rule in own]
                least = min(max(each, default=0) for each in below) + (plan in self.recursive)
                if least < needs[plan]:
                    needs[plan], changed = least, True
        return needs

    def level(self, plan: str, left: int) -> int:
        """The level of a plan if *left* remains above it."""
        return left if plan in self.reaching else 0

    def start(self, goal: str) -> int:
        """The level of a goal."""
        return self.level(goal, FREE if self.depth is None else self.depth)

    def below(self, plan: str, level: int) -> int:
        """The level that remains for the parts of a plan."""
        return level - 1 if plan in self.recursive and level != FREE else level

    def _options(self, plan: str, level: int) -> list[tuple[float, int]]:
        """The rules that can be finished from here, by number, with probabilities that add up to 1."""
        left = self.below(plan, level)
        fitting = [
            (rule.probability, number)
            for number, rule in self.rules[plan]
            if level == FREE
            or all(part.action or self.needs[part.symbol] <= left for part in rule.parts)
            or plan not in self.reaching
        ]
        total = sum(probability for probability, _ in fitting)
        return [(probability / total, number) for probability, number in fitting]


def _plans_in(rules: Iterable[tuple[int, Rule]], *, first: bool) -> set[str]:
    """The plans that are parts of some rules, or only those with which the rules may begin."""
    found = set()
    for _, rule in rules:
        before = predecessors(len(rule.parts), rule.order)
        pairs = zip(rule.parts, before, strict=True)
        found |= {part.symbol for part, mask in pairs if not part.action and not (first and mask)}
    return found


def _leading_round(parts: dict[str, set[str]]) -> list[str]:
    """The plans that can be expanded for ever, in their order: those left after removing all that end."""
    above: dict[str, list[str]] = {plan: [] for plan in parts}
    for plan, below in parts.items():
        for other in below:
            above[other].append(plan)
    left = {plan: len(below) for plan, below in parts.items()}
    ending = [plan for plan, count in left.items() if not count]
    for plan in ending:  # grows during the loop
        for other in above[plan]:
            left[other] -= 1
            if not left[other]:
                ending.append(other)
    ended = set(ending)
    return [plan for plan in parts if plan not in ended]


def _below(plan: str, parts: dict[str, set[str]]) -> set[str]:
    """All plans below one; itself only if it is recursive."""
    found: set[str] = set()
    waiting = [plan]
    while waiting:
        for other in parts[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found
