"""`kibitz recognize` from the outside."""

import json
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kibitz.cli.main import exit_code
from kibitz_lab.plans.formats.files import read_library

NET = """
goal exfiltrate(host) [0.3]
goal encrypt_everything(host) [0.2]
goal administrate_the_machine(host) [0.5]
plan break_in(host)
action scan(host)
action login(host)
action copy(host)
action upload(host)
action encrypt(host)
action update(host)
exfiltrate(h) -> break_in(h) copy(h) upload(h) : ordered
encrypt_everything(h) -> break_in(h) encrypt(h) : ordered
administrate_the_machine(h) -> login(h) update(h) : ordered
break_in(h) -> scan(h) login(h) : ordered [0.8] | login(h) [0.2]
"""
COOKED = "take_buns\ntoast_buns\ntake_chicken_patties\n"


@pytest.fixture
def seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "seen.txt"
    path.write_text(COOKED)
    return path


def test_a_table_shows_the_goals_over_time(seen: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["recognize", "cooking", str(seen), "--roots", "1", "-e", "1", "--ask"]) == 0
    printed = capsys.readouterr().out
    rows = [line.split() for line in printed.splitlines()]
    assert ["2", "toast_buns", "50.0%", "50.0%", "2", "0"] in [row[:6] for row in rows]
    assert ["3", "take_chicken_patties", "0.0%", "100.0%", "1", "0"] in [row[:6] for row in rows]
    assert "next, if anything: cook_chicken_patties 100%" in printed
    patties = "meat_patties > chicken_patties (take_chicken_patties … cook_chicken_patties)"
    assert f"100.0%  meat_burger (under way): buns (take_buns, toast_buns), {patties} … serve" in printed


