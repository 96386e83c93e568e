"""Watch a stream of events from Python, and tell each moment as data."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.formats.files import read_library
from kibitz_lab.plans.formats.observation_text import event_of
from kibitz_lab.plans.library import Event, PlanLibrary
from kibitz_lab.plans.stream import PlanMoment, StreamAssumptions, StreamRecogniser


def watch(
    library: PlanLibrary | Path | str,
    events: Iterable[Event | Observation | str | Mapping[str, object]],
    assumptions: StreamAssumptions | None = None,
    *,
    beam: int = 100,
    least: float = 0.05,
) -> Iterator[PlanMoment]:
    """What is believed after each event, as the events come.

    *library* may be the name of a file. An event is an `Event`, an `Observation`, a line of text such as
    `copy(web1) [0.8] @ 12.5`, or a mapping like the JSON object. At most *beam* explanations are kept, and goals that
    were finished or abandoned are told if that has at least the probability *least*.

    >>> from kibitz_lab.plans import watch
    >>> for moment in watch("cooking", ["take_buns", "take_chicken_patties"]):
    ...     print(moment.event.observation, f"{moment.goals['meat_burger']:.2f}")
    take_buns 0.49
    take_chicken_patties 0.98
    """
    plans = library if isinstance(library, PlanLibrary) else read_library(library)
    recogniser = StreamRecogniser(plans, assumptions, beam=beam, least=least)
    for number, each in enumerate(events, 1):
        yield recogniser.observe(event_of(each, plans, number))


def moment_data(library: PlanLibrary, moment: PlanMoment) -> dict[str, object]:
    """A moment ready for JSON."""

    def goal_data(plan: str, values: Sequence[str | None], probability: float) -> dict[str, object]:
        names = library.plans[plan].parameters
        known = {name: value for name, value in zip(names, values, strict=True) if value is not None}
        return {"goal": plan, "bindings": known, "probability": probability}

    return {
        "event": moment.number,
        "observation": str(moment.event.observation),
        "time": moment.event.time,
        "confidence": moment.event.confidence,
        "explained": moment.explained,
        "noise": moment.noise,
        "goals": moment.goals,
        "instances": [goal_data(*each, share) for each, share in moment.instances.items()],
        "next": {str(each): share for each, share in moment.next.items()},
        "finished": [goal_data(each.goal, each.values, each.probability) for each in moment.finished],
        "abandoned": [goal_data(each.goal, each.values, each.probability) for each in moment.abandoned],
        "kept": moment.kept,
        "dropped": moment.dropped,
    }
