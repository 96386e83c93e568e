"""Forests with their masses, and how an observation extends them: the computation behind `recogniser`."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kibitz.models.plans import limits
from kibitz.models.plans.assumptions import Assumptions
from kibitz.models.plans.inference.pending import Floats, Kind, Pending, UnstartedGoals
from kibitz.models.plans.inference.tree_table import Step, TreeTable
from kibitz.models.plans.library import Observation

Forest = tuple[int, ...]


class Edge(NamedTuple):
    """One way in which a forest can go on: which, the place of the tree, its step, its weight, and what began."""

    row: int
    place: int
    step: Step
    weight: float
    begun: Kind | None = None


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

    forestry: TreeTable
    waiting: UnstartedGoals
    story: Assumptions
    beam: int | None
    trees: bool
    most_roots: int


def sizes(rows: Hypotheses, pending: Pending) -> Floats:
    """How much is pending, in each forest and for each kind of waiting goals."""
    own = np.array([sum(map(pending.of, forest)) for forest in rows.forests])
    return np.asarray(own[:, None] + pending.kinds[None, :])


def picks(setting: Setting, rows: Hypotheses, pending: Pending) -> Floats:
    """The masses divided by all that is pending, and a last column of zeros."""
    size = sizes(rows, pending)
    found = np.zeros((len(rows.forests), len(setting.waiting.kinds) + 1))
    np.divide(rows.masses, size, out=found[:, :-1], where=size > 0.0)
    return found


class Beginning(NamedTuple):
    """A way in which a goal can begin: the goal, its kind while waiting, its first step, and its weight."""

    goal: str
    kind: Kind
    step: Step
    weight: float


def beginnings(setting: Setting, pending: Pending, observation: Observation | None) -> list[Beginning]:
    """Every way in which a goal can begin with an observation, or unseen."""
    forestry, waiting = setting.forestry, setting.waiting
    goals = forestry.roots if observation is None else forestry.beginnings.get(observation.action, ())
    return [
        Beginning(
            goal,
            waiting.kind(goal, signature),
            step,
            waiting.priors[goal] * share * pending.chance(tree, step.pick),
        )
        for goal in goals
        for share, tree, signature in forestry.roots[goal]
        for step in forestry.steps(tree, observation)
    ]


class Extension:
    """All successors of rows, with equal forests merged."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.numbers: dict[Forest, int] = {}
        self.arrivals: list[list[BackPointer]] = []
        self.moved: list[tuple[NDArray[np.int64], Floats]] = []
        self.dropped = 0.0
        """An upper bound of the mass of what was not examined."""

    def number(self, forest: Forest) -> int:
        """The row of a forest."""
        found = self.numbers.setdefault(forest, len(self.numbers))
        if self.setting.trees and found == len(self.arrivals):
            self.arrivals.append([])
        return found

    def add_unchanged(self, rows: Hypotheses, share: float, layer: int) -> None:
        """Rows in which nothing happened, with a share of their masses."""
        targets = [self.number(forest) for forest in rows.forests]
        if self.setting.trees:
            for row, target in enumerate(targets):
                self.arrivals[target].append(BackPointer(layer, row, None, share))
        self.moved.append((np.array(targets, dtype=np.int64), rows.masses * share))

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
        picked = picks(setting, rows, pending)
        by_kind: dict[Kind | None, list[tuple[int, int, float]]] = {}
        for edge in self.edges(rows, pending, observation, picked, share):
            order, after = self.successor(rows.forests[edge.row], edge, pending)
            target = self.number(after)
            if setting.trees:
                self.arrivals[target].append(BackPointer(layer, edge.row, edge, share, time, order))
            by_kind.setdefault(edge.begun, []).append((edge.row, target, edge.weight * share))
        for kind, moved in by_kind.items():
            sources, targets, weights = (np.array(column) for column in zip(*moved, strict=True))
            masses = picked[sources][:, :-1] if kind is None else picked[sources][:, setting.waiting.before(kind)]
            self.moved.append((targets, masses * weights[:, None]))

    def edges(
        self, rows: Hypotheses, pending: Pending, observation: Observation | None, picked: Floats, share: float
    ) -> Iterator[Edge]:
        """Every way in which every forest can go on with an observation, or unseen."""
        forestry = self.setting.forestry
        known = len(forestry.trees)
        for row, forest in enumerate(rows.forests):
            if self.setting.beam is not None and len(forestry.trees) > known + limits.NEW_TREES:
                self.dropped += share * float((rows.masses[row:] @ self.setting.waiting.potential).sum())
                break
            for place, tree in enumerate(forest):
                for step in forestry.steps(tree, observation):
                    yield Edge(row, place, step, pending.chance(tree, step.pick))
        ways = beginnings(self.setting, pending, observation)
        if ways:
            allowed = self.room(rows, [way.goal for way in ways])
            for row, number in self.worthy(picked, ways, allowed, share):
                way = ways[number]
                yield Edge(row, len(rows.forests[row]), way.step, way.weight, way.kind)

    def room(self, rows: Hypotheses, goals: Sequence[str]) -> NDArray[np.bool_]:
        """Which forests, by row, have room for another instance of each goal."""
        setting, trees = self.setting, self.setting.forestry.trees
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
                if begun.count(goal) >= setting.story.most(goal):
                    found[row, columns.get(goal, [])] = False
        return found

    def worthy(
        self, picked: Floats, ways: Sequence[Beginning], allowed: NDArray[np.bool_], share: float
    ) -> Iterator[tuple[int, int]]:
        """The row and the number of each beginning to examine: all that may begin, or those that may gain most mass."""
        setting = self.setting
        if setting.beam is not None and allowed.sum() > limits.BEGINNINGS * setting.beam:
            potential = self.potentials(picked, ways, allowed)
            order = np.argpartition(-potential.ravel(), limits.BEGINNINGS * setting.beam)
            left = order[limits.BEGINNINGS * setting.beam :]
            self.dropped += share * float(potential.ravel()[left].sum())
            allowed = np.zeros(allowed.size, dtype=np.bool_)
            allowed[order[: limits.BEGINNINGS * setting.beam]] = True
            allowed = allowed.reshape(potential.shape) & (potential > 0.0)
        for place, number in zip(*np.nonzero(allowed), strict=True):
            yield int(place), int(number)

    def potentials(self, picked: Floats, ways: Sequence[Beginning], allowed: NDArray[np.bool_]) -> Floats:
        """The most mass that each forest may gain by each way to begin a goal."""
        waiting = self.setting.waiting
        potential = np.zeros(allowed.shape)
        for kind in {way.kind for way in ways}:
            columns = [column for column, way in enumerate(ways) if way.kind == kind]
            rows = picked[:, waiting.before(kind)] @ waiting.potential
            potential[:, columns] = rows[:, None] * np.array([ways[column].weight for column in columns])[None, :]
        return np.asarray(potential * allowed)

    def successor(self, forest: Forest, edge: Edge, pending: Pending) -> tuple[tuple[int, ...], Forest]:
        """A forest after a step, sorted, with abandoned goals emptied, and the place of each tree before."""
        setting = self.setting
        if setting.story.abandon:
            everything = sum(map(pending.of, forest))
            if edge.begun is not None:
                everything += pending.kind(edge.begun)
            forest = tuple(
                tree
                if place == edge.place
                else setting.forestry.idle_tree(tree, pending.of(tree) / everything, setting.story.abandon)
                for place, tree in enumerate(forest)
            )
        found = (*forest[: edge.place], edge.step.target, *forest[edge.place + 1 :])
        if not setting.trees:
            return (), tuple(sorted(found))
        order = tuple(sorted(range(len(found)), key=found.__getitem__))
        return order, tuple(found[place] for place in order)

    def rows(self) -> Hypotheses:
        """All rows as one."""
        kinds, forests = len(self.setting.waiting.kinds), list(self.numbers)
        masses = np.zeros((len(forests), kinds))
        if self.moved:
            targets = np.concatenate([part for part, _ in self.moved])
            moved = np.concatenate([part for _, part in self.moved])
            for kind in range(kinds):
                masses[:, kind] = np.bincount(targets, weights=moved[:, kind], minlength=len(forests))
        return Hypotheses(forests, masses, self.arrivals)
