"""`kibitz solve GAME --method cfr`: games with secrets, solved by regret minimisation."""

from collections.abc import Iterator
from typing import Any

import typer

from kibitz.cli.console import Part, Table, dim, progress
from kibitz.cli.main import INTERRUPTED
from kibitz.cli.options import chosen_seed
from kibitz.core.game import Game
from kibitz_lab.extensive import (
    LIMIT,
    BehaviourPolicy,
    InformationTable,
    RegretSolution,
    build_table,
    solve_cfr,
    solve_mccfr,
    write_profile,
)
from kibitz_lab.extensive.policies import check_suffix, named_shares
from kibitz_lab.extensive.regrets import Progress, Stop
from kibitz_lab.extensive.table import is_zero_sum_pair
from kibitz_solve.cli.solve import ROWS, SolveCommand

METHODS = {"cfr": "CFR+", "mccfr": "external-sampling MCCFR"}


def solve_secrets(game: Game, options: SolveCommand) -> None:
    """Solve a game by regret minimisation, show what was found, and write it."""
    out = options.out
    stop = Stop(options.iterations, options.width, options.seconds)
    limits: dict[str, Any] = {"iterations": stop.iterations, "target": stop.target, "seconds": stop.seconds}
    seed = chosen_seed(options.seed or "0")
    if out is not None:
        check_suffix(out)
    with progress(options.json or options.csv) as tell:
        tree = build_table(game, limit=options.limit or LIMIT, report=tell)
        report = None if tell is None else lambda found: tell(progress_words(found))
        if options.method == "cfr":
            found = solve_cfr(tree, **limits, report=report)
        else:
            found = solve_mccfr(tree, **limits, seed=seed, report=report)
    if out is not None:
        write_profile(out, tree, found.profile, found.method, found.exploitability)
    parts = list(solution_parts(tree, found))
    if out is not None:
        parts.append(dim(f"strategies written to {out}; play them with 'cfr(file=\"{out}\")'"))
    options.show(solution_fields(tree, found) if options.json else None, parts)
    if found.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)


def progress_words(found: Progress) -> str:
    """`1,000 iterations, exploitability 0.0012, about 12 s left`."""
    left = "" if found.left is None else f", about {found.left:.0f} s left"
    return f"{found.iterations:,} iterations, exploitability {found.exploitability:.3g}{left}"


def solution_fields(tree: InformationTable, found: RegretSolution) -> dict[str, Any]:
    """All results, information set by information set."""
    return {
        "game": repr(tree.game),
        "method": found.method,
        "information_sets": len(tree),
        "histories": tree.histories,
        "iterations": found.iterations,
        "seconds": round(found.seconds, 6),
        "stopped": found.stopped,
        "exploitability": found.exploitability,
        "nash_conv": found.nash_conv,
        "returns": found.returns,
        "policy": [
            {tree.names[number]: named_shares(tree, policy, number) for number in tree.sets_of(policy.player)}
            for policy in found.profile
        ],
    }


def solution_parts(tree: InformationTable, found: RegretSolution) -> Iterator[Part]:
    """How good the strategies are, and the first information sets of each player."""
    size = f"{len(tree):,} information sets, {tree.histories:,} histories"
    how = f"{METHODS[found.method]}, {found.iterations:,} iterations, {found.seconds:.2f} s"
    interrupted = "; stopped by you" if found.stopped == "interrupted" else ""
    yield f"{tree.game!r}: {size} ({how}{interrupted})"
    gap = f"exploitability {found.exploitability:.3g} (NashConv {found.nash_conv:.3g})"
    earned = ", ".join(f"{tree.game.player_name(player)} earns {each:.6g}" for player, each in enumerate(found.returns))
    yield f"{gap}; {earned}"
    if not is_zero_sum_pair(tree.game):
        kind = f"{tree.players} players" if tree.players != 2 else "payoffs that do not add up to 0"
        yield f"With {kind} no method is sure to reach an equilibrium; exploitability is exact all the same."
    for policy in found.profile:
        yield strategy_table(tree, policy)


def strategy_table(found: InformationTable, policy: BehaviourPolicy) -> Table:
    """The first information sets of a player, and what they do there."""
    numbers, name = found.sets_of(policy.player), found.game.player_name(policy.player)
    rows = []
    for number in numbers[:ROWS]:
        shares = named_shares(found, policy, number)
        actions = ", ".join(f"{action} {p:.4g}" for action, p in shares.items() if p >= 5e-5)
        rows.append((found.names[number], actions))
    shown = f", the first {ROWS} of {len(numbers):,}" if len(numbers) > ROWS else ""
    return Table(("what they saw", "what they do"), rows, f"Strategy of {name}{shown}")
