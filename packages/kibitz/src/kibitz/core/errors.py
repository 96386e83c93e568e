"""The errors that kibitz raises, each also the built-in type that a caller expects.

KibitzError
├── BadSpec (ValueError)         a spec that cannot be read, or whose parameters do not fit
├── BadSeed (ValueError)         a seed that is not a whole number >= 0
├── UnknownName (KeyError)       no game, agent or model of that name
├── Unsupported (ValueError)     an agent or model that cannot take part in this game
├── IllegalAction (ValueError)   an action the rules do not allow here
├── NotUnderstood (ValueError)   a typed line with a word that cannot be understood
├── BadSource (ValueError)       input that is invalid
│   ├── BadRecord                a record file that is foreign, damaged or cut
│   │   └── ReplayMismatch       a record that the rules do not reproduce
│   ├── BadDefinition            a tournament, agent or scenario file with an error
│   ├── BadNetwork               an invalid network of an opponent model, or its file
│   ├── BadGame                  a game that cannot be solved as it is stated
│   ├── BadPolicy                a table of strategies, or its file, that does not fit its game
│   ├── BadExamples              invalid rows for training or evaluation
│   ├── BadProgram               an invalid learned program, feature, or file of them
│   └── BadPlan                  a plan library, or observations of plans, with an error
├── StoreTrouble (OSError)       a database that cannot be used, is full, or went away
├── RunInUse (RuntimeError)      a run that another process plays
├── OtherRecord (RuntimeError)   a match whose place in the store another one has
├── BotFailed (RuntimeError)     a bot that died, stopped answering or sent an invalid message
├── Refused (ValueError)         a request that a server denies, now or to this caller
├── ExecutionFailed (RuntimeError)  work that no worker could finish
├── Unwritable (OSError)         a file or folder that cannot be written
├── MissingPackage (ImportError) an optional package that is not installed
├── BrokenPlugin (ImportError)   a registered object that cannot be loaded
├── ContractBroken (AssertionError)  a game, agent or model that breaks the contract
└── MatchStopped                 a person ended the match
"""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""A control character, which no name holds."""
COMMAND_LINE = re.compile(
    r"(\bcmd:\s*|\bcommand\s*=\s*|'command':\s*|\bprocess\((?!name=[^=]*, hash=))(?!…|COMMAND\b).+", re.DOTALL
)
VALUES = re.compile(r"(\bpass_env=)('[^']*'|\"[^\"]*\"|\{[^}]*\})")


def without_command(text: str) -> str:
    """Text up to a command line that it quotes, which may hold a key, as may what is given for names of variables."""
    return VALUES.sub(r"\1…", COMMAND_LINE.sub(r"\1…", text))


def error_text(error: BaseException) -> str:
    """An error in one line, even if its own text fails."""
    try:
        words = str(error).split("\n")[0]
    except Exception:
        words = "(no message)"
    return printable(words if isinstance(error, KibitzError) else f"{type(error).__name__}: {words}")[:500]


def short_list(texts: Sequence[str], most: int = 8) -> str:
    """The first few of *texts* in one line, with a count of the others."""
    shown = ", ".join(str(text) for text in texts[:most])
    return f"{shown} and {len(texts) - most} more" if len(texts) > most else shown or "none"


def short_repr(thing: object, most: int = 80) -> str:
    """Any object in a short line, even if its `repr` fails."""
    try:
        words = repr(thing)
    except Exception:
        words = f"<{type(thing).__name__}>"
    return printable(words if len(words) <= most else f"{words[: most - 3]}...")


def printable(text: str) -> str:
    """Text in one line without characters that a terminal or an encoding cannot handle."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))


