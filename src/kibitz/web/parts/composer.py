"""Builds a move from the shapes that a person presses on a drawing."""

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from kibitz.core.actions import from_digits
from kibitz.core.drawing import ChoiceButton, Click, Counters, FromTo, Input

Amounts = Mapping[int, int]
"""The action of each amount."""


class Composer:
    """The inputs of one position, and the shape pressed so far. A first press without alternative is made at once."""

    def __init__(self, inputs: Sequence[Input] = ()) -> None:
        self.clicks = {each.shape: each.action for each in inputs if isinstance(each, Click)}
        self.ways: dict[str, dict[str, Amounts]] = {}
        for each in inputs:
            if isinstance(each, FromTo):
                self.ways.setdefault(each.source, {})[each.target] = each.actions
        self.choices = {each.action: each.words for each in inputs if isinstance(each, ChoiceButton)}
        self.counters = next((each for each in inputs if isinstance(each, Counters)), None)
        self.source = next(iter(self.ways)) if len(self.ways) == 1 else ""

    def offered_shapes(self) -> list[str]:
        """The shapes that can be pressed now."""
        return [*{**self.clicks, **self.ways, **self.ways.get(self.source, {})}]

    def offered_actions(self) -> dict[str, int]:
        """The action to which the next press of a shape leads, of several amounts the largest."""
        ends = self.ways.get(self.source, {})
        return {**self.clicks, **{shape: actions[max(actions)] for shape, actions in ends.items()}}

    def covered_actions(self) -> set[int]:
        """The actions that can be composed in some way, without counters."""
        ways = (actions for ends in self.ways.values() for actions in ends.values())
        return {*self.clicks.values(), *self.choices, *(action for actions in ways for action in actions.values())}

    def only_way(self) -> Amounts:
        """The amounts of the only way there is; empty if there is anything else to press."""
        ends = [*self.ways.values()]
        return next(iter(ends[0].values())) if len(ends) == 1 == len(ends[0]) and not self.clicks else {}

    def press(self, shape: str) -> Amounts:
        """The action of each amount that this press leads to; empty if it was only the first press, or none."""
        if shape in self.clicks:
            return {1: self.clicks[shape]}
        found = self.ways.get(self.source, {}).get(shape) or self.ways.get(shape, {}).get(shape)
        if found is None:
            self.source = shape if shape in self.ways and shape != self.source else ""
        return found or {}

    def drag(self, source: str, target: str) -> Amounts:
        """The action of each amount that a drag from one shape to another leads to."""
        return self.ways.get(source, {}).get(target, {})


def counters_action(counters: Counters, values: Mapping[str, int]) -> int:
    """The action that the values of the counters describe."""
    return from_digits([values[name] for name in counters.ranges], counters.bases)


def limit_inputs(inputs: Sequence[Input], permitted: Collection[int]) -> list[Input]:
    """The inputs that lead to permitted actions; counters are not limited."""
    found: list[Input] = []
    for each in inputs:
        match each:
            case FromTo():
                actions = {amount: action for amount, action in each.actions.items() if action in permitted}
                found += [replace(each, actions=actions)] if actions else []
            case Click() | ChoiceButton() if each.action not in permitted:
                pass
            case _:
                found.append(each)
    return found
