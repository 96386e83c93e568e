"""Explanations as trees, rebuilt from the histories of a recogniser that keeps them: who did what to which end."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from kibitz.core.errors import BadPlan
from kibitz.models.plans.library import Observation, Part, PlanLibrary
from kibitz.models.plans.recogniser import Act, Recogniser
from kibitz.models.plans.xml_form import Element, parse_elements, without_declaration

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
        """Choose rules down a path, and return what stands at its end."""
        here = self
        for rule, place in path:
            here.rule = rule
            here.parts = [Branch(part) for part in library.rules[rule].parts]
            here = here.parts[place]
        return here

    def at(self, places: Sequence[int]) -> "Branch":
        """The node that some places lead to."""
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
        """Whether nothing is left to do."""
        return self.done if self.part.action else bool(self.parts) and all(part.complete() for part in self.parts)

    def shape(self) -> Shape:
        """The names in it; of what is still open only the name."""
        return self.part.symbol, tuple(part.shape() for part in self.parts)


class Explanation(NamedTuple):
    """Trees that together explain what was seen, the first to begin first, and how likely they are given that."""

    roots: tuple[Branch, ...]
    probability: float

    @property
    def goals(self) -> tuple[str, ...]:
        return tuple(root.part.symbol for root in self.roots)

    def words(self, observations: Sequence[Observation]) -> str:
        """What was done to which end."""
        found = []
        for root in self.roots:
            done = ", ".join(str(observations[time]) for time in sorted(root.times()))
            found.append(f"{root.part.symbol} ({'done' if root.complete() else 'under way'}): {done}")
        return "; ".join(found) or "nothing was done to any end"


def explanations(recogniser: Recogniser, most: int | None = None) -> list[Explanation]:
    """The explanations of what was seen, the likeliest first; the recogniser must keep trees."""
    if not recogniser.trees:
        raise BadPlan(recogniser.library.name, "explanations are told by a recogniser that keeps trees=True")
    weights, total = recogniser.weights().tolist(), recogniser.total
    ranked = sorted((number for number, weight in enumerate(weights) if weight > 0.0), key=lambda n: -weights[n])
    return [
        Explanation(tuple(rebuilt(recogniser, recogniser.rows.histories[number])), weights[number] / total)
        for number in ranked[:most]
    ]


def rebuilt(recogniser: Recogniser, history: Act | None) -> list[Branch]:
    """The trees that a history made."""
    acts = []
    while history is not None:
        acts.append(history)
        history = history.before
    roots: list[Branch] = []
    frontiers: list[list[Branch]] = []
    trees, library = recogniser.forestry.trees, recogniser.library
    for act in reversed(acts):
        step = act.step
        if act.place == len(roots):
            roots.append(Branch(Part(trees[step.target].goal, False)))
            frontiers.append([roots[-1]])
        frontier = frontiers[act.place]
        picked = frontier[step.place]
        leaf = picked.grow(library, step.path)
        leaf.time, leaf.done = act.time, True
        frontiers[act.place] = [
            frontier[origin] if isinstance(origin, int) else picked.at(origin) for origin in step.origins
        ]
    return roots


def explanation_xml(roots: Sequence[Shape]) -> str:
    """Trees as the gold files of SPR have them."""
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
