"""Discrete Bayesian networks: nodes with states, parents and a table of conditional probabilities.

They only describe a network. `network_files` hands it to pyAgrum, which infers, learns, and reads and writes files.
"""

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kibitz.core.errors import BadNetwork, short_list

Table = NDArray[np.float64]

ROUNDING = 1e-6
"""Probabilities written with six decimals still add up to 1 within this."""


class Node(NamedTuple):
    """A variable: `table[parents' states …, own state]` is the probability of each state, given the parents."""

    name: str
    states: tuple[str, ...]
    parents: tuple[str, ...]
    table: Table

    @classmethod
    def of(cls, name: str, states: Iterable[str], table: ArrayLike, parents: Iterable[str] = ()) -> "Node":
        """A node from any sequences of states, parents and probabilities."""
        try:
            numbers = np.array(table, np.float64)
        except ValueError:
            raise BadNetwork(f"node {name!r}", "rows of its table must have equal lengths and hold numbers") from None
        return cls(name, tuple(states), tuple(parents), numbers)

    def with_names(self, names: Mapping[str, str]) -> "Node":
        """The same node with other names for itself and its parents."""
        return self._replace(name=names[self.name], parents=tuple(names.get(each, each) for each in self.parents))


class Network:
    """A Bayesian network, checked when it is made.

    >>> Network([
    ...     Node.of("pearl", ["yes", "no"], [0.4, 0.6]),
    ...     Node.of("colour", ["blue", "other"], [[0.3, 0.7], [0.1, 0.9]], parents=["pearl"]),
    ... ], "egg")
    <Network 'egg': 2 nodes, 1 arcs>
    """

    def __init__(self, nodes: Iterable[Node], name: str = "network") -> None:
        self.name = name
        self.nodes: dict[str, Node] = {}
        for node in nodes:
            if node.name in self.nodes:
                raise BadNetwork(name, f"two nodes are called {node.name!r}")
            self.nodes[node.name] = node
        for node in self.nodes.values():
            self._check(node)
        parents = {node.name: node.parents for node in self.nodes.values()}
        try:
            self.order = tuple(TopologicalSorter(parents).static_order())
            """The nodes' names, parents before children."""
        except CycleError as error:
            raise BadNetwork(name, f"there is a cycle among the nodes {short_list(sorted({*error.args[1]}))}") from None

    def __repr__(self) -> str:
        arcs = sum(len(node.parents) for node in self.nodes.values())
        return f"<Network {self.name!r}: {len(self.nodes)} nodes, {arcs} arcs>"

    def _check(self, node: Node) -> None:
        where = f"{self.name}: node {node.name!r}"
        if not node.states or len(set(node.states)) < len(node.states):
            raise BadNetwork(where, "it needs states, all different")
        if len(set(node.parents)) < len(node.parents):
            raise BadNetwork(where, "a parent is named twice")
        for parent in node.parents:
            if parent not in self.nodes:
                raise BadNetwork(where, f"its parent {parent!r} is not a node of the network")
        wanted = (*(len(self.nodes[parent].states) for parent in node.parents), len(node.states))
        if node.table.shape != wanted:
            raise BadNetwork(where, f"its table has the shape {node.table.shape}, but {wanted} is needed")
        if not np.isfinite(node.table).all() or (node.table < 0.0).any():
            raise BadNetwork(where, "a probability in its table is negative or not a number")
        sums = node.table.sum(axis=-1)
        if (np.abs(sums - 1.0) > ROUNDING).any():
            worst = float(sums.flat[int(np.abs(sums - 1.0).argmax())])
            raise BadNetwork(where, f"probabilities in its table add up to {worst:.6g}, not to 1")


def chain_slices(
    slices: Sequence[Sequence[Node]],
    count: int,
    links: Mapping[str, str],
    first: Sequence[Node],
    *,
    shared: Sequence[Node] = (),
    lag: int = 1,
    name: str = "chain",
) -> Network:
    """*count* slices in a row: a dynamic network (Pedersen 2008, sections 2.2 and 2.3). Several kinds alternate.

    The node `Inf` of slice 3 is called `Inf_3`. Roots in *first* stand for the past of the first *lag* slices; in later
    ones *links* says which node of the slice *lag* places before stands there. All slices see the *shared* nodes.
    """
    nodes = list(shared)
    for number in range(1, count + 1):
        own = slices[(number - 1) % len(slices)]
        names = {node.name: f"{node.name}_{number}" for node in (*own, *first)}
        if number <= lag:
            nodes += [node.with_names(names) for node in first]
        else:
            names |= {past: f"{now}_{number - lag}" for past, now in links.items()}
        nodes += [node.with_names(names) for node in own]
    return Network(nodes, name)
