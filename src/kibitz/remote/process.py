"""The agent that plays by an external program, in any language."""

import time
import weakref
from collections.abc import Sequence
from typing import Annotated, Any, Self

import msgspec

from kibitz import core
from kibitz.core.errors import BadSpec, BotFailed, printable, short_repr
from kibitz.core.registry.specs import constructor_parameters
from kibitz.remote import messages
from kibitz.remote.confinement import Allowance
from kibitz.remote.dialogue import Dialogue
from kibitz.remote.program import Program

Patience = Annotated[float, msgspec.Meta(gt=0.0, le=86_400.0)]
"""Seconds, up to a day."""


class Process(core.Agent):
    """Any program that speaks JSON lines: *command* starts it, and it must be ready within *start* seconds.

    It runs on for further matches. Without a clock, it may take *move* seconds for an answer. An error is a fault in
    the match; a program that died or took too long is restarted for the next match. *memory* (GiB), *cpu* (seconds)
    and *processes* are its limits.
    """

    program: Program | None = None
    failure: str | None = None
    name: str = ""
    dialogue: Dialogue | None = None
    playing: bool = False

    def __init__(
        self,
        command: str = "",
        start: Patience = 10.0,
        move: Patience = 60.0,
        memory: Annotated[float, msgspec.Meta(gt=0.0, le=1024.0)] = 4.0,
        cpu: Annotated[float, msgspec.Meta(ge=1.0, le=1e9)] = 3600.0,
        processes: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 64,
    ) -> None:
        self.command, self.start, self.move = command, start, move
        self.memory, self.cpu, self.processes = memory, cpu, processes

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.playing = True
        # Request numbers continue, so that a late answer about an older match answers none of this one.
        self.dialogue = Dialogue(game, player, rng, self.dialogue.asked if self.dialogue else 0)
        message = self.dialogue.begin
        if self.program is not None and self.program.running and self.start_match(self.program, message):
            return
        self.close()  # a program that has died since the last match is restarted
        try:
            self.program = Program(self.command, Allowance(self.memory, self.cpu, self.processes))
        except OSError as error:
            raise BadSpec(repr(self), f"it cannot be run: {error.strerror}") from None
        except ValueError as error:
            raise BadSpec(repr(self), str(error)) from None
        self.closing = weakref.finalize(self, self.program.close)
        self.start_match(self.program, message)

    def start_match(self, program: Program, message: messages.Begin) -> bool:
        """Whether *program* is ready for a match; if not, `failure` says why."""
        deadline = time.monotonic() + self.start
        try:
            program.say(messages.encode_message(message))
            answer = self.next_answer(program, deadline)
            while not isinstance(answer, messages.Ready):
                if answer is None:
                    raise program.failure_error(f"was not ready after {self.start:g} s")
                answer = self.next_answer(program, deadline)
        except BotFailed as error:
            program.close(grace=0.0)
            self.failure = error.why
            return False
        self.failure, self.name = None, printable(answer.name)[:80]
        return True

    def act(self, view: core.State, clock: core.Clock) -> int:
        if self.failure is not None:
            raise BotFailed(self.command, self.failure)
        assert self.program is not None, "begin comes first"
        deadline = time.monotonic() + (self.move if clock.allowance is None else clock.remaining())
        try:
            answer = self.ask_action(self.program, view, clock, deadline)
            if answer is None and clock.allowance is None:
                raise self.program.failure_error(f"gave no answer within {self.move:g} s")
        except BotFailed as error:
            if not self.program.running:
                self.failure = error.why
            raise
        if answer is None:
            return view.default_action(self.player)  # the match's clock counts any answer as late
        try:
            return view.string_to_action(self.player, answer)
        except core.IllegalAction as error:
            some = ", ".join(error.legal[:3])
            raise BotFailed(
                self.command, f"chose {short_repr(answer)}, which is illegal; legal is, say, {some}"
            ) from None

    def ask_action(self, program: Program, view: core.State, clock: core.Clock, deadline: float) -> str | None:
        """The notation *program* chooses; None if it has not by the deadline. Answers to older requests are dropped."""
        assert self.dialogue is not None, "begin comes first"
        act = self.dialogue.act(view, None if clock.allowance is None else clock.remaining(), clock.bank)
        program.say(messages.encode_message(act))
        while (answer := self.next_answer(program, deadline)) is not None:
            if isinstance(answer, messages.Action) and answer.seq == act.seq:
                return answer.action
        return None

    def next_answer(self, program: Program, deadline: float) -> messages.Answer | None:
        """The next message of *program*; None if there is none by the deadline."""
        line = program.hear(deadline)
        try:
            return None if line is None else messages.read(line)
        except ValueError as error:
            raise BotFailed(self.command, str(error)) from None

    def observe(self, transition: core.Transition) -> None:
        if self.failure is None and self.dialogue is not None:
            self.dialogue.see(transition)

    def end(self, returns: Sequence[float]) -> None:
        self.playing = False
        if self.program is not None and self.dialogue is not None and self.failure is None:
            try:
                self.program.say(messages.encode_message(self.dialogue.end(returns)))
            except BotFailed as error:  # harmless: its last action is played
                self.failure = error.why

    def truth(self) -> dict[str, Any]:
        return {"name": self.name} if self.name else {}

    def close(self) -> None:
        """Stop the program, if it runs; the next match starts another."""
        if self.program is not None:
            self.closing()
            self.program = None

    def clone(self) -> Self:
        """An agent with its own program; impossible during a match."""
        if self.playing:
            raise core.Unsupported(self, self.game, "the memory of a program cannot be copied during a match")
        return super().clone()

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in constructor_parameters(type(self))}
