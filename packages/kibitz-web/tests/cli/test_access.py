"""`kibitz token` and `kibitz doctor`."""

import json
from pathlib import Path

import pytest

from kibitz.cli.main import main


def test_tokens_are_made_listed_and_revoked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = ["--db", str(tmp_path / "kept.db")]
    assert main(["token", "ann", "--operator", *database]) == 0
    token = capsys.readouterr().out.strip()
    assert token.startswith("kibitz-")
    assert main(["token", "--json", *database]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert (listed["name"], listed["role"]) == ("ann", "operator")
    assert main(["token", "ann", *database]) == 2
    assert "has a token already" in capsys.readouterr().err
    assert main(["token", "ann", "--revoke", *database]) == 0
    assert main(["token", "ann", "--revoke", *database]) == 2
    for name in ("a\nb", "a b", "ann/../ben", "änn", "", "a" * 81, "<b>"):
        assert main(["token", name, *database]) == 2
        assert "letters, digits, dots" in capsys.readouterr().err
    assert main(["token", "--revoke", *database]) == 2
    assert main(["token", "a b", "--db", str(tmp_path / "none.db")]) == 2
    assert not (tmp_path / "none.db").exists()


def test_doctor_says_how_bots_are_confined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["doctor", "--json", "--db", str(tmp_path / "none.db")]) == 0
    found = {each["what"]: each for each in json.loads(capsys.readouterr().out)}
    assert found["bots are limited"]["ok"]
    assert not found["bots are confined"]["ok"]
    assert "bwrap is not installed" in found["bots are confined"]["words"]
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "none.db").write_text("no database")
    assert main(["doctor", "--json", "--db", str(tmp_path / "none.db")]) == 0
    found = {each["what"]: each for each in json.loads(capsys.readouterr().out)}
    assert not found["database"]["ok"]
    assert main(["doctor"]) == 0
