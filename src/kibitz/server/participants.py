"""Players from outside: people, and programs elsewhere. The table asks them and waits; its clock decides."""

import asyncio
import math
from collections.abc import Sequence
from typing import Any

from kibitz import core
from kibitz.core.match import NO_REPLY, Reply, Request, checked_action
from kibitz.remote import messages
from kibitz.remote.dialogue import Dialogue

PATIENCE = 3600.0
"""Seconds a player has for a move where no clock runs."""


class Participant(core.Agent):
    """Somebody who sits down at a table and is asked there; in records he goes by his name."""

    interactive = True
    dialogue: Dialogue | None = None
    request: Request | None = None
    """What he is asked now."""
    asked: Request | None = None
    """What was `written` to him last."""
    returns: Sequence[float] | None = None

    def __init__(self, name: str = "", person: bool = False) -> None:
        self.name, self.person = name, person

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.dialogue = Dialogue(game, player, rng)

    def act(self, view: core.State, clock: core.Clock) -> int:
        raise core.Unsupported(self, self.game, "he is somebody elsewhere, and answers at a server's table only")

    def observe(self, transition: core.Transition) -> None:
        if self.dialogue is not None:
            self.dialogue.see(transition)

    def end(self, returns: Sequence[float]) -> None:
        self.returns = returns

    def truth(self) -> dict[str, Any]:
        return {"name": self.name, "person": self.person}

    async def await_reply(self, request: Request, patience: float = PATIENCE) -> Reply:
        """His reply, or what comes of waiting for it in vain."""
        self.now = asyncio.get_running_loop().time
        self.request, self.asked_at, self.answer = request, self.now(), asyncio.Future[Reply]()
        try:
            return await asyncio.wait_for(self.answer, patience if request.allowance is None else request.allowance)
        except TimeoutError:
            if request.allowance is None:
                return Reply(seconds=self.seconds_waited(), error=f"said nothing for {patience:g} s")
            return Reply(seconds=math.nextafter(max(self.seconds_waited(), request.allowance), math.inf))
        finally:
            self.request = None

    def seconds_waited(self) -> float:
        """Seconds since he was asked."""
        return self.now() - self.asked_at

    def remaining(self) -> float | None:
        """Seconds he has left to answer; None where no clock runs."""
        if self.request is None or self.request.allowance is None:
            return None
        return max(0.0, self.request.allowance - self.seconds_waited())

    def message(self, heard: int | None = None) -> messages.Act | None:
        """What he is asked, as it is written to him; told anew, with all since request *heard*, if that is given."""
        if self.request is None or self.dialogue is None:
            return None
        if self.asked is not self.request:
            self.asked = self.request
            self.written = self.dialogue.act(self.request.view, self.remaining(), self.request.bank)
            if heard is None:
                return self.written
        return self.dialogue.again(self.written, heard or 0, self.remaining())

    def choose(self, action: int | str) -> bool:
        """Take his choice, a number or a notation; whether it was asked for. Raises IllegalAction where it is none."""
        if self.request is None:
            return False
        view, player = self.request.view, self.request.player
        chosen = view.string_to_action(player, action) if isinstance(action, str) else action
        return self.reply(Reply(checked_action(view, player, chosen), self.seconds_waited()))

    def fail(self, why: str) -> bool:
        """Take nonsense for his answer; whether one was asked for."""
        return self.request is not None and self.reply(Reply(seconds=self.seconds_waited(), error=why))

    def reply(self, reply: Reply = NO_REPLY) -> bool:
        """End the waiting for his answer; whether there was any."""
        if self.request is None or self.answer.done():
            return False
        self.answer.set_result(reply)
        return True
