"""Reads `.efg` and `.nfg` files: into a tree of nodes, or a table of payoffs; errors name the file and line."""

import re
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path

import msgspec

from kibitz.core.errors import BadDefinition
from kibitz.core.files import read_text

LARGEST = 20_000_000
"""Largest file, in bytes."""
MOST_NODES = 200_000
MOST_CELLS = 1_000_000
TOKEN = re.compile(r'\s*(?:(?P<string>"(?:[^"\\]|\\.)*")|(?P<mark>[{},])|(?P<word>[^\s{},"]+))', re.DOTALL)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?(?:/\d+)?")
CHANCE, PLAYER, TERMINAL = "c", "p", "t"


class Token(msgspec.Struct, frozen=True, gc=False):
    """A word, mark or string of a file."""

    kind: str
    text: str
    line: int


class Node(msgspec.Struct):
    """A node of a tree. Players are counted from 0; chance nodes have *shares*."""

    kind: str
    line: int
    parent: int = -1
    action: int = -1
    """Which action of the parent leads here."""
    depth: int = 0
    player: int = -1
    set_number: int = 0
    """The number of its information set among the player's."""
    actions: tuple[str, ...] = ()
    shares: tuple[float, ...] = ()
    payoffs: tuple[float, ...] = ()
    """What is paid on arriving here, per player; empty if nothing is."""
    children: list[int] = []


class Tree(msgspec.Struct):
    """An extensive game: its title, players and nodes, the root first."""

    title: str
    players: tuple[str, ...]
    nodes: list[Node]


class PayoffTable(msgspec.Struct):
    """A game in normal form: the strategies of each player, and the payoffs of each combination."""

    title: str
    players: tuple[str, ...]
    strategies: tuple[tuple[str, ...], ...]
    payoffs: dict[tuple[int, ...], tuple[float, ...]]


def read_game_file(path: Path | str) -> Tree | PayoffTable:
    """The game of a file; what it is says its first word."""
    return parse_game(read_text(path, BadDefinition, largest=LARGEST), path)


def parse_game(text: str, source: object = "text") -> Tree | PayoffTable:
    """The game that *text* states."""
    scanner = Scanner(text, source)
    first = scanner.next_token()
    if first.text == "EFG":
        return parse_tree(scanner)
    if first.text == "NFG":
        return parse_table(scanner)
    raise scanner.error("a Gambit file begins with EFG or NFG", first)


class Scanner:
    """The tokens of a file, one after another."""

    def __init__(self, text: str, source: object) -> None:
        self.text, self.source = text, source
        self.position, self.line = 0, 1
        self.ahead: Token | None = None

    def error(self, why: str, token: Token | None = None) -> BadDefinition:
        where = token or self.ahead
        line = where.line if where is not None else self.line
        found = f", found {where.text[:30]!r}" if where is not None and where.kind != "end" else ""
        return BadDefinition(self.source, f"{why}{found}", line)

    def peek(self) -> Token:
        if self.ahead is None:
            self.ahead = self.scan()
        return self.ahead

    def scan(self) -> Token:
        match = TOKEN.match(self.text, self.position)
        if match is None or match.lastgroup is None:
            rest = self.text[self.position :].lstrip()
            line = self.line + self.text.count("\n", self.position, len(self.text) - len(rest))
            if rest:
                raise BadDefinition(self.source, f"a text that does not end: {rest[:20]!r}", line)
            return Token("end", "the end", line)
        kind = match.lastgroup
        start = match.start(kind)
        line = self.line + self.text.count("\n", self.position, start)
        self.line = line + self.text.count("\n", start, match.end())
        self.position = match.end()
        return Token(kind, match[kind], line)

    def next_token(self) -> Token:
        token = self.peek()
        self.ahead = None
        return token

    def is_mark(self, mark: str) -> bool:
        token = self.peek()
        return token.kind == "mark" and token.text == mark

    def expect(self, mark: str, why: str) -> None:
        if not self.is_mark(mark):
            raise self.error(f"expected {mark!r} {why}")
        self.next_token()

    def string(self, why: str) -> str:
        token = self.next_token()
        if token.kind != "string":
            raise self.error(f"expected {why} in quotes", token)
        return " ".join(re.sub(r"\\(.)", r"\1", token.text[1:-1]).split())

    def optional_string(self) -> str | None:
        return self.string("a name") if self.peek().kind == "string" else None

    def whole_number(self, why: str, least: int = 0) -> int:
        token = self.next_token()
        if not token.text.isascii() or not token.text.isdecimal() or len(token.text) > 9 or int(token.text) < least:
            raise self.error(f"expected {why}, a whole number from {least} on", token)
        return int(token.text)

    def number(self, why: str) -> Fraction:
        token = self.next_token()
        if token.kind != "word" or not NUMBER.fullmatch(token.text):
            raise self.error(f"expected {why}, a number such as 2, 0.5 or 1/3", token)
        over, _, under = token.text.partition("/")
        if under and int(under) == 0:
            raise self.error(f"expected {why}, but it divides by 0", token)
        found = Fraction(over) / (int(under) if under else 1)
        if abs(found) > 10**30:
            raise self.error(f"{why} is too large", token)
        return found

    def names(self, why: str) -> tuple[str, ...]:
        self.expect("{", f"before {why}")
        found = []
        while not self.is_mark("}"):
            found.append(self.string(why))
        self.next_token()
        return tuple(found)

    def payoffs(self, count: int) -> tuple[float, ...]:
        """Payoffs in braces, one per player."""
        self.expect("{", "before the payoffs")
        found = []
        while not self.is_mark("}"):
            found.append(float(self.number("a payoff")))
            if self.is_mark(","):
                self.next_token()
        if len(found) != count:
            raise self.error(f"{len(found)} payoffs for {count} players")
        self.next_token()
        return tuple(found)


