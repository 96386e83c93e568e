"""Builds a move from the shapes that a person presses on a drawing."""

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from kibitz.core.drawing import Click, Counters, FromTo, Input

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
        self.counters = next((each for each in inputs if isinstance(each, Counters)), None)
        self.source = next(iter(self.ways)) if len(self.ways) == 1 else ""

    def offered_shapes(self) -> list[str]:
        """The shapes that can be pressed now."""
        return [*{**self.clicks, **self.ways, **self.ways.get(self.source, {})}]

    def press(self, shape: str) -> Amounts:
        """The action of each amount that this press leads to; empty if it was only the first press, or none."""
        if shape in self.clicks:
            return {1: self.clicks[shape]}
        found = self.ways.get(self.source, {}).get(shape) or self.ways.get(shape, {}).get(shape)
        if found is None:
            self.source = shape if shape in self.ways and shape != self.source else ""
        return found or {}


def counters_action(counters: Counters, values: Mapping[str, int]) -> int:
    """The action that the values of the counters describe."""
    action = 0
    for name, base in zip(counters.ranges, counters.bases, strict=True):
        action = action * base + values[name]
    return action


def limit_inputs(inputs: Sequence[Input], permitted: Collection[int]) -> list[Input]:
    """The inputs that lead to permitted actions; counters are not limited."""
    found: list[Input] = []
    for each in inputs:
        match each:
            case FromTo():
                actions = {amount: action for amount, action in each.actions.items() if action in permitted}
                found += [replace(each, actions=actions)] if actions else []
            case Click() if each.action not in permitted:
                pass
            case _:
                found.append(each)
    return found
