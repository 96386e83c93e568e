"""Discrete Bayesian networks: nodes with states, parents and a table of conditional probabilities.

They only describe a network. `network_files` hands it to pyAgrum, which infers, learns, and reads and writes files.
"""

from collections.abc import Iterable, Mapping
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
        return self._replace(name=names[self.name], parents=tuple(names[parent] for parent in self.parents))


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
        self.order = tuple(self._topological_order())
        """The nodes' names, parents before children."""

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

    def _topological_order(self) -> list[str]:
        ordered: dict[str, None] = {}
        while len(ordered) < len(self.nodes):
            ready = [
                n for n, node in self.nodes.items() if n not in ordered and all(p in ordered for p in node.parents)
            ]
            if not ready:
                left = [name for name in self.nodes if name not in ordered]
                raise BadNetwork(self.name, f"there is a cycle among the nodes {short_list(left)}")
            ordered.update(dict.fromkeys(ready))
        return list(ordered)
