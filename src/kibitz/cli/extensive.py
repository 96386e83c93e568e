"""`kibitz solve GAME --method cfr`: games with secrets, solved by regret minimisation."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import typer

from kibitz.cli.console import console, plain_table
from kibitz.cli.options import chosen_seed
from kibitz.cli.solve import progress
from kibitz.core.files import check_writable
from kibitz.core.game import Game

if TYPE_CHECKING:
    from kibitz.solve.extensive import BehaviourPolicy, InformationTable, RegretSolution
    from kibitz.solve.extensive.regrets import Progress

ROWS = 12
"""Number of information sets shown of each player."""
INTERRUPTED = 130
METHODS = {"cfr": "CFR+", "mccfr": "external-sampling MCCFR"}


class RegretOptions(NamedTuple):
    """What the user asked for; None where they did not."""

    method: str
    iterations: int | None
    target: float | None
    seconds: float | None
    limit: int | None
    seed: str | None


def solve_secrets(game: Game, options: RegretOptions, out: Path | None, json: bool) -> None:
    """Solve a game by regret minimisation, show what was found, and write it."""
    from kibitz.solve.extensive import LIMIT, build_table, solve_cfr, solve_mccfr, write_profile
    from kibitz.solve.extensive.policy_files import check_suffix
    from kibitz.solve.extensive.regrets import Stop

    stop = Stop(options.iterations, options.target, options.seconds)
    seed = chosen_seed(options.seed or "0")
    if out is not None:
        check_suffix(out)
        check_writable(out)
    with progress(json) as tell:
        table = build_table(game, limit=options.limit or LIMIT, told=tell)
        told: Callable[[Progress], None] | None = None
        if tell is not None:
            told = lambda found: tell(progress_words(found))  # noqa: E731
        if options.method == "cfr":
            found = solve_cfr(table, iterations=stop.iterations, target=stop.target, seconds=stop.seconds, told=told)
        else:
            found = solve_mccfr(
                table, iterations=stop.iterations, target=stop.target, seconds=stop.seconds, seed=seed, told=told
            )
    if out is not None:
        write_profile(out, table, found.profile, found.method, found.exploitability)
    if json:
        typer.echo(msgspec.json.encode(as_json(table, found)))
    else:
        show(table, found)
        if out is not None:
            console.print(f"strategies written to {out}; play them with 'cfr(file=\"{out}\")'", style="dim")
    if found.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)


def progress_words(found: "Progress") -> str:
    """`1,000 iterations, exploitability 0.0012, about 12 s left`."""
    left = "" if found.left is None else f", about {found.left:.0f} s left"
    return f"{found.iterations:,} iterations, exploitability {found.exploitability:.3g}{left}"


def as_json(table: "InformationTable", found: "RegretSolution") -> dict[str, Any]:
    """All results, information set by information set."""
    from kibitz.solve.extensive.policy_files import named_shares

    return {
        "game": repr(table.game),
        "method": found.method,
        "information_sets": len(table),
        "histories": table.histories,
        "iterations": found.iterations,
        "seconds": round(found.seconds, 6),
        "stopped": found.stopped,
        "exploitability": found.exploitability,
        "nash_conv": found.nash_conv,
        "returns": found.returns,
        "policy": [
            {table.names[number]: named_shares(table, policy, number) for number in table.sets_of(policy.player)}
            for policy in found.profile
        ],
    }


def show(table: "InformationTable", found: "RegretSolution") -> None:
    """Print how good the strategies are, and the first information sets of each player."""
    from kibitz.solve.extensive.table import is_zero_sum_pair

    size = f"{len(table):,} information sets, {table.histories:,} histories"
    how = f"{METHODS[found.method]}, {found.iterations:,} iterations, {found.seconds:.2f} s"
    interrupted = "; stopped by you" if found.stopped == "interrupted" else ""
    console.print(f"{table.game!r}: {size} ({how}{interrupted})", markup=False, soft_wrap=True)
    gap = f"exploitability {found.exploitability:.3g} (NashConv {found.nash_conv:.3g})"
    earned = ", ".join(
        f"{table.game.player_name(player)} earns {each:.6g}" for player, each in enumerate(found.returns)
    )
    console.print(f"{gap}; {earned}", markup=False, soft_wrap=True)
    if not is_zero_sum_pair(table.game):
        kind = f"{table.players} players" if table.players != 2 else "payoffs that do not add up to 0"
        console.print(f"With {kind} no method is sure to reach an equilibrium; exploitability is exact all the same.")
    for policy in found.profile:
        console.print(strategy_table(table, policy))


def strategy_table(table: "InformationTable", policy: "BehaviourPolicy") -> Any:
    """The first information sets of a player, and what they do there."""
    from kibitz.solve.extensive.policy_files import named_shares

    numbers, name = table.sets_of(policy.player), table.game.player_name(policy.player)
    shown = f", the first {ROWS} of {len(numbers):,}" if len(numbers) > ROWS else ""
    rows = plain_table(f"Strategy of {name}{shown}")
    rows.add_column("what they saw", overflow="fold")
    rows.add_column("what they do", overflow="fold")
    for number in numbers[:ROWS]:
        shares = named_shares(table, policy, number)
        rows.add_row(table.names[number], ", ".join(f"{action} {p:.4g}" for action, p in shares.items() if p >= 5e-5))
    return rows
