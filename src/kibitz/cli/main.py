"""The command line: the commands by name, and what happens when one is called or fails.

A command is imported when it is called. A new command is a class in a module of this folder and a line here.
"""

import os
import re
import sys
import warnings
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

import typer
from typer._click import Context, HelpFormatter
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import Abort, Exit, TyperException

from kibitz import __version__

if TYPE_CHECKING:
    from kibitz.cli.options import Command
    from kibitz.core.kit import NamedCommand

GROUPS = {
    "Play and watch": {
        "games": "List the games, or explain one: its goal, rules, actions and strategies.",
        "agents": "List the agents.",
        "models": "List the models, and which of them can be trained.",
        "play": "Play in the terminal. Type a move, its first letters, `?` or `quit`.",
        "watch": "Watch agents play, with the board, the moves and live belief bars.",
        "replay": "Replay a record exactly, with the beliefs it holds or with other models watching.",
        "serve": "Play, watch and replay in a browser, and let programs join. Ctrl-C stops the server.",
        "demo": "See what kibitz does in under two minutes: matches, live beliefs, a replay.",
    },
    "Work things out": {
        "odds": "Compute the odds of a contest: who wins, what is left, and what that is worth.",
        "solve": "Solve a game with simultaneous moves: certified values, and strategies that guarantee them.",
        "verify": "Check a saved solution without the solver: its tables, its strategies, and every bound.",
        "exploit": "Work out how much can be won from an agent in a game with secrets, and how much of it safely.",
        "program": "Turn a solved game into a readable program, and prove what that program is worth.",
        "tree": "Show the tree of a search: limits, shares of the opponent's likely moves, and values.",
        "recognize": "Recognise plans: which goals explain the observations, and what comes next.",
    },
    "Experiments": {
        "tournament": "Play a tournament and store every match. Run the command again to resume.",
        "compare": "Is A better than B, and how sure are we? Plays until the answer is clear; stores every match.",
        "study": "Run a study and write its report. Run the command again to resume.",
        "score-models": "Score opponent models: who plays, what comes next, and how sure the models were.",
        "score-plans": "Score plan recognition on traces with known goals: how often right, how early, and how sure.",
        "train": "Fit a model's parameters to matches, and report the gain on held-out matches.",
        "runs": "List the stored runs, or show one: its table, its matches as CSV, its records.",
        "resume": "Resume a run that was stopped or killed; the last unfinished one if you name none.",
    },
    "Other programs": {
        "import": "Import matches that another program recorded; each is stored once.",
        "export": "Write a game as a Gambit file.",
        "invite": "Make links with which people sign in. A link works once, is shown once and never stored.",
        "token": "Make, revoke or list the tokens with which programs log in. A token is shown once and never stored.",
    },
    "This installation": {
        "backup": "Write the database and the matches in play into one file, also while the server runs.",
        "restore": "Put a backup into a new database, SQLite or PostgreSQL. Stop the server first.",
        "doctor": "Check this installation: kernels, confinement of bots, the database, installed extras and bridges.",
        "warmup": "Compile all kernels, or those of the parts you name, or load them from the cache.",
        "bench": "Measure speed against peers, or models on strangers; a missed target is reported, not an error.",
    },
}
"""Groups of the help, by what you want to do: the line of each command."""
COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}
MODULES = {
    "games": "listing",
    "agents": "listing",
    "models": "listing",
    "score-models": "scores",
    "resume": "runs",
    "import": "imports",
    "export": "imports",
    "token": "access",
    "restore": "backup",
}
"""Modules that are not called like their command."""


class LazyCommand(TyperCommand):
    """A command known by its name and its summary; `full_command` imports the class behind it."""

    target = ""
    """The class of a command of another package."""

    @cached_property
    def full_command(self) -> Any:
        from kibitz.cli.options import make_command

        name = str(self.name)
        if self.target:
            return make_command(name, other_command(name, self.target))
        module = import_module(f"kibitz.cli.{MODULES.get(name, name.replace('-', '_'))}")
        return make_command(name, getattr(module, f"{name.title().replace('-', '')}Command"))


class LazyCommands(TyperGroup):
    """All commands of `kibitz`, each imported only when it is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: LazyCommand(name, help=summary) for name, summary in COMMANDS.items()}

    def get_command(self, ctx: Context, cmd_name: str) -> Any:
        found = self.commands.get(cmd_name)
        if found is None and (other := other_commands().get(cmd_name)) is not None:
            found = LazyCommand(cmd_name, help=other.summary)
            found.target = other.target
        return found

    def resolve_command(self, ctx: Context, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.full_command if isinstance(command, LazyCommand) else command, rest

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """The commands in their groups, written plainly: rich, which draws the panels of a command, loads slowly."""
        formatter.write("Usage: kibitz COMMAND [OPTIONS]\n\n")
        formatter.write_text(self.help or "")
        others = {name: each.summary for name, each in other_commands().items()}
        for heading, commands in (GROUPS | ({"Other packages": others} if others else {})).items():
            formatter.write_paragraph()
            formatter.write(f"{heading}\n")
            formatter.indent()
            formatter.write_dl(list(commands.items()), col_max=14)
            formatter.dedent()
        formatter.write_paragraph()
        formatter.write_text(
            "kibitz COMMAND --help explains a command, with examples; kibitz --version prints the version."
        )
        formatter.write_text(self.epilog or "")


def other_commands() -> "dict[str, NamedCommand]":
    """The commands of other packages but for those with a name of ours; nothing is loaded if there are no packages."""
    if not entry_points(group="kibitz.plugins"):
        return {}
    from kibitz.core.registry.registry import other_plugins

    named = (each for plugin in other_plugins() for each in plugin.commands.items())
    return {name: command for name, command in named if name not in COMMANDS}


def other_command(name: str, target: str) -> "type[Command]":
    """The class of a command of another package."""
    from kibitz.cli.options import Command
    from kibitz.core.errors import BrokenPlugin
    from kibitz.core.kit.plugin import load_target

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
