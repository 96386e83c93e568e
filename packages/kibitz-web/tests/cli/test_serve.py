"""`kibitz serve`: on this machine alone, on a free port, and it ends well."""

import os
import socket
from pathlib import Path

import pytest

from kibitz.cli.main import exit_code
from kibitz_lab.store.server_folder import lock_folder
from kibitz_web.cli.serve import HOST


@pytest.mark.system
def test_serving_ends_well_and_takes_another_port(tmp_path: Path) -> None:
    """In a process of its own, without a terminal: it begins, and ends by itself."""
    import subprocess
    import sys

    command = [sys.executable, "-m", "kibitz.cli", "serve", "--attended", "--folder", str(tmp_path / "kept")]
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [*command, "--port", str(port)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            cwd=tmp_path,
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"http://{HOST}:" in done.stdout
    assert f":{port}/" not in done.stdout


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert exit_code(["serve", "--port", "0", "--folder", str(tmp_path / "file" / "kept")]) == 2
    assert "kept" in capsys.readouterr().err


def test_a_second_server_in_the_same_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with lock_folder(tmp_path):
        arguments = ["serve", "--port", "0", "--folder", str(tmp_path), "--db", str(tmp_path / "a.db")]
        assert exit_code(arguments) == 2
        assert f"{tmp_path} is in use by a server (process {os.getpid()})" in capsys.readouterr().err
