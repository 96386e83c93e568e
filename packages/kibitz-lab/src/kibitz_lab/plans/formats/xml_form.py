"""Read and write the XML of CRADLE and the Standardization Project: letters, recipes and observations.

Known faults of those files are left out with a warning, not refused: orders of children that do not exist, equalities
of undeclared parameters. A `prob` is only a weight: it is normalised over the recipes of a left side.
"""

import warnings
from collections.abc import Iterable, Sequence
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import msgspec

from kibitz.core.errors import BadPlan, short_repr
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.library import Part, Places, PlanLibrary, Rule, Slot, Symbol, check_library, normalise_weights

ROOT = "root"
"""The left side of recipes that only name a goal and its prior."""
DEEPEST = 200


class Element:
    """An element with its line."""

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag, self.attributes, self.line = tag, attributes, line
        self.children: list[Element] = []

    def all(self, tag: str) -> "Iterable[Element]":
        """The children of one kind."""
        return (child for child in self.children if child.tag == tag)

    def inside(self, section: str, tag: str) -> "list[Element]":
        """The children of one kind within sections of a name."""
        return [child for part in self.all(section) for child in part.all(tag)]


def parse_elements(text: str, source: object) -> Element:
    """The outermost element of a text."""
    stack = [Element("", {}, 0)]
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)
        if len(stack) > DEEPEST:
            raise BadPlan(source, f"elements within elements go deeper than {DEEPEST}", parser.CurrentLineNumber)

    def refuse(*_: object) -> None:
        raise BadPlan(source, "document types are not supported; remove it", parser.CurrentLineNumber)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: stack.pop()
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        raise BadPlan(source, f"it is not valid XML: {expat.ErrorString(error.code)}", error.lineno) from None
    return stack[0].children[0]


def without_declaration(text: str) -> str:
    """A decoded text, without the declaration of its encoding."""
    head, found, rest = text.lstrip("\ufeff").partition("?>")
    return "\n" * head.count("\n") + rest if found and head.lstrip().startswith("<?xml") else text