def reason(error: OSError | ValueError) -> str:
    """The system's message, as part of a line: `permission denied`."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def closest(word: str, known: Iterable[str]) -> str | None:
    """The one of *known* that is most like *word*."""
    folded = {each.casefold(): each for each in known}
    close = get_close_matches(word.casefold(), folded, n=1)
    return folded[close[0]] if close else None


def advice(word: str, known: Iterable[str], most: int = 8) -> str:
    """Advice about a *word* that is not in *known*."""
    names = list(known)
    close = closest(word, names)
    return f"did you mean {close!r}?" if close else f"known: {short_list(sorted(names), most)}"


class KibitzError(Exception):
    """Base of all errors: one line that says what is wrong, why, and what to do.

    >>> from kibitz import KibitzError, make_game
    >>> try:
    ...     make_game("dilema")
    ... except KibitzError as error:
    ...     print(error)
    no game named 'dilema'; did you mean 'dilemma'?
    """

    def __init__(self, message: str) -> None:
        self.message = without_command(printable(message))
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_error, (type(self), self.message, self.__dict__)


def _rebuild_error(kind: type[KibitzError], message: str, attributes: dict[str, Any]) -> KibitzError:
    """An error restored from a pickle, whatever its constructor takes."""
    error = kind.__new__(kind, message)
    error.__dict__.update(attributes)
    return error


class BadSpec(KibitzError, ValueError):
    """A spec that cannot be read, or whose parameters do not fit."""

    def __init__(self, spec: str, why: str) -> None:
        self.spec, self.why = without_command(spec), without_command(why)
        super().__init__(f"bad spec {short_repr(self.spec)}: {self.why}")


class BadSeed(KibitzError, ValueError):
    """A seed that is not a whole number >= 0."""

    def __init__(self, seed: object) -> None:
        self.seed = seed
        super().__init__(f"a seed is a whole number from 0 to 2**64 - 1, not {short_repr(seed)}")


class UnknownName(KibitzError, KeyError):
    """No game, agent or model of that name."""

    def __init__(self, kind: str, name: str, known: Sequence[str], hint: str = "", listed: Sequence[str] = ()) -> None:
        """*listed* are those of *known* to name if none is like *name*; by default all of them."""
        self.kind, self.name, self.known = kind, name, tuple(known)
        close = closest(name, [*known, *(entry.rpartition(".")[2] for entry in known)])
        full = [entry for entry in known if close in (entry, entry.rpartition(".")[2])]
        remedy = f"did you mean {full[0]!r}?" if full else f"known: {short_list(sorted(listed or known))}"
        super().__init__(f"no {kind} named {name!r}; {remedy} {hint}")


class Unsupported(KibitzError, ValueError):
    """An agent or model that cannot take part in this game.

    >>> from kibitz import Unsupported, play
    >>> try:
    ...     play("pennies", ["kuhn.rock", "random"])
    ... except Unsupported as error:
    ...     print(error.why)
    it belongs to another game and plays only that one
    """

    def __init__(self, who: object, game: object, why: str) -> None:
        self.who, self.game, self.why = repr(who), repr(game), why
        super().__init__(f"{who!r} cannot take part in {game!r}: {why}")


class IllegalAction(KibitzError, ValueError):
    """An action the rules do not allow here."""

    def __init__(self, player: int, action: str, legal: Sequence[str], why: str = "") -> None:
        self.player, self.action, self.legal, self.why = player, action, tuple(legal), why
        reason = f": {why}" if why else ""
        super().__init__(f"player {player} may not play {action!r}{reason}; legal: {short_list(legal)}")


class NotUnderstood(KibitzError, ValueError):
    """A typed line with a word that cannot be understood."""

    def __init__(self, line: str, word: str, advice: str) -> None:
        self.line, self.word, self.advice = line, word, advice
        where = "" if word == line else f" in {short_repr(line)}"
        super().__init__(f"did not understand {short_repr(word)}{where}; {advice}")


class BadSource(KibitzError, ValueError):
    """Invalid input: what it is, or its file and line, and the reason."""

    def __init__(self, source: object, why: str, line: int | None = None) -> None:
        self.source, self.why, self.line = str(source), why, line
        super().__init__(f"{source}{'' if line is None else f':{line}'}: {why}")


class BadRecord(BadSource):
    """A record file that is foreign, damaged or cut."""


class ReplayMismatch(BadRecord):
    """A record that the rules do not reproduce."""


class BadDefinition(BadSource):
    """A tournament, agent or scenario file with an error."""


class BadNetwork(BadSource):
    """An invalid network of an opponent model, or its file."""


class BadGame(BadSource):
    """A game that cannot be solved as it is stated."""


class BadPolicy(BadSource):
    """A table of strategies, or its file, that does not fit its game."""


class BadExamples(BadSource):
    """Invalid rows for training or evaluation."""


class BadProgram(BadSource):
    """An invalid learned program, feature, or file of them."""


class BadPlan(BadSource):
    """A plan library, or observations of plans, with an error."""


class StoreTrouble(KibitzError, OSError):
    """A database that cannot be used, is full, or went away."""

    def __init__(self, database: str, why: str) -> None:
        self.database, self.why = database, why
        super().__init__(f"database {database}: {why}")


class RunInUse(KibitzError, RuntimeError):
    """A run that another process plays or has taken over."""

    def __init__(self, run: int, why: str) -> None:
        self.run, self.why = run, why
        super().__init__(f"run {run} {why}")


class OtherRecord(KibitzError, RuntimeError):
    """A match that cannot be stored: another one has its place."""

    def __init__(self, run: int, index: int) -> None:
        self.run, self.index = run, index
        super().__init__(f"match {index} of run {run} is stored already with another record; nothing was changed")


class BotFailed(KibitzError, RuntimeError):
    """A bot that died, stopped answering or sent an invalid message."""

    def __init__(self, name: str, why: str) -> None:
        self.name, self.why = name, why
        super().__init__(f"bot {short_repr(name, 200)} {why}")


class Refused(KibitzError, ValueError):
    """A request that a server denies, now or to this caller."""


class ExecutionFailed(KibitzError, RuntimeError):
    """Work that no worker could finish."""


class Unwritable(KibitzError, OSError):
    """A file or folder that cannot be written."""

    def __init__(self, path: Path | str, why: str) -> None:
        self.path, self.why = str(path), why
        super().__init__(f"cannot write {path}: {why}")


class MissingPackage(KibitzError, ImportError):
    """An optional package that is not installed."""

    def __init__(self, package: str, extra: str, name: str = "") -> None:
        """*name* is what was asked for, if it is in that package."""
        self.package, self.extra = package, extra
        what = f"{name} is in {package}, which" if name else package
        super().__init__(f"{what} is not installed; install it with: pip install 'kibitz[{extra}]'")


class BrokenPlugin(KibitzError, ImportError):
    """A registered object that cannot be loaded."""

    def __init__(self, name: str, target: str, why: str) -> None:
        self.name, self.target, self.why = name, target, why
        super().__init__(f"{name} is registered as {target} but cannot be loaded: {why}")


class ContractBroken(KibitzError, AssertionError):
    """A game, agent or model that breaks the contract; raised by `kibitz.testing`."""


class MatchStopped(KibitzError):
    """A person ended the match; its record is kept."""
