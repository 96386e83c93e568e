"""Shorter programs at a certified loss: subtrees become single answers, and mixtures become rounder.

What an answer costs in a state is how far its worst case falls below the potential there. The subtree that costs least
for each answer it saves, weighted by how often play comes there, is replaced first; then the best response to the whole
program says what that loses. So every step of the way from the longest program to one answer has a proved loss. Trees
of few answers are better grown from the same conditions again: `Regrowth`.
"""

from collections.abc import Iterable, Iterator
from itertools import chain, combinations
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.errors import BadProgram
from kibitz_lab.learn.programs import Leaf
from kibitz_lab.learn.programs.program import Choice, Condition, RuleList, Split, Tree, branches, paths
from kibitz_solve.programs.answers import Mix, label_of
from kibitz_solve.programs.lessons import Floats, Ints, Lesson, round_shares
from kibitz_solve.programs.written_program import WrittenProgram, legal_shares, with_sure_leaves
from kibitz_solve.recursive.proofs.responses import BestResponse
from kibitz_solve.recursive.values.chains import joint_moves, mixes_at

ROUND = (2, 3, 4, 5, 10)
"""The parts of a whole in which shorter programs mix."""
MOST_TOGETHER = 3
"""The most actions of an even mixture."""
ROUNDS = 60
"""How many rounds of play say how often a state matters."""
RARE = 1e-4
"""The weight of a state that play never reaches, beside 1 for one that every play reaches."""
TURNS = 16
"""How many trees are grown, each against the best responses to those before."""
TRIED = 4
"""How many of the cheapest simpler answers of a leaf are certified."""


class ShorteningStep(msgspec.Struct, frozen=True):
    """A program on the way: how many answers it has, and what it loses at most."""

    answers: int
    loss: float


class Subtree:
    """A node of the tree: the states that reach it, the trees below, and the answer if it were a leaf."""

    def __init__(self, tree: Tree, states: Ints) -> None:
        self.tree, self.states = tree, states
        self.below: list[Subtree] = []
        self.answer, self.cost = 0, 0.0
        self.refused = False

    def settle(self, totals: Floats) -> None:
        """Take the answer that costs least in total; of equal ones the simplest, which comes first."""
        self.answer = int((totals <= totals.min() + 1e-12).argmax())
        self.cost = float(totals[self.answer])

    def leaves(self) -> "Iterator[Subtree]":
        """The leaves below, or this one."""
        if not self.below:
            yield self
        for branch in self.below:
            yield from branch.leaves()

    def inner(self) -> "Iterator[Subtree]":
        """All nodes with trees below."""
        if self.below:
            yield self
        for branch in self.below:
            yield from branch.inner()


