"""Forests with their masses, and how an observation extends them: the computation behind `recogniser`.

A row is a forest. It has a mass for every kind of goals that may still be waiting (see `pending`). The actor picks each
pending node with probability 1 / (what is pending in the forest and in the waiting goals), so masses are first divided
by that. The step of a tree then multiplies them by its weight. A goal that begins also moves each mass from the kind in
which the goal was waiting to the kind in which it is not. Forests that become equal add up.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kibitz.core.kit.plans import Observation
from kibitz_lab.plans import limits
from kibitz_lab.plans.assumptions import Assumptions
from kibitz_lab.plans.inference.pending import Floats, Pending, UnstartedGoals
from kibitz_lab.plans.inference.tree_table import Beginning, Step, Trees, TreeTable

Forest = Trees


class Edge(NamedTuple):
    """One way in which a forest can go on: which, the place of the tree, its step, its weight, and what began."""

    row: int
    place: int
    step: Step
    weight: float
    begun: int | None = None
    """Of a goal that begins, how much was pending in it."""


class BackPointer(NamedTuple):
    """How a forest was reached: from which earlier row, by which edge, and when that was observed, if it was."""

    layer: int
    row: int
    edge: Edge | None
    """None if nothing was done."""
    share: float
    time: int | None = None
    order: tuple[int, ...] = ()
    """The place of each tree before the forest was sorted, with the tree that went on or began in its place."""


class Hypotheses(NamedTuple):
    """Forests with their masses, a column per kind of waiting goals, and their arrivals if these are kept."""

    forests: list[Forest]
    masses: Floats
    arrivals: list[list[BackPointer]]

    def select_rows(self, places: NDArray[np.int64]) -> "Hypotheses":
        """Some of them, by number."""
        numbers = places.tolist()
        arrivals = [self.arrivals[place] for place in numbers] if self.arrivals else []
        return Hypotheses([self.forests[place] for place in numbers], self.masses[places], arrivals)


class Layer(NamedTuple):
    """Extended rows, and how much was pending there, by row and kind."""

    rows: Hypotheses
    sizes: Floats


class Setting(Protocol):
    """What the extension of rows needs of a recogniser."""

    table: TreeTable
    unstarted: UnstartedGoals
    assumptions: Assumptions
    beam: int | None
    trees: bool
    most_roots: int


def pending_sizes(rows: Hypotheses, pending: Pending) -> Floats:
    """How much is pending, in each forest and for each kind of waiting goals."""
    own = np.array([sum(map(pending.of, forest)) for forest in rows.forests])
    return np.asarray(own[:, None] + pending.kinds[None, :])


def masses_per_pick(setting: Setting, rows: Hypotheses, pending: Pending) -> Floats:
    """The masses divided by all that is pending, and a last column of zeros."""
    size = pending_sizes(rows, pending)
    found = np.zeros((len(rows.forests), len(setting.unstarted.kinds) + 1))
    np.divide(rows.masses, size, out=found[:, :-1], where=size > 0.0)
    return found


class Extension:
    """All successors of rows, with equal forests merged."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.numbers: dict[Forest, int] = {}
        self.arrivals: list[list[BackPointer]] = []
        self.contributions: list[tuple[NDArray[np.int64], Floats]] = []
        """Masses, by kind, and the rows to which they go."""
        self.dropped = 0.0
        """An upper bound of the mass of what was not examined."""

    def row_of(self, forest: Forest) -> int:
        """The row of a forest."""
        found = self.numbers.setdefault(forest, len(self.numbers))
        if self.setting.trees and found == len(self.arrivals):
            self.arrivals.append([])
        return found

    def add_unchanged(self, rows: Hypotheses, share: float, layer: int) -> None:
        """Rows in which nothing happened, with a share of their masses."""
        targets = [self.row_of(forest) for forest in rows.forests]
        if self.setting.trees:
            for row, target in enumerate(targets):
                self.arrivals[target].append(BackPointer(layer, row, None, share))
        self.contributions.append((np.array(targets, dtype=np.int64), rows.masses * share))

    def add(
        self,
        rows: Hypotheses,
        pending: Pending,
        observation: Observation | None,
        share: float,
        layer: int,
        time: int | None,
    ) -> None:
        """Every way in which rows can go on, with a share of their masses."""
        setting = self.setting
        per_pick = masses_per_pick(setting, rows, pending)
        by_kind: dict[int | None, list[tuple[int, int, float]]] = {}
        for edge in self.edges(rows, pending, observation, per_pick, share):
            order, after = self.successor(rows.forests[edge.row], edge, pending)
            target = self.row_of(after)
            if setting.trees:
                self.arrivals[target].append(BackPointer(layer, edge.row, edge, share, time, order))
            by_kind.setdefault(edge.begun, []).append((edge.row, target, edge.weight * share))
        for kind, edges in by_kind.items():
            sources, targets, weights = (np.array(column) for column in zip(*edges, strict=True))
            masses = per_pick[sources][:, :-1] if kind is None else per_pick[sources][:, setting.unstarted.before(kind)]
            self.contributions.append((targets, masses * weights[:, None]))

    def edges(
        self, rows: Hypotheses, pending: Pending, observation: Observation | None, per_pick: Floats, share: float
    ) -> Iterator[Edge]:
        """Every way in which every forest can go on with an observation, or unseen."""
        table = self.setting.table
        known = len(table.trees)
        for row, forest in enumerate(rows.forests):
            if self.setting.beam is not None and len(table.trees) > known + limits.NEW_TREES:
                self.dropped += share * float((rows.masses[row:] @ self.setting.unstarted.potential).sum())
                break
            for place, tree in enumerate(forest):
                for step in table.steps(tree, observation):
                    yield Edge(row, place, step, pending.chance(tree, step.pick))
        ways = list(table.beginnings(observation))
        if ways:
            priors = self.setting.unstarted.priors
            weights = np.array([priors[way.goal] * way.share * pending.chance(way.tree, way.step.pick) for way in ways])
            for row, number in self.examined_beginnings(rows, per_pick, ways, weights, share):
                way = ways[number]
                yield Edge(row, len(rows.forests[row]), way.step, float(weights[number]), way.pending)

    def may_begin(self, rows: Hypotheses, goals: Sequence[str]) -> NDArray[np.bool_]:
        """Which forests, by row, have room for another instance of each goal."""
        setting, trees = self.setting, self.setting.table.trees
        columns: dict[str, list[int]] = {}
        for column, goal in enumerate(goals):
            columns.setdefault(goal, []).append(column)
        found = np.ones((len(rows.forests), len(goals)), dtype=np.bool_)
        for row, forest in enumerate(rows.forests):
            if len(forest) >= setting.most_roots:
                found[row] = False
                continue
            begun = [trees[tree].goal for tree in forest]
            for goal in set(begun):
                if begun.count(goal) >= setting.assumptions.most(goal):
                    found[row, columns.get(goal, [])] = False
        return found

    def examined_beginnings(
        self, rows: Hypotheses, per_pick: Floats, ways: Sequence[Beginning], weights: Floats, share: float
    ) -> Iterator[tuple[int, int]]:
        """The row and the number of each beginning to examine: all that may begin, or those that may gain most mass."""
        setting, most = self.setting, limits.BEGINNINGS * (self.setting.beam or 0)
        allowed = self.may_begin(rows, [way.goal for way in ways])
        if setting.beam is not None and allowed.sum() > most:
            potential = self.potentials(per_pick, ways, weights) * allowed
            order = np.argpartition(-potential.ravel(), most)
            self.dropped += share * float(potential.ravel()[order[most:]].sum())
            likeliest = np.zeros(allowed.size, dtype=np.bool_)
            likeliest[order[:most]] = True
            allowed = likeliest.reshape(potential.shape) & (potential > 0.0)
        for row, number in zip(*np.nonzero(allowed), strict=True):
            yield int(row), int(number)

    def potentials(self, per_pick: Floats, ways: Sequence[Beginning], weights: Floats) -> Floats:
        """The most mass that each forest may gain by each way to begin a goal."""
        unstarted = self.setting.unstarted
        found = np.zeros((len(per_pick), len(ways)))
        for kind in {way.pending for way in ways}:
            columns = [column for column, way in enumerate(ways) if way.pending == kind]
            gains = per_pick[:, unstarted.before(kind)] @ unstarted.potential
            found[:, columns] = gains[:, None] * weights[None, columns]
        return found

    def successor(self, forest: Forest, edge: Edge, pending: Pending) -> tuple[tuple[int, ...], Forest]:
        """A forest after a step, sorted, with abandoned goals emptied, and the place of each tree before."""
        setting = self.setting
        if setting.assumptions.abandon:
            everything = sum(map(pending.of, forest))
            if edge.begun is not None:
                everything += edge.begun
            forest = tuple(
                tree
                if place == edge.place
                else setting.table.idle_tree(tree, pending.of(tree) / everything, setting.assumptions.abandon)
                for place, tree in enumerate(forest)
            )
        found = (*forest[: edge.place], edge.step.target, *forest[edge.place + 1 :])
        if not setting.trees:
            return (), tuple(sorted(found))
        order = tuple(sorted(range(len(found)), key=found.__getitem__))
        return order, tuple(found[place] for place in order)

    def rows(self) -> Hypotheses:
        """All rows as one."""
        kinds, forests = len(self.setting.unstarted.kinds), list(self.numbers)
        masses = np.zeros((len(forests), kinds))
        if self.contributions:
            targets = np.concatenate([part for part, _ in self.contributions])
            masses_moved = np.concatenate([part for _, part in self.contributions])
            for kind in range(kinds):
                masses[:, kind] = np.bincount(targets, weights=masses_moved[:, kind], minlength=len(forests))
        return Hypotheses(forests, masses, self.arrivals)
