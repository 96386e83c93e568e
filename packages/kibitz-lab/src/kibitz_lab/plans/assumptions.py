"""The assumptions of plan recognition: how the observed actor follows plans (Geib & Goldman 2009)."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kibitz.core.errors import BadPlan
from kibitz_lab.plans import limits
from kibitz_lab.plans.library import NOISE, PlanLibrary

Meaning = Literal["frontier", "leaves"]
Share = Annotated[float, Meta(ge=0.0, lt=1.0)]


class Assumptions(msgspec.Struct, frozen=True):
    """The assumptions about the observed actor.

    They choose goals, each up to *instances* times and at most *roots* in all (default 20), and work on all of them
    in turns: each time they pick one *pending* symbol, which is not done yet and may be done now. *meaning* says
    what these symbols are: `frontier`, nodes of the trees expanded so far, from which the actor goes down to an action
    by the probabilities of the rules, or `leaves`, actions of trees that were fully expanded beforehand. *priors*: the
    weight of goals is the `product` of their priors, or of their `odds`. *miss* is the probability that an action is
    not seen, and *silent* the most unseen actions in a row; *slip* is the probability that an action serves no goal; a
    goal counts as abandoned when its silence has a probability below *abandon*.
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
    """How often the goal `noise` may occur, if a library has it."""

    def most(self, goal: str) -> int:
        """How often a goal may occur."""
        return self.noises if goal == NOISE else self.instances

    def most_roots(self, library: PlanLibrary) -> int:
        """The most goals at a time."""
        every = sum(self.most(goal) for goal in library.goals)
        return min(every, limits.ROOTS if self.roots is None else self.roots)

    def prior(self, library: PlanLibrary, goal: str) -> float:
        """The weight of a goal in an explanation."""
        prior = library.goals[goal]
        if self.priors == "product":
            return prior
        if prior >= 1.0:
            raise BadPlan(library.name, f"goal {goal!r} has prior 1, so its odds are infinite; use priors=product")
        return prior / (1.0 - prior)
