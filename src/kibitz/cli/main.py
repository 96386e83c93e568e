"""`kibitz`: the commands, and the one place where errors become a line and an exit code."""

import os
import re
import sys
import warnings
from collections.abc import Sequence

import typer
from typer.exceptions import Abort, Exit, TyperException

from kibitz import __version__
from kibitz.cli.commands import LazyCommands
from kibitz.cli.output import BAD_INPUT, INTERRUPTED, flush_output, prepare_output

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
    if arguments[:1] != ["odds"] or any(word.startswith("--rolls") for word in arguments):
        return False
    contests = [word for word in arguments if " vs " in word]
    if any(":" in word or " then " in word for word in contests):  # areas with all their units, or several battles
        return False
    return len(contests) == 1 and sum(map(int, re.findall(r"\d{1,6}", contests[0]))) <= FEW_UNITS


def exit_code(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    # A contest may begin with a dash, `-2 inf vs 1 inf`; the blank before it marks it as no option.
    words = [f" {word}" if re.match(r"-\s*(\d.*\s|.*\svs\s)", word) else word for word in given]
    try:
        code = app(args=words, prog_name="kibitz", standalone_mode=False)
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
