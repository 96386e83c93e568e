"""The commands by name: where each is defined, and its line in `kibitz --help`.

A command is imported when it is called. A new command is a function in a module of this folder and a line here.
"""

from functools import cached_property
from importlib import import_module
from typing import Any

from typer._click import Context, HelpFormatter
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_from_info
from typer.models import CommandInfo

GROUPS = {
    "Play and watch": {
        "games": ("listing:games", "List the games, or explain one: its goal, rules, actions and strategies."),
        "agents": ("listing:agents", "List the agents."),
        "models": ("listing:models", "List the models, and which of them can be trained."),
        "play": ("play:play", "Play in the terminal. Type a move, its first letters, `?` or `quit`."),
        "watch": ("watch:watch", "Watch agents play, with the board, the moves and live belief bars."),
        "replay": (
            "replay:replay",
            "Replay a record exactly, with the beliefs it holds or with other models watching.",
        ),
        "serve": (
            "serve:serve",
            "Play, watch and replay in a browser, and let programs join. Ctrl-C stops the server.",
        ),
        "demo": ("demo:demo", "See what kibitz does in under two minutes: matches, live beliefs, a replay."),
    },
    "Work things out": {
        "odds": ("odds:odds", "Compute the odds of a contest: who wins, what is left, and what that is worth."),
        "solve": (
            "solve:solve",
            "Solve a game with simultaneous moves: certified values, and strategies that guarantee them.",
        ),
        "verify": (
            "verify:verify",
            "Check a saved solution without the solver: its tables, its strategies, and every bound.",
        ),
        "exploit": (
            "exploit:exploit",
            "Work out how much can be won from an agent in a game with secrets, and how much of it safely.",
        ),
        "program": (
            "program:program",
            "Turn a solved game into a readable program, and prove what that program is worth.",
        ),
        "tree": ("tree:tree", "Show the tree of a search: limits, shares of the opponent's likely moves, and values."),
        "recognize": (
            "recognize:recognize",
            "Recognise plans: which goals explain the observations, and what comes next.",
        ),
    },
    "Experiments": {
        "tournament": (
            "tournament:tournament",
            "Play a tournament and store every match. Run the command again to resume.",
        ),
        "compare": (
            "compare:compare",
            "Is A better than B, and how sure are we? Plays until the answer is clear; stores every match.",
        ),
        "study": ("study:study", "Run a study and write its report. Run the command again to resume."),
        "score-models": (
            "scores:score_models",
            "Score opponent models: who plays, what comes next, and how sure the models were.",
        ),
        "score-plans": (
            "score_plans:score_plans",
            "Score plan recognition on traces whose goals are known: how often right, how early, and how sure.",
        ),
        "train": ("train:train", "Fit a model's parameters to matches, and report the gain on held-out matches."),
        "runs": ("runs:runs", "List the stored runs, or show one: its table, its matches as CSV, its records."),
        "resume": ("runs:resume", "Resume a run that was stopped or killed; the last unfinished one if you name none."),
    },
    "Other programs": {
        "import": ("imports:import_matches", "Import matches that another program recorded; each is stored once."),
        "export": (
            "imports:export_match",
            "Write a record as text, or a game as a Gambit file.",
        ),
        "invite": (
            "invite:invite",
            "Make links with which people sign in. A link works once, is shown once and never stored.",
        ),
        "token": (
            "access:token",
            "Make, revoke or list the tokens with which programs log in. A token is shown once and never stored.",
        ),
    },
    "This installation": {
        "backup": (
            "backup:backup",
            "Write the database and the matches in play into one file, also while the server runs.",
        ),
        "restore": (
            "backup:restore",
            "Put a backup into a new database, SQLite or PostgreSQL. Stop the server first.",
        ),
        "doctor": (
            "doctor:doctor",
            "Check this installation: kernels, confinement of bots, the database, installed extras and bridges.",
        ),
        "warmup": (
            "warmup:warmup",
            "Compile all kernels, or those of the parts you name, or load them from the cache.",
        ),
        "bench": (
            "bench:bench",
            "Measure speed against peers, or models on strangers; a missed target is reported, not an error.",
        ),
    },
}
"""Groups of the help, by what you want to do: the module and function of each command, and its line."""
COMMANDS = {name: row for group in GROUPS.values() for name, row in group.items()}


class LazyCommand(TyperCommand):
    """A command known by its name and its summary; `loaded` imports the function behind it."""

    def __init__(self, name: str, target: str, summary: str) -> None:
        super().__init__(name, help=summary)
        self.target = target

    @cached_property
    def full_command(self) -> Any:
        module, _, function = self.target.partition(":")
        callback = getattr(import_module(f"kibitz.cli.{module}"), function)
        info = CommandInfo(name=self.name, callback=callback)
        return get_command_from_info(info, pretty_exceptions_short=False, rich_markup_mode="rich")


class LazyCommands(TyperGroup):
    """All commands of `kibitz`, each imported only when it is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: LazyCommand(name, *row) for name, row in COMMANDS.items()}

    def resolve_command(self, ctx: Context, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.full_command if isinstance(command, LazyCommand) else command, rest

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        """The commands in their groups, written plainly: rich, which draws the panels of a command, loads slowly."""
        formatter.write("Usage: kibitz COMMAND [OPTIONS]\n\n")
        formatter.write_text(self.help or "")
        for heading, commands in GROUPS.items():
            formatter.write_paragraph()
            formatter.write(f"{heading}\n")
            formatter.indent()
            formatter.write_dl([(name, summary) for name, (_, summary) in commands.items()], col_max=14)
            formatter.dedent()
        formatter.write_paragraph()
        formatter.write_text(
            "kibitz COMMAND --help explains a command, with examples; kibitz --version prints the version."
        )
        formatter.write_text(self.epilog or "")
