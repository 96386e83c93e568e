"""All pages of a real server while the first match of a game compiles its kernels into an empty cache."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

from kibitz_lab.testing.benchmark import Bench

PAGES = (
    "/", "/setup", "/setup?game=kuhn", "/setup?game=risk", "/records", "/tournaments", "/studies", "/learn",
    "/models/strategy_filter", "/agents/mcts", "/profile", "/admin",
)  # fmt: skip
COLD = ("axis", "risk(players=2)")
SECONDS, SETTLING = 30.0, 15.0
"""How long pages are loaded for each cold game, and how long the server is left alone after its start."""


def measure(bench: Bench) -> None:
    with tempfile.TemporaryDirectory() as folder, cold_server(Path(folder)) as address:
        time.sleep(SETTLING)
        browser = build_opener(HTTPCookieProcessor())
        browser.open(address).read()
        times: list[float] = []
        for game in COLD[:1] if bench.quick else COLD:
            open_match(browser, address, game)
            until = time.monotonic() + SECONDS
            while time.monotonic() < until:
                times += [milliseconds(browser, address + page) for page in PAGES]
    times.sort()
    share = times[int(0.99 * len(times))]
    bench.estimate("page_p99_while_compiling", share, (times[0], times[-1]), len(times), unit="ms", most=100.0)


@contextmanager
def cold_server(folder: Path) -> Iterator[str]:
    """The address of a server whose kernels are all to be compiled."""
    words = ["serve", "--port", "0", "--folder", "matches", "--db", "kept.db"]
    printed, known = folder / "printed", {**os.environ, "KIBITZ_KERNELS": str(folder / "kernels")}
    with printed.open("w") as out:
        server = subprocess.Popen([sys.executable, "-m", "kibitz.cli", *words], cwd=folder, env=known, stdout=out)
    try:
        while "kibitz is at" not in printed.read_text():
            if server.poll() is not None:
                raise RuntimeError("the server ended")
            time.sleep(0.05)
        yield printed.read_text().split()[3].rstrip(";/")
    finally:
        server.terminate()
        server.wait(30)


def open_match(browser: OpenerDirector, address: str, game: str) -> None:
    """Start a match of two agents, for which kernels must be compiled."""
    setup = {"game": game, "seats": ["random", "random"], "seed": 1}
    headers = {"Content-Type": "application/json", "Origin": address}
    browser.open(Request(f"{address}/api/matches", json.dumps(setup).encode(), headers)).read()


def milliseconds(browser: OpenerDirector, address: str) -> float:
    """How long a page takes to arrive."""
    start = time.perf_counter()
    browser.open(address).read()
    return 1000.0 * (time.perf_counter() - start)
