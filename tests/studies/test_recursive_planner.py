"""The parts of the study of recursive games on planning and on answers to a model."""

from collections.abc import Iterator

import pytest
from finished_studies import finished

from kibitz.studies.blocks import Conclusion, Table
from kibitz.studies.recursive import STUDY, planner, responses
from kibitz.studies.report import make_report
from kibitz.studies.runs import StudyRun

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    folder = tmp_path_factory.mktemp("planner")
    games = {"planner_games": ("guan", "inspection"), "planner_large": ("inspection",)}
    with finished(STUDY, planner, folder, planner_nodes=(16,), planner_matches=1, **games) as run:
        yield run


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    met = (("inspection(periods=3, inspections=1)", "random", 0),)
    with finished(
        STUDY, responses, tmp_path_factory.mktemp("responses"), responses_met=met, responses_matches=10
    ) as run:
        yield run


def test_plans_are_certified_beside_one_look_ahead(plans: StudyRun) -> None:
    rows = plans.results.rows("planner_certified")
    assert all(row["below"] == 0 for row in rows)
    whole = [row for row in rows if row["game"] == "inspection" and row["nodes"] == 16]
    assert all(row["planned"] == pytest.approx(row["exact"], abs=1e-3) for row in whole)
    assert any(row["looked"] < row["exact"] - 0.01 for row in whole)
    told = make_report(plans)
    assert told.complete
    assert any("are certified nowhere below one look ahead" in words for words in told.conclusions)


def test_matches_are_told_move_by_move(plans: StudyRun) -> None:
    told = [row["told"] for row in plans.results.rows("planner_matches") if row["told"]]
    assert len(told) == 2
    assert all(lines[0] == "5 periods and 2 inspections left" for lines in told)


def test_answers_gain_and_keep_to_their_risk(answers: StudyRun) -> None:
    for row in answers.results.rows("responses_exact"):
        assert row["gain"] > 0.01
        assert row["loss"] <= row["risk"]
    roles = {row["role"]: row["earned"] for row in answers.results.rows("responses_matches")}
    assert set(roles) == set(responses.ROLES)
    assert make_report(answers).complete


def test_plans_below_one_look_ahead_are_listed() -> None:
    plan = {"game": "oshi-zumo", "player": 1, "heuristic": "pushes", "order": "best", "lean": "cautious", "states": 74}
    rows = [{**plan, "nodes": nodes, "below": below, "most_below": 0.25} for nodes, below in ((4, 7), (16, 3), (64, 0))]
    table, conclusion = planner.exceptions(rows)
    assert isinstance(table, Table)
    assert [row[5:] for row in table.rows] == [(4, 7, 74, 0.25), (16, 3, 74, 0.25)]
    assert isinstance(conclusion, Conclusion)
    assert conclusion.text.startswith("Of 3 plans 1 are certified nowhere below")
    assert "2 of `oshi-zumo`" in conclusion.text
    assert "at most 16 states" in conclusion.text
    assert [type(block) for block in planner.exceptions(rows[2:])] == [Conclusion]
