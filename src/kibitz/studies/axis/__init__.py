"""Axis & Allies: what Lie (2009) reports of teams of learning automata, done again and judged by exact solutions."""

from kibitz.studies.axis import scenarios
from kibitz.studies.axis.thesis import SOURCE
from kibitz.studies.study import Part, Settings, Study

MODULES = (scenarios,)
"""Each offers the parts and sections of its subject."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """The parts of all modules."""
    return [part for module in MODULES for part in module.parts(settings, seed)]


STUDY = Study(
    name="axis",
    title="x",
    asks="x",
    settings={**scenarios.SETTINGS},
    quick={**scenarios.QUICK},
    parts=parts,
    sections=(),
    sources=(SOURCE,),
)
