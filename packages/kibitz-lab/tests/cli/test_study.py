import json
import re
import sys
from pathlib import Path

import pytest

from kibitz.cli.main import main
from kibitz_lab.store import Store
from kibitz_lab.studies import runs

sys.path.append(str(Path(__file__).parents[1] / "studies"))

TINY = ("study", "tiny_study:STUDY", "--executor", "inline")


def test_studies_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "list"]) == 0
    assert "recursive" in capsys.readouterr().out
    assert main(["study", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"name": "arena-rps", "title": "Arena: 43 bots of repeated rock-paper-scissors"} in listed


@pytest.mark.long
def test_a_study_prints_what_it_found_and_where_its_report_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TINY, "--quick"]) == 0
    out, err = capsys.readouterr()
    assert "Sums & doubles: 10 of 10 cases" in out
    assert "quick run: not judged" in out
    assert "Means" in out
    assert out.endswith("report: studies/tiny-quick/report.html\n")
    assert err == "study tiny: 0 of 10 cases\n"
    assert Path("studies/tiny-quick/report.md").exists()
    assert main([*TINY, "--quick"]) == 0
    assert capsys.readouterr() == (out, "")


@pytest.mark.long
def test_json_holds_the_tables_and_the_path(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TINY, "--seed", "3", "--out", "there", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["study"], found["seed"], found["complete"]) == ("tiny", 3, True)
    assert found["report"] == "there/report.html"
    assert len(found["tables"][1]["rows"]) == 12
    assert found["tables"][0]["rows"][0][4] == "differs"
    assert not Path("studies").exists()


@pytest.mark.long
@pytest.mark.parametrize("after", [0, 7, 14])
def test_ctrl_c_keeps_all_and_leaves_a_report_marked_unfinished(
    after: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = runs.StudyRun.run_rest

    def stopped(self: runs.StudyRun, executor: object) -> object:
        for number, step in enumerate(whole(self, executor)):  # type: ignore[arg-type]
            if number == after:
                raise KeyboardInterrupt
            yield step

    with monkeypatch.context() as patch:
        patch.setattr(runs.StudyRun, "run_rest", stopped)
        assert main([*TINY]) == 130
    err = capsys.readouterr().err
    kept = int(err.partition("kibitz: ")[2].split()[0])
    assert kept >= after
    assert f"kibitz: {kept} of 18 cases are stored; run the same command to resume" in err
    assert "Traceback" not in err
    assert "Unfinished" in Path("studies/tiny/report.html").read_text()
    assert main([*TINY]) == 0
    err = capsys.readouterr().err
    assert f"resuming tiny: {kept} of 18" in err
    assert "Unfinished" not in Path("studies/tiny/report.html").read_text()


@pytest.mark.long
def test_a_study_resumed_by_changed_code_says_so_and_its_rows_name_the_code(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = runs.StudyRun.run_rest

    def stopped(self: runs.StudyRun, executor: object) -> object:
        for number, step in enumerate(whole(self, executor)):  # type: ignore[arg-type]
            if number == 14:  # in the cup, after all sums
                raise KeyboardInterrupt
            yield step

    with monkeypatch.context() as patch:
        patch.setattr(runs.StudyRun, "run_rest", stopped)
        patch.setattr("kibitz_lab.store.version.code_version", lambda: "0.1.0+before")
        assert main([*TINY]) == 130
    assert "0.1.0+before" not in capsys.readouterr().err
    monkeypatch.setattr("kibitz_lab.store.version.code_version", lambda: "0.1.0+after")
    assert main([*TINY]) == 0
    err = capsys.readouterr().err
    (line,) = [line for line in err.splitlines() if "0.1.0+before" in line]
    assert line.startswith("kibitz: ")
    assert "cases are by kibitz 0.1.0+before, and this is 0.1.0+after; if that matters" in line
    assert line.endswith("make them again after: kibitz runs 1 --delete and kibitz runs 2 --delete")
    with Store() as store:
        assert {row.kibitz for row in store.rows(1)} == {"0.1.0+before"}
        assert {row.kibitz for row in store.rows(2)} == {"0.1.0+before", "0.1.0+after"}
        assert {row.kibitz for row in store.rows(3)} == {"0.1.0+after"}
    rows = [json.loads(line) for line in Path("studies/tiny/rows/sums.jsonl").read_text().splitlines()]
    assert {row["kibitz"] for row in rows} == {"0.1.0+before"}
    text = Path("studies/tiny/report.md").read_text()
    assert "Other versions of the code made 15 of them" in text
    assert re.search(r"0\.1\.0\+before \(\d\), 0\.1\.0\+after \(\d\)", text)
    assert main([*TINY]) == 0
    assert "15 of 18 cases are by kibitz" in capsys.readouterr().err, "the numbers are still of both"


@pytest.mark.long
def test_runs_of_a_study_are_listed_and_point_to_the_study(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TINY, "--quick", "--seed", "2"]) == 0
    capsys.readouterr()
    assert main(["runs", "--json"]) == 0
    names = [run["name"] for run in json.loads(capsys.readouterr().out)]
    assert names == [f"tiny --quick --seed 2: {part}" for part in ("sums", "cup", "twice")]
    for line in (["runs", "1"], ["resume", "1"]):
        assert main(line) == 2
        assert "kibitz study tiny --quick --seed 2" in capsys.readouterr().err
    assert main(["runs", "1", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 4


def test_a_corpus_that_is_not_there_leaves_nothing_behind(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "risk", "--corpus", "nowhere", "--db", "study.db", "--out", "report"]) == 2
    assert "there is no folder nowhere" in capsys.readouterr().err
    assert not Path("study.db").exists()
    assert not Path("report").exists()


def test_without_matplotlib_nothing_is_begun(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz.plots.style.find_spec", lambda _: None)
    assert main([*TINY]) == 2
    assert "pip install 'kibitz[plots]'" in capsys.readouterr().err
    assert not Path("kibitz.db").exists()
