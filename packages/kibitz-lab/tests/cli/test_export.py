"""`kibitz export`: games as files of Gambit."""

from pathlib import Path

import pytest

from kibitz.cli.main import exit_code
from kibitz_lab.bridges import gambit


def test_games_are_written_for_gambit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "kuhn.efg"
    assert exit_code(["export", "efg", "kuhn(players=2)", "--out", str(out)]) == 0
    assert out.read_text() == gambit.efg("kuhn(players=2)")
    assert exit_code(["export", "nfg", "matrix"]) == 0
    assert capsys.readouterr().out.startswith("NFG 1 R")
