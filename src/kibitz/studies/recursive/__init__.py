"""Recursive games: what Keffer (2013) proposes, done and measured. A new subject is one module and its line here."""

from kibitz.studies.recursive import bears, lowered_expectations, planner, programs, responses, right_turn, speed
from kibitz.studies.study import Study

STUDY = Study.of(
    bears,
    right_turn,
    lowered_expectations,
    speed,
    programs,
    planner,
    responses,
    name="recursive",
    title="Recursive games: who wins, how soon, and what to do when nothing can be won",
    asks=(
        "Keffer (2013) proposes to solve games in which both players choose at once as recursive games, to play them "
        "by what was found, and to make programs of it that people can read. Which of his results come again, and what "
        "comes of what he left open?"
    ),
    sources=(
        "J. Keffer (2013). Machine generated intelligent agents for games with simultaneous movement. "
        "Dissertation proposal.",
    ),
)
