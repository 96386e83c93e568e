"""The command line: the commands by name, and what happens when one is called or fails.

A command is imported when it is called.
"""

import os
import re
import sys
import warnings
from collections.abc import Sequence
from functools import cached_property
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

import typer
from typer._click import Context, HelpFormatter
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import Abort, Exit, TyperException

from kibitz import __version__

if TYPE_CHECKING:
    from kibitz.cli.options import Command
    from kibitz.plugins import NamedCommand

HEADINGS = ("Play and watch", "Work things out", "Experiments", "Other programs", "This installation")
"""Groups of the help, by what you want to do; others come last."""


def commands() -> "dict[str, NamedCommand]":
    """The commands of all packages, by name."""
    from kibitz.plugins import plugins

    found: dict[str, NamedCommand] = {}
    for plugin in plugins():
        found |= {name: command for name, command in plugin.commands.items() if name not in found}
    return found


class LazyCommand(TyperCommand):
    """A command known by its name and its summary; `full_command` imports the class behind it."""

    @cached_property
    def full_command(self) -> Any:
        from kibitz.cli.options import make_command

        name = str(self.name)
        return make_command(name, command_class(name, commands()[name].target))


class LazyCommands(TyperGroup):
    """All commands of `kibitz`, each imported only when it is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: LazyCommand(name, help=each.summary) for name, each in commands().items()}

    def resolve_command(self, ctx: Context, args: list[str]) -> Any:
        from kibitz.members import check_installed

        if args[0] not in self.commands:
            check_installed(args[0])
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.full_command if isinstance(command, LazyCommand) else command, rest

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """The commands in their groups, written plainly: rich, which draws the panels of a command, loads slowly."""
        formatter.write("Usage: kibitz COMMAND [OPTIONS]\n\n")
        formatter.write_text(self.help or "")
        found = commands()
        headings = dict.fromkeys(each.heading for each in found.values())
        for heading in sorted(headings, key=lambda each: HEADINGS.index(each) if each in HEADINGS else len(HEADINGS)):
            formatter.write_paragraph()
            formatter.write(f"{heading}\n")
            formatter.indent()
            rows = [(name, each.summary) for name, each in found.items() if each.heading == heading]
            formatter.write_dl(rows, col_max=14)
            formatter.dedent()
        formatter.write_paragraph()
        formatter.write_text(
            "kibitz COMMAND --help explains a command, with examples; kibitz --version prints the version."
        )
        formatter.write_text(self.epilog or "")


def command_class(name: str, target: str) -> "type[Command]":
    """The class of a command."""
    from kibitz.cli.options import Command
    from kibitz.core.errors import BrokenPlugin
    from kibitz.plugins import load_target

    kind = load_target(name, target)
    if not (isinstance(kind, type) and issubclass(kind, Command)):
        raise BrokenPlugin(name, target, "it is no kibitz.cli.options.Command")
    return kind


BAD_INPUT, INTERRUPTED = 2, 130
"""Exit codes: of a failure that the user can mend, and of Ctrl-C."""
FEW_UNITS = 40
"""The odds of a contest of so many units take less time in plain Python than loading the compiler."""

app = typer.Typer(
    name="kibitz",
    cls=LazyCommands,
    help="Opponent-aware agents for strategy games: play, watch, and see what the models believe about each player.",
    epilog="Example: kibitz watch dilemma tit_for_tat pavlov",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def without_command(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    if version:
        print(f"kibitz {__version__}")
        raise Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; bad input of any kind is one line on stderr and exit code 2."""
    warnings.showwarning = lambda message, *_: print(f"kibitz: {message}", file=sys.stderr)
    prepare_output()
    if is_small_contest(sys.argv[1:] if arguments is None else arguments):
        os.environ.setdefault("KIBITZ_NO_JIT", "1")
    code = exit_code(arguments)
    trouble = flush_output()
    return complain(trouble) if trouble else code


def is_small_contest(arguments: Sequence[str]) -> bool:
    """Whether the command asks for the exact odds of a few units."""
    if arguments[:1] != ["odds"]:
        return False
    contests = [word for word in arguments if " vs " in word]
    if any(":" in word or " then " in word for word in contests):  # areas with all their units, or several battles
        return False
    return len(contests) == 1 and sum(map(int, re.findall(r"\d{1,6}", contests[0]))) <= FEW_UNITS


def exit_code(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    try:
        code = app(args=arguments, prog_name="kibitz", standalone_mode=False)
        return report_stop() if code == INTERRUPTED else code or 0
    except Exit as stop:
        return report_stop() if stop.exit_code == INTERRUPTED else stop.exit_code
    except TyperException as error:
        return complain(f"{error.format_message()} (kibitz --help shows how)")
    except (KeyboardInterrupt, Abort):
        return report_stop()
    except BrokenPipeError:  # `main` handles it
        return 0
    except Exception as error:
        return failure_code(error)


def failure_code(error: Exception) -> int:
    """Print the error that a command raised; raise it again if it is a bug of kibitz."""
    from kibitz.core.errors import KibitzError, MatchStopped, reason

    if isinstance(error, MatchStopped):
        print(f"kibitz: {error}", file=sys.stderr)
        return 0
    if isinstance(error, KibitzError):
        return complain(str(error))
    if isinstance(error, OSError):
        return complain(f"{error.filename or 'output'}: {reason(error)}")
    if type(error).__module__ == "pyspiel":
        return complain(f"OpenSpiel failed: {error}")
    raise error


def report_stop() -> int:
    print("\nkibitz: stopped", file=sys.stderr)
    return INTERRUPTED


def complain(message: str) -> int:
    from kibitz.core.errors import without_command

    print(f"kibitz: {without_command(' '.join(message.split()))}", file=sys.stderr)
    return BAD_INPUT


def prepare_output() -> None:
    """Let a terminal that cannot show a bar still show the rest."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def flush_output() -> str:
    """Write what is still to be written; why that failed, or an empty text. A closed pipe is no failure."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
    except OSError as error:
        discard_output()
        return f"cannot write the output: {error.strerror or error}"
    return ""


def discard_output() -> None:
    """Write nothing more: the reader of our output has closed the pipe, or the disk is full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
