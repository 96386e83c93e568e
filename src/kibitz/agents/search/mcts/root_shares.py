"""A share of the simulations of one search, and what it found at the root: `mcts(threads=2)` adds such shares up.

Each share grows a tree of its own (root parallelisation, Chaslot et al. 2008), from random numbers of its own, so that
what a search finds depends on the number of shares but not on where they are played. Another process plays a share if
one is free; else this one does, after its own.
"""

import os
import pickle
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from multiprocessing.connection import Connection
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from kibitz import core
from kibitz.agents.search.mcts.decisions import RegretTable
from kibitz.agents.search.mcts.playouts import leaves_for
from kibitz.agents.search.mcts.simulated_players import PlayerTypeError
from kibitz.agents.search.mcts.tree import Seen, Tree
from kibitz.core.child_processes import cores, die_with, spawn_process

SERVE = "from kibitz.agents.search.mcts.root_shares import main; main()"


class Budget(msgspec.Struct, frozen=True):
    """How much one share may do; at least one simulation."""

    simulations: int
    plies: float = inf
    seconds: float = inf


class RootShare(msgspec.Struct):
    """What one tree says of the actions at its root. Returns are scaled to [0, 1]."""

    visits: dict[int, float]
    totals: dict[int, float]
    proven: dict[int, float]
    """What actions earn for certain, where that is proven."""
    sums: dict[int, float]
    """In a move at once, how often each was to be played."""
    moments: tuple[int, float, float]
    """The number of returns, their sum, and the sum of their squares."""
    line: tuple[Seen, ...]
    simulations: int
    fault: str = ""
    """Why the model's players were not asked any more."""

    def mean(self, action: int) -> float:
        """The mean return of an action, or the certain one."""
        found = self.proven.get(action)
        return self.totals[action] / self.visits[action] if found is None else found


class ShareWork(msgspec.Struct):
    """All that another process needs to play a share."""

    game: core.Game
    player: int
    view: core.State
    evaluation: bool
    exploration: float
    horizon: int
    solves: bool
    rollout_plies: int
    worlds: Sequence[core.SampledWorld]
    budget: Budget
    seed: int

    def root_share(self) -> RootShare:
        """Play it here, from a tree that is empty."""
        rng = np.random.default_rng(self.seed)
        leaves = leaves_for(self.game, rng, self.evaluation)
        tree = Tree(self.game, self.player, leaves, rng, self.exploration, self.horizon, None, self.solves)
        end = time.perf_counter() + self.budget.seconds
        late = partial(is_past, end)
        return grow_tree(tree, self.view, self.worlds, self.rollout_plies, self.budget, late)


class PrepareWork(msgspec.Struct):
    """Load and compile what searches of a game need."""

    game: core.Game
    evaluation: bool
    budget: Budget = Budget(0)

    def root_share(self) -> RootShare:
        """An empty share."""
        leaves_for(self.game, np.random.default_rng(0), self.evaluation)
        return RootShare({}, {}, {}, {}, (0, 0.0, 0.0), (), 0)


def grow_tree(
    tree: Tree,
    view: core.State,
    worlds: Sequence[core.SampledWorld],
    rollout_plies: int,
    budget: Budget,
    late: Callable[[], bool],
    fault: str = "",
) -> RootShare:
    """Simulate from *view*, in the worlds of the model in turn if there are any, until the budget is spent or *late*.

    Once one of the model's players has failed, or with a *fault*, they are not asked.
    """
    done = 0
    while done < budget.simulations and (done == 0 or (tree.plies < budget.plies and not late())):
        if worlds:
            world = worlds[done % len(worlds)]
            try:
                tree.simulate(world.state.clone(), rollout_plies, {} if fault else world.types)
            except PlayerTypeError as error:
                fault = f"policy: {error}"
                tree.simulate(view.complete(tree.rng), rollout_plies)
        else:
            tree.simulate(view.complete(tree.rng), rollout_plies)
        done += 1
    return share_of(tree, done, fault)


def is_past(end: float) -> bool:
    """Whether this moment has come."""
    return time.perf_counter() >= end


def share_of(tree: Tree, simulations: int, fault: str) -> RootShare:
    """What a tree says at its root."""
    decision = tree.root.decisions[tree.player]
    tried = {action: arm for action, arm in sorted(decision.arms.items()) if arm.visits}
    return RootShare(
        {action: arm.visits for action, arm in tried.items()},
        {action: arm.total for action, arm in tried.items()},
        {action: arm.proven for action, arm in tried.items() if arm.proven is not None},
        dict(decision.sums) if isinstance(decision, RegretTable) else {},
        (tree.count, tree.total, tree.squares),
        tree.line(),
        simulations,
        fault,
    )


