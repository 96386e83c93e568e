"""Commands as the tests of this folder call them."""

from collections.abc import Callable

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
