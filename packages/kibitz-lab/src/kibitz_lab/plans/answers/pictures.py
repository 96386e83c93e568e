"""Pictures of plan libraries and of explanations: trees from the goals down to the actions.

A plan has a box, an action a rounded one; a bar below a plan means all of its parts, a dot one of several rules. Arrows
lead from parts that must be complete to parts that may begin then. In an explanation, nodes that are done are filled
and carry the number of their observation.
"""

from collections.abc import Iterator, Sequence

import msgspec

from kibitz.core.drawing import AnyShape, Arrow, Drawing, Label, Rect
from kibitz_lab.plans import limits
from kibitz_lab.plans.answers.explanation_trees import Branch, State, node_states
from kibitz_lab.plans.answers.explanations import Explanation
from kibitz_lab.plans.library import Pairs, Part, PlanLibrary, Rule

HEIGHT, BOX, LETTER, GAP = 1.5, 0.62, 0.17, 0.3
"""In cells: the distance of rows, the height of a box, the width of a letter and the gap between boxes."""
LONGEST = 28
"""The most letters of a name."""


class Sketch(msgspec.Struct):
    """A node of a picture."""

    text: str
    fill: str = "#ffffff"
    ink: str = "ink"
    title: str = ""
    note: str = ""
    box: bool = True
    order: Pairs = ()
    below: list["Sketch"] = msgspec.field(default_factory=list)
    x: float = 0.0
    row: int = 0

    def walk(self) -> Iterator["Sketch"]:
        """This node and all below, parents first."""
        waiting = [self]
        while waiting:
            here = waiting.pop()
            yield here
            waiting += reversed(here.below)

    @property
    def width(self) -> float:
        return max(LETTER * len(self.text), 0.3) + 0.3 if self.box else 0.3


class LibrarySketch:
    """Makes the sketch of a library; a plan that was already drawn is only named."""

    def __init__(self, library: PlanLibrary) -> None:
        self.library, self.rules = library, library.rules_by_plan()
        self.drawn: set[str] = set()
        self.count = 0

    def goals(self) -> list[Sketch]:
        """The goals with all below them."""
        found = []
        for goal, prior in self.library.goals.items():
            sketch = self.part(Part(goal, False), 0)
            sketch.note, sketch.fill = f"{prior:.3g}", "mark"
            found.append(sketch)
            if self.count > limits.DRAWN_NODES:
                break
        return found

    def part(self, part: Part, row: int) -> Sketch:
        """A part with all below it."""
        self.count += 1
        symbol = self.library.symbol(part)
        title = symbol.title or symbol.name
        if part.action:
            return Sketch(_short(part.symbol), "board", title=f"action {title}")
        sketch = Sketch(_short(part.symbol), title=f"plan {title}")
        if part.symbol in self.drawn or self.count > limits.DRAWN_NODES or row > limits.DRAWN_ROWS:
            return msgspec.structs.replace(sketch, ink="faint", text=f"{sketch.text} …")
        self.drawn.add(part.symbol)
        rules = [rule for _, rule in self.rules[part.symbol]]
        if len(rules) == 1:
            sketch.below, sketch.order = self.parts(rules[0], row), rules[0].order
        else:
            sketch.below = [self.way(rule, row) for rule in rules]
        return sketch

    def way(self, rule: Rule, row: int) -> Sketch:
        """One of several rules."""
        words = f"with probability {rule.probability:.3g}"
        note = f"{rule.probability:.2g}"
        return Sketch("", "ink", title=words, note=note, box=False, order=rule.order, below=self.parts(rule, row))

    def parts(self, rule: Rule, row: int) -> list[Sketch]:
        return [self.part(part, row + 1) for part in rule.parts]


def draw_library(library: PlanLibrary) -> Drawing:
    """A picture of a library."""
    return _drawing(LibrarySketch(library).goals(), f"plan library {library.name}")


def draw_explanation(library: PlanLibrary, explanation: Explanation) -> Drawing:
    """A picture of an explanation."""
    sketches = [_branch(library, root) for root in explanation.roots]
    for sketch in sketches:
        sketch.fill = "mark"
    caption = f"{', '.join(map(str, explanation.roots)) or 'no goal'}: probability {explanation.probability:.3g}"
    return _drawing(sketches or [Sketch("no goal")], caption)


def _branch(library: PlanLibrary, root: Branch) -> Sketch:
    """A tree of an explanation."""
    states, known = node_states(root), dict[int, Sketch]()
    for branch in root.walk_up():
        below = [known.pop(id(part)) for part in branch.parts]
        known[id(branch)] = _node_sketch(library, branch, states[id(branch)], below)
    return known[id(root)]


