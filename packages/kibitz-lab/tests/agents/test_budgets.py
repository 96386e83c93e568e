"""Every registered agent has a default budget that ends: a decision is bounded work in every game that it accepts."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TypeVar

import pytest

import kibitz
from kibitz import core, make_agent, make_game
from kibitz.core.errors import Unsupported
from kibitz.core.kernels import jit_enabled
from kibitz.core.match import MatchOptions
from kibitz.core.match.play import RecordedMatch
from kibitz.core.registry import Kind, entries

pytestmark = pytest.mark.long

PACKAGE = str(Path(kibitz.__file__).parent)
MOST_CALLS = 3_000_000
"""Calls of kibitz's own functions that one decision may take. Unlike seconds they are the same on every machine."""
MOST_NODES = 1_000_000
"""Nodes that one decision may search in compiled code, where an agent counts them."""
MOST_PLIES = 400
"""An agent that has had no choice after so many plies is not asked further."""
NOT_BY_NAME = {"human", "process", "program", "scripted"}
"""Agents that need a person, a command or a file before they can play."""
COSTLY = frozenset({"bear-brawl", "cops", "goofspiel", "risk", "soccer", "trails"})
"""Games in which counting the calls of agents for any game takes seconds: they play these in tests marked `slow`."""
Answer = TypeVar("Answer")


def registered(kind: Kind) -> list[str]:
    return sorted(name for name, entry in entries(kind).items() if entry.target.startswith("kibitz"))


def some_games(agent: str) -> list[str]:
    """Every fourth game that is not costly, beginning with another for every agent, so that together they play all."""
    return sorted({*registered("game")} - COSTLY)[registered("agent").index(agent) % 4 :: 4]


class TooMuchWork(BaseException):
    """One decision took more calls than it may; no match goes on after that."""


class Counted(core.Agent):
    """Sits in an agent's place, passes everything on, and counts the calls and nodes of its costliest step."""

    def __init__(self, agent: core.Agent) -> None:
        self.agent, self.calls, self.costliest, self.decisions = agent, 0, 0, 0

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.counted(lambda: self.agent.begin(game, player, rng))

    def act(self, view: core.State, clock: core.Clock) -> int:
        self.decisions += len(view.legal_actions(self.player)) > 1
        return self.counted(lambda: self.agent.act(view, clock))

    def observe(self, transition: core.Transition) -> None:
        self.counted(lambda: self.agent.observe(transition))

    def counted(self, step: Callable[[], Answer]) -> Answer:
        self.calls = 0
        before, tracer = self.nodes(), sys.gettrace()
        sys.settrace(self.count)
        try:
            return step()
        finally:
            sys.settrace(tracer)
            self.costliest = max(self.costliest, self.calls)
            if self.nodes() - before > MOST_NODES:
                raise TooMuchWork(f"more than {MOST_NODES:,} nodes")

    def nodes(self) -> int:
        return int(getattr(self.agent, "searched", 0))

    def count(self, frame: FrameType, event: str, _: object) -> None:
        if frame.f_code.co_filename.startswith(PACKAGE):
            self.calls += 1
            if self.calls > MOST_CALLS:
                raise TooMuchWork(f"more than {MOST_CALLS:,} calls")


def first_decision(name: str, game: core.Game) -> Counted:
    """The agent in the first seat, after its first choice there."""
    seated = Counted(make_agent(name))
    others = [make_agent("random") for _ in range(1, game.players)]
    for _ in RecordedMatch(game, [seated, *others], MatchOptions(max_plies=MOST_PLIES)).moments():
        if seated.decisions:
            break
    return seated


@pytest.mark.skipif(not jit_enabled(), reason="without a compiler the same nodes take more calls")
@pytest.mark.parametrize("part", ["some", pytest.param("all", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", sorted({*registered("agent")} - NOT_BY_NAME))
def test_a_decision_by_default_is_bounded_work(name: str, part: str) -> None:
    owner, dot, _ = name.partition(".")
    for game in [owner] if dot else some_games(name) if part == "some" else registered("game"):
        try:
            seated = first_decision(name, make_game(game))
        except Unsupported:
            continue
        except TooMuchWork as error:
            pytest.fail(f"{name} takes {error} for one decision in {game}")
        assert seated.costliest > 0