class LibraryReader:
    """The reader of one library."""

    def __init__(self, source: object) -> None:
        self.places = Places(source)
        self.plans: dict[str, Symbol] = {}
        self.actions: dict[str, Symbol] = {}
        self.goals: dict[str, float] = {}

    def library(self, whole: Element) -> PlanLibrary:
        """The library of a `PL` element."""
        if whole.tag != "PL":
            raise BadPlan(self.places.source, f"a plan library is a <PL>, not a <{whole.tag}>", whole.line)
        for section in (each for letters in whole.all("Letters") for each in letters.children):
            plans = section.tag.startswith("Non")
            if plans or section.tag == "Terminals":
                for letter in section.all("Letter"):
                    self.letter(letter, self.plans if plans else self.actions, goal=plans)
        recipes = whole.inside("Recipes", "Recipe")
        named = {}
        for recipe in recipes:
            if recipe.attributes.get("lhs") == ROOT and ROOT not in self.plans:
                for child in recipe.all("Letter"):
                    named[self.attribute(child, "id")] = self.weight(recipe)
                    self.places.lines[self.attribute(child, "id")] = recipe.line
        goals = normalise_weights(named or self.goals)
        drafts = [each for each in recipes if each.attributes.get("lhs") != ROOT or ROOT in self.plans]
        rules = [self.rule(recipe, number) for number, recipe in enumerate(drafts)]
        by_head: dict[str, dict[int, float]] = {}
        for number, rule in enumerate(rules):
            by_head.setdefault(rule.head, {})[number] = rule.probability
        for weights in by_head.values():
            for number, share in normalise_weights(weights).items():
                rules[number] = msgspec.structs.replace(rules[number], probability=share)
        name = str(self.places.source)
        return check_library(PlanLibrary(goals, self.plans, self.actions, tuple(rules), None, name), self.places)

    def attribute(self, element: Element, name: str) -> str:
        """A required attribute."""
        found = element.attributes.get(name, "")
        if not found:
            raise BadPlan(self.places.source, f"<{element.tag}> has no {name}", element.line)
        return found

    def weight(self, recipe: Element) -> float:
        """The weight of a recipe."""
        value = self.number(recipe, "prob")
        return 1.0 if value is None else value

    def number(self, recipe: Element, name: str) -> float | None:
        """A number above 0, if it is given."""
        text = recipe.attributes.get(name)
        if text is None:
            return None
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0.0 < value < float("inf"):
            raise BadPlan(self.places.source, f"{name} must be a number above 0, not {short_repr(text)}", recipe.line)
        return value

    def letter(self, letter: Element, known: dict[str, Symbol], *, goal: bool) -> None:
        """A declaration."""
        name = self.attribute(letter, "id")
        if name in known:
            raise BadPlan(self.places.source, f"{name!r} is declared twice", letter.line)
        parameters = tuple(dict.fromkeys(self.attribute(each, "name") for each in letter.inside("Params", "Param")))
        title = letter.attributes.get("name", "")
        known[name] = Symbol(name, parameters, title if title != name else "")
        self.places.lines.setdefault(name, letter.line)
        if goal and letter.attributes.get("goal") == "yes":
            self.goals[name] = 1.0

    def rule(self, recipe: Element, number: int) -> Rule:
        """A recipe."""
        head = self.attribute(recipe, "lhs")
        self.places.lines[number] = recipe.line
        letters = sorted(recipe.all("Letter"), key=lambda each: self.index(each, "index"))
        names = [self.attribute(each, "id") for each in letters]
        parts = tuple(self.part(name, alone=names == [head]) for name in names)
        owners = [
            (self.actions if each.action else self.plans).get(each.symbol, Symbol(each.symbol))
            for each in (Part(head, False), *parts)
        ]
        order = [pair for each in recipe.inside("Order", "OrderCons") for pair in self.pair(each, len(parts))]
        equal = [slots for each in recipe.inside("Equals", "EqualCons") for slots in self.slots(each, owners)]
        title, times = (
            recipe.attributes.get("desc", ""),
            [self.number(recipe, name) for name in ("duration", "timeout")],
        )
        return Rule(head, parts, tuple(order), self.weight(recipe), tuple(equal), title, *times)

    def part(self, name: str, *, alone: bool) -> Part:
        """What a child stands for: if a name is both, the plan, but in `Pass -> Pass` the action."""
        return Part(name, name in self.actions and (alone or name not in self.plans))

    def index(self, element: Element, name: str) -> int:
        text = element.attributes.get(name, "0")
        if not text.isdecimal() or len(text) > 9:
            raise BadPlan(self.places.source, f"{name} must be a whole number, not {short_repr(text)}", element.line)
        return int(text)

    def pair(self, constraint: Element, count: int) -> list[tuple[int, int]]:
        """An order of two children; none, with a warning, if one does not exist."""
        first, second = self.index(constraint, "firstIndex"), self.index(constraint, "secondIndex")
        if not (1 <= first <= count and 1 <= second <= count) or first == second:
            self.leave_out(constraint, f"it orders children {first} and {second} of {count}")
            return []
        return [(first - 1, second - 1)]

    def slots(self, constraint: Element, owners: Sequence[Symbol]) -> list[tuple[Slot, Slot]]:
        """Two equal parameters; none, with a warning, if one is not declared."""
        found: list[Slot] = []
        for which in ("first", "second"):
            index, parameter = self.index(constraint, f"{which}Index"), constraint.attributes.get(f"{which}Param", "")
            if index >= len(owners) or parameter not in owners[index].parameters:
                owner = owners[index].name if index < len(owners) else f"child {index}"
                self.leave_out(constraint, f"{owner!r} has no parameter {parameter!r}")
                return []
            found.append((index, parameter))
        return [(found[0], found[1])]

    def leave_out(self, constraint: Element, why: str) -> None:
        warnings.warn(f"{self.places.source}:{constraint.line}: {constraint.tag} left out: {why}", stacklevel=2)


def parse_xml(text: str, source: object = "plans") -> PlanLibrary:
    """Parse a library from XML."""
    return LibraryReader(source).library(parse_elements(without_declaration(text), source))


