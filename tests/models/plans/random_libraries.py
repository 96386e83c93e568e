"""Random plan libraries, to test recognition and learning on more than a few chosen ones."""

import msgspec
import numpy as np

from kibitz.models.plans.library import Part, Places, PlanLibrary, Rule, Symbol, check_library


def random_library(
    rng: np.random.Generator,
    *,
    goals: int = 3,
    plans: int = 3,
    actions: int = 8,
    ways: int = 3,
    most_parts: int = 2,
    goal_parts: int = 4,
) -> PlanLibrary:
    """A library whose goals share sub-plans: each goal has every sub-plan among its parts if there is room for it.

    A sub-plan has up to *ways* rules with up to *most_parts* actions each, of random probabilities; some parts are
    ordered.
    """
    plan_names = [f"P{number}" for number in range(plans)]
    action_names = [f"a{number}" for number in range(actions)]
    rules: list[Rule] = []
    for plan in plan_names:
        shares = rng.dirichlet(np.full(int(rng.integers(2, ways + 1)), 3.0))
        begun = rng.permutation(actions)  # rules of one plan begin differently, so that they can be told apart
        for first, share in zip(begun.tolist(), shares.tolist(), strict=False):
            rest = rng.integers(actions, size=int(rng.integers(0, most_parts))).tolist()
            parts = tuple(Part(action_names[number], True) for number in (first, *rest))
            rules.append(Rule(plan, parts, tuple((0, place) for place in range(1, len(parts))), share))
    goal_names = [f"G{number}" for number in range(goals)]
    for goal in goal_names:
        chosen = [*rng.permutation(plans).tolist(), *rng.integers(plans, size=goal_parts).tolist()][:goal_parts]
        parts = tuple(Part(plan_names[number], False) for number in chosen)
        order = tuple((i, j) for j in range(goal_parts) for i in range(j) if rng.random() < 0.4)
        rules.append(Rule(goal, parts, order))
    priors = rng.dirichlet(np.full(goals, 5.0)).tolist()
    symbols = {name: Symbol(name) for name in (*goal_names, *plan_names)}
    drawn = PlanLibrary(
        dict(zip(goal_names, priors, strict=True)),
        symbols,
        {name: Symbol(name) for name in action_names},
        tuple(rules),
        name="random",
    )
    return check_library(drawn, Places("random"))


def with_even_shares(library: PlanLibrary) -> PlanLibrary:
    """The same library with all goals alike, and all rules of a plan alike: what learning may begin with."""
    count = {plan: len(own) for plan, own in library.rules_by_plan().items()}
    rules = tuple(msgspec.structs.replace(rule, probability=1.0 / count[rule.head]) for rule in library.rules)
    return msgspec.structs.replace(library, goals=dict.fromkeys(library.goals, 1.0 / len(library.goals)), rules=rules)