def _heading(scanner: Scanner) -> tuple[str, tuple[str, ...]]:
    """The title and the players, behind the first word."""
    scanner.whole_number("the version of the format", 1)
    letter = scanner.next_token()
    if letter.text not in ("R", "D"):
        raise scanner.error("expected R or D", letter)
    title = scanner.string("the title")
    players = scanner.names("the players")
    if not 1 <= len(players) <= 10:
        raise scanner.error(f"{len(players)} players; kibitz has 1 to 10")
    return title, players


class _TreeFacts(msgspec.Struct):
    """What nodes say about sets and outcomes, which later nodes may leave out."""

    actions: dict[tuple[int, int], tuple[str, ...]] = {}
    shares: dict[int, tuple[float, ...]] = {}
    outcomes: dict[int, tuple[float, ...]] = {}


def parse_tree(scanner: Scanner) -> Tree:
    """The tree of an `.efg` file, whose nodes come parents first."""
    title, players = _heading(scanner)
    scanner.optional_string()
    tree, facts = Tree(title, players, []), _TreeFacts()
    open_nodes: list[int] = []
    passed: set[tuple[int, int]] = set()
    """The information sets on the path to the next node."""
    while True:
        token = scanner.next_token()
        if token.kind == "end" or token.text not in (CHANCE, PLAYER, TERMINAL):
            raise scanner.error("expected a node: c, p or t", token)
        node = _parse_node(scanner, token, len(players), facts)
        number = len(tree.nodes)
        if number >= MOST_NODES:
            raise scanner.error(f"more than {MOST_NODES:,} nodes", token)
        if open_nodes:
            parent = tree.nodes[open_nodes[-1]]
            node.parent, node.action, node.depth = open_nodes[-1], len(parent.children), parent.depth + 1
            parent.children.append(number)
        tree.nodes.append(node)
        if node.kind != TERMINAL:
            if node.kind == PLAYER and (node.player, node.set_number) in passed:
                raise scanner.error(f"play passes information set {node.set_number} twice (absent-mindedness)", token)
            open_nodes.append(number)
            passed.add((node.player, node.set_number))
        while open_nodes and len(tree.nodes[open_nodes[-1]].children) == len(tree.nodes[open_nodes[-1]].actions):
            done = tree.nodes[open_nodes.pop()]
            passed.discard((done.player, done.set_number))
        if not open_nodes:
            break
    if scanner.peek().kind != "end":
        raise scanner.error("the tree is complete, but more follows")
    return tree


def _parse_node(scanner: Scanner, token: Token, players: int, facts: _TreeFacts) -> Node:
    node = Node(token.text, token.line)
    scanner.string("the name of the node")
    if node.kind == PLAYER:
        node.player = scanner.whole_number("the player", 1) - 1
        if node.player >= players:
            raise scanner.error(f"there is no player {node.player + 1}", token)
    if node.kind != TERMINAL:
        node.set_number = scanner.whole_number("the number of the information set")
        _parse_actions(scanner, node, token, facts)
    outcome = scanner.whole_number("the number of the outcome")
    named = scanner.optional_string() is not None
    if scanner.is_mark("{"):
        payoffs = scanner.payoffs(players)
        if outcome == 0:
            raise scanner.error("outcome 0 has no payoffs", token)
        if facts.outcomes.setdefault(outcome, payoffs) != payoffs:
            raise scanner.error(f"outcome {outcome} has other payoffs before", token)
    elif outcome and outcome not in facts.outcomes:
        raise scanner.error(f"outcome {outcome} has no payoffs{'' if named else ' yet'}", token)
    node.payoffs = facts.outcomes.get(outcome, ())
    return node


