"""Read and write Bayesian networks in the Bayesian interchange format, `.bif`."""

import re
from itertools import product
from math import prod
from pathlib import Path

import numpy as np

from kibitz.core.errors import BadNetwork, short_list
from kibitz.core.files import read_text, write_file
from kibitz.learn.network_scanner import Draft, Scanner, assemble_network, checked_names
from kibitz.learn.networks import Network

PATTERN = re.compile(
    r'(?P<quoted>"[^"\n]*")|//[^\n]*|/\*.*?\*/|(?P<word>[(){}\[\]|;,]|(?:(?!//|/\*)[^\s(){}\[\]|;,"])+)|\s+', re.DOTALL
)
WORD = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
STATE = re.compile(r"[A-Za-z0-9_]\w*\Z", re.ASCII)
"""The names of states that the file may hold; many readers accept no others."""


def read_bif(path: Path | str) -> Network:
    """Read the network of a BIF file."""
    return parse_bif(read_text(path, BadNetwork), path)


def write_bif(network: Network, path: Path | str) -> None:
    """Write a network as a BIF file."""
    write_file(path, bif_text(network))


def parse_bif(text: str, source: object = "bif") -> Network:
    """Parse a network from *text*; errors name *source*."""
    scanner = Scanner(text, source, PATTERN)
    name = "network"
    drafts: dict[str, Draft] = {}
    while not scanner.is_at_end():
        match scanner.word("network, variable or probability"):
            case "network":
                name = scanner.word("the name of the network") if not scanner.ahead("{") else name
                scanner.skip_block()
            case "variable":
                draft = _variable(scanner)
                if draft.name in drafts:
                    raise BadNetwork(source, f"line {draft.line}: two nodes are called {draft.name!r}")
                drafts[draft.name] = draft
            case "probability":
                _probability(scanner, drafts)
            case _:
                scanner.place -= 1
                raise scanner.error("expected network, variable or probability")
    if not drafts:
        raise BadNetwork(source, "it has no variable; is it a BIF file?")
    return assemble_network(list(drafts.values()), name, source)


def _variable(scanner: Scanner) -> Draft:
    """`variable name { type discrete [n] { states }; }`."""
    line, name = scanner.line, scanner.word("the name of a variable")
    states: list[str] = []
    scanner.expect("{")
    while not scanner.take("}"):
        if not scanner.take("type"):
            scanner.skip_past(";")  # a property
            continue
        scanner.expect("discrete")
        scanner.expect("[")
        count = scanner.number()
        scanner.expect("]")
        scanner.expect("{")
        while not scanner.take("}"):
            states.append(scanner.word("a state"))
            scanner.take(",")
        scanner.expect(";")
        if len(states) != count:
            why = f"variable {name!r} lists {len(states)} states, but says it has {count:g}"
            raise BadNetwork(scanner.source, f"line {line}: {why}")
    return Draft(name, line, tuple(states))


def _probability(scanner: Scanner, drafts: dict[str, Draft]) -> None:
    """`probability ( name | parents ) { table …; (states) …; default …; }`, put into the node's draft."""
    line = scanner.line
    scanner.expect("(")
    name, parents = scanner.word("the name of a variable"), []
    if scanner.take("|"):
        while not scanner.ahead(")"):
            parents.append(scanner.word("the name of a parent"))
            scanner.take(",")
    scanner.expect(")")
    for each in (name, *parents):
        if each not in drafts:
            raise BadNetwork(scanner.source, f"line {line}: the table of {name!r} names an unknown variable {each!r}")
    shape = [len(drafts[each].states) for each in (*parents, name)]
    table = np.full(shape, np.nan)
    scanner.expect("{")
    while not scanner.take("}"):
        if scanner.take("table"):  # the node's own state changes slowest here, and the last parent's fastest
            numbers = np.reshape(_numbers(scanner, prod(shape), name), [shape[-1], *shape[:-1]])
            table = np.moveaxis(numbers, 0, -1)
        elif scanner.take("default"):
            table = np.where(np.isnan(table), _numbers(scanner, shape[-1], name), table)
        elif scanner.take("("):
            place = _place(scanner, [drafts[parent] for parent in parents])
            table[place] = _numbers(scanner, shape[-1], name)
        else:
            scanner.skip_past(";")
    if np.isnan(table).any():
        missing = int(np.isnan(table).any(axis=-1).sum())
        raise BadNetwork(scanner.source, f"line {line}: the table of {name!r} lacks {missing} of its rows")
    drafts[name] = drafts[name]._replace(parents=tuple(parents), table=table, line=line)


def _place(scanner: Scanner, parents: list[Draft]) -> tuple[int, ...]:
    """`states )`: the row of the table that they name."""
    found: list[int] = []
    while not scanner.take(")"):
        state = scanner.word("a state")
        if len(found) == len(parents) or state not in parents[len(found)].states:
            scanner.place -= 1
            known = short_list(parents[len(found)].states) if len(found) < len(parents) else "no more"
            raise scanner.error(f"expected a parent's state ({known})")
        found.append(parents[len(found)].states.index(state))
        scanner.take(",")
    if len(found) < len(parents):
        raise scanner.error(f"expected the states of {len(parents)} parents before this")
    return tuple(found)


def _numbers(scanner: Scanner, count: int, name: str) -> list[float]:
    """*count* numbers, then `;`."""
    line, found = scanner.line, []
    while not scanner.take(";"):
        found.append(scanner.number())
        scanner.take(",")
    if len(found) != count:
        why = f"the table of {name!r} has {len(found)} numbers here, but {count} are needed"
        raise BadNetwork(scanner.source, f"line {line}: {why}")
    return found


def bif_text(network: Network) -> str:
    """The network as BIF."""
    checked_names(network, lambda name: WORD.match(name) is not None, "BIF")
    title = re.sub(r"\W+", "_", network.name, flags=re.ASCII)
    parts = [f'network "{title}" {{\n}}\n']
    for node in network.nodes.values():
        for state in node.states:
            if STATE.match(state) is None:
                raise BadNetwork(network.name, f"BIF files cannot hold the state {state!r} of node {node.name!r}")
        states = ", ".join(node.states)
        parts.append(f"variable {node.name} {{\n  type discrete [ {len(node.states)} ] {{ {states} }};\n}}\n")
    for name in network.order:
        node = network.nodes[name]
        lines = []
        for place in product(*(range(len(network.nodes[parent].states)) for parent in node.parents)):
            named = [network.nodes[parent].states[at] for parent, at in zip(node.parents, place, strict=True)]
            numbers = ", ".join(repr(float(number)) for number in node.table[place])
            lines.append(f"  ({', '.join(named)}) {numbers};\n" if named else f"  table {numbers};\n")
        given = f" | {', '.join(node.parents)}" if node.parents else ""
        parts.append(f"probability ( {name}{given} ) {{\n{''.join(lines)}}}\n")
    return "\n".join(parts)
