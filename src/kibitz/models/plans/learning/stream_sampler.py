"""Streams drawn from a plan library: several goals at a time, noise, and goals left unfinished.

Tests and benchmarks need them. Each event comes with the goals that it finishes, so that recognition can be scored.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from kibitz.core import Rng
from kibitz.models.plans.inference.tree_table import TreeTable
from kibitz.models.plans.library import Event, Instance, Observation, PlanLibrary

Thing = TypeVar("Thing")
UNKNOWN = "something_else"
"""The action outside all libraries in drawn streams."""


class DrawnEvent(NamedTuple):
    """An event, and the truth: whether it serves a goal, and the goals that it finishes."""

    event: Event
    serves: bool
    finished: tuple[Instance, ...] = ()


class StreamSampler:
    """Draws an endless stream: with probability *noise* an event serves no goal; *together* goals are under way.

    A goal is left with probability *leave* after each of its actions. Values of parameters are drawn from *values*
    different ones.
    """

    def __init__(
        self,
        library: PlanLibrary,
        *,
        noise: float = 0.05,
        leave: float = 0.01,
        together: int = 3,
        values: int = 50,
        depth: int | None = None,
    ) -> None:
        self.library, self.noise, self.leave, self.together, self.values = library, noise, leave, together, values
        self.table = TreeTable(library, "frontier", depth)
        self.actions = [*library.actions, UNKNOWN]

    def events(self, rng: Rng) -> Iterator[DrawnEvent]:
        """The events of a stream, without end."""
        goals, priors = list(self.library.goals), list(self.library.goals.values())
        active: list[int] = []
        while True:
            if rng.random() < self.noise:
                yield DrawnEvent(Event(self.noise_observation(rng)), False)
                continue
            if len(active) < self.together and (not active or rng.random() < 1.0 / (1 + len(active))):
                (_, tree, _), *_ = self.table.roots[_draw(goals, priors, rng)]
                active.append(tree)
                place = len(active) - 1
            else:
                place = int(rng.random() * len(active))
            observation, active[place] = self.step(active[place], rng)
            held = self.table.trees[active[place]]
            finished = () if held.nodes else (held.instance,)
            if not held.nodes or rng.random() < self.leave:
                del active[place]
            yield DrawnEvent(Event(observation), True, finished)
            if len(self.table.trees) > 5_000:
                self.table, numbers = self.table.restrict_trees(active)
                active = [numbers[tree] for tree in active]

    def step(self, tree: int, rng: Rng) -> tuple[Observation, int]:
        """An action with which a tree goes on, and the tree after it."""
        ways = {seen: sum(pick.probability for pick in own) for seen, own in self.table.picks(tree).items()}
        chosen = _draw(list(ways), list(ways.values()), rng)
        seen = chosen._replace(values=tuple(self.value(rng) if each is None else each for each in chosen.values))
        steps = self.table.steps(tree, seen)
        return seen, _draw(steps, [step.pick.probability for step in steps], rng).target

    def noise_observation(self, rng: Rng) -> Observation:
        """An action that serves no goal."""
        action = self.actions[int(rng.random() * len(self.actions))]
        symbol = self.library.actions.get(action)
        return Observation(action, tuple(self.value(rng) for _ in symbol.parameters) if symbol else ())

    def value(self, rng: Rng) -> str:
        return f"v{int(rng.random() * self.values)}"


def _draw(things: list[Thing], weights: list[float], rng: Rng) -> Thing:
    """One of some things, in proportion to its weight."""
    left = rng.random() * sum(weights)
    for thing, weight in zip(things, weights, strict=True):
        left -= weight
        if left < 0.0:
            return thing
    return things[-1]
