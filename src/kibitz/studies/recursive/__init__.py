"""Recursive games: what Keffer (2013) proposes, done and measured. A new subject is one module and its line here.

A module offers `SETTINGS`, what decides how large it is, and `QUICK`, those that differ in the small version; `parts`,
from the settings and the seed; and `SECTIONS` of the report. Names of settings and parts are the study's own, so that a
module takes its name for theirs.
"""

from kibitz.studies.recursive import bears, lowered, planner, programs, responses, right_turn, speed
from kibitz.studies.study import Part, Settings, Study

MODULES = (bears, right_turn, lowered, speed, programs, planner, responses)
"""In the order of the report; later ones may use the parts of earlier ones."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """The parts of all modules."""
    return [part for module in MODULES for part in module.parts(settings, seed)]


STUDY = Study(
    name="recursive",
    title="Recursive games: who wins, how soon, and what to do when nothing can be won",
    asks=(
        "Keffer (2013) proposes to solve games in which both players choose at once as recursive games, to play them "
        "by what was found, and to make programs of it that people can read. Which of his results come again, and what "
        "comes of what he left open?"
    ),
    settings={name: value for module in MODULES for name, value in module.SETTINGS.items()},
    quick={name: value for module in MODULES for name, value in module.QUICK.items()},
    parts=parts,
    sections=tuple(section for module in MODULES for section in module.SECTIONS),
    sources=(
        "J. Keffer (2013). Machine generated intelligent agents for games with simultaneous movement. "
        "Dissertation proposal.",
    ),
)
