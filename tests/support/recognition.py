"""A recogniser that has seen some observations."""

from collections.abc import Sequence

from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.assumptions import Assumptions
from kibitz_lab.plans.library import PlanLibrary
from kibitz_lab.plans.recogniser import Recogniser


def recognise_plans(
    library: PlanLibrary, observations: Sequence[Observation], assumptions: Assumptions | None = None, **options: object
) -> Recogniser:
    found = Recogniser(library, assumptions, **options)  # type: ignore[arg-type]
    for observation in observations:
        found.observe(observation)
    return found
