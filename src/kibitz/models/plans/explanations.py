"""Explanations as trees, rebuilt from the histories of a recogniser: which actions serve which goals."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from math import exp
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from kibitz.core.errors import BadPlan, short_list
from kibitz.models.plans.histories import histories
from kibitz.models.plans.hypotheses import BackPointer
from kibitz.models.plans.library import Observation, Part, PlanLibrary, interchangeable
from kibitz.models.plans.recogniser import Recogniser
from kibitz.models.plans.xml_form import Element, parse_elements, without_declaration

HIDDEN = 20
"""Histories to examine per explanation wanted, if an explanation may have several; at least as many as for FEW."""
FEW = 50
EXACT = 1e-9
"""Probabilities count as exact if the unexamined histories have at most this share."""
Shape = tuple[str, tuple["Shape", ...]]
"""The names in a tree, from the root down."""


class Branch:
    """A node of an explanation: its parts once a rule is chosen, and when it was done."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.rule: int | None = None
        self.parts: list[Branch] = []
        self.time: int | None = None
        self.done = False

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
        yield self
        for part in self.parts:
            yield from part.walk()

    def times(self) -> frozenset[int]:
        """Which observations belong to it."""
        return frozenset(each.time for each in self.walk() if each.time is not None)

    def complete(self) -> bool:
        """Whether all of it is done."""
        return self.done if self.part.action else bool(self.parts) and all(part.complete() for part in self.parts)

    def has_begun(self) -> bool:
        """Whether some of it was done."""
        return self.done or bool(self.parts)

    def history(self, places: Callable[[int], list[list[int]]]) -> Hashable:
        """Its rules and observations as a key, equal for interchanged parts; *places* are the interchangeable ones."""
        if self.rule is None:
            return self.part, self.time, self.done
        own = (Counter(self.parts[place].history(places) for place in group) for group in places(self.rule))
        return self.rule, tuple(frozenset(each.items()) for each in own)

    def shape(self) -> Shape:
        """The names in it; of open nodes only their own name."""
        return self.part.symbol, tuple(part.shape() for part in self.parts)


class Explanation(NamedTuple):
    """Trees that together explain the observations, the first to begin first, and their posterior probability."""

    roots: tuple[Branch, ...]
    probability: float
    exact: bool = True
    """Whether every history of it was examined; otherwise the probability is a lower bound."""

    @property
    def goals(self) -> tuple[str, ...]:
        return tuple(root.part.symbol for root in self.roots)

    def words(self, library: PlanLibrary, observations: Sequence[Observation]) -> str:
        """What was done for which goal, by which rules, and after three dots what is still to do."""
        return "; ".join(Wording(library, observations).root(each) for each in self.roots) or "no action serves a goal"


class Wording:
    """Trees in words; an action seen more than once carries the number of its observation."""

    def __init__(self, library: PlanLibrary, observations: Sequence[Observation]) -> None:
        self.library = library
        seen = Counter(map(str, observations))
        self.seen = [f"{each}#{n}" if seen[str(each)] > 1 else str(each) for n, each in enumerate(observations, 1)]
        self.ways = Counter((rule.head, *sorted(rule.parts)) for rule in library.rules)

    def root(self, root: Branch) -> str:
        """A goal with all below it."""
        return f"{self.plan_name(root)} ({'done' if root.complete() else 'under way'}): {self.below(root)}"

    def plan_name(self, branch: Branch) -> str:
        """A plan, with its rule if its parts do not tell which."""
        if branch.rule is None:
            return branch.part.symbol
        rule = self.library.rules[branch.rule]
        if rule.title:
            return f'{branch.part.symbol} "{rule.title}"'
        if self.ways[rule.head, *sorted(rule.parts)] == 1:
            return branch.part.symbol
        own = [number for number, each in enumerate(self.library.rules) if each.head == rule.head]
        return f"{branch.part.symbol} by rule {own.index(branch.rule) + 1}"

    def node(self, branch: Branch) -> str:
        """A node that was begun, with all below it."""
        if branch.part.action:
            return f"{branch.part.symbol} (not seen)" if branch.time is None else self.seen[branch.time]
        below = self.below(branch)
        return (
            f"{self.plan_name(branch)} > {below}" if len(branch.parts) == 1 else f"{self.plan_name(branch)} ({below})"
        )

    def below(self, branch: Branch) -> str:
        """The parts of a plan: those begun, in that order, and the others."""
        rule = None if branch.rule is None else self.library.rules[branch.rule]
        tied = rule is not None and bool(rule.order or rule.equal)
        names = Counter(part.part for part in branch.parts)
        begun = sorted(
            ((place, part) for place, part in enumerate(branch.parts, 1) if part.has_begun()),
            key=lambda pair: min(pair[1].times(), default=-1),
        )
        left = Counter(part.part.symbol for part in branch.parts if not part.has_begun())
        to_do = [f"{name} ×{times}" if times > 1 else name for name, times in left.items()]
        done = ", ".join(
            f"{self.node(part)} as part {place}" if tied and names[part.part] > 1 else self.node(part)
            for place, part in begun
        )
        return f"{done} … {short_list(to_do)}" if to_do else done


