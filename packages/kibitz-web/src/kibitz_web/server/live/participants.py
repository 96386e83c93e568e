"""Players from outside: people and remote programs. The match asks them and waits as long as its clock allows."""

import asyncio
import contextlib
import math
from collections.abc import Sequence
from typing import Any

from kibitz import core
from kibitz.core.match import NO_REPLY, Reply, Request, checked_action
from kibitz.remote import messages

PATIENCE = 3600.0
"""Seconds a player has for a move without a clock."""


class Participant(core.Agent):
    """A player from outside who takes a seat in a live match; records hold their name."""

    interactive = True
    dialogue: messages.Dialogue | None = None
    request: Request | None = None
    """The open request."""
    asked: Request | None = None
    """The request that was `written` to them last."""
    waiting: tuple[str, ...] = ()
    """The rest of a typed line with several moves."""
    returns: Sequence[float] | None = None

    def __init__(self, name: str = "", person: bool = False) -> None:
        self.name, self.person = name, person

    @property
    def public_name(self) -> str:
        return self.name

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.dialogue = messages.Dialogue(game, player, rng)

    def act(self, view: core.State, clock: core.Clock) -> int:
        raise core.Unsupported(self, self.game, "a remote player can answer only in a server's match")

    def observe(self, transition: core.Transition) -> None:
        if self.dialogue is not None:
            self.dialogue.see(transition)

    def end(self, returns: Sequence[float]) -> None:
        self.returns = returns

    def truth(self) -> dict[str, Any]:
        return {"name": self.name, "person": self.person}

    async def await_reply(self, request: Request, patience: float = PATIENCE) -> Reply:
        """Their reply, or the fault of not replying in time."""
        self.now = asyncio.get_running_loop().time
        self.request, self.asked_at, self.answer = request, self.now(), asyncio.Future[Reply]()
        self.play_waiting()
        try:
            return await asyncio.wait_for(self.answer, patience if request.allowance is None else request.allowance)
        except TimeoutError:
            if request.allowance is None:
                return Reply(seconds=self.seconds_waited(), error=f"no reply within {patience:g} s")
            return Reply(seconds=math.nextafter(max(self.seconds_waited(), request.allowance), math.inf))
        finally:
            self.request = None

    def seconds_waited(self) -> float:
        """Seconds since the request."""
        return self.now() - self.asked_at

    def remaining(self) -> float | None:
        """Seconds left to answer; None without a clock."""
        if self.request is None or self.request.allowance is None:
            return None
        return max(0.0, self.request.allowance - self.seconds_waited())

    def message(self, heard: int | None = None) -> messages.Act | None:
        """The open request as a message; with *heard*, one that repeats everything since that request."""
        if self.request is None or self.dialogue is None:
            return None
        if self.asked is not self.request:
            self.asked = self.request
            self.written = self.dialogue.act(self.request.view, self.remaining(), self.request.bank)
            if heard is None:
                return self.written
        return self.dialogue.again(self.written, heard or 0, self.remaining())

    def choose(self, action: int | str) -> bool:
        """Answer with an action, as a number or in notation; whether one was asked for. May raise IllegalAction."""
        if self.request is None:
            return False
        view, player = self.request.view, self.request.player
        first, *rest = view.split_notation(player, action) if isinstance(action, str) else [action]
        chosen = view.string_to_action(player, first) if isinstance(first, str) else first
        played = self.reply(Reply(checked_action(view, player, chosen), self.seconds_waited()))
        self.waiting = tuple(str(each) for each in rest)
        return played

    def play_waiting(self) -> None:
        """Play the next move of a line with several, if there is one; the rest is forgotten if it is none any more."""
        if self.waiting:
            first, *rest = self.waiting
            self.waiting = ()
            with contextlib.suppress(core.IllegalAction):
                self.choose(first)
                self.waiting = tuple(rest)

    def fail(self, why: str) -> bool:
        """Answer with an error; whether an answer was asked for."""
        return self.request is not None and self.reply(Reply(seconds=self.seconds_waited(), error=why))

    def reply(self, reply: Reply = NO_REPLY) -> bool:
        """Answer the open request; whether there was one."""
        if self.request is None or self.answer.done():
            return False
        self.answer.set_result(reply)
        return True
