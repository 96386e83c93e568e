"""Settings and databases that all tests share."""

import gc
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.append(str(Path(__file__).parent / "tests" / "support"))
pytest_plugins = ["browser", "distribution", "skip_summary"]
settings.register_profile("default", deadline=None, max_examples=40)
settings.register_profile("ci", deadline=None, max_examples=40, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")
# Threads of linear algebra wait in loops and so take the cores that other tests run on; one is faster for small arrays.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
# A shell has whatever it runs in the background ignore Ctrl-C, and so would all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
# A console keeps the COLUMNS that are set when it is made: not those of the test that happens to import it first.
os.environ.pop("COLUMNS", None)
import_module("kibitz.cli.console")
# What is imported and collected stays, so looking for garbage in it would find nothing.
gc.disable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs a package of ours that is not installed: `kibitz` alone has tests, too."""
    for mark in item.iter_markers("needs"):
        for member in mark.args:
            if find_spec(f"kibitz_{member}") is None:
                pytest.skip(f"kibitz-{member} is not installed")


def pytest_collection_finish() -> None:
    """Look for garbage from now on, but not among what was collected."""
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True, scope="module")
def small_heap() -> None:
    """Keep what earlier files have imported out of garbage collections, which would look through it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of game corpora made by others; tests that need it are skipped where there is none."""
    folder = os.environ.get("KIBITZ_CORPUS")
    if not folder:
        pytest.skip("KIBITZ_CORPUS names no folder of corpora")
    return Path(folder)


class PostgresServer:
    """A throw-away PostgreSQL on loopback; it refuses to run as root, so it runs as somebody else then."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self.binaries, self.folder = binaries, folder
        self.user = _harmless_user() if os.geteuid() == 0 else None
        self.numbers = count()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        if self.user is not None:
            folder.chmod(0o755)
            os.chown(folder, pwd.getpwnam(self.user).pw_uid, -1)
        self.call("initdb", "--auth=trust", "--username=kibitz", "--no-sync", "--encoding=UTF8", f"--pgdata={folder}/d")
        self.start()

    def call(self, program: str, *arguments: str) -> None:
        command = [str(self.binaries / program), *arguments]
        subprocess.run(command, user=self.user, cwd=self.folder, check=True, capture_output=True, timeout=60)

    def start(self) -> None:
        settings = f"listen_addresses=127.0.0.1 port={self.port} unix_socket_directories= fsync=off"
        options = [part for setting in settings.split() for part in ("-c", setting)]
        command = [str(self.binaries / "postgres"), "-D", f"{self.folder}/d", *options]
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(command, user=self.user, cwd=self.folder, stdout=log, stderr=log)
        log.close()
        ready = [str(self.binaries / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        for _ in range(300):
            if subprocess.run(ready, check=False).returncode == 0:
                return
            time.sleep(0.1)
        raise TimeoutError((self.folder / "log").read_text())

    def kill(self) -> None:
        """End the server without any goodbye."""
        self.process.send_signal(3)  # SIGQUIT: immediate shutdown, children included
        self.process.wait(30)

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"kibitz{next(self.numbers)}"
        self.call("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "kibitz", name)
        return f"postgresql://kibitz@127.0.0.1:{self.port}/{name}"


def _harmless_user() -> str:
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real PostgreSQL server."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    found = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    binaries = found[0] if found else Path(shutil.which("postgres") or "").parent
    if not (binaries / "initdb").exists():
        pytest.skip("PostgreSQL's programs are not installed (on Debian: apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="kibitz-postgres-"))
    server = PostgresServer(binaries, folder)
    try:
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.system)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "kibitz.db")
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()
