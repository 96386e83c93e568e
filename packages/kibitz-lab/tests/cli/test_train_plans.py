"""`kibitz train plans` from the outside."""

from pathlib import Path

import numpy as np
import pytest

from kibitz.cli.main import exit_code
from kibitz_lab.plans.assumptions import Assumptions
from kibitz_lab.plans.formats.files import read_library
from kibitz_lab.plans.formats.text_form import parse_text
from kibitz_lab.plans.formats.traces import Trace, read_traces
from kibitz_lab.plans.learning.learner import PlanLearner
from kibitz_lab.plans.library import NOISE
from trace_sampler import TraceSampler, write_traces

TRUE = "goal X [0.7]\ngoal Y [0.3]\nX -> M b : ordered\nY -> c M\nM -> a [0.8] | d e : ordered [0.2]\n"
EVEN = "goal X\ngoal Y\nX -> M b : ordered\nY -> c M\nM -> a | d e : ordered\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    Path("even.plans").write_text(EVEN)
    library = parse_text(TRUE).with_noise(0.2, ["z"])
    drawn = TraceSampler(library, Assumptions(instances=2, noises=2)).traces(120, np.random.default_rng(1), goals=2)
    goals = (tuple(goal for goal in trace.goals if goal.plan != NOISE) for trace in drawn)
    traces = [Trace(trace.observations, own) for trace, own in zip(drawn, goals, strict=True)]
    write_traces("traces.jsonl", traces)


WORDS = ["train", "plans", "even.plans", "--traces", "traces.jsonl", "--noise", "0.05", "--instances", "2"]


@pytest.mark.long
def test_a_learned_library_is_written_and_recognises(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code([*WORDS, "--roots", "2", "--out", "learned.plans"]) == 0
    printed = capsys.readouterr().out
    assert "held-out log loss per observation: " in printed
    assert "96 traces" in printed
    learned = read_library("learned.plans")
    assert set(learned.actions) == set("abcde")
    assert learned.goals["X"] == pytest.approx(0.7, abs=0.1)
    assert learned.rules[2].probability == pytest.approx(0.8, abs=0.1)
    (comment,) = (line for line in Path("learned.plans").read_text().splitlines() if line.startswith("#"))
    noise = float(comment.split("--noise ")[1].split()[0])
    assert noise == pytest.approx(0.2, abs=0.06)
    Path("seen.txt").write_text("a\n")
    assert exit_code(["recognize", "learned.plans", "seen.txt", "--noise", str(noise)]) == 0


def test_a_library_that_is_worse_on_held_out_traces_is_written_by_force_only(
    capsys: pytest.CaptureFixture[str],
) -> None:
    traces = read_traces("traces.jsonl", read_library("even.plans"), lenient=True)
    common, rare = (next(each for each in traces if {goal.plan for goal in each.goals} == {name}) for name in "XY")
    line = ["train", "plans", "even.plans", "--traces", "few.jsonl", *WORDS[5:], "--roots", "2", "--out", "new.plans"]
    for place in range(4):  # one of them is held out, and unlike the others
        write_traces("few.jsonl", [rare if number == place else common for number in range(4)])
        if exit_code(line) == 1:
            break
        Path("new.plans").unlink()
    assert "new.plans is not written; --force writes it all the same" in capsys.readouterr().err
    assert not Path("new.plans").exists()
    assert exit_code([*line, "--force"]) == 0
    assert Path("new.plans").exists()


@pytest.mark.long
def test_ctrl_c_keeps_the_best_so_far(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    iterate, calls = PlanLearner.iterate, []

    def interrupted(self: PlanLearner, *arguments: object) -> float:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return iterate(self)

    monkeypatch.setattr(PlanLearner, "iterate", interrupted)
    assert exit_code([*WORDS, "--roots", "2", "--out", "learned.plans"]) == 0
    assert "stopped early; this is the best so far" in capsys.readouterr().out
    assert read_library("learned.plans").rules[2].probability > 0.6


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["train", "plans", "--traces", "traces.jsonl"], "name a plan library and traces"),
        (["train", "plans", "even.plans"], "a plan library is learned from traces; add --traces FILE"),
        (["train", "dbn", "even.plans", "--traces", "traces.jsonl"], "only plans are learned from traces"),
        (["train", "plans", "even.plans", "--traces", "none"], "none: cannot be read"),
        (["train", "plans", "even.plans", "--traces", "traces.jsonl"], "is not an action of"),
        ([*WORDS, "--out", "x.doc"], "must end in .plans"),
        ([*WORDS, "--slip", "1"], "it is a probability"),
        ([*WORDS, "--play", "random"], "it does not go with --traces"),
    ],
)
def test_bad_input_is_refused_in_one_line(capsys: pytest.CaptureFixture[str], words: list[str], why: str) -> None:
    assert exit_code(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert why in line
