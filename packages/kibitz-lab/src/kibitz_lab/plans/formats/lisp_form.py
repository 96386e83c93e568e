"""Read and write the and-or trees in Lisp of the SLIM and SPR data: a library, true goals and observations in a list.

    ( ( goal goal ... ) (true-goal ...) A21 A16 ... )        a case; a file holds one, or a list of several
    goal, AND := ( NIL child ... ) | ( ((0 . 1) ...) child ... ) | ( FULL-AND child ... )
    OR := ( OR child ... )

Plans are numbered as in the gold explanations: an OR before its children, an AND after them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kibitz.core.errors import BadPlan, short_repr
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.library import Part, Places, PlanLibrary, Rule, Symbol, chain, check_library

TOKEN = re.compile(r"\s+|(?P<open>\()|(?P<close>\))|(?P<atom>[^\s()]+)")
DEEPEST = 200
"""The deepest nesting of lists."""


class Case(NamedTuple):
    """A library, observations, and the true goals if they are known."""

    library: PlanLibrary
    observations: tuple[Observation, ...] = ()
    goals: tuple[str, ...] = ()


class LispNode(NamedTuple):
    """A list, or an atom (which has no items), and its line."""

    atom: str
    items: tuple["LispNode", ...]
    line: int

    @property
    def is_list(self) -> bool:
        return not self.atom

    @property
    def is_numbers(self) -> bool:
        return self.is_list and bool(self.items) and all(each.atom.isdecimal() for each in self.items)


def parse_list(text: str, source: object) -> LispNode:
    """The one list that a text holds."""
    line = 1
    found: LispNode | None = None
    stack: list[list[LispNode]] = []
    opened: list[int] = []
    for match in TOKEN.finditer(text):
        line += text.count("\n", *match.span())
        if match["open"]:
            stack.append([])
            opened.append(line)
            if len(stack) > DEEPEST:
                raise BadPlan(source, f"lists within lists go deeper than {DEEPEST}", line)
            continue
        if match["close"] or match["atom"]:
            if found is not None or not stack:
                raise BadPlan(source, f"cannot read {short_repr(match[0])}; a file holds one list", line)
            made = (
                LispNode(match["atom"], (), line) if match["atom"] else LispNode("", tuple(stack.pop()), opened.pop())
            )
            if stack:
                stack[-1].append(made)
            else:
                found = made
    if stack or found is None:
        raise BadPlan(source, "the list is not closed; it may be cut off" if stack else "it is empty", line)
    return found


class TreeReader:
    """The reader of one library."""

    def __init__(self, source: object, name: str) -> None:
        self.places, self.name = Places(source), name
        self.count = 0
        self.plans: dict[str, Symbol] = {}
        self.actions: dict[str, Symbol] = {}
        self.rules: list[Rule] = []

    def library(self, tree: LispNode) -> PlanLibrary:
        """The library of a list of goals."""
        if not tree.is_list or not tree.items:
            raise self.error(tree, "a library is a list of goals")
        goals = [self.conjunction(goal) for goal in tree.items]
        priors = dict.fromkeys((part.symbol for part in goals), 1.0 / len(goals))
        return check_library(
            PlanLibrary(priors, self.plans, self.actions, tuple(self.rules), None, self.name), self.places
        )

    def error(self, at: LispNode, why: str) -> BadPlan:
        return BadPlan(self.places.source, why, at.line)

    def add_plan(self, line: int) -> str:
        self.count += 1
        name = f"B{self.count}"
        self.plans[name] = Symbol(name)
        self.places.lines[name] = line
        return name

    def child(self, tree: LispNode) -> Part:
        """A leaf, an OR or an AND."""
        if not tree.is_list:
            self.actions.setdefault(tree.atom, Symbol(tree.atom))
            return Part(tree.atom, True)
        return self.choice(tree) if tree.items and tree.items[0].atom == "OR" else self.conjunction(tree)

    def choice(self, tree: LispNode) -> Part:
        """An OR: as many rules as it has children, all equally likely."""
        name = self.add_plan(tree.line)
        if len(tree.items) < 2:
            raise self.error(tree, "an OR has at least one child")
        for each in tree.items[1:]:
            self.add(Rule(name, (self.child(each),), probability=1.0 / (len(tree.items) - 1)), each)
        return Part(name, False)

    def conjunction(self, tree: LispNode) -> Part:
        """An AND: one rule, with its order."""
        if not tree.is_list or len(tree.items) < 2:
            raise self.error(tree, "expected an AND: an order and at least one child")
        order, *children = tree.items
        parts = tuple(map(self.child, children))
        name = self.add_plan(tree.line)
        self.add(Rule(name, parts, tuple(self.pairs(order, len(parts)))), tree)
        return Part(name, False)

    def add(self, rule: Rule, at: LispNode) -> None:
        self.places.lines[len(self.rules)] = at.line
        self.rules.append(rule)

    def pairs(self, order: LispNode, count: int) -> Iterator[tuple[int, int]]:
        """An order as pairs of places."""
        if order.atom == "FULL-AND":
            yield from chain(count)
            return
        if order.atom != "NIL" and not order.is_list:
            raise self.error(order, f"an order is NIL, FULL-AND or a list of pairs, not {short_repr(order.atom)}")
        for pair in order.items:
            atoms = [each.atom for each in pair.items]
            if len(atoms) != 3 or atoms[1] != "." or not (atoms[0].isdecimal() and atoms[2].isdecimal()):
                raise self.error(pair, "a pair is written (0 . 1)")
            if max(len(atoms[0]), len(atoms[2])) > 9 or max(int(atoms[0]), int(atoms[2])) >= count:
                raise self.error(pair, f"({atoms[0]} . {atoms[2]}) orders children that do not exist")
            yield int(atoms[0]), int(atoms[2])


def parse_lisp(text: str, source: object = "plans") -> list[Case]:
    """The cases that a text holds."""
    whole = parse_list(text, source)
    if not whole.is_list or not whole.items:
        raise BadPlan(source, "it holds no case", whole.line)
    single = len(whole.items) > 1 and whole.items[1].is_numbers
    cases = [whole] if single else whole.items
    return [_case(each, source, f"{source} case {number}") for number, each in enumerate(cases, 1)]


def _case(tree: LispNode, source: object, name: str) -> Case:
    if len(tree.items) < 2 or not tree.items[1].is_numbers:
        raise BadPlan(source, "a case is a list: a library, the numbers of the true goals, and observations", tree.line)
    trees, true, *seen = tree.items
    library = TreeReader(source, name).library(trees)
    goals = list(library.goals)
    for each in true.items:
        if len(each.atom) > 9 or int(each.atom) >= len(goals):
            raise BadPlan(source, f"there is no goal {each.atom}; there are {len(goals)}", each.line)
    for each in seen:
        if each.atom not in library.actions:
            what = short_repr(each.atom) if each.atom else "a list"
            raise BadPlan(source, f"{what} is observed but is not an action of the library", each.line)
    observed = tuple(Observation(each.atom) for each in seen)
    return Case(library, observed, tuple(goals[int(each.atom)] for each in true.items))


def lisp_of(cases: Sequence[Case]) -> str:
    """Cases in Lisp, without names of plans; BadPlan if a library is not an and-or tree with equal probabilities."""
    written = [_case_text(case) for case in cases]
    return written[0] + "\n" if len(written) == 1 else f"({chr(10).join(written)})\n"


def _case_text(case: Case) -> str:
    library = case.library
    goals = list(library.goals)
    if library.depth is not None or any(s.parameters for s in (*library.plans.values(), *library.actions.values())):
        raise _inexpressible(library, "it has a depth or parameters")
    if any(rule.duration is not None or rule.timeout is not None for rule in library.rules):
        raise _inexpressible(library, "its rules have durations or timeouts")
    if len({round(prior, 12) for prior in library.goals.values()}) > 1:
        raise _inexpressible(library, "its goals have different priors")
    writer = TreeWriter(library)
    trees = " ".join(writer.tree(Part(goal, False), choice=False) for goal in goals)
    true = " ".join(str(goals.index(goal)) for goal in case.goals) or "0"
    seen = "".join(f" {each.action}" for each in case.observations)
    return f"(({trees}) ({true}){seen})"


class TreeWriter:
    """The writer of one library."""

    def __init__(self, library: PlanLibrary) -> None:
        self.library, self.rules = library, library.rules_by_plan()
        self.used: set[str] = set()

    def tree(self, part: Part, *, choice: bool) -> str:
        """A leaf, an OR or an AND, with all below it; a rule with one part is an OR where a *choice* is allowed."""
        name = part.symbol
        if part.action:
            if not re.fullmatch(r"[^\s()]+", name):
                raise _inexpressible(self.library, f"there are spaces or brackets in the name {short_repr(name)}")
            return name
        if name in self.used:
            raise _inexpressible(self.library, f"{name!r} is a part in more than one place")
        self.used.add(name)
        rules = [rule for _, rule in self.rules[name]]
        if len(rules) == 1 and (not choice or name in self.library.goals or len(rules[0].parts) > 1):
            return f"({_order(rules[0])} {' '.join(self.tree(each, choice=True) for each in rules[0].parts)})"
        if name in self.library.goals:
            raise _inexpressible(self.library, f"goal {name!r} has several rules")
        if any(len(rule.parts) > 1 or abs(rule.probability * len(rules) - 1.0) > 1e-9 for rule in rules):
            raise _inexpressible(self.library, f"rules of {name!r} have several parts or different probabilities")
        return f"(OR {' '.join(self.tree(rule.parts[0], choice=False) for rule in rules)})"


def _order(rule: Rule) -> str:
    if len(rule.parts) > 2 and rule.order == chain(len(rule.parts)):
        return "FULL-AND"
    return f"({' '.join(f'({first} . {second})' for first, second in rule.order)})" if rule.order else "NIL"


def _inexpressible(library: PlanLibrary, why: str) -> BadPlan:
    return BadPlan(library.name, f"it cannot be written as Lisp, because {why}; write it as .xml or .plans")