def _parse_actions(scanner: Scanner, node: Node, token: Token, facts: _TreeFacts) -> None:
    """The actions of a node, and the probabilities of chance."""
    scanner.optional_string()
    place = (node.player, node.set_number)
    if scanner.is_mark("{"):
        scanner.next_token()
        names, shares = [], []
        while not scanner.is_mark("}"):
            names.append(scanner.string("an action"))
            if node.kind == CHANCE:
                shares.append(scanner.number("a probability"))
                if scanner.is_mark(","):
                    scanner.next_token()
        scanner.next_token()
        if not names:
            raise scanner.error("a node without actions", token)
        if node.kind == CHANCE and (abs(float(sum(shares)) - 1.0) > 1e-6 or any(share < 0 for share in shares)):
            raise scanner.error(f"the probabilities add up to {float(sum(shares)):g}, not 1", token)
        actions = unique_names(names)
        if facts.actions.setdefault(place, actions) != actions:
            raise scanner.error(f"information set {node.set_number} has other actions before", token)
        if node.kind == CHANCE:
            listed = tuple(float(share / sum(shares)) for share in shares)
            if facts.shares.setdefault(node.set_number, listed) != listed:
                raise scanner.error(
                    f"chance has other probabilities in information set {node.set_number} before", token
                )
    if place not in facts.actions:
        raise scanner.error(f"information set {node.set_number} has no actions yet", token)
    node.actions = facts.actions[place]
    node.shares = facts.shares[node.set_number] if node.kind == CHANCE else ()


def parse_table(scanner: Scanner) -> PayoffTable:
    """The table of an `.nfg` file: payoffs one by one, or by outcomes; the first player's strategy changes fastest."""
    title, players = _heading(scanner)
    strategies = _strategies(scanner, len(players))
    cells = prod(map(len, strategies))
    if cells > MOST_CELLS:
        raise scanner.error(f"more than {MOST_CELLS:,} combinations of strategies")
    scanner.optional_string()
    combinations = (tuple(reversed(each)) for each in product(*(range(len(own)) for own in reversed(strategies))))
    table = PayoffTable(title, players, strategies, {})
    if scanner.is_mark("{"):
        outcomes = _outcomes(scanner, len(players))
        for each in combinations:
            number = scanner.whole_number("the number of an outcome")
            if number > len(outcomes):
                raise scanner.error(f"there is no outcome {number}")
            table.payoffs[each] = outcomes[number - 1] if number else (0.0,) * len(players)
    else:
        for each in combinations:
            table.payoffs[each] = tuple(float(scanner.number("a payoff")) for _ in players)
    if scanner.peek().kind != "end":
        raise scanner.error("the table is complete, but more follows")
    return table


def _strategies(scanner: Scanner, players: int) -> tuple[tuple[str, ...], ...]:
    """The strategies of all players, by name or by number."""
    scanner.expect("{", "before the strategies")
    found = []
    while not scanner.is_mark("}"):
        if scanner.is_mark("{"):
            found.append(unique_names(scanner.names("a strategy")))
        else:
            count = scanner.whole_number("the number of strategies", 1)
            if count > MOST_CELLS:
                raise scanner.error(f"more than {MOST_CELLS:,} strategies")
            found.append(tuple(str(number + 1) for number in range(count)))
    scanner.next_token()
    if len(found) != players or not all(found):
        raise scanner.error(f"strategies for {len(found)} of {players} players")
    return tuple(found)


def _outcomes(scanner: Scanner, players: int) -> list[tuple[float, ...]]:
    """A list of outcomes, each with its name and payoffs."""
    scanner.expect("{", "before the outcomes")
    found = []
    while not scanner.is_mark("}"):
        scanner.expect("{", "before an outcome")
        scanner.optional_string()
        payoffs = []
        while not scanner.is_mark("}"):
            payoffs.append(float(scanner.number("a payoff")))
            if scanner.is_mark(","):
                scanner.next_token()
        if len(payoffs) != players:
            raise scanner.error(f"{len(payoffs)} payoffs for {players} players")
        scanner.next_token()
        found.append(tuple(payoffs))
    scanner.next_token()
    return found


def unique_names(names: "list[str] | tuple[str, ...]") -> tuple[str, ...]:
    """Names that tell actions apart: an empty one is its number, and one that occurs twice gets a number."""
    found: list[str] = []
    for number, name in enumerate(names, 1):
        known = {each.casefold() for each in found}
        base = " ".join(part for part in name.split() if part.isprintable()) or str(number)
        candidate, count = base, 2
        while candidate.casefold() in known:
            candidate, count = f"{base} ({count})", count + 1
        found.append(candidate)
    return tuple(found)
