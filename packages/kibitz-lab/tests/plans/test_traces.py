"""Traces are read as they are written, and drawn as the assumptions say."""

from pathlib import Path

import pytest

from kibitz.core.errors import BadPlan
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.formats.text_form import parse_text
from kibitz_lab.plans.formats.traces import Trace, read_library_traces, read_traces
from kibitz_lab.plans.library import Instance

GOLDEN = parse_text(
    "goal X\ngoal Y\ngoal Z\nX -> a b : ordered\nY -> a c\nZ -> M d : ordered\nM -> a [0.3] | e [0.7]", "golden"
)


def test_a_file_of_observations_is_one_trace_with_the_goals_of_its_gold_file(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("a\nb\n")
    assert read_traces(tmp_path / "one.txt", GOLDEN) == [Trace((Observation("a"), Observation("b")))]
    (tmp_path / "one.gold.xml").write_text("<Explanation><X><a/><b/></X></Explanation>")
    (found,) = read_traces(tmp_path / "one.txt", GOLDEN)
    assert found.goals == (Instance("X"),)
    (tmp_path / "one.gold.xml").write_text("<Other/>")
    with pytest.raises(BadPlan, match="an explanation is an <Explanation>"):
        read_traces(tmp_path / "one.txt", GOLDEN)


def test_events_as_json_are_one_trace(tmp_path: Path) -> None:
    (tmp_path / "seen.jsonl").write_text('{"action": "a"}\n{"action": "b"}\n')
    assert read_traces(tmp_path / "seen.jsonl", GOLDEN) == [Trace((Observation("a"), Observation("b")))]


def test_cases_in_lisp_bring_their_libraries(tmp_path: Path) -> None:
    for number in "12":
        (tmp_path / f"{number}.txt").write_text(f"(((NIL A{number} B)) (0) A{number} B)")
    found = read_library_traces(tmp_path)
    assert [str(each.trace.observations[0]) for each in found] == ["A1", "A2"]
    assert [each.trace.goals[0].plan in each.library.goals for each in found] == [True, True]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("trace X\na\ntrace Q\na", "t:3: 'Q' is not a goal of golden"),
        ("trace X\na\ntrace Y", "t:3: this trace holds no observation"),
        ("trace X\nz", "t:2: 'z' is not an action of golden"),
        ('{"observations": ["a"]}\n{"observations": []}', "t:2: this trace holds no observation"),
        ('{"observations": ["a", "q"]}', "t:1: 'q' is not an action of golden"),
        ('{"observations": ["a\\nb"]}', "t:1: expected one action or goal"),
        ('{"seen": ["a"]}', "t:1: not a trace"),
        ("{", "t:1: not a trace"),
    ],
)
def test_an_error_names_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, why: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t").write_text(text)
    with pytest.raises(BadPlan, match="^" + why.replace("(", r"\(")):
        read_traces("t", GOLDEN)
