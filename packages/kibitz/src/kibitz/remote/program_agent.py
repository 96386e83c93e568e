"""The agent `process`, which plays by an external program in any language."""

import os
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Self

import msgspec

from kibitz import core
from kibitz.core.errors import BadSpec, BotFailed, Refused, printable, short_repr
from kibitz.core.registry import make_agent, spec_of
from kibitz.core.specs import Spec, constructor_parameters, parse_spec
from kibitz.remote import messages
from kibitz.remote.command_lines import commands, program_hash, program_name
from kibitz.remote.confinement import USUAL, Allowance, Sandbox
from kibitz.remote.program import Program, split_command

Patience = Annotated[float, msgspec.Meta(gt=0.0, le=86_400.0)]
"""Seconds, up to a day."""

YIELDING = 10
"""How much the program of a server's operator yields to the server."""
SURROUNDINGS = ("hidden", "confined", "name")
"""Parameters that do not tell two programs apart."""


class Process(core.Agent):
    """Any program that speaks JSON lines: *command* starts it, and it must be ready within *start* seconds.

    It runs on for further matches. Without a clock, it may take *move* seconds for an answer. An error is a fault in
    the match; a program that died or took too long is restarted for the next match. *memory* (GiB), *cpu* (seconds)
    and *processes* are its bounds. It runs in *folder* (by default the current one) and, where programs can be
    confined, may read its own files and what *reads* names, but nothing *hidden*; with *confined* it runs nowhere else.
    It gets the environment variables that *pass_env* names.

    Its spec is a *name*, the operator's or that of its file, and a *hash*: the command line stays in `commands`.
    """

    program: Program | None = None
    failure: str | None = None
    label: str
    """Its name in specs."""
    said_name: str = ""
    """The name that the program gave itself."""
    dialogue: messages.Dialogue | None = None
    playing: bool = False

    def __init__(
        self,
        command: str = "",
        start: Patience = 10.0,
        move: Patience = 60.0,
        memory: Annotated[float, msgspec.Meta(gt=0.0, le=1024.0)] = USUAL.memory,
        cpu: Annotated[float, msgspec.Meta(ge=1.0, le=1e9)] = USUAL.cpu,
        processes: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = USUAL.processes,
        folder: str = "",
        reads: tuple[str, ...] = (),
        hidden: tuple[str, ...] = (),
        confined: bool = False,
        pass_env: tuple[str, ...] = (),
        name: str = "",
        hash: str = "",  # noqa: A002 - its name in specs
    ) -> None:
        self.command, self.start, self.move = command, start, move
        self.memory, self.cpu, self.processes = memory, cpu, processes
        self.folder, self.reads, self.hidden, self.confined = folder, reads, hidden, confined
        self.pass_env, self.name = pass_env, name
        self.label, self.hash = (name, hash) if not command else ("", "")
        vars(self).update(commands.known.get((self.label, self.hash), {}))

    def parameters(self) -> dict[str, Any]:
        """Its name and its hash, by which this process and its workers know the others."""
        if not self.hash:
            folder = Path.cwd() / self.folder
            given = {**super().parameters(), "folder": os.path.relpath(folder)}
            identity = {name: value for name, value in given.items() if name not in SURROUNDINGS}
            self.label = self.name or program_name(self.command, folder)
            self.hash = program_hash(self.command, folder, identity)
            known = {**self.__getstate__(), "folder": str(folder)}
            commands.known.setdefault((self.label, self.hash), known)
        return {"name": self.label, "hash": self.hash}

    @property
    def sandbox(self) -> Sandbox:
        """What the program finds."""
        reads, hidden = (tuple(map(Path, paths)) for paths in (self.reads, self.hidden))
        networked = self.parameters()["name"] in commands.networked
        return Sandbox(Path.cwd() / self.folder, reads, hidden, self.confined, self.pass_env, networked)

    @property
    def public_name(self) -> str:
        """The operator's name for it, or its own, or that of its file; never its command line."""
        return self.name or self.said_name or self.parameters()["name"]

    @property
    def has_command(self) -> bool:
        """Whether its command line is known here."""
        return bool(self.command) or not self.hash or (self.label, self.hash) in commands.known

    def check_command(self) -> None:
        """Raise BadSpec if its command line is not known here."""
        if not self.has_command:
            other = commands.hash_known(self.label)
            changed = f"{self.label} here has the hash {other}: its file or its command line has changed"
            again = "run the same command again, or kibitz resume --program cmd:COMMAND"
            raise BadSpec(repr(self), f"its command line is not stored; {changed if other else again}")

    def words(self) -> list[str]:
        """The words of its command line; raises ValueError if it names no program."""
        return split_command(self.command, self.sandbox.folder)

    def trouble(self) -> str | None:
        """Why the program cannot be confined; None if it can. Raises BadSpec if it cannot run at all."""
        self.check_command()
        try:
            return self.sandbox.trouble(self.words())
        except OSError as error:
            raise BadSpec(repr(self), f"{error.strerror}: {error.filename}") from None
        except ValueError as error:
            raise BadSpec(repr(self), str(error)) from None

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.playing = True
        # Request numbers continue, so that a late answer about an older match answers none of this one.
        self.dialogue = messages.Dialogue(game, player, rng, self.dialogue.asked if self.dialogue else 0)
        message = self.dialogue.begin
        if self.program is not None and self.program.running and self.start_match(self.program, message):
            return
        self.close()  # a program that has died since the last match is restarted
        self.check_command()
        try:
            allowance = Allowance(self.memory, self.cpu, self.processes, nice=YIELDING if self.name else 0)
            self.program = Program(self.command, allowance, self.sandbox, self.parameters()["name"])
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
        self.failure, self.said_name = None, printable(program.redactor.text(answer.name))[:80]
        return True

    def act(self, view: core.State, clock: core.Clock) -> int:
        if self.failure is not None:
            raise BotFailed(self.label, self.failure)
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
            some, chosen = ", ".join(error.legal[:3]), short_repr(self.program.redactor.text(answer))
            raise BotFailed(self.label, f"chose {chosen}, which is illegal; legal is, say, {some}") from None

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
        if line is None:
            return None
        with suppress(ValueError):
            return messages.read(line)
        try:
            return messages.read(program.redactor.data(line))  # the error quotes the line
        except ValueError as error:
            raise BotFailed(self.label, str(error)) from None

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
        name = self.name or self.said_name
        return {"name": name} if name else {}

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
        return {name: getattr(self, name) for name in ("label", *constructor_parameters(type(self)))}


