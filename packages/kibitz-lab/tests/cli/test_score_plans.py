"""`kibitz score-plans` from the outside."""

import json
from pathlib import Path

import numpy as np
import pytest

from kibitz.cli.main import exit_code
from kibitz_lab.arena.scoring.plan_scores import mark_answer
from kibitz_lab.plans.library import Instance

CASE = "(((NIL a b) (NIL a c)) (0) {})"
"""Goals B1 and B2 share their first action."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_figures_of_a_case_worked_out_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    Path("cases.txt").write_text(f"({CASE.format('a b')} {CASE.format('a c')})")
    assert exit_code(["score-plans", "cases.txt", "--roots", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["steps"][0]["share"] == 0.1
    first, last = (found["steps"][place]["figures"] for place in (0, -1))
    assert first["top_1"]["mean"] == 0.5  # two goals are tied, and one of them is true
    assert first["log_loss"]["mean"] == pytest.approx(np.log(2))
    assert first["recall"]["mean"] == 1.0  # both goals have probability 1/2, so both are named
    assert first["precision"]["mean"] == 0.5
    assert last["top_1"]["mean"] == 0.5  # the second case claims the wrong goal
    assert last["log_loss"]["mean"] == pytest.approx(-np.log(1e-6) / 2)
    assert found["converged"]["mean"] == 0.5
    assert found["convergence_point"]["mean"] == 1.0
    assert found["changes"]["mean"] == 1.0
    assert found["approximate"] == 0


def test_a_set_of_goals_is_scored_as_a_set() -> None:
    truth = (Instance("X"), Instance("Y"))
    mark = mark_answer({"X": 0.9, "Y": 0.4, "Z": 0.6}, {"X": 0.5, "Y": 0.25, "Z": 0.25}, truth)
    assert (mark.top_1, mark.confidence, mark.named) == (1.0, 0.9, 2.0)
    assert (mark.precision, mark.recall) == (0.5, 0.5)
    assert mark.log_loss == pytest.approx(-(np.log(0.5) + np.log(0.25)) / 2 - np.log(2))


def test_values_of_parameters_are_scored_one_by_one() -> None:
    truth = (Instance("move", ("chair", "attic")),)
    known = {Instance("move", ("chair", "cellar")): 0.5, Instance("move", ("chair", None)): 0.4}
    mark = mark_answer({"move": 0.9}, {"move": 1.0}, truth, known)
    assert (mark.parameter_precision, mark.parameter_recall) == (0.5, 0.5)  # the chair, and not the cellar
    assert mark_answer({"move": 0.9}, {"move": 1.0}, truth, {}).parameter_precision is None
    assert mark_answer({"tea": 0.9}, {"tea": 1.0}, (Instance("tea"),), {}).parameter_recall is None


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["cooking"], "cooking: it holds no observations; add files of traces after it"),
        (["cooking", "none.txt"], "none.txt: cannot be read: no such file"),
        (["cooking", "seen.txt"], "seen.txt trace 1: its true goals are not given, so there is nothing to score"),
        (["."], "seen.txt: it is no case in Lisp, which brings its library; name a library before the folder"),
        (["cooking", "seen.txt", "--noise", "2"], "it is a probability"),
    ],
)
def test_bad_input_is_refused_in_one_line(capsys: pytest.CaptureFixture[str], words: list[str], why: str) -> None:
    Path("seen.txt").write_text("take_buns\n")
    assert exit_code(["score-plans", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert why in line
