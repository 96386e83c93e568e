"""The study of Axis & Allies: repeats what Lie (2009) reports of teams of learning automata, with exact solutions."""

from kibitz_axis.study import battles, scenarios, variations, whole_games
from kibitz_axis.study.thesis import SOURCE
from kibitz_lab.studies.study import Study

STUDY = Study.of(
    battles,
    scenarios,
    variations,
    whole_games,
    name="axis",
    title="Axis & Allies: do teams of learning automata find the right plan?",
    asks=(
        "Lie (2009) gives every unit a learning automaton, gives all of them the same status, and stacks teams in "
        "tiers, one for each turn ahead. Which teams find the right plan, how often, in what time, and does depth "
        "pay? The exact solution of each scenario decides what is a success."
    ),
    sources=(SOURCE,),
)
