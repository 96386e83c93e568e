"""How somebody is supposed to act on plans: what recognition assumes (Geib & Goldman 2009)."""

from collections.abc import Callable
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kibitz.core.errors import BadPlan
from kibitz.models.plans.library import NOISE, PlanLibrary

Meaning = Literal["frontier", "leaves"]
Share = Annotated[float, Meta(ge=0.0, lt=1.0)]
Choice = Callable[[str, str, object], float]
"""The weight of a pending symbol of a goal in a context; what is pending is picked in proportion to it."""

MOST_ROOTS = 20
"""Goals at a time, where nothing else is said."""


class Assumptions(msgspec.Struct, frozen=True):
    """What is assumed of whoever is watched.

    He chooses goals, each up to *instances* times and at most *roots* in all (20 unless said), and acts on all of
    them in turns: each time he picks something *pending*, of whatever he has not done yet and may do now. *meaning*
    says what that is: `frontier`, a node of the trees as far as they have grown, from which he then goes down to an
    action by the probabilities of the rules, or `leaves`, an action of trees that were grown to the end before.
    *priors*: goals count by the `product` of their priors, or by their `odds`. *miss* is how likely an action is
    not seen, and *silent* how many in a row may not be; *slip* how likely an action has nothing to do with any
    goal; and a goal is given up when it was so unlikely as *abandon* not to be seen again.
    """

    meaning: Meaning = "frontier"
    instances: Annotated[int, Meta(ge=1, le=100)] = 1
    roots: Annotated[int, Meta(ge=1, le=100)] | None = None
    priors: Literal["product", "odds"] = "product"
    depth: Annotated[int, Meta(ge=1, le=100)] | None = None
    miss: Share = 0.0
    silent: Annotated[int, Meta(ge=0, le=10)] = 1
    slip: Share = 0.0
    abandon: Share = 0.0
    noises: Annotated[int, Meta(ge=1, le=100)] = 3
    """How often the goal `noise` may occur, where a library has it."""

    def most(self, goal: str) -> int:
        """How often a goal may occur."""
        return self.noises if goal == NOISE else self.instances

    def most_roots(self, library: PlanLibrary) -> int:
        """How many goals there may be at a time."""
        every = sum(self.most(goal) for goal in library.goals)
        return min(every, MOST_ROOTS if self.roots is None else self.roots)

    def prior(self, library: PlanLibrary, goal: str) -> float:
        """What a goal counts for in an explanation."""
        prior = library.goals[goal]
        if self.priors == "product":
            return prior
        if prior >= 1.0:
            raise BadPlan(library.name, f"goal {goal!r} has prior 1, so its odds are infinite; take the product")
        return prior / (1.0 - prior)
