"""The study of Colored Trails: experiments of Pozin (2010) and more. To add a subject, add a module and its line."""

from kibitz.studies.study import Study
from kibitz.studies.trails import (
    fingerprints,
    predictors,
    scores,
    strength,
    trees,
)

STUDY = Study.of(
    scores,
    predictors,
    trees,
    fingerprints,
    strength,
    name="trails",
    title="Colored Trails: who gains by broken promises, and can they be predicted?",
    asks=(
        "Pozin (2010) gives PERB, an agent that negotiates by rules, a model of its opponent's reliability, deception "
        "at the end of the game, and a tree of one round with learned probabilities. Which of them earn more against "
        "agents that other people designed? How well can models predict such agents, known ones and strangers? And how "
        "much does an agent earn that infers its opponent's type "
        "and looks several rounds ahead?"
    ),
    sources=(
        "K. Pozin (2010). Improving agent performance in an alternating offers negotiation game. Harvard College.",
        "R. Carr, P. Roos and B. Wilson (2009). Opponent modeling in Colored Trails. Unpublished.",
    ),
)
