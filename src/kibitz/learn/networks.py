"""Discrete Bayesian networks: nodes with states, parents and a table of conditional probabilities."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kibitz.core.errors import BadNetwork, ImpossibleEvidence, short_list
from kibitz.learn.inference import Factor, product_without

Table = NDArray[np.float64]
Evidence = Mapping[str, str]
"""The state each observed node is in."""

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

    >>> egg = Network([
    ...     Node.of("pearl", ["yes", "no"], [0.4, 0.6]),
    ...     Node.of("colour", ["blue", "other"], [[0.3, 0.7], [0.1, 0.9]], parents=["pearl"]),
    ... ])
    >>> round(egg.posterior("pearl", {"colour": "blue"})["yes"], 6)
    0.666667
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

    def node(self, name: str) -> Node:
        """The node called *name*."""
        if name not in self.nodes:
            raise BadNetwork(self.name, f"no node is called {name!r}; there are {short_list(list(self.nodes))}")
        return self.nodes[name]

    def state(self, name: str, state: str) -> int:
        """The number of a node's state."""
        states = self.node(name).states
        if state not in states:
            raise BadNetwork(self.name, f"node {name!r} has no state {state!r}; it has {short_list(states)}")
        return states.index(state)

    def probability(self, evidence: Evidence) -> float:
        """P(e), the joint probability of all observations; 0 if they are impossible."""
        return float(self.joint((), evidence))

    def posterior(self, name: str, evidence: Evidence | None = None) -> dict[str, float]:
        """P(node | e) for each of its states; raises ImpossibleEvidence if P(e) = 0."""
        joint = self.joint((name,), evidence or {})
        total = float(joint.sum())
        if total <= 0.0:
            raise ImpossibleEvidence(", ".join(f"{each}={state}" for each, state in (evidence or {}).items()))
        return dict(zip(self.node(name).states, (joint / total).tolist(), strict=True))

    def joint(self, names: Sequence[str], evidence: Evidence) -> Table:
        """P(names, e) with an axis per name; an observed name has all its weight on the observed state."""
        seen = {name: self.state(name, state) for name, state in evidence.items()}
        needed = self.ancestors([*names, *seen])
        factors = [Factor((*node.parents, name), node.table) for name, node in self.nodes.items() if name in needed]
        found = product_without([factor.condition_on(seen) for factor in factors], keep=set(names) - set(seen))
        inner = found.arrange_axes([name for name in names if name not in seen])
        spread = np.zeros([len(self.node(name).states) for name in names])
        place: tuple[Any, ...] = tuple(seen.get(name, slice(None)) for name in names)
        spread[place] = inner
        return spread

    def ancestors(self, names: Iterable[str]) -> set[str]:
        """The named nodes and all their ancestors; the others sum out to 1."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.node(name).parents
        return found

    def with_tables(self, tables: Mapping[str, Table]) -> "Network":
        """The same network with some tables replaced."""
        nodes = [node._replace(table=tables.get(name, node.table)) for name, node in self.nodes.items()]
        return Network(nodes, self.name)

    def same_as(self, other: "Network", tolerance: float = 0.0) -> bool:
        """Whether nodes, states, parents and, within *tolerance*, tables are equal, in any order of nodes."""
        return self.nodes.keys() == other.nodes.keys() and all(
            node[:3] == other.nodes[name][:3] and np.allclose(node.table, other.nodes[name].table, 0.0, tolerance)
            for name, node in self.nodes.items()
        )

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