def sealed_spec(text: str) -> str:
    """A spec in which every program has a name and a hash in place of its command line."""
    return str(seal(parse_spec(text)))


def seal(value: Any, **own: Any) -> Any:
    """A value of a spec whose programs have a name and a hash alone; *own* are parameters that they do not give."""
    if isinstance(value, Mapping):
        return {key: seal(each, **own) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(seal(each, **own) for each in value)
    if not isinstance(value, Spec):
        return value
    if value.name != "process":
        return Spec(value.name, seal(value.parameters, **own))
    agent = make_agent(Spec("process", {**own, **value.parameters}))
    assert isinstance(agent, Process)
    if own:
        check_program(agent)
    return spec_of(agent)


def operator_programs(agents: Mapping[str, str], sandbox: Sandbox) -> dict[str, str]:
    """The agents that an operator names, name to spec, with their programs named and confined as *sandbox* says.

    Raises Refused if one of them must be confined and cannot be.
    """
    own = {"hidden": tuple(map(str, sandbox.hidden)), "confined": sandbox.required, "folder": str(sandbox.folder)}
    return {name: str(seal(parse_spec(text), name=name, **own)) for name, text in agents.items()}


def check_program(agent: Process) -> None:
    """Raise Refused if a program must be confined and cannot be, BadSpec if it cannot run at all."""
    trouble = agent.trouble()
    if trouble is not None and agent.confined:
        why = f"the program {agent.name} cannot be confined: {trouble}"
        raise Refused(f"{why}; with --allow-unconfined it runs with all your rights")
