"""Networks in pyAgrum, which infers, learns, and reads and writes files: `.net` of HUGIN, `.bif` and others.

It needs the extra `networks`. pyAgrum reads and keeps files in single precision.
"""

import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.errors import BadNetwork, MissingPackage
from kibitz.learn.networks import Network, Node


def load_pyagrum() -> Any:
    """pyAgrum; raises MissingPackage with the command that installs it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its import warns, and crashes where warnings are errors
            return import_module("pyagrum")
    except ModuleNotFoundError:
        raise MissingPackage("pyagrum", "networks") from None


def agrum_network(network: Network) -> Any:
    """The same network as a `pyagrum.BayesNet`."""
    gum = load_pyagrum()
    made = gum.BayesNet(network.name)
    for name in network.order:
        made.add(gum.LabelizedVariable(name, name, list(network.nodes[name].states)))
    for name in network.order:
        node = network.nodes[name]
        for parent in node.parents:
            made.addArc(parent, name)
        for place in np.ndindex(*node.table.shape):
            made.cpt(name)[dict(zip((*node.parents, name), place, strict=True))] = float(node.table[place])
    return made


def kibitz_network(made: Any) -> Network:
    """The same network as a `pyagrum.BayesNet`; rows that were rounded are rescaled to add up to 1."""
    nodes = []
    for number in made.topologicalOrder():
        variable, table = made.variable(number), made.cpt(number)
        name, *parents = table.names
        axes = [table.names[::-1].index(each) for each in (*parents, name)]  # pyAgrum's array lists them backwards
        shares = np.transpose(np.array(table.toarray(), np.float64), axes)
        nodes.append(Node(name, tuple(variable.labels()), tuple(parents), shares / shares.sum(axis=-1, keepdims=True)))
    return Network(nodes, made.propertyWithDefault("name", "network"))


def read_network(path: Path | str) -> Network:
    """Read the network in a file; the ending of its name is its format."""
    gum = load_pyagrum()
    try:
        return kibitz_network(gum.loadBN(str(path)))
    except gum.GumException as error:
        raise BadNetwork(path, " ".join(str(error).split())) from None


def write_network(network: Network, path: Path | str) -> None:
    """Write a network to a file; the ending of its name is its format."""
    gum = load_pyagrum()
    try:
        gum.saveBN(agrum_network(network), str(path))
    except gum.GumException as error:
        raise BadNetwork(path, " ".join(str(error).split())) from None
