"""Axis & Allies: what Lie (2009) reports of teams of learning automata, done again and judged by exact solutions."""

from kibitz.studies.axis import battles, family, questions, reading, scenarios, sweeps, whole_games
from kibitz.studies.axis.thesis import SOURCE
from kibitz.studies.study import Part, Settings, Study

MODULES = (scenarios, sweeps, family, questions, whole_games, reading)
"""Each offers the parts and sections of its subject."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """The parts of all modules."""
    return [part for module in MODULES for part in module.parts(settings, seed)]


STUDY = Study(
    name="axis",
    title="Axis & Allies: do teams of learning automata find the right plan?",
    asks=(
        "Lie (2009) gives every unit a learning automaton, tells all of them the same status, and stacks teams in "
        "tiers over the turns to come. Which teams find the right plan, how often, in what time, and how predictable "
        "are they? Success is judged by the exact solution of each scenario."
    ),
    settings={key: value for module in MODULES for key, value in module.SETTINGS.items()},
    quick={key: value for module in MODULES for key, value in module.QUICK.items()},
    parts=parts,
    sections=(*battles.SECTIONS, *(section for module in MODULES for section in module.SECTIONS)),
    sources=(SOURCE,),
)
