"""A Ray cluster of two nodes on this machine."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shutil import rmtree

import pytest

RAY = str(Path(sys.executable).with_name("ray"))


class TwoNodes:
    """A head and a second node, one CPU each, with a token; drivers need `environment` and `address`.

    Work finds in the variable KIBITZ_NODE whether it is done by the `head` or the `second` node.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        token = folder / "token"
        token.touch(mode=0o600)
        token.write_text(secrets.token_hex(32))
        self.environment = {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(token),
            "RAY_USAGE_STATS_ENABLED": "0",
            # A dead node is noticed in 3 s and a silent one in 12, instead of 15 and 65.
            "RAY_health_check_failure_threshold": "3",
            "RAY_health_check_period_ms": "1000",
            "RAY_health_check_timeout_ms": "3000",
            "PYTHONPATH": os.pathsep.join(filter(None, [str(Path(__file__).parent), *sys.path])),
        }
        self.nodes: dict[str, subprocess.Popen[bytes]] = {}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"

    def start_head(self) -> None:
        port = self.address.rpartition(":")[2]
        self._start("head", "--head", f"--port={port}", "--include-dashboard=false")

    def start_second_node(self) -> None:
        """Add the second node, for the first time or after it was killed."""
        self._start("second", f"--address={self.address}")

    def kill_second_node(self) -> None:
        """Kill the second node with all its workers, at once."""
        self._kill("second")

    def freeze_second_node(self) -> None:
        """Let the second node fall silent, as if its cable were cut; it can only be killed then."""
        for pid in processes_of(self.nodes["second"].pid):
            os.kill(pid, signal.SIGSTOP)

    def end(self) -> None:
        """Kill all that was started."""
        for name in list(self.nodes):
            self._kill(name)

    def _start(self, name: str, *options: str) -> None:
        log = self.folder / f"{name}.log"
        small = ["--num-cpus=1", "--object-store-memory=80000000", "--node-ip-address=127.0.0.1"]
        with log.open("wb") as written:
            self.nodes[name] = subprocess.Popen(
                [RAY, "start", *options, *small, f"--temp-dir={self.folder / name}", "--block"],
                env={**os.environ, **self.environment, "KIBITZ_NODE": name},
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
                start_new_session=True,
            )
        end = time.monotonic() + 120.0
        while b"Ray runtime started" not in log.read_bytes():
            assert self.nodes[name].poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.1)

    def _kill(self, name: str) -> None:
        # Workers have process groups of their own, but all that a node starts stays in its session.
        node = self.nodes.pop(name)
        while found := processes_of(node.pid):
            for pid in found:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            node.poll()
        node.wait()


def processes_of(session: int) -> list[int]:
    """The processes of a session that run, and do not only wait to be collected."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, _, _, owner = (path / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(owner) == session and state != "Z":
                found.append(int(path.name))
    return found


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[TwoNodes]:
    """A real cluster for the tests of one module; who kills the second node starts it again."""
    pytest.importorskip("ray", reason="ray is not installed")
    folder = Path(tempfile.mkdtemp(prefix="kibitz-two-", dir="/tmp"))  # paths of sockets must be short
    cluster = TwoNodes(folder)
    try:
        cluster.start_head()
        cluster.start_second_node()
        yield cluster
    finally:
        cluster.end()
        rmtree(folder, ignore_errors=True)
