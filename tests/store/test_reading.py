"""Databases that may be read and not written."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from child_process import child_process
from kibitz.cli.main import main
from kibitz.core.errors import StoreTrouble
from kibitz.store import Store
from kibitz.store.claims import playing

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that others may look into, which `tmp_path` is not."""
    made = Path(tempfile.mkdtemp(prefix="kibitz-reading-"))
    made.chmod(0o755)
    yield made
    made.chmod(0o755)
    shutil.rmtree(made)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nothing in the folder may be written, by root neither, who is somebody else meanwhile."""
    for path in folder.iterdir():
        path.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
    folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


@pytest.mark.long
def test_a_read_only_folder_is_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "my runs?.db"
    assert (
        main(["tournament", "pennies(lead=2)", "heads", "alternator", "--executor", "inline", "--db", str(path)]) == 0
    )
    capsys.readouterr()
    with read_only(folder):
        assert main(["runs", "--db", str(path)]) == 0
        assert "pennies(lead=2): round-robin of 2" in capsys.readouterr().out
        assert main(["runs", "1", "--payoffs", "--db", str(path)]) == 0
        assert "20 of 20 matches" in capsys.readouterr().out
        for line in (["runs", "1", "--delete"], ["tournament", "pennies", "heads", "random", "--executor", "inline"]):
            assert main([*line, "--db", str(path)]) == 2
            assert "it is read-only; check its permissions" in capsys.readouterr().err
    assert sorted(each.name for each in folder.iterdir()) == [path.name]


WRITER = """
import sys
from kibitz.store import Store
with Store(sys.argv[1]) as store:
    print(store.begin("tournament", "a", "{}", 3).run, flush=True)
    input()
"""


@pytest.mark.system
def test_a_database_that_is_being_written_is_read_by_those_who_may_not(folder: Path) -> None:
    path = folder / "a.db"
    command = [sys.executable, "-c", WRITER, str(path)]
    with child_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "1\n"
        with read_only(folder), Store(str(path), make=False) as reader:
            assert [each.name for each in reader.runs()] == ["a"]
            assert playing(reader) == {}
        writer.communicate("\n", timeout=60)


def test_what_a_killed_writer_left_beside_the_file_is_not_passed_over(folder: Path) -> None:
    path, copied = folder / "a.db", folder / "copied"
    copied.mkdir(mode=0o755)
    with Store(str(path)) as store:
        store.begin("tournament", "a", "{}", 3)
        for name in ("a.db", "a.db-wal"):
            shutil.copy(folder / name, copied)
    with (
        read_only(copied),
        pytest.raises(StoreTrouble, match=r"a\.db-wal holds changes that are not in it yet; copy both"),
    ):
        Store(str(copied / "a.db"), make=False)
    with Store(str(copied / "a.db"), make=False) as store:
        assert len(store.runs()) == 1


@pytest.mark.system
def test_a_server_that_only_answers_is_read(postgres: "PostgresServer") -> None:  # noqa: F821
    url = postgres.new_database()
    with Store(url) as store:
        store.begin("tournament", "a", "{}", 3)
    reading = f"{url}?options=-c%20default_transaction_read_only%3Don"
    with Store(reading, make=False) as store:
        assert [each.name for each in store.runs()] == ["a"]
        assert playing(store) == {}
        with pytest.raises(StoreTrouble, match="it is read-only; check its permissions"):
            store.begin("tournament", "b", '"b"', 3)
