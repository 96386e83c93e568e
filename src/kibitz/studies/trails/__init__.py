"""Colored Trails: the experiments of Pozin (2010) and further ones. A new subject is one module and its line here.

A module offers `SETTINGS`, what decides how large it is, and `QUICK`, those that differ in the small version; `parts`,
from the settings and the seed; and `SECTIONS` of the report.
"""

from kibitz.studies.study import Part, Settings, Study
from kibitz.studies.trails import constants, fingerprints, predictors, scores

MODULES = (scores, predictors, constants, fingerprints)
"""In the order of the report."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """The parts of all modules."""
    return [part for module in MODULES for part in module.parts(settings, seed)]


STUDY = Study(
    name="trails",
    title="Colored Trails: who gains by broken promises, and can they be foreseen?",
    asks=(
        "Pozin (2010) gives PERB, an agent that negotiates by rules, a model of its opponent's reliability, deception "
        "at the end of the game, and a tree of one round whose chances were learned. Which of them earn more against "
        "agents that other people designed? How well can such agents be foretold, known ones and strangers? How much "
        "depends on what the thesis leaves open?"
    ),
    settings={name: value for module in MODULES for name, value in module.SETTINGS.items()},
    quick={name: value for module in MODULES for name, value in module.QUICK.items()},
    parts=parts,
    sections=tuple(section for module in MODULES for section in module.SECTIONS),
    sources=(
        "K. Pozin (2010). Improving agent performance in an alternating offers negotiation game. Harvard College.",
        "R. Carr, P. Roos and B. Wilson (2009). Opponent modeling in Colored Trails. Unpublished.",
    ),
)
