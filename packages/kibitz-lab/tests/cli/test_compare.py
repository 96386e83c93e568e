import json
import re
from pathlib import Path

import pytest

from kibitz.cli.main import main
from kibitz_lab.store import Store

POKER = ("maniac", "random", "--game", "kuhn(players=2)", "--executor", "inline")


@pytest.mark.long
def test_json_says_it_all_and_a_budget_grows(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["compare", "solid", "rock", *POKER[2:], "--least", "0.1", "--json"]
    assert main([*line, "--most", "10"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert (first["verdict"], first["matches"], first["run"]) == ("undecided", 10, 1)
    assert main([*line, "--most", "30"]) == 0
    out, err = capsys.readouterr()
    assert (json.loads(out)["matches"], json.loads(out)["run"]) == (30, 1)
    assert "resuming run 1: 10 of 30 matches are stored" in err
    assert main([*line, "--most", "10", "--fresh"]) == 0
    fresh = json.loads(capsys.readouterr().out)
    assert (fresh["run"], fresh["difference"]) == (2, first["difference"])


def test_a_comparison_is_listed_and_gone_on_with_by_its_own_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *POKER, "--most", "4"]) == 0
    with Store() as store, store.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE runs SET finished = NULL")
    capsys.readouterr()
    assert main(["runs"]) == 0
    listed = capsys.readouterr().out
    assert "unfinished" in listed
    assert "resume" not in listed
    assert main(["resume", "1"]) == 2
    assert "it is a comparison" in capsys.readouterr().err
    assert main(["runs", "1", "--by", "seat"]) == 0
    assert "4 of 4 matches" in capsys.readouterr().out


def test_runs_show_payoffs_and_rows(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["tournament", "dilemma(rounds=5)", "grim", "defector", "--series", "2", "--repeats", "2"]
    assert main([*line, "--executor", "inline"]) == 0
    capsys.readouterr()
    assert main(["runs", "1", "--payoffs", "--svg", "p.svg"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"grim +4 +–", out)
    assert re.search(r"defector +– +9", out)
    assert Path("p.svg").read_text().startswith("<svg")
    for by, rows in (("opponent", 2), ("seat", 4), ("match", 4)):
        assert main(["runs", "1", "--by", by]) == 0
        table = capsys.readouterr().out.partition(f"agent      {by} ")[2]
        assert len([line for line in table.splitlines() if " to " in line]) == rows
    for wrong, words in (("--by weather", "no rows named"), ("--svg no/x.svg", "cannot write no/x.svg")):
        assert main(["runs", "1", *wrong.split()]) == 2
        assert words in capsys.readouterr().err
    assert main(["runs", "--payoffs"]) == 2
