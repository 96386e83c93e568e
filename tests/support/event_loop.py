"""Watches event loops: a callback that waits for something, or computes for long, keeps the server from everybody.

Python's audit events show what waits, however short, and the thread's CPU time what computes: both are the same on a
busy machine.
"""

import asyncio
import gc
import inspect
import sys
import time
from asyncio import events
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from threading import get_ident
from types import FrameType
from typing import Any

from sqlalchemy import Engine, event

from checkout import ROOT

LONGEST = 0.05
"""Seconds of CPU time that one callback may take, unless those of an idle loop come near it."""
MARGIN = 20
"""How many times the longest callback of an idle loop one callback may always take."""
WAITS = {
    *("subprocess.Popen", "os.posix_spawn", "os.fork", "import", "sqlite3.connect"),
    *("open", "os.listdir", "os.scandir", "glob.glob", "shutil.copyfile", "shutil.rmtree"),
    *("socket.connect", "socket.getaddrinfo"),
}
"""Audit events of what waits: processes, modules, files, connections."""
SOURCE = tuple(str(folder) for folder in ROOT.glob("packages/*/src"))
TESTS = (str(ROOT / "tests"), *(str(folder) for folder in ROOT.glob("packages/*/tests")))


class LoopWatch:
    """The stalls of all event loops of this process."""

    def __init__(self) -> None:
        self.stalls: list[str] = []
        self.running: set[int] = set()
        """The threads that run a callback."""
        self.collecting, self.collected = 0.0, 0.0
        """When garbage was last looked for, and seconds of it so far, which nobody's code takes."""
        self.longest = LONGEST
        sys.addaudithook(self.audit)
        gc.callbacks.append(self.collect)
        event.listen(Engine, "before_cursor_execute", lambda *given: self.note_wait("database", (given[2],)))
        self.plain = events.Handle._run
        time.sleep = Pause(self, time.sleep)
        events.Handle._run = self.run  # type: ignore[method-assign, assignment]

    @property
    def run(self) -> Any:
        """What runs a callback instead of asyncio's own method."""

        def run(handle: events.Handle) -> None:
            thread, collected, start = get_ident(), self.collected, time.thread_time()
            self.running.add(thread)
            try:
                self.plain(handle)
            finally:
                self.running.discard(thread)
                seconds = time.thread_time() - start - (self.collected - collected)
                if seconds > self.longest and not is_test(handle):
                    self.stalls.append(f"{seconds:.3f} s of computing in {handle!r}")

        return run

    def collect(self, phase: str, info: object) -> None:
        """Measure a search for garbage."""
        if phase == "start":
            self.collecting = time.thread_time()
        else:
            self.collected += time.thread_time() - self.collecting

    def audit(self, name: str, given: tuple[Any, ...]) -> None:
        """Note what waits."""
        # The kernel's own files are on no disk; and FastAPI reads source lines once, for its errors.
        quick = name == "open" and (str(given[0]).startswith("/proc/") or str(given[0]).endswith(".py"))
        if name in WAITS and not quick:
            self.note_wait(name, given)

    def note_wait(self, name: str, given: tuple[Any, ...]) -> None:
        """Note something that waits, if a callback of the server does it."""
        thread = get_ident()
        if thread in self.running and (name != "import" or given[0] not in sys.modules):
            self.running.discard(thread)  # what comes of it is not noted again
            try:
                stack = [*callers(sys._getframe(2))]
                if is_servers(stack):
                    lines = "".join(f"\n    {frame.f_code.co_filename}:{frame.f_lineno}" for frame in stack[:20])
                    self.stalls.append(f"{name} {given[:1]} on the event loop, called by{lines}")
            finally:
                self.running.add(thread)

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Fail at the end of the block if an event loop has stalled in it."""
        self.stalls.clear()
        yield
        found = self.stalls[:]
        self.stalls.clear()
        assert not found, "\n".join(found)

    def calibrate(self) -> None:
        """Measure an idle loop: on a machine that is slow beyond measure a callback may take longer."""

        async def idle() -> None:
            nonlocal longest
            for _ in range(100):
                start = time.thread_time()
                await asyncio.sleep(0)
                longest = max(longest, time.thread_time() - start)

        longest = 0.0
        asyncio.run(idle())
        self.longest = max(LONGEST, MARGIN * longest)


class Pause:
    """`time.sleep`, noted; other processes get the real one."""

    __module__ = "time"

    def __init__(self, watch: LoopWatch, sleep: Callable[[float], None]) -> None:
        self.watch, self.sleep = watch, sleep

    def __call__(self, seconds: float) -> None:
        self.watch.note_wait("time.sleep", (seconds,))
        self.sleep(seconds)

    def __reduce__(self) -> str:
        return "sleep"


def callers(frame: FrameType | None) -> Iterator[FrameType]:
    """The frames from the innermost one up to the event loop."""
    while frame is not None and frame.f_code.co_filename != events.__file__:
        yield frame
        frame = frame.f_back


def is_servers(stack: list[FrameType]) -> bool:
    """Whether the server does it: not a test, in a coroutine of its own or in a function that it calls."""
    own = [*takewhile(lambda frame: not frame.f_code.co_filename.startswith(TESTS), stack)]
    kibitz = [frame for frame in own if frame.f_code.co_filename.startswith(SOURCE)]
    awaited = bool(kibitz) and bool(kibitz[-1].f_code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR))
    tool = any(part in frame.f_code.co_filename for part in ("/schemathesis/", "/_pytest/") for frame in stack)
    return bool(kibitz) and not tool and (len(own) == len(stack) or awaited)


def is_test(handle: events.Handle) -> bool:
    """Whether a callback is a step of a coroutine of a test."""
    task = getattr(handle._callback, "__self__", None)  # type: ignore[attr-defined]
    code = getattr(task.get_coro(), "cr_code", None) if isinstance(task, asyncio.Task) else None
    return code is not None and code.co_filename.startswith(TESTS)