class Shortener:
    """One program on its way to a shorter one."""

    def __init__(self, written: WrittenProgram, lesson: Lesson) -> None:
        if isinstance(written.program.body, RuleList) or written.what != "actions":
            raise BadProgram("the program", "only trees that play are shortened; use the learner c45 or oblique")
        self.written, self.lesson = written, lesson
        self.mixes = list(_candidates(lesson, written))
        self.nodes = np.concatenate([situation.nodes for situation in lesson.situations])
        self.tables = [
            np.array([legal_shares(dict(mix), situation.actions) for mix in self.mixes])
            for situation in lesson.situations
        ]
        """By situation, the shares of its actions in every answer."""
        self.costs = self._costs()
        self.weights = self._weights()
        self.rows = list(_rows(written, lesson, self.nodes))
        self.root = self._branch(written.program.body, np.arange(len(self.nodes)))
        for branch in (*self.root.leaves(), *self.root.inner()):
            if len(branch.states):
                branch.settle(self.costs[:, branch.states] @ self.weights[branch.states])

    @property
    def answers(self) -> int:
        """How many answers the program has now."""
        return sum(1 for _ in self.root.leaves())

    def _costs(self) -> Floats:
        """By answer and state, how far its worst case falls below the potential."""
        found = []
        for situation, table in zip(self.lesson.situations, self.tables, strict=True):
            worst = np.einsum("cm,smn->csn", table, situation.matrices).min(axis=2)
            found.append(np.maximum(self.lesson.potential[situation.nodes][None, :] - worst, 0.0))
        return np.concatenate(found, axis=1)

    def _weights(self) -> Floats:
        """How often play comes to the states if both sides play half well and half at random."""
        game = self.lesson.own
        if self.lesson.start is None:
            return np.ones(len(self.nodes))
        mixes = mixes_at(game, self.lesson.low, np.zeros(game.nodes, np.uint8))
        counts = [np.diff(game.mix_starts(player)) for player in (0, 1)]
        halves = [(mix + np.repeat(1.0 / each, each)) / 2.0 for mix, each in zip(mixes, counts, strict=True)]
        weights: Floats = np.maximum(self._visits(halves[0], halves[1]), RARE)
        return weights

    def _visits(self, rows: Floats, columns: Floats) -> Floats:
        """How often play comes from the start to the states."""
        from scipy.sparse import csr_array

        game = self.lesson.own
        source, odds, after, _ = joint_moves(game, rows, columns, np.arange(game.live))
        moves = csr_array((odds, (after, source)), shape=(game.nodes, game.live))
        here, total = np.zeros(game.nodes), np.zeros(game.nodes)
        here[self.lesson.start] = 1.0
        for _ in range(ROUNDS):
            total += here
            here = moves @ here[: game.live]
        found: Floats = total[self.nodes]
        return found

    def _branch(self, tree: Tree, states: Ints) -> Subtree:
        found, rows = Subtree(tree, states), self.rows
        if isinstance(tree, Split):
            holds = np.array([bool(tree.condition.holds(rows[state])) for state in states.tolist()], bool)
            found.below = [self._branch(tree.yes, states[holds]), self._branch(tree.no, states[~holds])]
        elif isinstance(tree, Choice):
            words = np.array([tree.values.index(rows[state][tree.variable]) for state in states.tolist()], np.int64)
            found.below = [self._branch(each, states[words == index]) for index, each in enumerate(branches(tree))]
        return found

    def loss(self) -> float:
        """What the program loses at most: from the start, or from any state if there is none."""
        return self._loss_to(self.lesson.response_to(self._strategy()))

    def judge(self) -> tuple[float, Floats | None]:
        """What the program loses, and how often its best response leads to the states; None without a start."""
        mixes, game = self._strategy(), self.lesson.own
        response = self.lesson.response_to(mixes)
        if self.lesson.start is None:
            return self._loss_to(response), None
        columns = np.zeros(int(game.mix_starts(1)[-1]))
        columns[game.mix_starts(1)[:-1] + response.actions] = 1.0
        return self._loss_to(response), self._visits(mixes, columns)

    def _strategy(self) -> Floats:
        """The program's shares in all states."""
        chosen = np.zeros(len(self.nodes), np.int64)
        for leaf in self.root.leaves():
            chosen[leaf.states] = leaf.answer
        starts = self.lesson.own.mix_starts(0)
        mixes = np.ones(int(starts[-1]))
        index = 0
        for situation, table in zip(self.lesson.situations, self.tables, strict=True):
            count = len(situation.nodes)
            here = starts[situation.nodes][:, None] + np.arange(len(situation.actions))
            mixes[here] = table[chosen[index : index + count]]
            index += count
        return mixes

    def _loss_to(self, response: BestResponse) -> float:
        short = np.maximum(self.lesson.high - response.guaranteed, 0.0)
        return float(short[self.lesson.start] if self.lesson.start is not None else short[: len(self.lesson)].max())

    def steps(self, allowed: float | None = None) -> Iterator[ShorteningStep]:
        """Replace subtree after subtree; with a limit, only those that keep the loss within it."""
        yield ShorteningStep(self.answers, self.loss())
        while True:
            candidates = [branch for branch in self.root.inner() if not branch.refused]
            if not candidates:
                return
            branch = min(candidates, key=self._price_of_answer)
            below, branch.below = branch.below, []
            loss = self.loss()
            if allowed is not None and loss > allowed:
                branch.below, branch.refused = below, True
                continue
            yield ShorteningStep(self.answers, loss)

    def _price_of_answer(self, branch: Subtree) -> float:
        """What replacing a subtree costs for each answer it saves."""
        below = list(branch.leaves())
        return (branch.cost - sum(leaf.cost for leaf in below)) / (len(below) - 1)

    def round_mixtures(self, allowed: float) -> float:
        """Give every leaf the simplest answer that keeps the loss within what is allowed; return the loss."""
        loss = self.loss()
        for leaf in sorted(self.root.leaves(), key=lambda leaf: -leaf.answer):
            kept = leaf.answer
            totals = self.costs[:kept, leaf.states] @ self.weights[leaf.states] if len(leaf.states) else np.zeros(kept)
            for answer in np.argsort(totals, kind="stable")[:TRIED].tolist():
                leaf.answer = min(answer, kept)
                now = self.loss()
                if now <= allowed:
                    loss = now
                    break
                leaf.answer = kept
        return loss

    def program(self) -> WrittenProgram:
        """The program as it is now."""
        answers = {label_of(mix): dict(mix) for mix in self.mixes}
        labels = tuple(answers)
        made = with_sure_leaves(
            msgspec.structs.replace(self.written.program, labels=labels, body=self._tree(self.root, labels))
        )
        used = {str(label): answers[str(label)] for label in made.labels}
        return msgspec.structs.replace(self.written, program=made, answers=used)

    def _tree(self, branch: Subtree, labels: tuple[str, ...]) -> Tree:
        if not branch.below:
            label = label_of(self.mixes[branch.answer])
            shares = tuple(float(each == label) for each in labels)
            return Leaf(label, shares, float(len(branch.states)))
        below = [self._tree(each, labels) for each in branch.below]
        leaf_like = [each for each in below if isinstance(each, Leaf)]
        if len(leaf_like) == len(below) and len({each.label for each in leaf_like}) == 1:
            return msgspec.structs.replace(leaf_like[0], weight=sum(each.weight for each in leaf_like))
        if isinstance(branch.tree, Split):
            return msgspec.structs.replace(branch.tree, yes=below[0], no=below[1])
        assert isinstance(branch.tree, Choice), "a leaf has nothing below"
        return msgspec.structs.replace(branch.tree, branches=tuple(below))


