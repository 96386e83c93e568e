"""The study of strangers: what models say about players that they do not know, in every game with enough strategies."""

from kibitz.studies.strangers import games
from kibitz.studies.study import Study

STUDY = Study.of(
    games,
    name="strangers",
    title="Strangers: what do models say about players they do not know?",
    asks=(
        "A model knows some strategies. Here it watches players who follow none of them: searchers with other weights "
        "and depths, players who err, mix or switch strategies, random tables, a uniformly random player, and each "
        "known strategy while it is not among the hypotheses. Does the model predict them better than a uniform guess "
        "and better than the best single strategy? Does it notice that they are strangers, and is it as often right as "
        "it says? The players are those of the published set `strangers-1`; known players play beside them."
    ),
    sources=(),
)
