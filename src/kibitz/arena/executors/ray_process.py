"""The process that uses Ray for a `Cluster`, and the work of Ray's workers.

Ray ends its own process when the head of the cluster disconnects, waits for minutes for a server that does not answer,
writes to the terminal, and replaces the handler of SIGTERM. So it gets a separate process.

It receives `("do", number, version, batch)`, `("forget", number)` and `("cancel", 0)` for all numbers. It answers
`("ready",)` or `("trouble", why)`, then while there is work `("cpus", count)` once a second and `("node lost", 0)` when
Ray says so, and for each number `("done", number, answer)`, `("lost", number, why)` or `("failed", number, why)`. The
end of the connection ends it.
"""

import json
import os
import pickle
import platform
import sys
import threading
from multiprocessing.connection import Connection
from queue import SimpleQueue
from shutil import rmtree
from time import monotonic
from typing import Any

import kibitz
from kibitz.arena.executors.worker import BatchResult, run_batch
from kibitz.core.errors import ExecutionFailed
from kibitz.core.match.watchers import error_text

PULSE = 1.0
"""Seconds between two reports of the CPUs."""
PATIENCE = 0.02
"""Seconds to wait for Ray before checking for messages; batches are queued at the CPUs, so none of them waits."""


def do_batch(version: str, batch: bytes) -> tuple[str, str, bytes]:
    """Do a pickled batch on this machine; return our version, the machine's name, and the pickled result."""
    answer = BatchResult([], 0.0)
    if version == kibitz.__version__:
        try:
            loaded = pickle.loads(batch)
        except Exception as error:
            why = f"{platform.node()} cannot load the work: {error_text(error)}; install what it needs there"
            answer = BatchResult([], 0.0, ExecutionFailed(why))
        else:
            answer = run_batch(loaded)
    return kibitz.__version__, platform.node(), _dump_answer(answer)


def _dump_answer(answer: BatchResult) -> bytes:
    try:
        return pickle.dumps(answer)
    except Exception as error:
        failure = ExecutionFailed(f"item {_unsendable(answer)} failed: its result cannot be sent: {error_text(error)}")
        return pickle.dumps(BatchResult([], 0.0, failure))


def _unsendable(answer: BatchResult) -> int:
    """The position of the first result, or else of the error, that cannot be pickled."""
    for position, result in answer.results:
        try:
            pickle.dumps(result)
        except Exception:
            return position
    return answer.results[-1][0] + 1 if answer.results else 0


class RayDispatcher:
    """Sends batches to Ray and returns the answers."""

    def __init__(self, connection: "Connection[Any, Any]", settings: dict[str, Any]) -> None:
        self.connection, self.settings = connection, settings
        self.orders: SimpleQueue[tuple[Any, ...] | None] = SimpleQueue()
        self.flying: dict[Any, int] = {}
        self.nodes: set[str] = set()

    def run(self) -> None:
        """Serve until the connection ends."""
        threading.Thread(target=self.receive, daemon=True).start()
        import ray

        try:
            ray.init(**self.settings)
        except Exception as error:
            self.connection.send(("trouble", error_text(error)))
            return
        try:
            self.connection.send(("ready",))
            self.serve(ray)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the parent has ended
        finally:
            ray.shutdown()

    def receive(self) -> None:
        """Receive all messages, so that the two sides never both wait for the other to read."""
        try:
            while True:
                self.orders.put(self.connection.recv())
        except (EOFError, OSError):
            self.orders.put(None)
        stuck = threading.Timer(20.0, os._exit, (1,))  # Ray may hang, and no one waits for it any more
        stuck.daemon = True
        stuck.start()

    def serve(self, ray: Any) -> None:
        """Handle messages and send answers."""
        # Ray's own retries are off: the caller counts and reports losses, and sends the batch again.
        task = ray.remote(max_retries=0, num_cpus=1)(do_batch)
        pulse = 0.0
        while True:
            while not self.flying or not self.orders.empty():
                order = self.orders.get()
                if order is None:
                    self.forget(ray)
                    return
                if order[0] == "do":
                    _, number, version, batch = order
                    self.flying[task.remote(version, batch)] = number
                else:
                    self.forget(ray, order[1])
            if monotonic() > pulse:
                self.look_around(ray)
                pulse = monotonic() + PULSE
            for reference in ray.wait(list(self.flying), timeout=PATIENCE)[0]:
                self.deliver(ray, reference, self.flying.pop(reference))

    def forget(self, ray: Any, number: int = 0) -> None:
        """Cancel a batch, or all."""
        for reference in [each for each, other in self.flying.items() if number in (0, other)]:
            del self.flying[reference]
            ray.cancel(reference, force=True)

    def look_around(self, ray: Any) -> None:
        """Report the CPUs of the live nodes, and whether a node was lost."""
        nodes = {node["NodeID"]: node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]}
        self.connection.send(("cpus", int(sum(nodes.values()))))
        if self.nodes - nodes.keys():
            self.connection.send(("node lost", 0))
        self.nodes = set(nodes)

    def deliver(self, ray: Any, reference: Any, number: int) -> None:
        """Send the result of a batch."""
        kinds = ray.exceptions
        losses = (kinds.WorkerCrashedError, kinds.NodeDiedError, kinds.ObjectLostError, kinds.OutOfMemoryError)
        try:
            self.connection.send(("done", number, ray.get(reference)))
        except losses as error:
            self.connection.send(("lost", number, type(error).__name__))
        except kinds.RayError as error:
            self.connection.send(("failed", number, str(error).strip().rpartition("\n")[2]))


def main() -> None:
    """Serve on a descriptor; the three arguments are it, a folder to remove at the end, and Ray's settings."""
    descriptor, folder, settings = sys.argv[1:]
    os.set_inheritable(int(descriptor), False)  # Ray's children must not keep it open
    try:
        RayDispatcher(Connection(int(descriptor)), json.loads(settings)).run()
    finally:
        rmtree(folder, ignore_errors=True)