def _rows(written: WrittenProgram, lesson: Lesson, nodes: Ints) -> Iterator[dict[str, Any]]:
    """The variables of every state, as the program takes them."""
    for node in nodes.tolist():
        yield {
            column.name: written.known_value(column, lesson.columns[column.name][node])
            for column in written.program.columns
        }


def _candidates(lesson: Lesson, written: WrittenProgram) -> Iterable[Mix]:
    """The answers that a shorter program may give, the simplest first."""
    actions = list(dict.fromkeys(action for situation in lesson.situations for action in situation.actions))
    found: dict[Mix, None] = dict.fromkeys(((action, 1.0),) for action in actions)
    kinds = {situation.actions for situation in lesson.situations}
    for size in range(2, MOST_TOGETHER + 1):
        for offered in sorted(kinds):
            for some in combinations(offered, size):
                found[tuple((action, 1.0 / size) for action in some)] = None
    exact = [mix for mix in written.answers.values() if isinstance(mix, dict)]
    for whole in ROUND:
        for mix in exact:
            for shares in round_shares(np.array(list(mix.values())), whole):
                found[tuple((action, float(share)) for action, share in zip(mix, shares, strict=True) if share)] = None
    for mix in exact:
        found[tuple((action, share) for action, share in mix.items() if share)] = None
    return found


class Regrowth:
    """Short trees grown for what their answers cost, from the conditions of a long one.

    A long tree divides the states first by what tells exact answers apart, so few of its branches make no good program.
    In another order the same conditions do: the leaf that gains most by a division is divided first. What an answer
    costs in a state counts by how often the best responses to the trees before led there, as in fictitious play.
    """

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
        leaf.settle(totals)
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
