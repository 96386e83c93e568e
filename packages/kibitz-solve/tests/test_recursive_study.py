"""The study of recursive games: its own parts, each alone and small."""

import pytest

from finished_studies import finished
from kibitz_lab.studies.runs import StudyRun
from kibitz_solve.study import STUDY, bears, lowered_expectations, planner, programs, right_turn, speed

pytestmark = pytest.mark.long

SMALL = {
    bears: {"boards": ((2, 4), (5, 10))},
    right_turn: {"radii": (5, 7)},
    lowered_expectations: {
        "lowered_games": ("right-turn(radius=5)", "bear-brawl(hero_hp=1, bear_hp=1, radius=3)"),
        "blunder_games": 1,
    },
    speed: {"compared_games": ("guan", "half-guan"), "smallest": (1e-8, 1e-16)},
    programs: {"program_tasks": ("hero", "orc"), "program_boards": ((3, 3), (4, 4)), "program_radii": (5, 6)},
    planner: {"planner_games": ("guan", "inspection"), "planner_nodes": (16,)},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[object, StudyRun]:
    found = {}
    for module, settings in SMALL.items():
        with finished(STUDY, module, tmp_path_factory.mktemp("part"), **settings) as run:  # type: ignore[arg-type]
            found[module] = run
    return found


def test_the_formula_is_judged_on_every_board(runs: dict[object, StudyRun]) -> None:
    rows = runs[bears].results.rows("formula")
    assert [(row["states"], row["won"]) for row in rows][1] == (10_525, 6_110)
    assert [(row["differ"], row["rounds_differ"]) for row in rows] == [(0, 0), (0, 0)]
    assert rows[1]["over_differ"] == 1_400
    table = runs[bears].results.rows("table_1")
    assert len(table) == 18
    assert all(each["hero_best"] and each["bear_best"] for each in table)
    assert [each["rounds"] for each in table][:3] == pytest.approx([1.0, 2.0, 3.0])


def test_a_wrong_action_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bears, "TABLE_1", {(2, 1, 0, 0): ("L", "A"), (3, 1, 2, 1): ("L", "R")})
    rows = bears.judged_table({"game": bears.TABLE_BOARD})
    assert [(row["hero_best"], row["bear_best"]) for row in rows] == [(False, True), (True, False)]


def test_the_winnable_region_is_the_same_on_every_board(runs: dict[object, StudyRun]) -> None:
    for row in runs[right_turn].results.rows("region"):
        assert [row[name] for name in right_turn.CLASSES[:3]] == [6, 14, 13]
        assert row["not decided"] == 0


def test_levels_are_counted_and_pay(runs: dict[object, StudyRun]) -> None:
    rows = runs[lowered_expectations].results.rows("levels")
    assert [row["alpha_new"] for row in rows] == [0, 0]
    assert rows[0]["by level"].startswith("0: 33, ")
    for row in runs[lowered_expectations].results.rows("blunders"):
        assert row["plain"] < 0.5 * row["lowered"] < 0.5 * (row["most"] + 1e-9)
        assert row["by_value"] == pytest.approx(row["lowered"], rel=0.05)


def test_speed_and_survival_bound_each_other(runs: dict[object, StudyRun]) -> None:
    rows = runs[speed].results.rows("gaps")
    assert {row["unbounded"] for row in rows} == {0}
    short = next(row for row in rows if (row["game"], row["eta"]) == ("guan", 1e-4))
    assert short["survival_short"] == pytest.approx(0.01 / 1.01, rel=1e-3), "1 - 1/(1 + √η)"
    errors = {(row["form"], row["top"], row["eta"]): row["error"] for row in runs[speed].results.rows("limits")}
    assert ("survival", 1.0, 1e-16) not in errors, "refused"
    assert errors["cost", 1.0, 1e-16] < 1e-6 < 1e-2 < errors["speed", 1.0, 1e-16]


def test_all_learners_are_compared_on_both_games(runs: dict[object, StudyRun]) -> None:
    rows = runs[programs].results.rows("programs")
    hero, orc = ([row for row in rows if row["task"] == task] for task in ("hero", "orc"))
    assert len(hero) == len(orc) == 8 * 2
    assert all(row["wrong"] == 0 for row in (hero + orc)[::2] if row["features"] == "grammar")
    assert {row["answers"] for row in hero} == {3}
    assert all(row["loses"] == 0.0 for row in hero[1::2])
    assert all(0.001 < row["loses"] < 0.0021 for row in orc[1::2])


def test_plans_are_certified_beside_one_look_ahead(runs: dict[object, StudyRun]) -> None:
    rows = runs[planner].results.rows("planner_certified")
    assert all(row["below"] == 0 for row in rows)
    whole = [row for row in rows if row["game"] == "inspection" and row["nodes"] == 16]
    assert all(row["planned"] == pytest.approx(row["exact"], abs=1e-3) for row in whole)
    assert any(row["looked"] < row["exact"] - 0.01 for row in whole)
