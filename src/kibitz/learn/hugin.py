"""Read and write Bayesian networks as HUGIN's `.net` files.

In `data` the node's own state varies fastest, then that of the last parent, which is the order of our tables. The
nesting of its parentheses is ignored, because programs disagree about it.
"""

import re
from math import prod
from pathlib import Path

import numpy as np

from kibitz.core.errors import BadNetwork
from kibitz.core.files import read_text, write_file
from kibitz.learn.network_scanner import Draft, Scanner, assemble_network, checked_names
from kibitz.learn.networks import Network, Node

PATTERN = re.compile(r'(?P<quoted>"[^"\n]*")|(?P<word>[(){}|=;]|[^\s(){}|=;%"]+)|%[^\n]*|\s+')
NAME = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)


def read_net(path: Path | str) -> Network:
    """Read the network of a HUGIN file."""
    return parse_net(read_text(path, BadNetwork), path)


def write_net(network: Network, path: Path | str) -> None:
    """Write a network as a HUGIN file."""
    write_file(path, net_text(network))


def parse_net(text: str, source: object = "net") -> Network:
    """Parse a network from *text*; errors name *source*."""
    scanner = Scanner(text, source, PATTERN)
    name = "network"
    drafts: dict[str, Draft] = {}
    while not scanner.is_at_end():
        match scanner.word("net, node or potential"):
            case "net":
                name = "".join(_attributes(scanner).get("name", [])[:1]) or name
            case "potential":
                _potential(scanner, drafts)
            case "node" | "discrete" as kind:
                if kind == "discrete":
                    scanner.expect("node")
                draft = _node(scanner)
                if draft.name in drafts:
                    raise BadNetwork(source, f"line {draft.line}: two nodes are called {draft.name!r}")
                drafts[draft.name] = draft
            case _:
                scanner.place -= 1
                raise scanner.error("expected net, node or potential")
    if not drafts:
        raise BadNetwork(source, "it has no node; is it a HUGIN file?")
    return assemble_network(list(drafts.values()), name, source)


def _node(scanner: Scanner) -> Draft:
    line, name = scanner.line, scanner.word("the name of a node")
    states = _attributes(scanner).get("states")
    if not states:
        raise BadNetwork(scanner.source, f"line {line}: node {name!r} has no states")
    return Draft(name, line, tuple(states))


def _attributes(scanner: Scanner) -> dict[str, list[str]]:
    """`{ name = value; … }`, each value as its words."""
    found: dict[str, list[str]] = {}
    scanner.expect("{")
    while not scanner.take("}"):
        name = scanner.word("the name of an attribute")
        scanner.expect("=")
        found[name] = []
        while not scanner.take(";"):
            if scanner.take("(") or scanner.take(")"):
                continue
            found[name].append(scanner.word("a value or ';'"))
    return found


def _potential(scanner: Scanner, drafts: dict[str, Draft]) -> None:
    """`potential ( node | parents ) { data = ( … ); }`, put into the node's draft."""
    line = scanner.line
    scanner.expect("(")
    name = scanner.word("the name of a node")
    parents = []
    if scanner.take("|"):
        while not scanner.ahead(")"):
            parents.append(scanner.word("the name of a parent"))
    scanner.expect(")")
    for each in (name, *parents):
        if each not in drafts:
            raise BadNetwork(scanner.source, f"line {line}: the table of {name!r} names an unknown node {each!r}")
    shape = [len(drafts[each].states) for each in (*parents, name)]
    attributes = _attributes(scanner)
    if "data" not in attributes:
        if attributes:  # a model or an expression, which kibitz does not compute
            raise BadNetwork(scanner.source, f"line {line}: node {name!r} has no data, only {', '.join(attributes)}")
        attributes["data"] = [str(1.0 / shape[-1])] * prod(shape)  # HUGIN: without data, the uniform distribution
    try:
        numbers = [float(word) for word in attributes["data"]]
    except ValueError as error:
        raise BadNetwork(scanner.source, f"line {line}: the data of node {name!r}: {error}") from None
    if len(numbers) != prod(shape):
        why = f"the data of node {name!r} has {len(numbers)} numbers, but {prod(shape)} are needed"
        raise BadNetwork(scanner.source, f"line {line}: {why}")
    drafts[name] = drafts[name]._replace(parents=tuple(parents), table=np.array(numbers).reshape(shape), line=line)


def net_text(network: Network) -> str:
    """The network in HUGIN's format."""
    checked_names(network, lambda name: NAME.match(name) is not None, "HUGIN")
    parts = [f"net\n{{\n    name = {_quote_text(network.name)};\n}}\n"]
    for node in network.nodes.values():
        states = " ".join(_quote_text(state) for state in node.states)
        parts.append(f"node {node.name}\n{{\n    states = ({states});\n}}\n")
    for name in network.order:
        node = network.nodes[name]
        given = f" | {' '.join(node.parents)}" if node.parents else ""
        parts.append(f"potential ({name}{given})\n{{\n    data = {_data(node)};\n}}\n")
    return "\n".join(parts)


def _data(node: Node) -> str:
    def nested_text(table: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> str:
        if table.ndim == 1:
            return f"({' '.join(repr(float(number)) for number in table)})"
        return f"({''.join(nested_text(part) for part in table)})"

    return nested_text(node.table)


def _quote_text(text: str) -> str:
    if '"' in text or "\n" in text or "\r" in text:
        raise BadNetwork("HUGIN", f"files cannot hold the text {text!r}; remove its quotes and line breaks")
    return f'"{text}"'
