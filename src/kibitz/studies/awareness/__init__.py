"""The study of awareness: what an opponent model wins, in every game, for every agent that can use one."""

from kibitz.studies.awareness import matrix
from kibitz.studies.study import Study

STUDY = Study.of(
    matrix,
    name="awareness",
    title="Awareness: what is a model of the opponent worth?",
    asks=(
        "An opponent model is worth what it wins. Here an agent plays with one and without one: the same seeds, "
        "the same seats, the same opponents, and the same cost. The time of the model counts: the agent without one "
        "thinks longer by the ratio that was measured before. The opponents are the strategies that come with the "
        "game, the strangers of the published set, and players who adapt to us. Three controls stand beside every "
        "gain: the agent that is told the true strategy (the most a model can win), one that is sure of a wrong "
        "strategy (the harm of trusting a model), and the agent without a model.\n\n"
        "A gain is what the agent earns more with the model, as a share of the range of the game's returns. A block is "
        "a pair of matches in each seat; a cell is played in stages, until its question is decided or its pairs are "
        "used up. All intervals hold together with 95 %, however many cells there are and whenever one stops: each is "
        "made at 5 % divided by the number of cells times stages (Bonferroni)."
    ),
    sources=(),
)
