"""Networks as objects (Pedersen 2008, sections 2.2 and 2.3): classes with input and output nodes, instances, chains.

An input node stands for a node of another instance, as a formal parameter does; an output node may be bound to it if it
has the same states. A chain of instances of one class is a dynamic network.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kibitz.core.errors import BadNetwork, short_list
from kibitz.learn.networks import Network, Node, Table


class Input(NamedTuple):
    """A node to be bound; *default* is its distribution if it is left unbound."""

    name: str
    states: tuple[str, ...]
    default: Table | None = None

    @classmethod
    def of(cls, name: str, states: Iterable[str], default: ArrayLike | None = None) -> "Input":
        """An input from any sequences of states and probabilities."""
        return cls(name, tuple(states), None if default is None else np.array(default, np.float64))


class NetworkClass:
    """A piece of network with an interface: inputs to bind, outputs to bind them to, and hidden inner nodes."""

    def __init__(
        self, name: str, nodes: Iterable[Node], inputs: Iterable[Input] = (), outputs: Iterable[str] | None = None
    ) -> None:
        self.name, self.nodes, self.inputs = name, tuple(nodes), tuple(inputs)
        own = [node.name for node in self.nodes]
        self.outputs = tuple(own if outputs is None else outputs)
        for output in self.outputs:
            if output not in own:
                raise BadNetwork(f"class {name}", f"its output {output!r} is not one of its nodes {short_list(own)}")
        Network([*self._stand_ins(), *self.nodes], f"class {name}")  # raises if it is invalid

    def _stand_ins(self) -> list[Node]:
        return [Node(each.name, each.states, (), _default(each)) for each in self.inputs]

    def input(self, name: str) -> Input:
        """The input called *name*."""
        for each in self.inputs:
            if each.name == name:
                return each
        raise BadNetwork(f"class {self.name}", f"it has no input {name!r}; {_name_list('inputs', self.inputs)}")


class Assembly:
    """Builds one network of nodes and of instances of classes.

    A node of an instance is called `node_instance`: `Inf_3` is the node `Inf` of the instance `3`.
    """

    def __init__(self, name: str = "network") -> None:
        self.name = name
        self.nodes: dict[str, Node] = {}
        self.hidden: set[str] = set()

    def add(self, node: Node) -> str:
        """Add a plain node; its parents may be outputs of instances. Return its name."""
        for parent in node.parents:
            self._visible(parent, f"node {node.name!r}")
        return self._add_node(node)

    def instance(self, of: NetworkClass, name: str, bound: Mapping[str, str] | None = None) -> dict[str, str]:
        """Add an instance, with each input bound to an existing node; return the outputs' full names."""
        where, bound = f"instance {name!r} of {of.name}", dict(bound or {})
        names = {}
        for wanted in bound:
            of.input(wanted)
        for each in of.inputs:
            names[each.name] = self._bind_input(each, bound.get(each.name), f"{each.name}_{name}", where)
        names |= {node.name: f"{node.name}_{name}" for node in of.nodes}
        for node in of.nodes:
            self._add_node(node.with_names(names))
        self.hidden |= {names[node.name] for node in of.nodes if node.name not in of.outputs}
        return {output: names[output] for output in of.outputs}

    def network(self) -> Network:
        """The network built so far."""
        return Network(self.nodes.values(), self.name)

    def _bind_input(self, wanted: Input, actual: str | None, own_name: str, where: str) -> str:
        if actual is None:
            if wanted.default is None:
                raise BadNetwork(where, f"its input {wanted.name!r} is not bound and has no default")
            return self._add_node(Node(own_name, wanted.states, (), wanted.default))
        states = self._visible(actual, where).states
        if states != wanted.states:
            theirs, ours = short_list(states), short_list(wanted.states)
            raise BadNetwork(where, f"input {wanted.name!r} has the states {ours}, but {actual!r} has {theirs}")
        return actual

    def _visible(self, name: str, where: str) -> Node:
        if name not in self.nodes:
            raise BadNetwork(where, f"there is no node {name!r} to bind to; add it first")
        if name in self.hidden:
            raise BadNetwork(where, f"{name!r} is an inner node of its instance, not an output")
        return self.nodes[name]

    def _add_node(self, node: Node) -> str:
        if node.name in self.nodes:
            raise BadNetwork(self.name, f"two nodes are called {node.name!r}")
        self.nodes[node.name] = node
        return node.name


def chain_instances(
    of: NetworkClass | Sequence[NetworkClass],
    count: int,
    links: Mapping[str, str],
    *,
    shared: Mapping[str, Node] | None = None,
    lag: int = 1,
    first: int = 1,
    name: str = "chain",
) -> Network:
    """*count* instances in a row, numbered from *first*: a dynamic network.

    Several classes alternate. *links* binds an input to the named output of the instance *lag* places before; the first
    instances keep their defaults. *shared* binds inputs of all instances to one node.
    """
    turns = [of] if isinstance(of, NetworkClass) else list(of)
    built = Assembly(name)
    everywhere = {wanted: built.add(node) for wanted, node in (shared or {}).items()}
    made: list[dict[str, str]] = []
    for number in range(count):
        own, bound = turns[number % len(turns)], dict(everywhere)
        if number >= lag:
            before = turns[(number - lag) % len(turns)]
            bound |= {wanted: _output(made[number - lag], before, output) for wanted, output in links.items()}
        made.append(built.instance(own, str(first + number), bound))
    return built.network()


def _output(outputs: Mapping[str, str], of: NetworkClass, name: str) -> str:
    if name not in outputs:
        raise BadNetwork(f"class {of.name}", f"it has no output {name!r}; it has {short_list(of.outputs)}")
    return outputs[name]


def _default(wanted: Input) -> Table:
    return np.full(len(wanted.states), 1.0 / len(wanted.states)) if wanted.default is None else wanted.default


def _name_list(what: str, named: Sequence[Input]) -> str:
    return f"its {what} are {short_list([each.name for each in named])}"
