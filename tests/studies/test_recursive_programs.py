"""The part of the study of recursive games that compares learners of programs."""

from collections.abc import Iterator

import pytest
from finished_studies import finished

from kibitz.studies.blocks import Listing, Table
from kibitz.studies.recursive import STUDY, programs
from kibitz.studies.report import make_report
from kibitz.studies.runs import StudyRun

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    small = {"program_tasks": ("hero", "orc"), "program_boards": ((3, 3), (4, 4)), "program_radii": (5, 6)}
    with finished(STUDY, programs, tmp_path_factory.mktemp("programs"), **small) as run:
        yield run


def test_all_learners_are_compared_on_both_games(run: StudyRun) -> None:
    rows = {row["task"]: row["programs"] for row in run.results.rows("programs")}
    assert list(rows) == ["hero", "orc"]
    assert all(len(found) == 8 for found in rows.values())
    assert all(program["boards"][0]["wrong"] == 0 for found in rows.values() for program in found[1::2])
    assert {program["answers"] for program in rows["hero"]} == {3}
    assert all(program["boards"][-1]["exact"] for program in rows["hero"])
    assert all(0.001 < program["boards"][-1]["shortfall"] < 0.0021 for program in rows["orc"])


def test_the_report_shows_programs_and_says_what_they_are_worth(run: StudyRun) -> None:
    told = make_report(run)
    blocks = [block for chapter in told.chapters for block in chapter.blocks]
    assert sum(isinstance(block, Table) for block in blocks) == 2
    listings = [block.text for block in blocks if isinstance(block, Listing)]
    assert listings[0].startswith("if x < 0: R")
    assert "otherwise" in listings[1]
    assert told.conclusions[0].endswith("certified, it loses nothing there.")
    assert "certified, it loses at most 0.00" in told.conclusions[1]
