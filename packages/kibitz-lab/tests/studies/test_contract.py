"""What holds for every study: it declares its parts, resumes, and its report says nothing that a few games cannot."""

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

from finished_studies import Stopping
from kibitz_lab.arena.executors import make_executor
from kibitz_lab.store import Store
from kibitz_lab.studies.claims import QUICK, Claim
from kibitz_lab.studies.report import make_report
from kibitz_lab.studies.report_files import html, markdown, write_report
from kibitz_lab.studies.runs import StudyRun
from kibitz_lab.studies.study import Study, find_study, studies

TINY: dict[str, dict[str, Any]] = {
    "arena-axelrod": {"agents": ("tit_for_tat",), "every": 60, "turns": 10},
    "arena-poker": {"agents": ("kuhn.rock",), "hands": 4, "first": 0},
    "arena-rps": {"agents": ("random",), "known": ("random",), "theirs": ("copybot",), "rounds": 20, "every": 22},
    "awareness": {
        "games": ("kuhn(players=2)",),
        "agents": ("aware(simulations=2)",),
        "opponents": ("known",),
        "hands": 2,
        "stages": (2,),
        "control_pairs": 2,
    },
    "axis": {
        "runs": 1,
        "scale": 0.02,
        "sweep_runs": {"s1": 1, "s2": 1, "s3": 1},
        "depth_runs": 1,
        "third_runs": 0,
        "whole_games": {},
    },
    "trails": {
        "field": ("trails.honest",),
        "dealers": ("trails.honest", "trails.coin_keeper", "trails.tit_for_tat"),
        "learners": ("c4.5",),
        "known": ("trails.honest",),
        "strangers": ("trails.always_renege",),
        "kibitzer": "trails.kibitzer(types=(trails.tit_for_tat,), nodes=50)",
    },
    "pawns": {
        "wins": ("features",),
        "depth": 1,
        "tournaments": 2,
        "learned": 2,
        "searches": 1,
        "iterations": 1,
        "base": 1,
        "inside": 1,
    },
    "recursive": {
        "boards": ((2, 4),),
        "radii": (5,),
        "lowered_games": ("right-turn(radius=5)",),
        "blunder_games": 1,
        "compared_games": ("guan",),
        "sizes": (1e-2,),
        "smallest": (1e-8,),
        "program_tasks": ("hero",),
        "program_boards": ((3, 3), (3, 4)),
        "planner_games": ("guan",),
        "planner_nodes": (1, 16),
    },
}
"""Settings of studies that are as small as can be."""
NEEDS = {"arena-axelrod": "axelrod", "arena-rps": "pyspiel"}
AFTER = 3


def tiny(name: str) -> Study:
    """A study that takes seconds; skips the test where its package is missing."""
    if name in NEEDS and find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed")
    study = find_study(name)
    return msgspec.structs.replace(study, quick={**study.quick, **TINY[name]})


@pytest.mark.parametrize("name", studies())
def test_a_study_declares_itself(name: str) -> None:
    study = find_study(name)
    assert study.name == name
    assert study.title
    assert study.asks
    assert all(isinstance(each, Claim) for each in study.claims)
    assert set(study.quick) <= set(study.settings)
    assert set(TINY.get(name, {})) <= set(study.settings)


@pytest.mark.long
@pytest.mark.parametrize("name", TINY)
def test_a_study_resumes_and_its_report_judges_nothing(name: str, tmp_path: Path) -> None:
    study = tiny(name)
    with Store(str(tmp_path / "study.db")) as store, make_executor("inline") as executor:
        with pytest.raises(KeyboardInterrupt):
            list(StudyRun(study, store, quick=True, seed=1).run_rest(Stopping(AFTER)))
        run = StudyRun(study, store, quick=True, seed=1)
        assert sum(len(part.rows) for part in run.runs.values()) == AFTER
        unfinished = make_report(run)
        assert not unfinished.complete
        assert "Unfinished" in markdown(unfinished)
        list(run.run_rest(executor))
        report = make_report(run)
        page = write_report(report, run, tmp_path / "report")
    assert report.complete
    assert [chapter.title for chapter in report.chapters] == [measure.name for measure in study.measures]
    verdicts = [row[-1] for row in report.comparison.rows] if report.comparison else []
    assert verdicts == [QUICK] * len(study.claims)
    for text in (markdown(report), html(report, {figure.name: "" for figure in report.figures()})):
        assert not re.search(r"\b(inf|nan)\b|interval unknown", text)
    assert json.loads(msgspec.json.encode(report.plain()))["study"] == name
    assert page.stat().st_size > 1000
