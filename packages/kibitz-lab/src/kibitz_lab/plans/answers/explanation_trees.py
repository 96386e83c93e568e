"""Explanations as trees: the nodes, and walks over them that do not depend on the depth."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Literal

import msgspec

from kibitz.core.kit.plans import Observation, name_with_values
from kibitz_lab.plans.library import Part, PlanLibrary

State = Literal["done", "open", "to do"]
"""All of a node is done, some of it, or nothing."""


class Branch:
    """A node of an explanation: its parts once a rule is chosen, and when it was done."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.rule: int | None = None
        self.parts: list[Branch] = []
        self.time: int | None = None
        self.done = False
        self.values: tuple[str | None, ...] = ()
        """The values of its parameters as far as the observations tell, once `bind_parameters` was called."""

    def __str__(self) -> str:
        return name_with_values(self.part.symbol, self.values)

    def grow(self, library: PlanLibrary, path: Sequence[tuple[int, int]]) -> "Branch":
        """Choose rules down a path, and return the node at its end."""
        here = self
        for rule, place in path:
            here.rule = rule
            here.parts = [Branch(part) for part in library.rules[rule].parts]
            here = here.parts[place]
        return here

    def at(self, places: Sequence[int]) -> "Branch":
        """The node at the end of *places*."""
        here = self
        for place in places:
            here = here.parts[place]
        return here

    def walk(self) -> Iterator["Branch"]:
        """This node and all below, parents first."""
        waiting = [self]
        while waiting:
            here = waiting.pop()
            yield here
            waiting += reversed(here.parts)

    def walk_up(self) -> Iterator["Branch"]:
        """This node and all below, parts first."""
        return reversed(list(self.walk()))

    def times(self) -> frozenset[int]:
        """Which observations belong to it."""
        return frozenset(each.time for each in self.walk() if each.time is not None)

    def complete(self) -> bool:
        """Whether all of it is done."""
        return all(each.done if each.part.action else each.parts for each in self.walk())

    def has_begun(self) -> bool:
        """Whether some of it was done."""
        return self.done or bool(self.parts)

    def history(self, places: Callable[[int], list[list[int]]], numbers: dict[Hashable, int]) -> int:
        """The number of its rules and observations in *numbers*, equal for interchanged parts.

        *places* are the interchangeable parts of a rule.
        """
        known: dict[int, int] = {}
        for each in self.walk_up():
            key: Hashable = each.part, each.time, each.done
            if each.rule is not None:
                own = (Counter(known[id(each.parts[place])] for place in group) for group in places(each.rule))
                key = each.rule, tuple(frozenset(counted.items()) for counted in own)
            known[id(each)] = numbers.setdefault(key, len(numbers))
        return known[id(self)]


class TreeNode(msgspec.Struct, omit_defaults=True):
    """A node of a tree as data: trees are lists of nodes, parents first, so that they may be of any depth."""

    name: str
    kind: Literal["plan", "action"]
    state: State
    parent: int | None = None
    """The number of its parent in the list, from 0."""
    bindings: dict[str, str] = {}
    """The parameters whose values are known."""
    rule: int | None = None
    """Which rule of the plan was chosen, from 1."""
    observation: int | None = None
    """The number of the observation, from 1; of an action that is done but was not seen there is none."""


def tree_nodes(library: PlanLibrary, root: Branch) -> list[TreeNode]:
    """A tree as data."""
    states = node_states(root)
    own_rules = {number: place for own in library.rules_by_plan().values() for place, (number, _) in enumerate(own, 1)}
    numbers: dict[int, int] = {}
    parents: dict[int, int] = {}
    found = []
    for number, branch in enumerate(root.walk()):
        numbers[id(branch)] = number
        parents.update(dict.fromkeys(map(id, branch.parts), number))
        names = library.symbol(branch.part).parameters
        known = {name: value for name, value in zip(names, branch.values, strict=False) if value is not None}
        node = TreeNode(
            branch.part.symbol,
            "action" if branch.part.action else "plan",
            states[id(branch)],
            parents.get(id(branch)),
            known,
            None if branch.rule is None else own_rules[branch.rule],
            None if branch.time is None else branch.time + 1,
        )
        found.append(node)
    return found


def node_states(root: Branch) -> dict[int, State]:
    """The state of every node, by its id."""
    found: dict[int, State] = {}
    for branch in root.walk_up():
        below = {found[id(part)] for part in branch.parts}
        found[id(branch)] = "done" if branch.done or below == {"done"} else "open" if branch.parts else "to do"
    return found


def bind_parameters(library: PlanLibrary, root: Branch, observations: Sequence[Observation]) -> None:
    """Give every node the values of its parameters that follow from the observations."""
    leaders: dict[tuple[int, str], tuple[int, str]] = {}
    known: dict[tuple[int, str], str] = {}

    def leader(slot: tuple[int, str]) -> tuple[int, str]:
        while (above := leaders.get(slot, slot)) != slot:
            slot = leaders[slot] = leaders.get(above, above)
        return slot

    every = list(root.walk())
    for branch in every:
        for group in library.rules[branch.rule].equal if branch.rule is not None else ():
            slots = [(id(branch.parts[index - 1] if index else branch), name) for index, name in group]
            for slot in slots[1:]:
                leaders[leader(slot)] = leader(slots[0])
    for branch in every:
        names = library.symbol(branch.part).parameters
        seen = observations[branch.time].values if branch.time is not None else ()
        for name, value in zip(names, seen, strict=False):
            if value is not None:
                known[leader((id(branch), name))] = value
    for branch in every:
        names = library.symbol(branch.part).parameters
        branch.values = tuple(known.get(leader((id(branch), name))) for name in names)