def _node_sketch(library: PlanLibrary, branch: Branch, state: State, below: list[Sketch]) -> Sketch:
    """A node of an explanation with the sketches of its parts."""
    done = state == "done"
    unseen = done and branch.part.action and branch.time is None
    note = str(branch.time + 1) if branch.time is not None else "not seen" if unseen else ""
    ink = "faint" if state == "to do" else "ink"
    order = library.rules[branch.rule].order if branch.rule is not None else ()
    fill = "player5" if done and not unseen else "#ffffff"
    name = str(branch)
    return Sketch(_short(name), fill, ink, f"{name}: {state}", note, order=order, below=below)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _drawing(sketches: Sequence[Sketch], caption: str) -> Drawing:
    right = GAP
    for sketch in sketches:
        right = _place_sketch(sketch, right) + GAP
    every = [each for sketch in sketches for each in sketch.walk()]
    shapes: list[AnyShape] = []
    for number, each in enumerate(every):
        shapes += _lines(each, number)
    for number, each in enumerate(every):
        shapes += _node(each, number)
    return Drawing(right, HEIGHT * (max(each.row for each in every) + 1), tuple(shapes), caption=caption)


def _place_sketch(root: Sketch, left: float) -> float:
    """Place a sketch and all below it to the right of *left*; return its right edge."""
    edges = dict[int, float]()  # of each sketch: the left edge on the way down, the right edge on the way up
    waiting: list[tuple[Sketch, int]] = [(root, 0)]
    edges[id(root)] = left
    while waiting:
        sketch, placed = waiting.pop()
        if placed < len(sketch.below):
            part = sketch.below[placed]
            part.row = sketch.row + 1
            edges[id(part)] = edges[id(sketch.below[placed - 1])] + GAP if placed else edges[id(sketch)]
            waiting += [(sketch, placed + 1), (part, 0)]
            continue
        start = edges[id(sketch)]
        right = start + sketch.width
        sketch.x = start + sketch.width / 2
        if sketch.below:
            right = max(right, edges[id(sketch.below[-1])])
            sketch.x = max(sketch.x, (sketch.below[0].x + sketch.below[-1].x) / 2)
        edges[id(sketch)] = max(right, sketch.x + sketch.width / 2)
    return edges[id(root)]


def _height(row: int) -> float:
    return HEIGHT * row + 0.7


def _lines(sketch: Sketch, number: int) -> list[AnyShape]:
    """The lines to the nodes below, the bar of an AND, and the arrows of its order."""
    found: list[AnyShape] = []
    start = _height(sketch.row) + (BOX / 2 if sketch.box else 0.08)
    end = _height(sketch.row + 1)
    for place, each in enumerate(sketch.below):
        top = end - (BOX / 2 if each.box else 0.08)
        line = Arrow(
            id=f"line-{number}-{place}", x=sketch.x, y=start, to_x=each.x, to_y=top, stroke=each.ink, head=False
        )
        found.append(line)
    if len(sketch.below) > 1 and all(each.box for each in sketch.below):
        left, right = (sketch.x + (each.x - sketch.x) * 0.4 for each in (sketch.below[0], sketch.below[-1]))
        y = start + (end - BOX / 2 - start) * 0.4
        found.append(Arrow(id=f"all-{number}", x=left, y=y, to_x=right, to_y=y, stroke="ink", head=False))
    for place, (first, second) in enumerate(sketch.order):
        one, other = sketch.below[first], sketch.below[second]
        side = 1.0 if other.x > one.x else -1.0
        y = end + (BOX / 2 + 0.12 if abs(first - second) > 1 else 0.0)
        start_x, end_x = one.x + side * one.width / 2, other.x - side * other.width / 2
        found.append(Arrow(id=f"order-{number}-{place}", x=start_x, y=y, to_x=end_x, to_y=y, stroke="player1"))
    return found


def _node(sketch: Sketch, number: int) -> list[AnyShape]:
    """A box or a dot, with the text in and above it."""
    y, width = _height(sketch.row), sketch.width
    height = BOX if sketch.box else 0.16
    width = width if sketch.box else 0.16
    found: list[AnyShape] = [
        Rect(
            id=f"node-{number}",
            x=sketch.x - width / 2,
            y=y - height / 2,
            width=width,
            height=height,
            fill=sketch.fill,
            stroke=sketch.ink,
            title=sketch.title,
            symbol=sketch.text,
        )
    ]
    if sketch.text:
        found.append(Label(id=f"text-{number}", x=sketch.x, y=y, text=sketch.text, size=0.28, fill=sketch.ink))
    if sketch.note:
        x = sketch.x if sketch.box else sketch.x + 0.32
        above = y - BOX / 2 - 0.16 if sketch.box else y
        found.append(Label(id=f"note-{number}", x=x, y=above, text=sketch.note, size=0.24, fill=sketch.ink))
    return found
