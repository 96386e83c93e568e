"""Ray, in the worker of a `Cluster`.

Ray ends its own process when the head of the cluster disconnects, waits for minutes for a server that does not answer,
writes to the terminal, and replaces the handler of SIGTERM. So it gets a separate process.
"""

import os
from time import monotonic
from typing import Any

import msgspec

from kibitz.core.errors import ExecutionFailed, error_text
from kibitz_lab.arena.executors.executor import Answer, do_batch

PULSE = 1.0
"""Seconds between two looks at the cluster."""


class Progress(msgspec.Struct):
    """What has happened on a cluster."""

    cpus: int
    """The CPUs of the live nodes."""
    node_lost: bool
    """Whether a node was lost, so that all batches in progress were sent again."""
    answers: list[tuple[int, Answer | str]]
    """The answers to batches by number, or how the worker of one was lost."""
    failure: str = ""
    """Why the cluster cannot do such work."""


class RayDispatcher:
    """Sends batches to Ray and returns the answers."""

    def __init__(self, settings: dict[str, Any], environment: dict[str, str], log: str) -> None:
        os.environ.update(environment)
        written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for standard in (1, 2):
            os.dup2(written, standard)
        import ray

        try:
            ray.init(**settings)
        except Exception as error:  # the caller does not import Ray
            raise ExecutionFailed(error_text(error)) from None
        self.ray: Any = ray
        # Ray's own retries are off: the caller counts and reports losses, and sends the batch again.
        self.task = ray.remote(max_retries=0, num_cpus=1)(do_batch)
        self.batches: dict[int, tuple[str, bytes]] = {}
        """The batches in progress, with the version of their sender."""
        self.flying: dict[Any, int] = {}
        """The batch of each task in progress."""
        self.progress = Progress(0, node_lost=False, answers=[])
        self.nodes: set[str] = set()
        self.looked = 0.0

    def step(self, batches: dict[int, tuple[str, bytes]]) -> Progress:
        """Send more batches, and wait for answers, at most for a while."""
        self.batches |= batches
        for number in batches:
            self.send(number)
        self.progress = Progress(self.progress.cpus, node_lost=False, answers=[])
        if monotonic() > self.looked + PULSE:
            self.look_around()
        if self.ray.wait(list(self.flying), timeout=PULSE)[0]:
            for task in self.ray.wait(list(self.flying), num_returns=len(self.flying), timeout=0)[0]:
                if task in self.flying:
                    self.deliver(task, self.flying.pop(task))
        return self.progress

    def send(self, number: int) -> None:
        """Send a batch to Ray."""
        self.flying[self.task.remote(*self.batches[number])] = number

    def look_around(self) -> None:
        """Count the CPUs of the live nodes. If a node was lost, send all batches again.

        Ray may wait for its batches for minutes, and does not say which they are.
        """
        nodes = {node["NodeID"]: node["Resources"].get("CPU", 0) for node in self.ray.nodes() if node["Alive"]}
        self.progress.cpus = int(sum(nodes.values()))
        if self.nodes - nodes.keys():
            self.progress.node_lost = True
            for number in self.batches:
                self.send(number)
        self.nodes, self.looked = set(nodes), monotonic()

    def deliver(self, task: Any, number: int) -> None:
        """Add the answer to a batch; the first one counts, also if it was sent twice."""
        kinds = self.ray.exceptions
        losses = (kinds.WorkerCrashedError, kinds.NodeDiedError, kinds.ObjectLostError, kinds.OutOfMemoryError)
        try:
            answer: Answer | str = self.ray.get(task)
        except losses as error:
            if number in self.flying.values():
                return
            answer = type(error).__name__
        except kinds.RayError as error:
            self.progress.failure = str(error).strip().rpartition("\n")[2]
            return
        self.progress.answers.append((number, answer))
        self.cancel(number)

    def cancel(self, *numbers: int) -> None:
        """Cancel batches, or all."""
        for task in [each for each, number in self.flying.items() if number in numbers or not numbers]:
            del self.flying[task]
            self.ray.cancel(task, force=True)
        for number in numbers or list(self.batches):
            del self.batches[number]
