"""The study of Colored Trails: experiments of Pozin (2010) and more. To add a subject, add a module and its line."""

from kibitz_lab.studies.study import Study
from kibitz_trails.study import fields, predictors, scores

STUDY = Study.of(
    scores,
    predictors,
    fields,
    name="trails",
    title="Colored Trails: who gains by broken promises, and can they be predicted?",
    asks=(
        "Pozin (2010) gives PERB, an agent that negotiates by rules, a model of its opponent's reliability, deception "
        "at the end of the game, and a tree of one round with learned probabilities. Which of them earn more against "
        "agents that other people designed? How well can models predict such agents, known and unseen? And how "
        "much does an agent earn that infers its opponent's type and looks several rounds ahead?\n\n"
        "The thesis has board DD only, 38 games to a row, and no intervals; its boards are lost and its opponents are "
        "not known, so its scores are not comparable with ours, but the order of the agents is. Intervals of points "
        "are over opponents."
    ),
    sources=(
        "K. Pozin (2010). Improving agent performance in an alternating offers negotiation game. Harvard College.",
        "R. Carr, P. Roos and B. Wilson (2009). Opponent modeling in Colored Trails. Unpublished.",
    ),
)
