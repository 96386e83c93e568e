"""Commands as tests call them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kibitz.cli.main import exit_code

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Calls `kibitz` with arguments: its exit code, and what it printed and said of errors."""

    def called(*arguments: str) -> tuple[int, str, str]:
        code = exit_code(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return called


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, no database but that in it, and a terminal of one width."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIBITZ_DB", raising=False)
    monkeypatch.setenv("COLUMNS", "120")
