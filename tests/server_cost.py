"""What a match costs a server: its CPU time and the memory that stays.

    nice -n 10 python tests/server_cost.py --pairs 20 --people 20 --matches 5      # CPU seconds a match
    nice -n 10 python tests/server_cost.py --pairs 10 --matches 400 --warm 1000 --thinking 0 --game "dilemma(rounds=2)"

The second line is for memory: kB a match, after the warm-up.

Bots in pairs, and people who look at the page of their match, play a fixed number of matches on a server behind nginx.
CPU time is the server's own, without its workers; unlike seconds, it is much the same on a busy machine.
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from load import Class, Lesson
from proxied import ProxiedServer, proxied_server

TICK = os.sysconf("SC_CLK_TCK")


class Costs(msgspec.Struct):
    """What a number of matches cost."""

    matches: int
    cpu: float
    """Seconds of the server's process."""
    system: float
    """Those of them in the kernel."""
    workers: float
    """Seconds of the processes that think for it."""
    memory: list[tuple[int, int]]
    """How many matches were played, and the kB of the server then."""
    page_messages: int
    page_bytes: int

    def growth(self, warm: int) -> float:
        """kB a match after *warm* matches: the slope of the line through all measurements."""
        found = [each for each in self.memory if each[0] >= warm]
        if len(found) < 3:
            return 0.0
        x, y = (sum(column) / len(found) for column in zip(*found, strict=True))
        return sum((n - x) * (kB - y) for n, kB in found) / sum((n - x) ** 2 for n, _ in found)

    def words(self, warm: int) -> str:
        """The costs in one line."""
        each = max(1, self.matches)
        cpu, system, workers = (1000.0 * spent / each for spent in (self.cpu, self.system, self.workers))
        return (
            f"{self.matches} matches, {cpu:.1f} ms of CPU a match, {system:.1f} of them in the kernel, {workers:.1f} "
            f"in its workers; {self.page_messages / each:.1f} messages and {self.page_bytes / each:.0f} bytes to pages "
            f"a match; memory {self.memory[0][1]} to {self.memory[-1][1]} kB, {self.growth(warm):.2f} kB a match after "
            f"{warm}"
        )


def cpu_seconds(pid: int) -> tuple[float, float]:
    """The CPU seconds that a process has used, without its children, in its own code and in the kernel."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) / TICK, int(fields[12]) / TICK


def worker_seconds(server: int) -> float:
    """The CPU seconds of a server's template process and of all workers that have ended."""
    found = 0.0
    for child in Path(f"/proc/{server}/task/{server}/children").read_text().split():
        with suppress(OSError):
            fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            found += sum(map(int, fields[11:15])) / TICK
    return found


def memory_kb(pid: int) -> int:
    """The resident memory of a process that is its own."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1])
    return 0


async def measure_costs(
    server: ProxiedServer, *, pairs: int, people: int, matches: int, thinking: float, game: str
) -> Costs:
    """Let so many pairs of bots and people play so many matches each."""
    made = Class(server, Lesson(thinking=(0.5 * thinking, thinking), game=game))
    tokens = server.make_tokens([f"bot{n}" for n in range(2 * pairs)])
    links = server.make_links([f"person{n}" for n in range(people)])
    assert server.process is not None
    pid, done, memory = server.process.pid, 0, list[tuple[int, int]]()

    def note_end() -> None:
        nonlocal done
        done += 1
        if done % 10 == 0:
            memory.append((done, memory_kb(pid)))

    async def play_pairs(both: tuple[str, str]) -> None:
        for _ in range(matches):
            number = await made.open_match(both[0], None, None)
            await asyncio.gather(*[made.play(token, number, seat) for seat, token in enumerate(both)])
            note_end()

    async def play_person(session: str) -> None:
        for _ in range(matches):
            number = await made.open_match(session, None, "random")
            page = asyncio.create_task(made.look(f"/match/{number}", session))
            await made.play(session, number, 0)
            page.cancel()
            await asyncio.gather(page, return_exceptions=True)
            note_end()

    async with made.http:
        sessions = [await made.sign_in(link) for link in links]
        await made.play(
            server.operator, await made.open_match(server.operator, None, "random"), 0
        )  # all that is imported late
        memory.append((0, memory_kb(pid)))
        begin, thought = cpu_seconds(pid), worker_seconds(pid)
        clients: list[Coroutine[Any, Any, None]] = [play_person(each) for each in sessions]
        clients += [play_pairs(pair) for pair in zip(tokens[::2], tokens[1::2], strict=True)]
        await asyncio.gather(*clients)
        own, system = (after - before for before, after in zip(begin, cpu_seconds(pid), strict=True))
    return Costs(
        done,
        own + system,
        system,
        worker_seconds(pid) - thought,
        memory,
        made.report.page_messages,
        made.report.page_bytes,
    )


def main() -> None:
    """Measure, and print one line."""
    wanted = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("pairs", 10), ("people", 0), ("matches", 5), ("warm", 0)):
        wanted.add_argument(f"--{name}", type=int, default=default)
    wanted.add_argument("--thinking", type=float, default=0.05, help="seconds for a move, at most")
    wanted.add_argument("--game", default=Lesson().game)
    given = vars(wanted.parse_args())
    warm = given.pop("warm")
    with tempfile.TemporaryDirectory() as folder, proxied_server(Path(folder)) as server:
        start = time.monotonic()
        try:
            found = asyncio.run(measure_costs(server, **given))
        except AssertionError:
            print(server.logs()[-4000:])
            raise
        print(found.words(warm), f"({time.monotonic() - start:.0f} s)", flush=True)
        log = server.logs()
        assert "Traceback" not in log, log[log.index("Traceback") - 500 :][:4000]


if __name__ == "__main__":
    main()
