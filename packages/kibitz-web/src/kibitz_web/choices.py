"""What a page offers to choose from: games, and the agents and models that fit one; a worker finds that out once."""

import asyncio
import gc
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

import msgspec

from kibitz.core.bridges import bridge_status
from kibitz.core.errors import KibitzError
from kibitz.core.game import Game
from kibitz.core.registry import bridged_entries, entries, fits, fitting_names, kit_of, make_game, make_model
from kibitz_web.analysis.solutions import can_be_solved
from kibitz_web.server.workers.compute import Compute

EVERYWHERE = ("random", "alphabeta", "asymmetric", "mcts", "aware")
"""Suggested agents that can play any game."""
MOST_KNOWN = 500
"""Number of games whose choices are remembered."""
PATIENCE = 0.03
"""Seconds for which a page waits for its choices."""
GAMES = ""
"""The key of the list of games, which is no game's."""
Found = TypeVar("Found")


class Fitting(msgspec.Struct, frozen=True):
    """The suggested general agents and the models that can take part in a game."""

    agents: list[str]
    models: list[str]
    complete: bool = True


def fitting_choices(spec: str) -> Fitting:
    """What fits a game; models may compile something to find out."""
    game = make_game(spec)
    return Fitting([name for name in EVERYWHERE if fits("agent", name, game)], fitting_names("model", game))


def game_words() -> dict[str, str]:
    """All games with their summaries, which loads them; of bridges those whose package is installed."""
    bridged = {name: each for name, each in bridged_entries("game").items() if bridge_status(each.bridge).usable}
    summaries = {name: entry.summary() for name, entry in {**entries("game"), **bridged}.items()}
    return {
        name: words if words.lower().startswith(f"{name}:") else f"{name}: {words}" for name, words in summaries.items()
    }


def load_games() -> None:
    """Import what all games are made of, so that no page waits for it."""
    for name in entries("game"):
        load_game(name)
    gc.freeze()  # loaded modules stay: collecting garbage among them would only add pauses


def load_game(name: str) -> None:
    """Import what pages need to know of a game."""
    with suppress(KibitzError, ImportError):  # a plugin whose package is missing, which its own page says
        make_model(make_game(name).usual_model)
        kit = kit_of(name)
        _ = kit.word_values, kit.drawing, kit.preview  # reading them loads them


class Choices:
    """The choices of all pages of a server; a worker finds each out once, however many visitors wait for it."""

    def __init__(self, compute: Compute) -> None:
        self.compute = compute
        self.finding: dict[str, asyncio.Task[Any]] = {}

    def start(self) -> None:
        """Begin to import the games, in a thread: the event loop would stand still for seconds."""
        self.compute.threads.submit(load_games)

    async def load(self, name: str) -> None:
        """Import a game, if it is not yet."""
        await self.compute.run_blocking(load_game, name)

    async def games(self) -> dict[str, str]:
        """All games by name, each in a few words."""
        found: dict[str, str] = await self.find_once(GAMES, game_words)
        return found

    async def fitting(self, game: Game) -> Fitting:
        """What fits a game; that may take a minute, if kernels must be compiled first."""
        found: Fitting = await self.find_once(repr(game), fitting_choices, repr(game))
        return found

    async def can_solve(self, game: Game) -> bool:
        """Whether a game can be solved while a visitor waits."""
        return bool(await self.find_once(f"solve {game!r}", can_be_solved, repr(game)))

    async def soon_games(self) -> dict[str, str]:
        """All games; only their names, if their words are not known soon."""
        return await soon(self.games()) or {name: name for name in entries("game")}

    async def soon_fitting(self, game: Game) -> Fitting:
        """What fits a game; if that is not known soon, what always does. Then it is not `complete`."""
        return await soon(self.fitting(game)) or Fitting(["random"], [game.usual_model], complete=False)

    async def find_once(self, key: str, work: Callable[..., object], *given: object, in_thread: bool = False) -> Any:
        """The result of *work*, which is done once; a visitor who leaves does not stop it.

        Work in a thread does not wait for the workers, which may have much to compile.
        """
        task = self.finding.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            if len(self.finding) >= MOST_KNOWN:
                self.finding = {key: each for key, each in self.finding.items() if not each.done()}
            run = self.compute.run_blocking if in_thread else self.compute.run_cpu
            task = self.finding[key] = asyncio.create_task(run(work, *given))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # perhaps nobody waits any more
        return await asyncio.shield(task)


async def soon(work: Coroutine[Any, Any, Found]) -> Found | None:
    """The result of *work*; None if it takes long: who loads a page does not wait for a compiler."""
    try:
        return await asyncio.wait_for(work, PATIENCE)
    except TimeoutError:
        return None
