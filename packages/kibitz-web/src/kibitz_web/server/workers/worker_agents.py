"""Agents that think in a worker process; a live match uses them like any other agent, and never waits for them.

Agents begin in a thread, and are told of events without waiting. `await agent.reply(request)` asks for a move.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from kibitz import core
from kibitz.core.errors import error_text
from kibitz.core.match import NO_REPLY, Reply, Request
from kibitz.core.match.play import FAILURES
from kibitz.core.processes import TimeSpent, WorkerLost
from kibitz.core.processes.template import portable
from kibitz_web.server.workers.turns import BudgetSpent, ThinkingStopped

if TYPE_CHECKING:
    from kibitz_web.server.workers.residents import Resident

Found = TypeVar("Found")
PATIENCE = 2.0
"""Seconds, and a multiple of its clock, after which an agent that does not answer is killed."""


class WorkerAgent(core.Agent):
    """An agent that thinks in a worker from its first match on; *agent* is its idle copy in this process."""

    lost: WorkerLost | None = None
    """How its process died, if it did."""

    def __init__(self, agent: core.Agent, resident: "Resident") -> None:
        self.agent, self.resident = agent, resident
        self.unseen: list[core.Transition] = []
        """Events that it has not observed yet: it does so before its next move."""
        self.untold: Exception | None = None
        """What it raised after an event; raised at the next one."""

    def __repr__(self) -> str:
        return repr(self.agent)

    @property
    def blocking(self) -> bool:
        """Whether the match must wait for it after events: its truth goes into the record."""
        kind = type(self.agent)
        return kind.truth is not core.Agent.truth or kind.end is not core.Agent.end

    async def reply(self, request: Request) -> Reply:
        """Its answer to a request. A spent budget is its fault; if it was closed meanwhile, there is no answer."""
        limit = None if request.allowance is None else PATIENCE * request.allowance + PATIENCE
        given = (request.view, request.allowance, request.bank)
        try:
            return self.note_reply(await self.resident.call(choose_action, self.take_unseen(), *given, limit=limit))
        except (BudgetSpent, TimeSpent) as error:
            late = 0.0 if request.allowance is None else math.nextafter(request.allowance, math.inf)
            return Reply(seconds=late, error=str(error))
        except ThinkingStopped:
            return NO_REPLY
        except WorkerLost as error:
            self.lost = error
            raise

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        self.call_agent(call_method, "begin", game, player, rng)

    def act(self, view: core.State, clock: core.Clock) -> int:
        reply = self.note_reply(self.call_agent(choose_action, self.take_unseen(), view, clock.allowance, clock.bank))
        if reply.error is not None:
            raise RuntimeError(reply.error)
        assert isinstance(reply.action, int), "an answer without an error is an action"
        return reply.action

    def end(self, returns: Sequence[float]) -> None:
        if self.blocking:
            self.call_agent(call_method, "end", returns)

    def truth(self) -> Mapping[str, Any]:
        quiet = type(self.agent).truth is core.Agent.truth
        found: Mapping[str, Any] = {} if quiet else self.call_agent(call_method, "truth")
        return found

    def call_agent(self, work: Callable[..., Found], *given: object) -> Found:
        """The result of *work* on the agent; the thread waits."""
        try:
            return self.resident.call_blocking(work, *given)
        except WorkerLost as error:
            self.lost = error
            raise

    def take_unseen(self) -> list[core.Transition]:
        """The events that it has not observed, which it does now."""
        unseen, self.unseen = self.unseen, []
        return unseen

    def note_reply(self, answer: "tuple[Reply, Exception | None]") -> Reply:
        """The reply, after noting what observing events has raised."""
        reply, self.untold = answer
        return reply

    def close(self) -> None:
        """End its process and whatever it thinks about; a request that is open gets no answer."""
        self.resident.close()


class ObservingWorkerAgent(WorkerAgent):
    """An agent in a worker that observes events; only such agents are sent any."""

    def observe(self, transition: core.Transition) -> None:
        if self.blocking:
            self.call_agent(call_method, "observe", transition)
            return
        self.unseen.append(transition)
        raised, self.untold = self.untold, None
        if raised is not None:
            raise raised


def worker_agent(agent: core.Agent, resident: "Resident") -> WorkerAgent:
    """*agent*, to think in a worker."""
    listens = type(agent).observe is not core.Agent.observe
    return (ObservingWorkerAgent if listens else WorkerAgent)(agent, resident)


def needs_thread(agent: core.Agent | None) -> bool:
    """Whether a match with this agent must wait for it in a thread: agents in this process, programs, blocking ones."""
    if isinstance(agent, WorkerAgent):
        return agent.blocking
    return agent is not None and not agent.interactive


# In the worker


def choose_action(
    agent: core.Agent,
    unseen: Sequence[core.Transition],
    view: core.State,
    allowance: float | None,
    bank: float | None,
) -> tuple[Reply, Exception | None]:
    """The answer of *agent*, whose clock starts when it has observed what it has not seen; and what that raised."""
    raised = None
    for transition in unseen:
        try:
            agent.observe(transition)
        except Exception as error:
            raised = portable(error)
    start = perf_counter()
    try:
        action = agent.act(view, core.Clock(allowance, perf_counter, start, bank))
    except FAILURES as error:
        return Reply(seconds=perf_counter() - start, error=error_text(error)), raised
    return Reply(action, perf_counter() - start), raised


def call_method(agent: core.Agent, method: str, *given: object) -> Any:
    """The result of a method of *agent*."""
    return getattr(agent, method)(*given)
