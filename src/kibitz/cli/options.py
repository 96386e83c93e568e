"""Options that several commands share; define an option here when a second command needs it."""

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.core.clocks import TimeControl
from kibitz.core.match.options import check_time

if TYPE_CHECKING:
    from kibitz.arena.executors import Executor

GameArgument = Annotated[
    str, typer.Argument(metavar="GAME", help="A game, with options if you like: dilemma, 'kuhn(players=4)'.")
]
GameOption = Annotated[
    str, typer.Option("--game", "-g", metavar="GAME", help="A game, with options if you like: 'kuhn(players=4)'.")
]
ModelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model", "-m", metavar="MODEL", help="A model that watches; repeat for more. MODEL@0 watches from seat 0."
    ),
]
SeedOption = Annotated[
    str | None, typer.Option("--seed", "-s", metavar="N", help="Seed; the same seed gives the same result.")
]
RecordOption = Annotated[
    Path | None, typer.Option("--record", "-r", metavar="FILE", help="Write the match to FILE, move by move.")
]
MemoryOption = Annotated[
    Path | None,
    typer.Option(
        "--memory",
        metavar="FOLDER",
        help="Models keep what they learn of each player there (default: no).",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
DelayOption = Annotated[
    float | None, typer.Option("--delay", metavar="S", min=0.0, max=60.0, help="Seconds between steps on a terminal.")
]
MoveTimeOption = Annotated[float | None, typer.Option("--move-time", metavar="S", help="Seconds allowed per move.")]
GameTimeOption = Annotated[float | None, typer.Option("--game-time", metavar="S", help="Seconds allowed per game.")]
PliesOption = Annotated[int | None, typer.Option("--max-plies", metavar="N", min=1, help="Stop after N events.")]
DatabaseOption = Annotated[
    str | None,
    typer.Option("--db", metavar="DB", help="A file, or postgresql://…; else KIBITZ_DB, else kibitz.db here."),
]
MATCHES = Path("matches")
MatchFolderOption = Annotated[
    Path,
    typer.Option("--folder", envvar="KIBITZ_FOLDER", metavar="FOLDER", help="The server's folder of matches in play."),
]
ExecutorOption = Annotated[
    str, typer.Option("--executor", metavar="HOW", help="inline, pool (processes on this machine) or ray.")
]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", "-w", metavar="N", help="Number of processes (default: one per core).")
]
RayAddressOption = Annotated[
    str | None,
    typer.Option("--ray-address", metavar="HOST:PORT", help="A running Ray cluster (default: start a local one)."),
]
SeriesOption = Annotated[int | None, typer.Option("--series", metavar="N", help="Matches in a row; agents remember.")]
OpeningOption = Annotated[
    int | None, typer.Option("--opening", metavar="N", help="Number of random moves at the start.")
]
RunSeedOption = Annotated[
    str | None, typer.Option("--seed", "-s", metavar="N", help="Seed of the run; another seed is another run.")
]
NetworkOption = Annotated[
    list[str] | None,
    typer.Option("--network", metavar="NAME", help="Let the confined program NAME use the network; repeat for more."),
]
FreshOption = Annotated[bool, typer.Option("--fresh", help="Start a new run even if this one was played before.")]
PlotOption = Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw a figure: .svg or .png.")]
KeptOption = Annotated[
    list[Path] | None,
    typer.Option("--records", metavar="PATH", help="A record or a folder of records; repeat for more."),
]
RunOption = Annotated[int | None, typer.Option("--run", metavar="N", help="The matches of a run; see kibitz runs.")]
CsvOption = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write all matches as CSV.")]
RecordsOption = Annotated[
    Path | None, typer.Option("--records", metavar="FOLDER", help="Write all records, one file each.")
]


def chosen_executor(name: str, workers: int | None, ray_address: str | None) -> "Executor":
    """The executor that the options name."""
    from kibitz.arena.executors import make_executor

    options = {"workers": workers, "address": ray_address}
    return make_executor(name, **{key: value for key, value in options.items() if value is not None})


def conditions(
    series: int | None,
    opening: int | None,
    seed: str | None,
    move_time: float | None,
    game_time: float | None,
    max_plies: int | None,
) -> dict[str, Any]:
    """The match options that the user gave, under the names of a tournament's fields."""
    given = {
        "series": series,
        "opening": opening,
        "seed": None if seed is None else chosen_seed(seed),
        "move_time": move_time,
        "game_time": game_time,
        "max_plies": max_plies,
    }
    return {key: value for key, value in given.items() if value is not None}


def chosen_seed(text: str | None) -> int:
    """The seed that the user gave, or a fresh one."""
    from kibitz.core.seeds import checked_seed

    if text is None:
        return secrets.randbits(32)
    return checked_seed(int(text) if text.isascii() and text.isdecimal() and len(text) <= 20 else text)


def chosen_time(move: float | None, game: float | None) -> TimeControl:
    """The time control that the options describe."""
    control = TimeControl(move, game)
    check_time(control)
    return control
