"""Plan libraries: goals with priors, and rules that define the parts of a plan and their order."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from math import isfinite
from typing import NamedTuple, TypeVar

import msgspec

from kibitz.core.errors import BadPlan, short_list
from kibitz.core.kit.plans import Observation, name_with_values

ROUNDING = 1e-6
"""The tolerance for probabilities written with few digits to add up to 1."""
NOISE = "noise"
"""The goal that explains actions that belong to no plan."""

Named = TypeVar("Named")
Slot = tuple[int, str]
"""A parameter of the left side (0) or of a part (from 1) of a rule."""
Pairs = tuple[tuple[int, int], ...]
"""Parts of a rule, from 0: the first of each pair must be complete before the second may begin."""


class Symbol(msgspec.Struct, frozen=True):
    """A plan or an action: the names of its parameters, and its title for people."""

    name: str
    parameters: tuple[str, ...] = ()
    title: str = ""


class Part(NamedTuple):
    """A part of a rule: an action, or another plan. One name may stand for both."""

    symbol: str
    action: bool


class Rule(msgspec.Struct, frozen=True):
    """One way to carry out a plan: all parts, in any order that keeps the pairs of *order*.

    *equal* are classes of slots whose values are the same; *order* omits pairs that follow from others. *duration* is
    the mean time from one action of the goal to the next as long as this rule is carried out, and after a pause longer
    than *timeout* the goal is abandoned; both only matter where observations have times.
    """

    head: str
    parts: tuple[Part, ...]
    order: Pairs = ()
    probability: float = 1.0
    equal: tuple[tuple[Slot, ...], ...] = ()
    title: str = ""
    duration: float | None = None
    timeout: float | None = None


class Event(NamedTuple):
    """An observation as it comes: with the probability that it is right, and its time if that is known.

    >>> from kibitz_lab.plans import Event
    >>> from kibitz.core.kit.plans import Observation
    >>> Event(Observation("copy", ("web1",)), confidence=0.9, time=20.0).time
    20.0
    """

    observation: Observation
    confidence: float = 1.0
    time: float | None = None


class Instance(NamedTuple):
    """A goal or another plan with the values of its parameters, None for values that are not known."""

    plan: str
    values: tuple[str | None, ...] = ()

    def __str__(self) -> str:
        return name_with_values(self.plan, self.values)


class PlanLibrary(msgspec.Struct, frozen=True):
    """All goals and plans that an actor may have. *depth* bounds the nesting of recursive plans."""

    goals: Mapping[str, float]
    plans: Mapping[str, Symbol]
    actions: Mapping[str, Symbol]
    rules: tuple[Rule, ...]
    depth: int | None = None
    name: str = "plans"

    def symbol(self, part: Part) -> Symbol:
        """The symbol a part stands for."""
        return self.actions[part.symbol] if part.action else self.plans[part.symbol]

    def rules_by_plan(self) -> dict[str, list[tuple[int, Rule]]]:
        """The rules of every plan with their numbers."""
        found: dict[str, list[tuple[int, Rule]]] = {plan: [] for plan in self.plans}
        for number, rule in enumerate(self.rules):
            found[rule.head].append((number, rule))
        return found

    def unknown_action_text(self, action: str) -> str:
        """The message for an action that the library does not have."""
        close = get_close_matches(action, self.actions, n=1)
        return f"{action!r} is not an action of {self.name}{f' (did you mean {close[0]!r}?)' if close else ''}"

    def with_noise(self, prior: float, strange: Iterable[str] = ()) -> "PlanLibrary":
        """The same with one more goal, whose part is any action, *strange* ones too, so that it explains everything."""
        if NOISE in self.plans:
            raise BadPlan(self.name, f"it already has a plan called {NOISE!r}; rename that plan")
        actions = {**{name: Symbol(name) for name in strange}, **self.actions}
        share = 1.0 / len(actions)
        goals = {goal: (1.0 - prior) * held for goal, held in self.goals.items()}
        rules = tuple(Rule(NOISE, (Part(action, True),), probability=share) for action in actions)
        plans, goals = {**self.plans, NOISE: Symbol(NOISE)}, {**goals, NOISE: prior}
        return PlanLibrary(goals, plans, actions, self.rules + rules, self.depth, self.name)


class Places:
    """Where each entry of a library was written, so that an error can name its line."""

    def __init__(self, source: object = "plans") -> None:
        self.source = source
        self.lines: dict[object, int] = {}

    def error(self, thing: object, why: str) -> BadPlan:
        """The error of an entry: a name, or the number of a rule."""
        return BadPlan(self.source, why, self.lines.get(thing))


def check_library(library: PlanLibrary, places: Places) -> PlanLibrary:
    """The library in its normal form; BadPlan if it is invalid."""
    if not library.goals:
        raise BadPlan(places.source, "it names no goal, so there is nothing to recognise")
    for name, prior in library.goals.items():
        if not 0.0 < prior <= 1.0:
            raise places.error(name, f"the prior of goal {name!r} must be above 0 and at most 1, not {prior:g}")
        if name not in library.plans:
            raise places.error(name, f"goal {name!r} has no rule")
    total = sum(library.goals.values())
    if abs(total - 1.0) > ROUNDING:
        raise places.error(next(iter(library.goals)), f"the priors of the goals add up to {total:.6g}, not to 1")
    rules = tuple(checked_rule(library, number, rule, places) for number, rule in enumerate(library.rules))
    for plan, own in library.rules_by_plan().items():
        if not own:
            raise places.error(plan, f"plan {plan!r} has no rule")
        total = sum(rule.probability for _, rule in own)
        if abs(total - 1.0) > ROUNDING:
            raise places.error(own[0][0], f"the probabilities of the rules of {plan!r} add up to {total:.6g}, not to 1")
    endless = unfinishable(library)
    if endless:
        raise places.error(endless[0], f"these plans can never be finished: {short_list(endless)}")
    if library.depth is not None and not 1 <= library.depth <= 100:
        raise places.error("depth", f"depth must be a whole number from 1 to 100, not {library.depth}")
    return msgspec.structs.replace(library, rules=rules)


def checked_rule(library: PlanLibrary, number: int, rule: Rule, places: Places) -> Rule:
    """A rule in its normal form; BadPlan if it is invalid."""
    what = f"a rule of {rule.head!r}"
    if rule.head not in library.plans:
        raise places.error(number, f"{what}: no such plan")
    if not rule.parts:
        raise places.error(number, f"{what} has no parts")
    for part in rule.parts:
        if part.symbol not in (library.actions if part.action else library.plans):
            raise places.error(
                number, f"{what} names {part.symbol!r}, which is not {'an action' if part.action else 'a plan'}"
            )
    if not (isfinite(rule.probability) and 0.0 < rule.probability <= 1.0):
        raise places.error(number, f"{what} has probability {rule.probability:g}, which is not above 0 and at most 1")
    for what_time, time in (("mean duration", rule.duration), ("timeout", rule.timeout)):
        if time is not None and not (isfinite(time) and time > 0.0):
            raise places.error(number, f"{what} has a {what_time} of {time:g}, which is not above 0")
    for first, second in rule.order:
        if not (0 <= first < len(rule.parts) and 0 <= second < len(rule.parts)):
            raise places.error(number, f"{what} orders parts {first + 1} and {second + 1} of {len(rule.parts)}")
    before = predecessors(len(rule.parts), rule.order)
    for place, mask in enumerate(before):
        if mask >> place & 1:
            raise places.error(number, f"{what}: part {place + 1}, {rule.parts[place].symbol!r}, comes before itself")
    for index, parameter in (slot for group in rule.equal for slot in group):
        owner = library.plans[rule.head] if index == 0 else library.symbol(rule.parts[index - 1])
        if parameter not in owner.parameters:
            raise places.error(number, f"{what}: {owner.name!r} has no parameter {parameter!r}")
    return msgspec.structs.replace(rule, order=reduce_order(rule.order, before), equal=merged_classes(rule.equal))


def interchangeable(rule: Rule) -> list[list[int]]:
    """The places of a rule, grouped where parts are interchangeable: equal, untied, and ordered alike."""
    before = predecessors(len(rule.parts), rule.order)
    after = [0] * len(before)
    for later, mask in enumerate(before):
        for place in range(len(before)) if mask else ():
            after[place] |= (mask >> place & 1) << later
    tied = {index - 1 for group in rule.equal for index, _ in group}
    found: dict[tuple[Part, int, int, int], list[int]] = {}
    for place, part in enumerate(rule.parts):
        found.setdefault((part, before[place], after[place], place if place in tied else -1), []).append(place)
    return list(found.values())


def predecessors(count: int, order: Iterable[tuple[int, int]]) -> list[int]:
    """For each of *count* parts, the bits of all that must come before it; its own bit if the order is cyclic."""
    before = [0] * count
    after: list[list[int]] = [[] for _ in range(count)]
    left = [0] * count
    for first, second in set(order):
        after[first].append(second)
        left[second] += 1
    ready = [place for place in range(count) if not left[place]]
    for place in ready:  # grows during the loop
        for second in after[place]:
            before[second] |= before[place] | 1 << place
            left[second] -= 1
            if not left[second]:
                ready.append(second)
    stuck = sorted(set(range(count)) - set(ready))  # on a cycle, or after one
    for first in stuck:
        for second in after[first]:
            before[second] |= 1 << first
    for middle in stuck:
        for place in stuck:
            if before[place] >> middle & 1:
                before[place] |= before[middle]
    return before


def chain(count: int) -> Pairs:
    """The total order of *count* parts."""
    return tuple((place, place + 1) for place in range(count - 1))


def reduce_order(order: Sequence[tuple[int, int]], before: Sequence[int]) -> Pairs:
    """The transitive reduction of an order."""
    implied: dict[int, int] = {}
    for first, second in order:
        implied[second] = implied.get(second, 0) | before[first]
    return tuple(sorted((first, second) for first, second in set(order) if not implied[second] >> first & 1))


def merged_classes(groups: Iterable[Iterable[Slot]]) -> tuple[tuple[Slot, ...], ...]:
    """Classes of slots, with overlapping ones merged."""
    classes: list[set[Slot]] = []
    for group in groups:
        together = set(group)
        apart = []
        for known in classes:
            if known & together:
                together |= known
            else:
                apart.append(known)
        classes = [*apart, together]
    return tuple(sorted(tuple(sorted(each)) for each in classes if len(each) > 1))


def unfinishable(library: PlanLibrary) -> list[str]:
    """The plans that can never be finished, because all their rules lead back to such plans."""
    finished: set[str] = set()
    before = -1
    while before < len(finished):
        before = len(finished)
        for rule in (*library.rules, *reversed(library.rules)):  # fast for files in either order
            if all(part.action or part.symbol in finished for part in rule.parts):
                finished.add(rule.head)
    return [plan for plan in library.plans if plan not in finished]


def normalise_weights(weights: Mapping[Named, float]) -> dict[Named, float]:
    """The weights scaled to add up to 1; unchanged if they already do, up to rounding."""
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()} if abs(total - 1.0) > 1e-12 else dict(weights)


def ranked_shares(shares: Mapping[Named, float]) -> dict[Named, float]:
    """Shares, the largest first."""
    return dict(sorted(shares.items(), key=lambda item: (-item[1], str(item[0]))))