def explanations(recogniser: Recogniser, most: int | None = None) -> list[Explanation]:
    """The explanations of the observations, the likeliest first; the recogniser must keep trees.

    Histories that differ only in which of several interchangeable parts of a rule was done are one explanation. So are
    those that differ in the time of unseen actions or, in the meaning `leaves`, in chosen rules of which nothing was
    done; unless you ask for all explanations, only the likeliest such histories are examined, and probabilities that
    may be higher do not count as exact.
    """
    if not recogniser.trees:
        raise BadPlan(recogniser.library.name, "only a recogniser with trees=True keeps explanations")
    library, story, total = recogniser.library, recogniser.story, recogniser.log_probability
    several = story.meaning == "leaves" or story.miss > 0.0
    enough = max(most, FEW) * HIDDEN if most is not None and several else most
    places = cache(lambda rule: interchangeable(library.rules[rule]))
    found: dict[Hashable, Explanation] = {}
    for log_mass, arrivals in islice(histories(recogniser), enough):
        roots = tuple(rebuild_trees(recogniser, arrivals))
        key = frozenset(Counter(root.history(places) for root in roots).items())
        known = found.setdefault(key, Explanation(roots, 0.0))
        found[key] = known._replace(probability=known.probability + exp(log_mass - total))
    exact = not several or sum(each.probability for each in found.values()) > 1.0 - EXACT
    ranked = sorted(found.values(), key=lambda each: -each.probability)[:most]
    return [each._replace(exact=exact) for each in ranked]


def rebuild_trees(recogniser: Recogniser, arrivals: Iterable[BackPointer]) -> list[Branch]:
    """The trees of a history, the first to begin first."""
    begun: list[Branch] = []
    held: list[tuple[Branch, list[Branch]]] = []  # as in forests: each tree with its frontier
    trees, library = recogniser.forestry.trees, recogniser.library
    for arrival in arrivals:
        if arrival.edge is None:
            continue
        place, step = arrival.edge.place, arrival.edge.step
        if place == len(held):
            begun.append(Branch(Part(trees[step.target].goal, False)))
            held.append((begun[-1], [begun[-1]]))
        root, frontier = held[place]
        picked = frontier[step.pick.place]
        leaf = picked.grow(library, step.path)
        leaf.time, leaf.done = arrival.time, True
        after = [frontier[origin] if isinstance(origin, int) else picked.at(origin) for origin in step.origins]
        held[place] = root, after
        held = [held[old] for old in arrival.order]
    return begun


def explanation_xml(roots: Sequence[Shape]) -> str:
    """Trees in the XML form of SPR's gold files."""
    return '<?xml version="1.0"?>\n<Explanation>\n' + "".join(_element(root, 1) for root in roots) + "</Explanation>\n"


def _element(shape: Shape, depth: int) -> str:
    name, parts = shape
    if quoteattr(name)[1:-1] != name or not name.replace("_", "").replace("-", "").replace(".", "").isalnum():
        raise BadPlan("explanation", f"XML cannot hold an element called {name!r}")
    space = "  " * depth
    if not parts:
        return f"{space}<{name} />\n"
    return f"{space}<{name}>\n{''.join(_element(part, depth + 1) for part in parts)}{space}</{name}>\n"


def parse_explanation(text: str, source: object = "explanation") -> list[Shape]:
    """The trees of a gold file."""
    whole = parse_elements(without_declaration(text), source)
    if whole.tag != "Explanation":
        raise BadPlan(source, f"an explanation is an <Explanation>, not a <{whole.tag}>", whole.line)
    return [_shape(child) for child in whole.children]


def _shape(element: Element) -> Shape:
    return element.tag, tuple(map(_shape, element.children))
