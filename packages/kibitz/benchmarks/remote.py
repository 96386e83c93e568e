"""Remote agents: answers a second over pipes, and what a server adds to a move with 200 matches at once."""

import asyncio
import gc
import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import kibitz
from kibitz_lab.testing.benchmark import Bench

BOTS = Path(__file__).parents[3] / "examples" / "bots"
PYTHON = shlex.join([sys.executable, "-I", str(BOTS / "any_legal.py")])
SHELL = shlex.join(["sh", str(BOTS / "any_legal.sh")])


ROUNDS = 5000
MATCHES = int(os.environ.get("KIBITZ_BENCH_MATCHES", "200"))
MOVES = 12
THINKING = (0.5, 1.0)
KILLED = 0.1
"""So many of the bots hang up in mid-match and do not come back."""


def measure(bench: Bench) -> None:
    for name, command in (("python", PYTHON), ("shell", SHELL)):
        rates = [answers_per_second(command, seed) for seed in range(bench.runs)]
        bench.figure(f"{name}_bot", rates, "answers/s", least=1000.0)
    overheads, shares = [], []
    for _ in range(min(bench.runs, 3)):
        with served() as address:
            added, kept = asyncio.run(crowd(address))
        overheads.append(1000.0 * sorted(added)[int(0.99 * len(added))])
        shares.append(kept / MATCHES)
    bench.figure("server_overhead_p99", overheads, f"ms a move, {MATCHES} matches at once", most=20.0)
    bench.figure("matches_kept", shares, f"of all, {KILLED:.0%} of the bots gone", least=1.0)


def answers_per_second(command: str, seed: int) -> float:
    """From the seconds that the match's clock counts for the program, which was started before."""
    record = kibitz.play(f"dilemma(rounds={ROUNDS})", [f"cmd:{command}", "random"], seed=seed)
    return ROUNDS / sum(entry.seconds[0] for entry in record.entries)


@contextmanager
def served() -> Iterator[str]:
    """The address of a server that runs as long as this does."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "kibitz.cli", "serve", "--api", "--port", "0", "--db", "kept.db"]
        process = subprocess.Popen([*command, "--folder", "tables"], cwd=folder, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split("http://")[1].split("/")[0]
        finally:
            process.terminate()
            process.wait(30)
            process.stdout.close()


class Pair:
    """Two bots at one table, and when each of their moves was complete."""

    def __init__(self) -> None:
        self.said: dict[int, float] = {}
        """When the last word of each move was said."""
        self.broken = False
        """Whether one of them is gone, and the other waits for the clock."""


async def crowd(address: str) -> tuple[list[float], int]:
    """Seconds from a move's last word to the next request, of all moves; and how many matches were kept."""
    added: list[float] = []
    gc.collect()
    gc.freeze()  # the pauses of our own collector would be taken for the server's
    numbers = [await opened(address) for _ in range(MATCHES)]
    doomed = set(random.Random(1).sample(range(2 * MATCHES), int(KILLED * 2 * MATCHES)))
    bots = []
    for place, number in enumerate(numbers):
        pair = Pair()
        for seat in range(2):
            bots.append(asyncio.create_task(bot(address, number, seat, pair, added, 2 * place + seat in doomed)))
            await asyncio.sleep(0.01)  # the server lets one caller make so many connections a second
    await asyncio.gather(*bots)
    return added, await kept_matches(address)


async def bot(address: str, table: int, seat: int, pair: Pair, added: list[float], doomed: bool) -> None:
    """Thinks a while, says something legal, and hangs up in the middle if it is *doomed*."""
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed

    rng = random.Random(2 * table + seat)
    async with connect(f"ws://{address}/api/play", open_timeout=60) as socket:
        await socket.send(json.dumps({"type": "login", "name": f"bot {table} {seat}", "table": table, "seat": seat}))
        with suppress(ConnectionClosed):
            async for text in socket:
                heard = time.perf_counter()
                message: dict[str, Any] = json.loads(text)
                if message["type"] == "end":
                    return
                if message["type"] != "act":
                    continue
                seq = message["seq"]
                if seq - 1 in pair.said and not pair.broken:
                    added.append(heard - pair.said[seq - 1])
                if doomed and seq > MOVES // 2:
                    pair.broken = True
                    return
                await asyncio.sleep(rng.uniform(*THINKING))
                await socket.send(json.dumps({"type": "action", "seq": seq, "action": "cooperate"}))
                pair.said[seq] = time.perf_counter()


async def asked(address: str, method: str, path: str, body: Any = None) -> Any:
    """What the server answers to a request."""
    host, port = address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    data = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return json.loads(answer.partition(b"\r\n\r\n")[2])


async def opened(address: str) -> int:
    """A new table for two bots."""
    await asyncio.sleep(0.005)
    wanted = {"game": f"dilemma(rounds={MOVES})", "seats": [None, None], "move_time": 3.0}
    return int((await asked(address, "POST", "/api/matches", wanted))["number"])


async def kept_matches(address: str) -> int:
    """How many matches are in the store, when none is being played."""
    for _ in range(600):
        if not await asked(address, "GET", "/api/matches?status=playing"):
            break
        await asyncio.sleep(0.1)
    await asyncio.sleep(1.0)
    return len(await asked(address, "GET", "/api/records?limit=1000"))