def parse_xml_observations(
    text: str, library: PlanLibrary, source: object = "observations", *, lenient: bool = False
) -> list[Observation]:
    """Parse observations from XML; undeclared parameters are left out with a warning.

    With *lenient*, actions that the library does not have are accepted as well, without their values.
    """
    found = []
    whole = parse_elements(without_declaration(text), source)
    if whole.tag != "Observations":
        raise BadPlan(source, f"observations are an <Observations>, not a <{whole.tag}>", whole.line)
    for each in whole.all("Observation"):
        name = each.attributes.get("id", "")
        if name not in library.actions:
            if not (lenient and name):
                raise BadPlan(source, library.unknown_action_text(name), each.line)
            found.append(Observation(name))
            continue
        values = {child.attributes.get("name", ""): child.attributes.get("val", "") for child in each.all("Param")}
        parameters = library.actions[name].parameters
        for extra in values.keys() - set(parameters):
            warnings.warn(f"{source}:{each.line}: {name!r} has no parameter {extra!r}; left out", stacklevel=2)
        found.append(Observation(name, tuple(map(values.get, parameters))))
    return found


def xml_of(library: PlanLibrary) -> str:
    """A library as XML; its depth is lost, because the format has no place for it."""
    alike = len(set(library.goals.values())) == 1
    lines = ['<?xml version="1.0"?>', "<PL>", " <Letters>", "  <NonTerminals>"]
    for symbol in library.plans.values():
        goal = f' goal="{"yes" if symbol.name in library.goals else "no"}"' if alike else ""
        lines += _letter(symbol, goal)
    lines += ["  </NonTerminals>", "  <Terminals>"]
    for symbol in library.actions.values():
        lines += _letter(symbol, "")
    lines += ["  </Terminals>", " </Letters>", " <Recipes>"]
    if not alike:
        for goal, prior in library.goals.items():
            lines += [f'  <Recipe prob="{prior!r}" lhs="{ROOT}">', f'   <Letter id={quoteattr(goal)} index="1"/>']
            lines.append("  </Recipe>")
    for rule in library.rules:
        lines += _recipe(library, rule)
    return "\n".join([*lines, " </Recipes>", "</PL>"]) + "\n"


def _letter(symbol: Symbol, more: str) -> list[str]:
    head = f"   <Letter{more} name={quoteattr(symbol.title or symbol.name)} id={quoteattr(symbol.name)}"
    if not symbol.parameters:
        return [f"{head}/>"]
    parameters = "".join(f"<Param name={quoteattr(name)}/>" for name in symbol.parameters)
    return [f"{head}><Params>{parameters}</Params></Letter>"]


def _recipe(library: PlanLibrary, rule: Rule) -> list[str]:
    for part in rule.parts:
        if part.action and part.symbol in library.plans and not (len(rule.parts) == 1 and part.symbol == rule.head):
            raise BadPlan(library.name, f"XML cannot tell the action {part.symbol!r} from the plan; rename one of them")
        if not part.action and part.symbol == rule.head and len(rule.parts) == 1 and part.symbol in library.actions:
            raise BadPlan(library.name, f"XML cannot tell the plan {part.symbol!r} from the action; rename one of them")
    title = f" desc={quoteattr(rule.title)}" if rule.title else ""
    times = {"duration": rule.duration, "timeout": rule.timeout}
    title += "".join(f' {name}="{time!r}"' for name, time in times.items() if time is not None)
    lines = [f'  <Recipe prob="{rule.probability!r}" lhs={quoteattr(rule.head)}{title}>']
    if rule.order:
        pairs = "".join(f'<OrderCons firstIndex="{i + 1}" secondIndex="{j + 1}"/>' for i, j in rule.order)
        lines.append(f"   <Order>{pairs}</Order>")
    if rule.equal:
        lines.append("   <Equals>")
        for first, *others in rule.equal:
            lines += [
                f'    <EqualCons firstIndex="{first[0]}" firstParam={quoteattr(first[1])}'
                f' secondIndex="{other[0]}" secondParam={quoteattr(other[1])}/>'
                for other in others
            ]
        lines.append("   </Equals>")
    lines += [f'   <Letter id={quoteattr(part.symbol)} index="{i}"/>' for i, part in enumerate(rule.parts, 1)]
    return [*lines, "  </Recipe>"]
