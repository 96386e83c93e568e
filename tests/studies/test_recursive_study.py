"""The study of recursive games: its own parts, each alone and small."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from finished_studies import Stopping, alone, finished

from kibitz.arena.executors import make_executor
from kibitz.solve import solve
from kibitz.store import Store
from kibitz.studies.blocks import Table
from kibitz.studies.folder import write_report
from kibitz.studies.recursive import STUDY, lowered_expectations, right_turn, speed
from kibitz.studies.recursive.maps import map_of
from kibitz.studies.report import Report, make_report
from kibitz.studies.runs import StudyRun

pytestmark = pytest.mark.long

GAPS = {"compared_games": ("guan", "half-guan"), "smallest": (1e-8, 1e-16)}


@pytest.fixture(scope="module")
def region(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    with finished(STUDY, right_turn, tmp_path_factory.mktemp("region"), radii=(5, 7)) as run:
        yield run


@pytest.fixture(scope="module")
def levels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    games = ("right-turn(radius=5)", "bear-brawl(hero_hp=1, bear_hp=1, radius=3)")
    with finished(
        STUDY, lowered_expectations, tmp_path_factory.mktemp("levels"), lowered_games=games, lowered_maps=1
    ) as run:
        yield run


@pytest.fixture(scope="module")
def gaps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    with finished(STUDY, speed, tmp_path_factory.mktemp("gaps"), **GAPS) as run:
        yield run


def tables(report: Report) -> list[Table]:
    return [block for chapter in report.chapters for block in chapter.blocks if isinstance(block, Table)]


def test_every_part_has_settings_of_its_own() -> None:
    assert STUDY.checked_parts(STUDY.effective_settings(), 0)
    assert STUDY.checked_parts(STUDY.effective_settings(quick=True), 0)
    assert set(STUDY.quick) <= set(STUDY.settings)


def test_the_winnable_region_is_the_same_on_every_board(region: StudyRun) -> None:
    for row in region.results.rows("region"):
        assert [row["counts"][name] for name in right_turn.CLASSES[:3]] == [6, 14, 13]
        assert row["counts"]["not decided"] == 0
    assert "33 cells on all boards: 6 surely, 14" in make_report(region).conclusions[0]


def test_the_map_shows_arrows_where_something_can_be_won(region: StudyRun, tmp_path: Path) -> None:
    first, second = region.results.rows("region")
    arrows = [shape for shape in first["map"]["shapes"] if shape["type"] == "Arrow"]
    assert len({arrow["id"].rpartition("-")[0] for arrow in arrows}) == 33
    assert second["map"] is None
    write_report(make_report(region), region, tmp_path)
    assert (tmp_path / "figures" / "right-turn.png").stat().st_size > 5_000


def test_levels_are_counted_drawn_and_pay(levels: StudyRun) -> None:
    rows = levels.results.rows("levels")
    assert [row["alpha_new"] for row in rows] == [0, 0]
    assert rows[0]["sizes"]["0"] == 33
    assert all(sum(row["sizes"].values()) == row["states"] for row in rows)
    assert [len(row["maps"]) for row in rows] == [2, 0]
    (blunders,) = levels.results.rows("blunders")
    assert [row["blunder"] for row in blunders["rows"]] == list(lowered_expectations.QUICK["blunders"])
    for row in blunders["rows"]:
        assert row["plain"] < 0.5 * row["lowered"] < 0.5 * (row["most"] + 1e-9)
        assert row["by_value"] == pytest.approx(row["lowered"], rel=0.05)
    told = make_report(levels)
    assert [figure.name for figure in told.figures()] == ["levels-0-0", "levels-0-1"]
    assert any(
        "0 of" in str(row[3]) and row[4] == "yes" for table in tables(told) for row in table.rows if len(row) == 5
    )


def test_who_moves_second_has_his_map_too() -> None:
    kept = map_of("chauffeur(radius=4)", solve("chauffeur(radius=4)"), player=1)
    assert any(shape["type"] == "Arrow" for shape in kept["shapes"])


def test_gaps_have_their_orders_and_both_kinds_bound_each_other(gaps: StudyRun) -> None:
    rows = gaps.results.rows("gaps")
    assert all(row["ordered"] and row["bounded"] for row in rows)
    for game, power in (("guan", 1.0), ("half-guan", 0.5)):
        assert speed.order([row for row in rows if row["game"] == game]) == pytest.approx(power, abs=0.01)
    short = next(row for row in rows if (row["game"], row["eta"]) == ("guan", 1e-4))
    assert short["survival_short"] == pytest.approx(0.01 / 1.01, rel=1e-3), "1 - 1/(1 + √η)"


def test_small_steps_keep_their_digits_as_a_cost_alone(gaps: StudyRun) -> None:
    errors = {(row["form"], row["top"], row["eta"]): row["error"] for row in gaps.results.rows("limits")}
    assert ("survival", 1.0, 1e-16) not in errors, "refused"
    assert errors["cost", 1.0, 1e-16] < 1e-6
    assert errors["speed", 1.0, 1e-16] > 1e-2
    assert max(error for (_, _, eta), error in errors.items() if eta == 1e-8) < 1e-6


@pytest.mark.parametrize("after", [0, 2, 7])
def test_stopped_at_any_case_the_study_goes_on_to_the_same_rows(gaps: StudyRun, after: int, tmp_path: Path) -> None:
    study = alone(STUDY, speed, **GAPS)
    with Store(str(tmp_path / "stopped.db")) as store, make_executor("inline") as executor:
        with pytest.raises(KeyboardInterrupt):
            list(StudyRun(study, store, quick=True, seed=1).run_rest(Stopping(after)))
        resumed = StudyRun(study, store, quick=True, seed=1)
        assert sum(part.done_count for part in resumed.runs.values()) == after
        list(resumed.run_rest(executor))
    for part in ("gaps", "limits"):
        assert resumed.results.rows(part) == gaps.results.rows(part)
