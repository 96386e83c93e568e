"""Pawns: what Pedersen (2008) reports of asymmetric game trees, done again with intervals."""

from kibitz.studies.pawns import strength, tournaments
from kibitz.studies.study import Part, Settings, Study

MODULES = (tournaments, strength)
"""Each offers the parts and sections of its subject; later ones may use the parts of earlier ones."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """The parts of all modules."""
    return [part for module in MODULES for part in module.parts(settings, seed)]


STUDY = Study(
    name="pawns",
    title="Pawns: does it pay to look further where the opponent is likely to go?",
    asks=(
        "Pedersen (2008) lets a dynamic Bayesian network foretell the opponent's moves in the game of Pawns and looks "
        "two plies further behind those it holds likely. Which of the reported results come again, and which of them "
        "are more than chance?"
    ),
    settings={"wins": ("features", "mate"), "depth": 6, "tournaments": 60, "learned": 24, **strength.SETTINGS},
    quick={"depth": 3, "tournaments": 3, "learned": 2, **strength.QUICK},
    parts=parts,
    sections=tuple(section for module in MODULES for section in module.SECTIONS),
    sources=(
        "E. S. Pedersen (2008). Asymmetric game trees using dynamic Bayesian networks. Master's thesis, Aalborg.",
    ),
)
