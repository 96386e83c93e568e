"""Harmony search (Geem, Kim & Loganathan 2001), and Harmony* (Pedersen 2008), whose scores are relative to the memory.

The search keeps a memory of vectors over a grid of values. A new vector takes every component from a member of the
memory or from the whole grid, and may shift it by a few places of the grid. It joins the memory, all are scored against
each other, and the worst one leaves. Because each iteration scores all members again, a score means nothing outside its
memory.
"""

from collections.abc import Callable, Sequence
from typing import Annotated

import msgspec

from kibitz.core.seeds import stream
from kibitz.core.specs import Count, Probability

Vector = tuple[float, ...]
Costs = Callable[[Sequence[Vector]], Sequence[float]]
"""The cost of every vector, scored together; the lowest is best."""


class HarmonySettings(msgspec.Struct, frozen=True):
    """The settings of a search; the defaults are Pedersen's."""

    grid: tuple[float, ...] = (-10000.0, -1000.0, -100.0, -10.0, 0.0, 10.0, 100.0, 1000.0, 10000.0)
    """The values a component may have, in order."""
    length: Count = 6
    """Components of a vector."""
    memory: Count = 4
    considering: Probability = 0.95
    """The probability that a component comes from the memory."""
    adjusting: Probability = 0.5
    """The probability that a component from the memory is shifted."""
    width: Annotated[int, msgspec.Meta(ge=0)] = 2
    """The largest shift, in places of the grid."""


class Stage(msgspec.Struct, frozen=True):
    """The state of a search after some iterations; it can be resumed from here."""

    iteration: int
    memory: tuple[Vector, ...]
    costs: tuple[float, ...]
    """The costs of the members, in the comparison that decided which stayed."""
    joined: Vector | None = None
    """The new vector, whether it stayed or not."""

    @property
    def best(self) -> Vector:
        """The member with the lowest cost; of several, the oldest."""
        return self.memory[min(range(len(self.memory)), key=self.costs.__getitem__)]


def first_stage(costs: Costs, settings: HarmonySettings, seed: int) -> Stage:
    """A random memory, scored."""
    rng = stream(seed, "harmony", 0)
    draws = rng.integers(len(settings.grid), size=(settings.memory, settings.length)).tolist()
    memory = tuple(tuple(settings.grid[place] for place in row) for row in draws)
    return Stage(0, memory, tuple(costs(memory)))


def next_stage(stage: Stage, costs: Costs, settings: HarmonySettings, seed: int) -> Stage:
    """Improvise a vector, score it with the memory, and drop the worst; of equally bad ones, the newest."""
    joined = improvise_vector(stage.memory, settings, seed, stage.iteration + 1)
    members = (*stage.memory, joined)
    scored = list(costs(members))
    worst = max(range(len(members)), key=lambda member: (scored[member], member))
    staying = [member for member in range(len(members)) if member != worst]
    memory, kept = tuple(members[member] for member in staying), tuple(scored[member] for member in staying)
    return Stage(stage.iteration + 1, memory, kept, joined)


def improvise_vector(memory: Sequence[Vector], settings: HarmonySettings, seed: int, iteration: int) -> Vector:
    """A new vector from the memory and the grid."""
    rng = stream(seed, "harmony", iteration)
    last = len(settings.grid) - 1
    found = []
    for component in range(settings.length):
        if rng.random() < settings.considering:
            value = memory[int(rng.integers(len(memory)))][component]
            place = settings.grid.index(value)
            if rng.random() < settings.adjusting:
                place += int(rng.integers(-settings.width, settings.width + 1))
        else:
            place = int(rng.integers(last + 1))
        found.append(settings.grid[min(max(place, 0), last)])
    return tuple(found)
