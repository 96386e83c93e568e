"""Commands from structs: a field becomes an argument or an option, and the sentence under it is the help.

Words in `Annotated` say more: `"-g"` and `"--game"` name the option (by default the field does), `"$KIBITZ_DB"` is its
environment variable, any other word its metavar. `msgspec.Meta` holds bounds, and the help of a type that many share.
Options that several commands share are here, too; define one here when a second command needs it.
"""

import ast
import inspect
import re
import secrets
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec
import typer
from msgspec import Meta
from typer import _click
from typer.main import get_command_from_info
from typer.models import CommandInfo

from kibitz.cli.console import Part, show
from kibitz.core.errors import BadSpec
from kibitz.core.files import check_writable
from kibitz.core.match import Conditions, MatchOptions
from kibitz.core.specs import Misfit, convert_value

T = TypeVar("T")
Read = TypeVar("Read", bound=msgspec.Struct)
POSITIONAL = object()
Argument = Annotated[T, POSITIONAL]
"""A value that is given by its place, without the name of an option."""
METAVARS: dict[Any, str] = {int: "N", Path: "FILE"}
WRITTEN = object()
Written = Annotated[Path, WRITTEN]
"""A file that the command writes; it is refused at once if that cannot be done."""


class Options(msgspec.Struct, frozen=True):
    """What a command is asked for. A field that is itself a struct is a group of options, which commands share."""

    def refuse(self, names: str, why: str) -> None:
        """Raise BadSpec for the first of *names* that was given."""
        given = changes(self)
        for name in names.split():
            if name in given:
                raise BadSpec(option_name(name), why)


def changes(options: msgspec.Struct) -> dict[str, Any]:
    """The options that differ from their defaults, by name; those of groups, too."""
    found: dict[str, Any] = {}
    for field in msgspec.structs.fields(options):
        value = getattr(options, field.name)
        if isinstance(value, msgspec.Struct):
            found |= changes(value)
        elif value != field.default:
            found[field.name] = value
    return found


def option_name(field: str) -> str:
    """`--move-time` for the field `move_time`."""
    return f"--{field.replace('_', '-')}"


class Command(Options, frozen=True):
    """A command: its docstring is the help, its fields are the arguments and options."""

    def execute(self) -> None:
        """Do what the command does."""


def make_command(name: str, kind: type[Command]) -> _click.Command:
    """The command of the command line that *kind* describes; each example of its docstring is a line."""

    def call(**values: Any) -> None:
        read_options(kind, values).execute()

    call.__doc__ = re.sub(r"\n(?=  \S)", "\n\n", inspect.cleandoc(kind.__doc__ or ""))
    call.__signature__ = inspect.Signature(list(parameters_of(kind)))  # type: ignore[attr-defined]
    info = CommandInfo(name=name, callback=call)
    return get_command_from_info(info, pretty_exceptions_short=False, rich_markup_mode="rich")


def read_options(kind: type[Read], values: dict[str, Any]) -> Read:
    """The options among *values*, checked; what was not given takes its default."""
    found = {}
    for field in msgspec.structs.fields(kind):
        plain, marks = split_hint(field.type)
        if is_group(plain):
            found[field.name] = read_options(plain, values)
        elif (value := values[field.name]) is not None:
            if WRITTEN in marks:
                check_writable(value)
            found[field.name] = convert_value(value, field.type, partial(misfit_of_option, field.name, marks))
    return kind(**found)


def misfit_of_option(name: str, marks: list[Any], found: Misfit) -> BadSpec:
    """The error for a value that does not fit an option."""
    title = next((mark.title for mark in marks if isinstance(mark, msgspec.Meta) and mark.title), None)
    value = f"{found.value:g}" if isinstance(found.value, float) else found.value
    return BadSpec(f"{option_name(name)} {value}", f"it is {title}" if title else found.why)


def parameters_of(kind: type[msgspec.Struct], panel: str | None = None) -> Iterator[inspect.Parameter]:
    """The parameters of a command in the order of the fields; those of a group stand in its place."""
    sentences = sentences_of(kind)
    for field in msgspec.structs.fields(kind):
        plain, marks = split_hint(field.type)
        words = [mark for mark in marks if isinstance(mark, str)]
        if is_group(plain):
            yield from parameters_of(plain, words[0] if words else panel)
            continue
        metas = [mark for mark in marks if isinstance(mark, msgspec.Meta)]
        flags = [word for word in words if word.startswith("-")]
        if not any(flag.startswith("--") for flag in flags):
            flags.insert(0, option_name(field.name))
        base = next(each for each in (*get_args(plain), plain) if each is not type(None))
        said: dict[str, Any] = {
            "help": sentences.get(field.name) or next((meta.description for meta in metas if meta.description), None),
            "metavar": next((word for word in reversed(words) if word[0] not in "-$"), METAVARS.get(base)),
            "envvar": next((word[1:] for word in words if word[0] == "$"), None),
            "min": next((meta.ge for meta in metas if meta.ge is not None), None),
            "max": next((meta.le for meta in metas if meta.le is not None), None),
            "rich_help_panel": panel,
        }
        info = typer.Argument(**said) if POSITIONAL in marks else typer.Option(*flags, **said)
        default = inspect.Parameter.empty if field.required else None if field.default == () else field.default
        hint = Annotated[plain, info]  # type: ignore[valid-type]
        yield inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def split_hint(hint: Any) -> tuple[Any, list[Any]]:
    """A type as Typer takes it, and the marks on it and on what it holds, the innermost first."""
    origin = get_origin(hint)
    if origin is Annotated:
        plain, marks = split_hint(hint.__origin__)
        return plain, [*marks, *hint.__metadata__]
    if origin in (tuple, Union, UnionType):
        plain, marks = split_hint(get_args(hint)[0])
        return (list[plain] if origin is tuple else plain | None), marks  # type: ignore[valid-type]
    return hint, []


