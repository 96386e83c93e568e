"""Read and write plan libraries in kibitz's own text form, which people can read and write too.

    goal burger [0.7]
    goal salad [0.3]
    burger -> buns patty assemble : buns < assemble, patty < assemble
    patty -> take_beef fry : ordered [0.5] | take_beans bake : ordered [0.5]

The reference is in docs/reference/plan-libraries.md.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from kibitz.core.errors import BadPlan, short_list, short_repr
from kibitz_lab.plans.formats.tokens import ESCAPES, Line, Word, lines
from kibitz_lab.plans.library import (
    Part,
    Places,
    PlanLibrary,
    Rule,
    Slot,
    Symbol,
    chain,
    check_library,
)

PLAIN = re.compile(r"""(?:(?!->)[^\s,:<>|()\[\]!="#])+""")
STATEMENTS = ("library", "depth", "goal", "plan", "action")
TIMES = {"about": "duration", "within": "timeout"}
"""The words before the times of a rule."""
ANY = "_"
"""Stands for a parameter that is left open."""


class Draft(NamedTuple):
    """A rule as it was written; parts have a name, whether it is marked as an action, and words for parameters."""

    head: str
    variables: list[str] | None
    parts: list[tuple[str, bool, list[str] | None]]
    order: list[tuple[int, int]]
    probability: float | None
    title: str
    line: int
    times: dict[str, float]


class Reader:
    """The reader of one library."""

    def __init__(self, source: object) -> None:
        self.places = Places(source)
        self.name = str(source)
        self.depth: int | None = None
        self.goals: dict[str, float | None] = {}
        self.declared: dict[str, dict[str, Symbol]] = {"plan": {}, "action": {}}
        self.drafts: list[Draft] = []

    def read(self, text: str) -> PlanLibrary:
        for line in lines(text, self.places.source):
            if Word("->", "mark") in line.words:
                self.rule(line)
            else:
                self.statement(line)
        return self.library()

    def statement(self, line: Line) -> None:
        """A line that is not a rule."""
        kind = line.name(f"one of {', '.join(STATEMENTS)}, or a rule with '->'")
        if kind == "library":
            self.name = line.name("a name")
        elif kind == "depth":
            text = line.name("a number")
            if not text.isdecimal() or len(text) > 9:
                raise line.error(f"depth must be a whole number from 1 to 100, not {short_repr(text)}")
            self.depth = int(text)
            self.places.lines["depth"] = line.number
        elif kind in STATEMENTS:
            self.declare(kind, line)
        else:
            raise line.error(
                f"expected one of {', '.join(STATEMENTS)}, or a rule with '->', but found {short_repr(kind)}"
            )
        line.end()

    def declare(self, kind: str, line: Line) -> None:
        """A goal, a plan or an action."""
        name = line.name("a name")
        parameters = line.names_in_brackets() or []
        if len(set(parameters)) < len(parameters):
            raise line.error(f"two parameters of {name!r} have the same name")
        prior = line.number_in("[", "]") if kind == "goal" else None
        symbol = Symbol(name, tuple(parameters), line.title())
        known = self.declared["action" if kind == "action" else "plan"]
        if name in known or name in self.goals:
            raise line.error(f"{name!r} is declared twice")
        if kind == "goal":
            self.goals[name] = prior
        known[name] = symbol
        self.places.lines.setdefault(name, line.number)

    def rule(self, line: Line) -> None:
        """A plan and its alternatives."""
        head, variables = line.name("the name of a plan"), line.names_in_brackets()
        if not line.take("->"):
            raise line.expected_error("'->'")
        while True:
            parts: list[tuple[str, bool, list[str] | None]] = []
            while line.is_name() and not (parts and line.words[line.place].kind == "quoted" and self.is_title(line)):
                name = line.name("a part")
                parts.append((name, line.take("!"), line.names_in_brackets()))
                line.take(",")
            if not parts:
                raise line.expected_error("a part")
            order = self.order(line, [name for name, _, _ in parts]) if line.take(":") else []
            probability, times = self.figures(line)
            self.drafts.append(Draft(head, variables, parts, order, probability, line.title(), line.number, times))
            if not line.take("|"):
                break
        line.end()
        self.places.lines.setdefault(head, line.number)

    def figures(self, line: Line) -> tuple[float | None, dict[str, float]]:
        """The probability and the times of a rule, in brackets if there are any."""
        probability: float | None = None
        times: dict[str, float] = {}
        if not line.take("["):
            return None, times
        while not line.take("]"):
            if (times or probability is not None) and not line.take(","):
                raise line.expected_error("',' or ']'")
            word = None if line.is_at_end() else TIMES.get(line.words[line.place].text)
            line.place += word is not None
            value = line.quantity("a number, or 'about' or 'within' and a number")
            if word is None and probability is None and not times:
                probability = value
            elif word is not None and word not in times:
                times[word] = value
            else:
                raise line.error("the brackets after a rule hold a probability, 'about' a duration, 'within' a timeout")
        return probability, times

    def is_title(self, line: Line) -> bool:
        """Whether the next quoted text ends an alternative, which makes it a title."""
        after = line.words[line.place + 1 : line.place + 2]
        return not after or after == [Word("|", "mark")]

    def order(self, line: Line, names: Sequence[str]) -> list[tuple[int, int]]:
        """Chains of parts, by name or place, or the word `ordered`."""
        found: list[tuple[int, int]] = []
        if line.is_name() and line.words[line.place] == Word("ordered", "word") and "ordered" not in names:
            line.place += 1
            return list(chain(len(names)))
        while True:
            first = self.part(line, names)
            if not line.ahead("<"):
                raise line.expected_error("'<'")
            while line.take("<"):
                second = self.part(line, names)
                found.append((first, second))
                first = second
            if not line.take(","):
                return found

    def part(self, line: Line, names: Sequence[str]) -> int:
        """The place of a part that is named, or whose number from 1 is given."""
        quoted = not line.is_at_end() and line.words[line.place].kind == "quoted"
        text = line.name("a part")
        if text.isdecimal() and len(text) < 9 and not quoted:
            if not 1 <= int(text) <= len(names):
                raise line.error(f"there is no part {text}; there are {len(names)}")
            return int(text) - 1
        if names.count(text) != 1:
            why = "is not a part" if text not in names else "occurs more than once; give its number instead"
            raise line.error(f"{text!r} {why}")
        return names.index(text)

    def library(self) -> PlanLibrary:
        """The library made of all statements."""
        heads: dict[str, list[int]] = {}
        for number, draft in enumerate(self.drafts):
            heads.setdefault(draft.head, []).append(number)
        plans = {
            name: self.declared["plan"].get(name) or Symbol(name, self.head_parameters(heads[name]))
            for name in {**self.declared["plan"], **heads}
        }
        actions = dict(self.declared["action"])
        for draft in self.drafts:
            for name, marked, arguments in draft.parts:
                if (marked or name not in plans) and name not in actions:
                    if arguments:
                        raise BadPlan(
                            self.places.source, f"say what the parameters of {name!r} are: action {name}(…)", draft.line
                        )
                    actions[name] = Symbol(name)
                    self.places.lines.setdefault(name, draft.line)
        self.places.lines |= {number: draft.line for number, draft in enumerate(self.drafts)}
        goals = self.shares("goals", list(self.goals.items()))
        probabilities: list[float] = [0.0] * len(self.drafts)
        for head, own in heads.items():
            given = [(number, self.drafts[number].probability) for number in own]
            for number, share in zip(own, self.shares(f"rules of {head!r}", given), strict=True):
                probabilities[number] = share
        library = PlanLibrary(dict(zip(self.goals, goals, strict=True)), plans, actions, (), self.depth, self.name)
        rules = tuple(self.make_rule(library, draft, probabilities[number]) for number, draft in enumerate(self.drafts))
        return check_library(PlanLibrary(library.goals, plans, actions, rules, self.depth, self.name), self.places)

    def shares(self, what: str, given: Sequence[tuple[object, float | None]]) -> list[float]:
        """Probabilities as given, or equal ones if none are given."""
        missing = [thing for thing, share in given if share is None]
        if missing and len(missing) < len(given):
            raise self.places.error(missing[0], f"give all {what} a probability, or none")
        return [1.0 / len(given) if share is None else share for _, share in given]

    def head_parameters(self, own: Sequence[int]) -> tuple[str, ...]:
        """The parameters of an undeclared plan: the words of its first rule that has some."""
        return tuple(next((words for number in own if (words := self.drafts[number].variables)), ()))

    def make_rule(self, library: PlanLibrary, draft: Draft, probability: float) -> Rule:
        """A rule, with its words for parameters turned into classes of equal slots."""
        parts = tuple(Part(name, marked or name not in library.plans) for name, marked, _ in draft.parts)
        symbols = [library.plans[draft.head], *map(library.symbol, parts)]
        words = [draft.variables, *(arguments for _, _, arguments in draft.parts)]
        classes: dict[str, list[Slot]] = {}
        for index, (symbol, own) in enumerate(zip(symbols, words, strict=True)):
            if own is not None and len(own) != len(symbol.parameters):
                why = f"of {symbol.name!r} {len(own)} parameters are named, but it has: {short_list(symbol.parameters)}"
                raise BadPlan(self.places.source, why, draft.line)
            for parameter, word in zip(symbol.parameters, own or (), strict=False):
                if word != ANY:
                    classes.setdefault(word, []).append((index, parameter))
        equal = tuple(tuple(slots) for slots in classes.values() if len(slots) > 1)
        return Rule(draft.head, parts, tuple(draft.order), probability, equal, draft.title, **draft.times)


def parse_text(text: str, source: object = "plans") -> PlanLibrary:
    """Parse a library from text.

    >>> parse_text("goal tea\\ntea -> boil pour : ordered").goals
    {'tea': 1.0}
    """
    return Reader(source).read(text)


def text_of(library: PlanLibrary) -> str:
    """A library in the text form; reading it gives the same library again."""
    found = [f"library {quote_name(library.name)}"]
    if library.depth is not None:
        found.append(f"depth {library.depth}")
    for name, prior in library.goals.items():
        found.append(_declaration("goal", library.plans[name], f" [{prior!r}]"))
    used = {part.symbol for rule in library.rules for part in rule.parts if part.action}
    for name, symbol in library.plans.items():
        if name not in library.goals and (symbol.parameters or symbol.title):
            found.append(_declaration("plan", symbol))
    for name, symbol in library.actions.items():
        if symbol.parameters or symbol.title or name not in used:
            found.append(_declaration("action", symbol))
    found.append("")
    several = Counter(rule.head for rule in library.rules)
    found += [_rule_text(library, rule, alone=several[rule.head] == 1) for rule in library.rules]
    return "\n".join(found) + "\n"


def quote_name(name: str) -> str:
    """A name in the text form, in quotes if it needs them."""
    return name if PLAIN.fullmatch(name) and name.isprintable() and name != ANY else in_quotes(name)


def in_quotes(text: str) -> str:
    """A text in quotes."""
    return f'"{"".join(ESCAPES.get(sign, sign) for sign in text)}"'


def _declaration(kind: str, symbol: Symbol, more: str = "") -> str:
    brackets = f"({', '.join(map(quote_name, symbol.parameters))})" if symbol.parameters else ""
    title = f" {in_quotes(symbol.title)}" if symbol.title else ""
    return f"{kind} {quote_name(symbol.name)}{brackets}{more}{title}"


def _rule_text(library: PlanLibrary, rule: Rule, *, alone: bool) -> str:
    words: dict[Slot, str] = {}
    for group in rule.equal:
        wanted = group[0][1]
        taken = set(words.values())
        name = next(each for each in (wanted, *(f"{wanted}{n}" for n in range(2, 1000))) if each not in taken)
        words |= dict.fromkeys(group, name)
    parts = []
    for index, part in enumerate(rule.parts, 1):
        mark = "!" if part.action and part.symbol in library.plans else ""
        parts.append(f"{quote_name(part.symbol)}{mark}{_arguments(library, rule, words, index)}")
    text = f"{quote_name(rule.head)}{_arguments(library, rule, words, 0)} -> {' '.join(parts)}"
    if rule.order:
        text += f" : {_order_text(rule)}"
    figures = [repr(rule.probability)] if not alone or rule.probability != 1.0 else []
    times = {word: getattr(rule, field) for word, field in TIMES.items()}
    figures += [f"{word} {time!r}" for word, time in times.items() if time is not None]
    if figures:
        text += f" [{', '.join(figures)}]"
    return text + (f" {in_quotes(rule.title)}" if rule.title else "")


def _arguments(library: PlanLibrary, rule: Rule, words: dict[Slot, str], index: int) -> str:
    symbol = library.symbol(rule.parts[index - 1]) if index else library.plans[rule.head]
    if not any((index, parameter) in words for parameter in symbol.parameters):
        return ""
    return f"({', '.join(quote_name(words[index, p]) if (index, p) in words else ANY for p in symbol.parameters)})"


def _order_text(rule: Rule) -> str:
    if rule.order == chain(len(rule.parts)):
        return "ordered"
    names = [part.symbol for part in rule.parts]
    plain = len(set(names)) == len(names) and not any(name.isdecimal() or name == "ordered" for name in names)
    called = [quote_name(name) if plain else str(place) for place, name in enumerate(names, 1)]
    return ", ".join(f"{called[first]} < {called[second]}" for first, second in rule.order)
