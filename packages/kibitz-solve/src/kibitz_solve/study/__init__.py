"""The study of recursive games: what Keffer (2013) proposes, carried out. To add a subject, add a module and a line."""

from kibitz_lab.studies.study import Study
from kibitz_solve.study import bears, lowered_expectations, planner, programs, right_turn, speed

STUDY = Study.of(
    bears,
    right_turn,
    lowered_expectations,
    speed,
    programs,
    planner,
    name="recursive",
    title="Recursive games: who wins, how soon, and what to do when nothing can be won",
    asks=(
        "Keffer (2013) proposes to solve games with simultaneous choices as recursive games, to play them by their "
        "solutions, and to turn solutions into programs that people can read. Which of the results can be reproduced, "
        "and what are the answers to the open questions?"
    ),
    sources=(
        "J. Keffer (2013). Machine generated intelligent agents for games with simultaneous movement. "
        "Dissertation proposal.",
    ),
)
