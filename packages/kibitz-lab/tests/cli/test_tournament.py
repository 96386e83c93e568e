import csv
import json
import os
from pathlib import Path

import pytest

from kibitz.cli.main import main
from kibitz.core.records import read_record
from kibitz_lab.store import Store
from kibitz_lab.store.claims import Claim

QUICK = ("--executor", "inline", "--repeats", "2")


@pytest.mark.long
def test_a_tournament_prints_a_table_and_keeps_everything(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["tournament", "dilemma(rounds=5)", "pavlov", "kind=cooperator", "defector", *QUICK]
    assert main([*line, "--csv", "all.csv", "--records", "kept"]) == 0
    out, err = capsys.readouterr()
    assert "run 1: dilemma(rounds=5): round-robin of 3, 12 of 12 matches" in out
    assert [row.split()[1] for row in out.splitlines() if row[:1].isdigit()] == ["defector", "pavlov", "kind"]
    assert err == "run 1: 12 matches\n"
    with Path("all.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 24
    assert {row["name"] for row in rows} == {"pavlov", "kind", "defector"}
    assert sum(float(row["returned"]) for row in rows if row["name"] == "kind") > 0
    assert len(list(Path("kept").iterdir())) == 12
    assert read_record(Path("kept", "1-0000011.krec")).complete
    with Store() as store:
        assert store.run(1).complete


def test_the_same_command_again_plays_nothing_and_shows_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["tournament", "pennies(lead=2)", "heads", "alternator", "copycat", *QUICK, "--json"]
    assert main(line) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(line) == 0
    again = capsys.readouterr()
    assert json.loads(again.out) == first
    assert "was played already" in again.err
    assert main([*line, "--fresh"]) == 0
    assert json.loads(capsys.readouterr().out)["run"] == 2


def test_a_run_cut_short_is_gone_on_with(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["tournament", "dilemma(rounds=5)", "pavlov", "grim", *QUICK, "--json"]
    assert main(line) == 0
    whole = json.loads(capsys.readouterr().out)
    with Store() as store, store.engine.begin() as connection:
        connection.exec_driver_sql('DELETE FROM matches WHERE "index" IN (1, 2)')
        connection.exec_driver_sql("UPDATE runs SET finished = NULL")
    assert main(["runs"]) == 0
    assert "2 of 4" in capsys.readouterr().out
    assert main(["resume", "--executor", "inline", "--json"]) == 0
    out, err = capsys.readouterr()
    assert "resuming run 1: 2 of 4 matches are stored" in err
    assert json.loads(out)["stored"] == whole["stored"]
    assert main(["resume"]) == 0
    assert "every tournament is finished" in capsys.readouterr().err


def test_runs_are_listed_shown_and_deleted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs"]) == 0
    assert "no runs yet" in capsys.readouterr().out
    assert not Path("kibitz.db").exists(), "what only reads makes no file"
    assert main(["tournament", "pennies(lead=2)", *QUICK]) == 0
    shown = capsys.readouterr().out
    assert main(["runs", "1"]) == 0
    assert capsys.readouterr().out == shown
    assert main(["runs", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["run"] == 1
    assert main(["runs", "1", "--delete"]) == 0
    assert main(["runs", "1"]) == 2
    assert "no run named '1'" in capsys.readouterr().err


def test_a_run_that_is_being_played_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["tournament", "dilemma(rounds=5)", "pavlov", "grim", *QUICK]
    assert main(line) == 0
    with Store() as store:
        with store.engine.begin() as connection:
            connection.exec_driver_sql('DELETE FROM matches WHERE "index" = 1')
            connection.exec_driver_sql("UPDATE runs SET finished = NULL")
        capsys.readouterr()
        with Claim(store, 1):
            for again in (line, ["resume"], ["runs", "1", "--delete"]):
                assert main(again) == 2
                out, err = capsys.readouterr()
                assert out == ""
                assert err.count("\n") == 1
                assert err.startswith("kibitz: run 1 is being played by process ")
                assert "kibitz runs 1 --release" in err
            assert main(["runs"]) == 0
            assert f"process {os.getpid()}" in capsys.readouterr().out, "a narrow table may break the line before it"
            assert main(["runs", "1", "--release"]) == 0
            assert "run 1 is taken from process" in capsys.readouterr().err
            assert main(line) == 0
    assert main(["runs", "1", "--release"]) == 0
    assert "run 1 was not being played" in capsys.readouterr().err


def test_a_tournament_file_says_it_all(capsys: pytest.CaptureFixture[str]) -> None:
    Path("agents.toml").write_text('[agents]\nmild = "generous"\nnasty = "defector"\n')
    Path("cup.toml").write_text('game = "dilemma(rounds=4)"\nagents = "agents.toml"\nrepeats = 3\n')
    assert main(["tournament", "cup.toml", "--executor", "inline"]) == 0
    assert "run 1: cup, 6 of 6 matches" in capsys.readouterr().out
    assert main(["tournament", "cup.toml", "--repeats", "4"]) == 2
    assert "repeats: write it in cup.toml" in capsys.readouterr().err.replace("spec 'repeats'", "repeats")
    assert main(["tournament", "dilemma(rounds=4)", "--agents", "agents.toml", "--gauntlet", "mild", *QUICK]) == 0
    assert "gauntlet of 2" in capsys.readouterr().out


def test_files_that_cannot_be_written_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["tournament", "dilemma(rounds=2)", "pavlov", "grim", *QUICK]
    Path("file").write_text("")
    assert main([*line, "--csv", "no/such/folder.csv"]) == 2
    assert "cannot write no/such/folder.csv" in capsys.readouterr().err
    assert main([*line, "--records", "file"]) == 2
    assert "cannot write file" in capsys.readouterr().err
    assert not list(Path().glob("*.part"))
