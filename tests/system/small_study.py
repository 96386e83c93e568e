"""Matches of the prisoner's dilemma and work that depends on them, for tests that kill and stop a study."""

import os
import time
from pathlib import Path

from kibitz.core.match.play import play
from kibitz_lab.studies.measures import Column, Measure
from kibitz_lab.studies.study import Case, Row, Settings, Study, Work, cross_factors

HOLD = "KIBITZ_TEST_HOLD"
"""Names a file; as long as it exists, every case takes so long that the study cannot end before it is stopped."""
PACE = 0.6
"""Seconds of such a case: more than results wait to be stored, so each is stored when it is done."""
AGENTS = ("tit_for_tat", "grim", "pavlov", "random", "generous", "cooperator", "defector", "two_tats")


def earned(case: Case) -> Row:
    """What an agent earns in a match, slowly while the file is there."""
    record = play("dilemma", [case["agent"], case["opponent"]], seed=case["seed"])
    if Path(os.environ.get(HOLD, "")).is_file():
        time.sleep(PACE)
    assert record.ending is not None
    return {"earned": record.ending.returns[0]}


def parts(settings: Settings, seed: int) -> list[Work]:
    """The tournament of all agents, and matches of each against each."""
    cases = cross_factors({"agent": AGENTS, "opponent": AGENTS}, repeats=settings["repeats"], seed=seed)
    return [
        Work(name="cup", work=earned, cases=[case for case in cases if case["agent"] != case["opponent"]]),
        Work(name="naming", work=earned, cases=lambda results: cases, planned=64),
    ]


STUDY = Study(
    name="small",
    title="Small",
    asks="Who earns most?",
    settings={"repeats": 4},
    quick={"repeats": 1},
    parts=parts,
    measures=(Measure(name="Earned", part="naming", by=("agent",), columns=(Column(name="earned"),)),),
)
