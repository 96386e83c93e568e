"""The study of the prisoner's dilemma with fewer matches and cases, for tests that run it more than once."""

import os
import time
from pathlib import Path

import msgspec

from kibitz.studies import ipd
from kibitz.studies.study import Case, Part, Row, Settings

HOLD = "KIBITZ_TEST_HOLD"
"""Names a file; as long as it exists, every case takes so long that the study cannot end before it is stopped."""
PACE = 0.6
"""Seconds of such a case: more than results wait to be stored, so each is stored when it is done."""


def watch_match(case: Case) -> Row:
    """What the study does with a case, slowly while the file is there."""
    row = ipd.watch_match(case)
    if Path(os.environ.get(HOLD, "")).is_file():
        time.sleep(PACE)
    return row


def parts(settings: Settings, seed: int) -> list[Part]:
    """The parts of the study, with slow cases in the second."""
    scores, naming = ipd.parts(settings, seed)
    return [scores, msgspec.structs.replace(naming, work=watch_match)]


STUDY = msgspec.structs.replace(ipd.STUDY, quick={**ipd.STUDY.quick, "repeats": 1, "watches": 1}, parts=parts)