def test_json_has_everything(seen: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["recognize", "cooking", str(seen), "--json", "--beam", "1", "-e", "3"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["explained"] is True
    assert len(found["moments"]) == 3
    assert found["moments"][-1]["kept"] == 1
    low, high = found["intervals"]["meat_burger"]
    assert 0.0 < low <= found["goals"]["meat_burger"] <= 1.0
    assert high >= low
    assert found["method"] == found["moments"][-1]["method"] == "beam"
    assert found["moments"][-1]["bound"] > 0.0
    (explanation,) = found["explanations"]
    assert "meat_burger" in explanation["goals"]
    assert [tree[0]["name"] for tree in explanation["trees"]] == explanation["goals"]
    assert "take_buns" in explanation["words"]
    assert sum(found["next"].values()) == pytest.approx(1.0)


def test_what_may_be_more_likely_is_told_as_a_lower_bound(
    seen: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("hidden.plans").write_text("goal X\nX -> a M N\nM -> p q | s\nN -> b c d | t")
    seen.write_text("a\n")
    words = ["recognize", "hidden.plans", str(seen), "--meaning", "leaves", "-e", "1"]
    assert exit_code(words) == 0
    assert "\n100.0%  X (under way)" in capsys.readouterr().out
    monkeypatch.setattr("kibitz_lab.plans.limits.FEWEST_EXPLANATIONS", 1)
    monkeypatch.setattr("kibitz_lab.plans.limits.HISTORIES", 1)
    assert exit_code(words) == 0
    assert "\n≥ 35.1%  X (under way)" in capsys.readouterr().out
    assert exit_code([*words, "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["explanations"]
    assert told["exact"] is False


def test_pictures_and_other_forms_are_written(seen: Path, tmp_path: Path) -> None:
    assert exit_code(["recognize", "cooking", str(seen), "--picture", "why.svg", "--json"]) == 0
    assert "take_chicken_patties" in ElementTree.fromstring((tmp_path / "why.svg").read_text()).itertext()
    assert exit_code(["recognize", "cooking", "--picture", "library.svg", "--write", "cooking.xml"]) == 0
    assert "veg_burger" in ElementTree.fromstring((tmp_path / "library.svg").read_text()).itertext()
    assert read_library("cooking.xml").rules == read_library("cooking").rules


def test_a_case_brings_its_own_observations(seen: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("cases.txt").write_text("((((NIL (OR A1) (OR A2))) (0) A1)\n(((NIL (OR A1) (OR A2))) (0) A2 A1))")
    assert exit_code(["recognize", "cases.txt", "--case", "2", "--json"]) == 0
    assert [each["observation"] for each in json.loads(capsys.readouterr().out)["moments"]] == ["A2", "A1"]


def test_what_has_no_explanation_is_said(seen: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen.write_text("take_buns\nserve\n")
    assert exit_code(["recognize", "cooking", str(seen)]) == 1
    printed = capsys.readouterr().out
    assert "no goals explain observation 2, serve, after those before it; consider allowing noise actions" in printed
    assert exit_code(["recognize", "cooking", str(seen), "--miss", "0.1", "--instances", "2"]) == 1
    printed = capsys.readouterr().out
    assert "--noise" in printed
    assert "--miss" not in printed
    assert "--instances" not in printed
    assert exit_code(["recognize", "cooking", str(seen), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["explained"] is False
    assert exit_code(["recognize", "cooking", str(seen), "--json", "--noise", "0.1"]) == 0


def test_an_action_outside_the_library_is_told_and_serves_no_goal(
    seen: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen.write_text("take_buns\ntake_veg_patty\ntake_veg_patties [0.9] @ 12.5\n")
    assert exit_code(["recognize", "cooking", str(seen), "--json"]) == 0
    told = capsys.readouterr()
    assert told.err == (
        "kibitz: 'take_veg_patty' is not an action of cooking (did you mean 'take_veg_patties'?); "
        "1 observation serves no goal, so others may too (--slip 0.38)\n"
    )
    assert json.loads(told.out)["goals"]["veg_burger"] > 0.5


class Pipe:
    """A standard input that holds some bytes."""

    def __init__(self, content: bytes) -> None:
        self.buffer = BytesIO(content)


def test_a_stream_is_told_event_by_event(
    seen: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("net.plans").write_text(NET)
    lines = [
        b'{"action": "scan", "values": {"host": "web1"}, "time": 3}',
        b"fly(high)",
        b"login(web1) [0.99] @ 4",
        b"",
        b"# a comment",
        b"copy(web1",
        b"\xff\xfe",
        b'{"action": "copy", "values": ["web1"]}',
        b"upload(web1)",
    ]
    monkeypatch.setattr("sys.stdin", Pipe(b"\n".join(lines)))
    assert exit_code(["recognize", "net.plans", "-", "--json"]) == 2
    told = capsys.readouterr()
    assert told.err.splitlines() == [
        "kibitz: stdin:6: expected ',' or ')', but the line ends",
        "kibitz: stdin:7: it is not text in UTF-8",
    ]
    moments = [json.loads(line) for line in told.out.splitlines()]
    assert [each["observation"] for each in moments] == [
        "scan(web1)",
        "fly",
        "login(web1)",
        "copy(web1)",
        "upload(web1)",
    ]
    assert moments[1]["explained"] == pytest.approx(0.0)
    assert [each["time"] for each in moments] == [3.0, None, 4.0, None, None]
    (finished,) = moments[-1]["finished"]
    assert (finished["goal"], finished["bindings"]) == ("exfiltrate", {"host": "web1"})
    assert finished["probability"] > 0.8
    assert not any(each["finished"] for each in moments[:-1])
    monkeypatch.setattr("sys.stdin", Pipe(b"scan(web1)\nlogin(web1)\nencrypt(web1)\n"))
    assert exit_code(["recognize", "net.plans", "-"]) == 0
    printed = capsys.readouterr().out
    assert "1  scan(web1): exfiltrate(web1) 59%, encrypt_everything(web1) 39%; next: login(web1)" in printed
    assert "finished: encrypt_everything(web1)" in printed
    assert printed.endswith("3 events, 1 goal finished, 0 abandoned\n")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("nothing.plans seen.txt", "nothing.plans: cannot be read: no such file"),
        ("cooking empty.txt", "empty.txt: it holds no observation"),
        ("cooking doubt.txt", "doubt.txt:1: the confidence must be from 0 to 1, not 2"),
        ("cooking - --ask", "bad spec '--ask': it is for observations that end; leave it out for a stream"),
        ("cooking seen.txt --slip 1", "--slip 1"),
        ("cooking", "cooking: it holds no observations; add a file of observations after it"),
        ("empty.txt seen.txt", "empty.txt: it is empty"),
        ("domain.pddl", "PDDL is not read; a plan library is text (goal ...), XML (<PL>) or Lisp"),
        ("cut.xml seen.txt", "cut.xml:1: it is not valid XML"),
        ("cut.lisp", "cut.lisp:1: the list is not closed; it may be cut off"),
        ("loop.plans step.txt", "plan 'go' may begin with itself without end; set a depth to bound it"),
        ("sums.plans step.txt", "sums.plans:2: the probabilities of the rules of 'go' add up to 0.9"),
        ("cooking seen.txt --case 2", "bad spec '--case 2': the last case of cooking is 1"),
        ("cooking seen.txt --noise 2", "bad spec '--noise 2': it is a probability: a number from 0 up to 1, but not 1"),
        ("cooking seen.txt --picture why.png", "--picture why.png': pictures are drawn as SVG"),
        ("cooking seen.txt --write cooking.foo", "cooking.foo: the name of a library's file must end in .plans"),
        (
            "cooking --write cooking.lisp",
            "cooking: it cannot be written as Lisp, because 'buns' is a part in",
        ),
        ("cooking seen.txt --picture no/such/folder.svg", "cannot write no/such/folder.svg"),
        ("binary seen.txt", "binary: it is not text in UTF-8 or Latin-1"),
    ],
)
def test_bad_input_is_one_line(seen: Path, words: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty.txt").write_text("")
    Path("domain.pddl").write_text("; a kitchen\n(define (domain kitchen) (:requirements :strips))\n")
    Path("doubt.txt").write_text("take_buns [2]")
    Path("step.txt").write_text("step")
    Path("cut.xml").write_text("<PL><Letters>")
    Path("cut.lisp").write_text("((((NIL (OR A1)")
    Path("loop.plans").write_text("goal go\ngo -> go step [0.5] | step [0.5]")
    Path("sums.plans").write_text("goal go\ngo -> run [0.5] | step [0.4]")
    Path("binary").write_bytes(bytes(range(128, 256)) * 3 + b"\x00\x01")
    assert exit_code(["recognize", *words.split()]) == 2
    told = capsys.readouterr()
    assert why in told.err
    assert told.err.count("\n") == 1
    assert "Traceback" not in told.err


@pytest.mark.long
def test_a_plan_that_repeats_itself_hundreds_of_times_is_told_and_drawn(
    seen: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("walk.plans").write_text("goal walk\nwalk -> step walk : ordered [0.9] | step stop : ordered [0.1]")
    seen.write_text("step\n" * 350)
    words = ["recognize", "walk.plans", str(seen), "--roots", "1", "-e", "1", "--picture", "walk.svg"]
    assert exit_code(words) == 0
    assert "walk (under way): step#1, walk (step#2, walk (" in capsys.readouterr().out
    assert (tmp_path / "walk.svg").read_text().count("<rect") > 350
    assert exit_code([*words, "--ask", "--json"]) == 0
    (tree,) = json.loads(capsys.readouterr().out)["explanations"][0]["trees"]
    assert tree[0] == {"name": "walk", "kind": "plan", "state": "open", "rule": 1}
    assert tree[1] == {"name": "step", "kind": "action", "state": "done", "parent": 0, "observation": 1}
    assert max(node.get("observation", 0) for node in tree) == 350