def is_group(hint: Any) -> bool:
    """Whether a type is a struct of options."""
    return isinstance(hint, type) and issubclass(hint, msgspec.Struct)


def sentences_of(kind: type[msgspec.Struct]) -> dict[str, str]:
    """The sentence under each field, from the source."""
    found: dict[str, str] = {}
    structs = [each for each in kind.__mro__ if issubclass(each, msgspec.Struct) and each is not msgspec.Struct]
    for each in reversed(structs):
        [struct] = ast.parse(dedent(inspect.getsource(each))).body
        assert isinstance(struct, ast.ClassDef)
        for field, under in pairwise(struct.body):
            if isinstance(field, ast.AnnAssign) and isinstance(under, ast.Expr):
                found[ast.unparse(field.target)] = " ".join(ast.literal_eval(under.value).split())
    return found


Positive = Annotated[int, Meta(ge=1)]
Agent = Annotated[str, "AGENT"]
Probability = Annotated[float, "P", Meta(ge=0.0, lt=1.0, title="a probability: a number from 0 up to 1, but not 1")]
Seconds = Annotated[float, "S"]
Folder = Annotated[Path, "FOLDER"]

GAME = Meta(description="A game, with options if you like: dilemma, 'kuhn(players=4)'.")
GameArgument = Argument[Annotated[str, "GAME", GAME]]
GameOption = Annotated[str, "--game", "-g", "GAME", GAME]
Models = Annotated[
    tuple[Annotated[str, "MODEL"], ...],
    "--model",
    "-m",
    Meta(description="A model that watches; repeat for more. MODEL@0 watches from seat 0."),
]
Seed = Annotated[str | None, "-s", "N", Meta(description="Seed; the same seed gives the same result.")]
Record = Annotated[Path | None, "-r", Meta(description="Write the match to FILE, move by move.")]
Memory = Annotated[Folder | None, Meta(description="Models keep what they learn of each player there (default: no).")]
Names = Annotated[
    tuple[str, ...], "NAME", Meta(description="A player's name in the memory, seat by seat (default: the agent).")
]
Delay = Annotated[float, "S", Meta(ge=0.0, le=60.0, description="Seconds between steps on a terminal.")] | None
Network = Annotated[
    tuple[str, ...], "NAME", Meta(description="Let the confined program NAME use the network; repeat for more.")
]
Plot = Annotated[Path | None, Meta(description="Draw a figure: .svg or .png.")]
Records = Annotated[
    tuple[Annotated[Path, "PATH"], ...], Meta(description="A record or a folder of records; repeat for more.")
]
Out = Annotated[Written | None, "-o"]


class JsonCommand(Command, frozen=True, kw_only=True):
    """A command that can print JSON."""

    json: bool = False
    """Print JSON and nothing else."""

    def show(self, report: Any, parts: Iterable[Part]) -> None:
        """Print a report in the form that is asked for."""
        show(report, parts, json=self.json)


class TableCommand(JsonCommand, frozen=True, kw_only=True):
    """A command that can also print its tables as CSV."""

    csv: bool = False
    """Print the tables as CSV and nothing else."""

    def show(self, report: Any, parts: Iterable[Part] | None = None) -> None:
        show(report, parts, json=self.json, csv=self.csv)


class Watched(Options, frozen=True):
    """A match that models watch."""

    conditions: Conditions = Conditions()
    model: Models = ()
    seed: Seed = None
    record: Record = None
    memory: Memory = None
    network: Network = ()

    def match(self, usual: str, **more: Any) -> MatchOptions:
        """The options of the match, watched by the *usual* model if none was named."""
        return MatchOptions(
            models=self.model or [usual],
            seed=chosen_seed(self.seed),
            memory=str(self.memory or ""),
            **self.conditions.conditions(),
            **more,
        )


def chosen_seed(text: str | None) -> int:
    """The seed that the user gave, or a fresh one."""
    from kibitz.core.seeds import checked_seed

    if text is None:
        return secrets.randbits(32)
    return checked_seed(int(text) if text.isascii() and text.isdecimal() and len(text) <= 20 else text)
