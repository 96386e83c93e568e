"""Agents that run in a worker process; a live match uses them like any other agent."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from kibitz import core
from kibitz.core.registry import make_agent
from kibitz.server.workers import Channel, WorkerLost, Workers

Found = TypeVar("Found")


class WorkerAgent(core.Agent):
    """An agent that runs in a worker from its first match on; *agent* is its idle copy in this process."""

    channel: Channel | None = None
    lost: WorkerLost | None = None
    """Why it failed, if it did."""

    def __init__(self, agent: core.Agent, workers: Workers) -> None:
        self.agent, self.workers = agent, workers

    def __repr__(self) -> str:
        return repr(self.agent)

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        if self.channel is None:
            self.channel = self.workers.open_channel()
            self.channel.load(make_agent, repr(self.agent))
        self.call_agent(call_method, "begin", game, player, rng)

    def act(self, view: core.State, clock: core.Clock) -> int:
        return self.call_agent(choose_action, view, clock.allowance, clock.elapsed_seconds(), clock.bank)

    def end(self, returns: Sequence[float]) -> None:
        self.call_agent(call_method, "end", returns)

    def truth(self) -> Mapping[str, Any]:
        quiet = self.channel is None or type(self.agent).truth is core.Agent.truth
        found: Mapping[str, Any] = {} if quiet else self.call_agent(call_method, "truth")
        return found

    def call_agent(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work* on the agent in the worker."""
        assert self.channel is not None, "begin comes first"
        try:
            return self.channel.call(work, *given)
        except WorkerLost as error:
            self.lost = error
            raise

    def close(self) -> None:
        """Leave the worker."""
        if self.channel is not None:
            self.channel.close()


class ObservingWorkerAgent(WorkerAgent):
    """An agent in a worker that observes events; only such agents are sent any."""

    def observe(self, transition: core.Transition) -> None:
        self.call_agent(call_method, "observe", transition)


def choose_action(
    agent: core.Agent, view: core.State, allowance: float | None, elapsed: float, bank: float | None
) -> int:
    """The action that *agent* chooses; its clock has run for some seconds already."""
    return agent.act(view, core.Clock(allowance, started=time.perf_counter() - elapsed, bank=bank))


def call_method(agent: core.Agent, method: str, *given: object) -> Any:
    """The result of a method of *agent*."""
    return getattr(agent, method)(*given)


def in_worker(agent: core.Agent, workers: Workers) -> WorkerAgent:
    """*agent*, to run in a worker."""
    listens = type(agent).observe is not core.Agent.observe
    return (ObservingWorkerAgent if listens else WorkerAgent)(agent, workers)
