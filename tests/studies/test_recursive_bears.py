from collections.abc import Iterator

import pytest
from finished_studies import finished

from kibitz.studies.recursive import STUDY, bears
from kibitz.studies.report import make_report
from kibitz.studies.runs import StudyRun


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    with finished(STUDY, bears, tmp_path_factory.mktemp("bears"), boards=((2, 4), (5, 10))) as run:
        yield run


@pytest.mark.long
def test_the_formula_is_judged_on_every_board(run: StudyRun) -> None:
    rows = run.results.rows("formula")
    assert [(row["states"], row["won"]) for row in rows][1] == (10_525, 6_110)
    assert [(row["differ"], row["rounds_differ"]) for row in rows] == [(0, 0), (0, 0)]
    assert rows[1]["over_differ"] == 1_400


def test_table_1_is_best_play_in_every_row(run: StudyRun) -> None:
    (row,) = run.results.rows("table_1")
    assert len(row["rows"]) == 18
    assert all(each["hero_best"] and each["bear_best"] for each in row["rows"])
    assert [each["rounds"] for each in row["rows"]][:3] == pytest.approx([1.0, 2.0, 3.0])
    told = make_report(run)
    assert told.complete
    assert told.conclusions[0].startswith("18 of the 18 rows")


def test_a_wrong_action_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bears, "TABLE_1", {(2, 1, 0, 0): ("L", "A"), (3, 1, 2, 1): ("L", "R")})
    rows = bears.judged_table({"game": bears.TABLE_BOARD})["rows"]
    assert [(row["hero_best"], row["bear_best"]) for row in rows] == [(False, True), (True, False)]
