"""`kibitz compare`: is A better than B, and how sure are we?"""

import sys
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from rich.table import Table
from rich.text import Text

from kibitz.cli.console import console, plain_table, warn
from kibitz.cli.options import (
    DatabaseOption,
    ExecutorOption,
    FreshOption,
    GameOption,
    GameTimeOption,
    JsonOption,
    MoveTimeOption,
    NetworkOption,
    OpeningOption,
    PliesOption,
    RayAddressOption,
    RunSeedOption,
    SeriesOption,
    WorkersOption,
    chosen_executor,
    conditions,
)
from kibitz.core.errors import KibitzError

if TYPE_CHECKING:
    from kibitz.arena.comparison import ComparisonRun, Report
    from kibitz.arena.executors import Executor

WIDE = 25


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A spec, or NAME=SPEC.")],
    b: Annotated[str, typer.Argument(metavar="B", help="A spec, or NAME=SPEC.")],
    game: GameOption,
    others: Annotated[
        list[str] | None, typer.Option("--others", metavar="AGENT", help="Agent for another seat; repeat for more.")
    ] = None,
    least: Annotated[
        float | None,
        typer.Option(
            "--least", metavar="D", help="Smallest difference of interest (default: 10 % of the score range)."
        ),
    ] = None,
    alpha: Annotated[float, typer.Option("--alpha", metavar="P", help="Maximum probability of a wrong answer.")] = 0.05,
    width: Annotated[
        float | None, typer.Option("--width", metavar="W", help="Play until the difference is known to ±W.")
    ] = None,
    most: Annotated[int, typer.Option("--most", "-n", metavar="N", min=1, help="Maximum number of matches.")] = 2000,
    series: SeriesOption = None,
    opening: OpeningOption = None,
    seed: RunSeedOption = None,
    move_time: MoveTimeOption = None,
    game_time: GameTimeOption = None,
    max_plies: PliesOption = None,
    executor: ExecutorOption = "pool",
    workers: WorkersOption = None,
    ray_address: RayAddressOption = None,
    network: NetworkOption = None,
    db: DatabaseOption = None,
    fresh: FreshOption = False,
    json: JsonOption = False,
) -> None:
    """Is A better than B, and how sure are we? Plays until the answer is clear; stores every match.

    Run the same command again to resume, or with a larger --most to play more matches.

    Examples:

      kibitz compare pavlov tit_for_tat --game 'dilemma(rounds=20)' --opening 3

      kibitz compare 'deep=alphabeta(depth=4)' 'mcts(simulations=200)' --game pawns --least 0.1 --most 4000

      kibitz compare solid rock --game kuhn --others maniac
    """
    from kibitz.arena.comparison import ComparisonRun, comparison
    from kibitz.remote.commands import allow_network
    from kibitz.store import Store

    said = conditions(series, opening, seed, move_time, game_time, max_plies)
    wanted = comparison(game, a, b, others or (), **said)
    allow_network(network or ())
    with Store(db) as store:
        comparing = ComparisonRun(wanted, store, most=most, least=least, alpha=alpha, width=width, fresh=fresh)
        _finish(comparing, chosen_executor(executor, workers, ray_address))
        report = comparing.report()
    if json:
        print(msgspec.json.encode(report).decode())
    else:
        _show(report, least is None)


def _finish(comparing: "ComparisonRun", executor: "Executor") -> None:
    """Play what is needed and show the evidence live. Ctrl-C stops; every finished match is stored."""
    from kibitz.arena.runs import version_warning
    from kibitz.cli.tables import ProgressDisplay
    from kibitz.store.claims import check_free

    if not comparing.is_done:
        check_free(comparing.running.store, comparing.running.run.run)
        warn(version_warning(comparing.running.store, comparing.running.run))
    run, done, most = comparing.running.run.run, len(comparing.running.results), comparing.running.plan.planned
    if comparing.is_done:
        print(f"run {run} was played already; --fresh plays it again", file=sys.stderr)
    elif done:
        print(f"resuming run {run}: {done} matches are stored, {most} at most", file=sys.stderr)
    else:
        print(f"run {run}: {most} matches at most", file=sys.stderr)
    try:
        with (
            executor,
            ProgressDisplay(most, min(done, most), bound=True) as watch,
            closing(comparing.play_matches(executor)) as played,
        ):
            for count in played:
                watch.advance(count)
                watch.show(lambda: (_evidence(comparing),))
    except (KibitzError, KeyboardInterrupt) as error:
        store = comparing.running.store
        kept = store.run(run).stored if not isinstance(error, OSError) else len(comparing.running.results)
        print(f"\nkibitz: {kept} matches of run {run} are stored; run the same command to resume", file=sys.stderr)
        raise


def _evidence(comparing: "ComparisonRun") -> Table:
    """The log-likelihood ratio of every claim on its way to the limit, and the estimate."""
    from kibitz.arena.comparison import difference_text

    test = comparing.test
    table = Table.grid(padding=(0, 1))
    claims = (f"{comparing.a} better", f"{comparing.b} better", f"within {test.least:g}")
    ratios = (test.ratios[0], test.ratios[1], min(test.ratios[2:]))
    for claim, ratio in zip(claims, ratios, strict=True):
        bar = "█" * round(WIDE * min(1.0, max(0.0, ratio / test.limit)))
        table.add_row(Text(claim), Text(bar.ljust(WIDE, "·")), Text(f"{ratio:6.2f} of {test.limit:.2f}"))
    table.add_row(Text("so far"), Text(difference_text(test.estimate(comparing.size))), Text(f"{test.blocks} blocks"))
    return table


def _show(report: "Report", by_default: bool) -> None:
    """Print the answer, then the evidence for it."""
    from kibitz.arena.statistics.estimates import percent
    from kibitz.cli.tables import interval

    console.print(Text(report.sentence, style="bold"), soft_wrap=True)
    if report.verdict != "repeated":
        why = " (10 % of the score range)" if by_default else ""
        wrong = f"wrong in {percent(report.alpha)} of comparisons at most"
        console.print(f"smallest difference of interest: {report.least:g} per match{why}; {wrong}", soft_wrap=True)
    drawn = f"; the first {report.opening} moves are random, the same in all seats" if report.opening else ""
    more = f"; {report.stored - report.matches} more are stored" if report.stored > report.matches else ""
    console.print(f"run {report.run}: {report.matches} matches{more}{drawn}", style="dim", soft_wrap=True)
    table = plain_table()
    table.add_column(f"{report.a}'s seat", overflow="fold")
    outcomes = ("won", "drawn", "lost") if report.zero_sum else ("more", "as much", "less")
    for heading in ("matches", "difference", "95 % interval", *outcomes):
        table.add_column(heading, justify="right", no_wrap=True)
    rows: list[tuple[str, Any]] = [("all", report), *((str(row.seat), row) for row in report.seats)]
    for seat, row in rows:
        estimate = row.difference
        counts = map(str, (row.won, row.drawn, row.lost))
        table.add_row(seat, str(estimate.matches), f"{estimate.mean:+.3g}", interval(estimate), *counts)
    console.print()
    console.print(table)
    times = ", ".join(f"{agent.name} {1000 * agent.seconds:.3g} ms" for agent in report.agents)
    console.print()
    console.print(Text(f"thinking time per match: {times}", style="dim"), soft_wrap=True)
    for note in report.notes:
        console.print(Text(note, style="yellow"), soft_wrap=True)
