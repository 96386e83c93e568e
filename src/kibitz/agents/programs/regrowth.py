"""Short trees grown for what their answers cost, in place of a long tree whose branches are cut.

A long tree divides the states first by what tells exact answers apart, so few of its branches make no good program. The
same conditions in another order do: the leaf that gains most by a division is divided first. What an answer costs in a
state counts by how often the best responses to the trees before led there, as in fictitious play.
"""

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from kibitz.agents.programs.lessons import Floats, Ints, Lesson
from kibitz.agents.programs.shortening import RARE, Shortener, ShorteningStep, Subtree
from kibitz.agents.programs.written_program import WrittenProgram
from kibitz.learn.programs import Leaf
from kibitz.learn.programs.program import Condition, Split, paths

TURNS = 16
"""How many trees are grown, each against the best responses to those before."""


class Regrowth:
    """Trees made of the conditions of a program."""

    def __init__(self, shortener: Shortener) -> None:
        self.shortener = shortener
        self.conditions, self.holds = self._distinct_conditions()
        self.weights = shortener.weights

    def _distinct_conditions(self) -> tuple[list[Condition], NDArray[np.bool_]]:
        """The conditions that divide the states in different ways, and where they hold."""
        body, rows = self.shortener.written.program.body, self.shortener.rows
        seen: dict[bytes, tuple[Condition, NDArray[np.bool_]]] = {}
        for condition in dict.fromkeys(chain.from_iterable(path for path, _ in paths(body))):  # type: ignore[arg-type]
            holds = np.array([bool(condition.holds(row)) for row in rows])
            if holds.tobytes() not in seen and (~holds).tobytes() not in seen:
                seen[holds.tobytes()] = condition, holds
        return [condition for condition, _ in seen.values()], np.array([holds for _, holds in seen.values()], bool)

    def fit(self, most: int) -> float:
        """Give the shortener the best tree found of at most so many answers; return what it loses."""
        shortener, weights, best, least = self.shortener, self.weights, None, np.inf
        for turn in range(TURNS):
            shortener.root = self._grown_tree(shortener.costs * weights, most)
            loss, visits = shortener.judge()
            if loss < least:
                best, least = shortener.root, loss
            if visits is None:
                break
            weights = weights + (np.maximum(visits, RARE) - weights) / (turn + 2)
        assert best is not None
        shortener.root = best
        return float(least)

    def _grown_tree(self, costs: Floats, most: int) -> Subtree:
        """A tree whose leaves are divided one after another, always the one that gains most."""
        root = Subtree(Leaf("", ()), np.arange(costs.shape[1]))
        leaves = {root: self._best_division(root, costs)}
        while len(leaves) < most:
            leaf = max(leaves, key=lambda each: leaves[each][0])
            gain, condition = leaves.pop(leaf)
            if gain <= 0.0:
                break
            holds = self.holds[condition][leaf.states]
            leaf.below = [Subtree(Leaf("", ()), leaf.states[each]) for each in (holds, ~holds)]
            leaf.tree = Split(self.conditions[condition], leaf.tree, leaf.tree, float(holds.mean()))
            leaves |= {each: self._best_division(each, costs) for each in leaf.below}
        return root

    def _best_division(self, leaf: Subtree, costs: Floats) -> tuple[float, int]:
        """Settle a leaf's answer; return how much the best condition would gain, and which it is."""
        here = costs[:, leaf.states]
        totals = here.sum(axis=1)
        leaf.answer = int((totals <= totals.min() + 1e-12).argmax())
        leaf.cost = float(totals[leaf.answer])
        if not len(self.conditions):
            return 0.0, 0
        inside = self.holds[:, leaf.states].astype(np.float64)
        first = here @ inside.T
        gains = leaf.cost - first.min(axis=0) - (totals[:, None] - first).min(axis=0)
        counts: Ints = inside.sum(axis=1).astype(np.int64)
        gains[(counts == 0) | (counts == len(leaf.states))] = 0.0
        return float(gains.max()), int(gains.argmax())


def shorten_program(
    written: WrittenProgram, lesson: Lesson, *, answers: int | None = None, loss: float | None = None
) -> WrittenProgram:
    """A program of at most so many *answers*, or the shortest found that loses at most *loss* from the start."""
    shortener = Shortener(written, lesson)
    last = ShorteningStep(shortener.answers, 0.0)
    for last in shortener.steps(loss):
        lesson.tell(f"shortening: {last.answers:,} answers, loss {last.loss:.3g}")
        if answers is not None and last.answers <= answers:
            break
    regrowth = Regrowth(shortener)
    last = _fewest(regrowth, last, loss) if loss is not None else _best_of(regrowth, last, answers)
    shortener.round_mixtures(loss if loss is not None else last.loss + 0.1 * abs(last.loss) + 1e-4)
    return shortener.program()


def _best_of(regrowth: Regrowth, cut: ShorteningStep, answers: int | None) -> ShorteningStep:
    """The better of the tree as it was cut and one that is grown again with at most so many answers."""
    shortener = regrowth.shortener
    kept = shortener.root
    loss = regrowth.fit(answers or cut.answers)
    if loss < cut.loss:
        return ShorteningStep(shortener.answers, loss)
    shortener.root = kept
    return cut


def _fewest(regrowth: Regrowth, cut: ShorteningStep, allowed: float) -> ShorteningStep:
    """The fewest answers of a tree grown again that loses no more than allowed; as it was cut if none is shorter."""
    shortener = regrowth.shortener
    best, kept, low, high = cut, shortener.root, 1, cut.answers - 1
    while low <= high:
        middle = (low + high) // 2
        loss = regrowth.fit(middle)
        shortener.lesson.tell(f"growing again: {shortener.answers:,} answers, loss {loss:.3g}")
        if loss <= allowed:
            best, kept, high = ShorteningStep(shortener.answers, loss), shortener.root, shortener.answers - 1
        else:
            low = middle + 1
    shortener.root = kept
    return best
