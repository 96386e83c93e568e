"""The study of Pawns: repeats what Pedersen (2008) reports of asymmetric game trees, with intervals."""

from kibitz.studies.pawns import asymmetric, games, plain, predictions, quality, strategies, strength, variants
from kibitz.studies.study import Section, Study

STUDY = Study.of(
    strategies,
    plain,
    asymmetric,
    predictions,
    variants,
    quality,
    strength,
    name="pawns",
    title="Pawns: does it pay to look further where the opponent is likely to go?",
    asks=(
        "Pedersen (2008) lets a dynamic Bayesian network predict the opponent's moves in the game of Pawns and looks "
        "two plies further below those it considers likely. Which of the reported results can be reproduced, and "
        "which of them are more than chance?"
    ),
    settings={
        "wins": ("features", "mate"),
        "depth": 6,
        "tournaments": 100,
        "variant_tournaments": 30,
        "learned": 24,
        "max_pr": 0.3,
        "searches": 4,
        "iterations": 100,
        "search_depth": 4,
        "rescored": 20,
        "found_tournaments": 10,
    },
    quick={
        "depth": 2,
        "tournaments": 3,
        "variant_tournaments": 2,
        "learned": 3,
        "searches": 2,
        "iterations": 4,
        "search_depth": 1,
        "rescored": 2,
        "found_tournaments": 1,
    },
    first=(Section(title="Rules and options", parts=(), blocks=games.conditions),),
    sources=(
        "E. S. Pedersen (2008). Asymmetric game trees using dynamic Bayesian networks. Master's thesis, Aalborg.",
    ),
)
