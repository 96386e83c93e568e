"""`kibitz compare`: is A better than B, and how sure are we?"""

import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Annotated, Any

from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.console import Part, Table, bold, dim
from kibitz.cli.options import Agent, Argument, GameOption, Network, TableCommand, changes
from kibitz.core.match.options import Opening
from kibitz.remote.command_lines import allow_network
from kibitz_lab.arena.comparison import ComparisonRun, Evidence, Report, comparison, difference_text
from kibitz_lab.arena.executors import Executor
from kibitz_lab.arena.statistics.intervals import percent
from kibitz_lab.arena.tournament import RunConditions
from kibitz_lab.cli.options import Compute, Database, Fresh, open_store
from kibitz_lab.cli.runs import interval, play_shown

WIDE = 25


class CompareCommand(TableCommand, frozen=True):
    """Is A better than B, and how sure are we? Plays until the answer is clear; stores every match.

    Run the same command again to resume, or with a larger --most to play more matches.

    Examples:
      kibitz compare pavlov tit_for_tat --game 'dilemma(rounds=20)' --opening 3
      kibitz compare 'deep=alphabeta(depth=4)' 'mcts(simulations=200)' --game pawns --least 0.1 --most 4000
      kibitz compare solid rock --game kuhn --others maniac
    """

    a: Argument[Annotated[str, "A"]]
    """A spec, or NAME=SPEC."""
    b: Argument[Annotated[str, "B"]]
    """A spec, or NAME=SPEC."""
    game: GameOption
    others: tuple[Agent, ...] = ()
    """Agent for another seat; repeat for more."""
    evidence: Evidence = Evidence()
    opening: Opening | None = None
    conditions: RunConditions = RunConditions()
    compute: Compute = Compute()
    network: Network = ()
    fresh: Fresh = False
    db: Database = None

    def execute(self) -> None:
        opening = {} if self.opening is None else {"opening": self.opening}
        wanted = comparison(self.game, self.a, self.b, self.others, **opening, **changes(self.conditions))
        allow_network(self.network)
        with open_store(self.db) as store:
            comparing = ComparisonRun(wanted, store, self.evidence, fresh=self.fresh)
            finish(comparing, self.compute.make())
            report = comparing.report()
        self.show(report, report_parts(report, self.evidence.least is None))


def finish(comparing: ComparisonRun, executor: Executor) -> None:
    """Play what is needed and show the evidence live."""
    running = comparing.running
    if comparing.is_done:
        running.finish()
        print(f"run {running.run.run} was played already; --fresh plays it again", file=sys.stderr)
        return
    with closing(comparing.play_matches(executor)) as counts:
        again = "run the same command to resume"
        play_shown(running, executor, counts, lambda: [evidence_table(comparing)], again, " at most")


def evidence_table(comparing: ComparisonRun) -> Grid:
    """The log-likelihood ratio of every claim on its way to the limit, and the estimate."""
    test = comparing.test
    grid = Grid.grid(padding=(0, 1))
    claims = (f"{comparing.a} better", f"{comparing.b} better", f"within {test.least:g}")
    ratios = (test.ratios[0], test.ratios[1], min(test.ratios[2:]))
    for claim, ratio in zip(claims, ratios, strict=True):
        bar = "█" * round(WIDE * min(1.0, max(0.0, ratio / test.limit)))
        grid.add_row(Text(claim), Text(bar.ljust(WIDE, "·")), Text(f"{ratio:6.2f} of {test.limit:.2f}"))
    grid.add_row(Text("so far"), Text(difference_text(test.estimate(comparing.size))), Text(f"{test.blocks} blocks"))
    return grid


def report_parts(report: Report, by_default: bool) -> Iterator[Part]:
    """The answer, then the evidence for it."""
    yield bold(report.sentence)
    if report.verdict != "repeated":
        why = " (10 % of the score range)" if by_default else ""
        wrong = f"wrong in {percent(report.alpha)} of comparisons at most"
        yield f"smallest difference of interest: {report.least:g} per match{why}; {wrong}"
    drawn = f"; the first {report.opening} moves are random, the same in all seats" if report.opening else ""
    more = f"; {report.stored - report.matches} more are stored" if report.stored > report.matches else ""
    yield dim(f"run {report.run}: {report.matches} matches{more}{drawn}")
    outcomes = ("won", "drawn", "lost") if report.zero_sum else ("more", "as much", "less")
    seats: list[tuple[str, Any]] = [("all", report), *((str(row.seat), row) for row in report.seats)]
    rows = []
    for seat, row in seats:
        estimate = row.difference
        counts = map(str, (row.won, row.drawn, row.lost))
        rows.append((seat, str(estimate.matches), f"{estimate.mean:+.3g}", interval(estimate), *counts))
    yield ""
    yield Table((f"{report.a}'s seat", "matches", "difference", "95 % interval", *outcomes), rows)
    yield ""
    times = ", ".join(f"{each.name} {1000 * each.seconds:.3g} ms" for each in report.agents)
    yield dim(f"thinking time per match: {times}")
    yield from (Text(each, style="yellow") for each in report.notes)