def total_share(shares: Sequence[RootShare]) -> RootShare:
    """All shares together; the line is that of the one with the most simulations."""
    if len(shares) == 1:
        return shares[0]
    actions = sorted({action for share in shares for action in share.visits})
    mixed = sorted({action for share in shares for action in share.sums})
    moments = [sum(each) for each in zip(*(share.moments for share in shares), strict=True)]
    return RootShare(
        {action: sum(share.visits.get(action, 0.0) for share in shares) for action in actions},
        {action: sum(share.totals.get(action, 0.0) for share in shares) for action in actions},
        {action: value for share in shares for action, value in share.proven.items()},
        {action: sum(share.sums.get(action, 0.0) for share in shares) for action in mixed},
        (int(moments[0]), moments[1], moments[2]),
        max(shares, key=lambda share: share.simulations).line,
        sum(share.simulations for share in shares),
        next((share.fault for share in shares if share.fault), ""),
    )


class ShareProcess:
    """A process that plays shares, one at a time."""

    def __init__(self) -> None:
        self.process, ours = spawn_process(SERVE)
        self.connection: Connection[Any, Any] = Connection(ours.detach())

    def begin(self, work: ShareWork | PrepareWork) -> bool:
        """Send a share; whether it could be sent."""
        try:
            self.connection.send_bytes(pickle.dumps(work))
        except Exception:  # it has died, or a model's player cannot be sent
            return False
        return True

    def root_share(self) -> RootShare | None:
        """What the share found; None if the process has died or failed."""
        try:
            found = self.connection.recv()
        except (EOFError, OSError):
            return None
        return found if isinstance(found, RootShare) else None

    def close(self) -> None:
        """End the process."""
        with suppress(OSError):
            self.connection.close()
        self.process.kill()
        self.process.wait()


class ShareProcesses:
    """The processes of this one that play shares: at most one for each other core, started when they are needed."""

    def __init__(self) -> None:
        self.free: list[ShareProcess] = []
        self.started = 0
        self.lock = threading.Lock()
        os.register_at_fork(after_in_child=self.forget)

    def forget(self) -> None:
        """Begin without processes: after a fork they still belong to the parent."""
        self.free, self.started, self.lock = [], 0, threading.Lock()

    def take(self) -> ShareProcess | None:
        """A process that is free, or a new one; None if there are enough, or none can be started."""
        with self.lock:
            if self.free:
                return self.free.pop()
            if self.started >= cores() - 1:
                return None
            self.started += 1
        try:
            return ShareProcess()
        except OSError:
            self.lose()
            return None

    def lose(self) -> None:
        """Note that a process has ended."""
        with self.lock:
            self.started -= 1

    def give_back(self, process: ShareProcess, works: bool) -> None:
        """Keep a process for the next search, or end one that failed."""
        if works:
            with self.lock:
                self.free.append(process)
        else:
            process.close()
            self.lose()


PROCESSES = ShareProcesses()
"""Shared by all agents of this process: bounded by the cores, and they keep nothing but compiled code."""


class BegunShare:
    """A share of a search that another process plays, or this one when its result is wanted."""

    def __init__(self, work: ShareWork | PrepareWork) -> None:
        self.work, self.process = work, PROCESSES.take()
        if self.process is not None and not self.process.begin(work):
            PROCESSES.give_back(self.process, works=False)
            self.process = None

    def root_share(self, seconds: float) -> RootShare:
        """What it found; if this process must play it, within so many *seconds*."""
        found = None
        if self.process is not None:
            found = self.process.root_share()
            PROCESSES.give_back(self.process, works=found is not None)
        if found is None:
            self.work.budget = replace(self.work.budget, seconds=seconds)
            found = self.work.root_share()
        return found


def main() -> None:
    """Play the shares that the parent sends; `spawn_process` describes the arguments."""
    die_with(int(sys.argv[2]))
    connection: Connection[Any, Any] = Connection(int(sys.argv[1]))
    while True:
        try:
            work = connection.recv()
        except (EOFError, OSError):
            return
        except Exception:  # something that cannot be loaded here
            work = None
        try:
            found = None if work is None else work.root_share()
        except Exception:
            found = None
        try:
            connection.send(found)
        except OSError:
            return
