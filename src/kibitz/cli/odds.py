"""`kibitz odds`: the outcomes of a contest decided by dice, with their probabilities."""

from typing import Annotated

import msgspec
import typer
from rich.text import Text

from kibitz.cli.console import bar, busy, colour, console, plain_table
from kibitz.cli.options import JsonOption, SeedOption, chosen_seed
from kibitz.core.abilities.odds import Odds, OddsMaker
from kibitz.core.registry import make_odds
from kibitz.core.registry.specs import Spec, parse_spec

SHOWN = 12


def odds(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game, with rules: risk, 'axis(losses=pairs)'.")],
    contest: Annotated[str, typer.Argument(metavar="CONTEST", help="Attackers, 'vs' and defenders.")],
    bars: Annotated[bool, typer.Option("--bars", help="Draw a bar beside every number.")] = False,
    most: Annotated[
        int, typer.Option("--most", metavar="N", min=0, help="Number of likeliest outcomes to show.")
    ] = SHOWN,
    rolls: Annotated[
        int | None, typer.Option("--rolls", metavar="N", min=1, max=100_000_000, help="Roll dice N times instead.")
    ] = None,
    scenario: Annotated[
        str | None, typer.Option("--scenario", metavar="FILE", help="Units of a scenario: its file, or its name.")
    ] = None,
    least: Annotated[
        float | None,
        typer.Option("--least", metavar="P", help="Find the cheapest attackers that win with probability P."),
    ] = None,
    seed: SeedOption = None,
    json: JsonOption = False,
) -> None:
    """Compute the odds of a contest: who wins, what is left, and what that is worth.

    Examples:

      kibitz odds axis '2 inf 2 art 1 tank vs 3 inf 1 art'

      kibitz odds 'axis(losses=land, worth=10)' '1 inf 2 fighters vs 2 inf 1 aa' --bars

      kibitz odds axis '5 tanks vs 8 inf' --json

      kibitz odds axis '2 cruisers vs 1 bb' --scenario fleets.toml

      kibitz odds 'axis(losses="inf fighter tank")' '4 inf 2 tank vs 5 inf then 3 inf 2 fighter'

      kibitz odds axis '5 inf 2 tank' --least 0.9

      kibitz odds risk '8 vs 5'
    """
    spec = parse_spec(game)
    given = {} if scenario is None else {"scenario": scenario}
    maker = make_odds(Spec(spec.name, {**spec.parameters, **given}))
    if least is not None:
        _show_least(maker, contest, least, json)
        return
    if rolls is None:
        found = maker.odds(contest)
    else:
        from kibitz.cli.tables import ProgressDisplay

        with ProgressDisplay(rolls, what="contests", quiet=json) as watch:
            found = maker.simulate_odds(contest, rolls, chosen_seed(seed or "0"), watch.advance)
    if json:
        print(msgspec.json.encode(found).decode())
        return
    show(maker, found, bars, most)


def _show_least(maker: OddsMaker, contest: str, chance: float, json: bool) -> None:
    """Find and print the cheapest army that wins."""
    with busy("looking for the cheapest army", quiet=json):
        found = maker.least_army(contest, chance)
    if json:
        print(msgspec.json.encode(found).decode())
        return
    words = " ".join(f"{count} {name}" for name, count in found.army.items())
    console.print(f"{words}: {found.cost} {maker.counted_in}, wins with {percent(found.probability)}")
    console.print(f"the best of {found.looked_at:,} armies of up to three kinds", style="dim")


def show(maker: OddsMaker, found: Odds, bars: bool, most: int) -> None:
    """Print the odds as tables."""
    summary = plain_table()
    for heading in ("", "probability", *([""] if bars else [])):
        summary.add_column(heading, justify="right" if heading else "left")
    shares = [("attacker wins", found.attacker, colour(0))]
    shares += [(f"  {part}", share, colour(0)) for part, share in found.wins.items()]
    shares += [("draw", found.draw, ""), ("defender wins", found.defender, colour(1))]
    for label, share, style in shares:
        summary.add_row(label, percent(share), *([Text(bar(share), style=style)] if bars else []))
    console.print(summary)
    table = plain_table()
    for heading in ("attackers left", "defenders left"):
        table.add_column(heading, overflow="fold")
    table.add_column("probability", justify="right")
    if bars:
        table.add_column("")
    for each in found.survivors[:most]:
        both = each.attacker, each.defender
        sides = [" ".join(maker.survivors_in_words(count, name) for name, count in side.items()) for side in both]
        table.add_row(*sides, percent(each.probability), *([bar(each.probability)] if bars else []))
    if most:
        console.print()
        console.print(table)
    hidden = found.survivors[most:]
    if hidden and most:
        rest = sum(each.probability for each in hidden)
        console.print(f"and {len(hidden)} other ways to end, {percent(rest)} together", style="dim")
    console.print(
        f"\nswing {found.swing.mean:+z.3f} ± {found.swing.sd:.3f} {maker.counted_in} (mean ± standard deviation)"
    )


def percent(share: float) -> str:
    """A share in percent, with enough decimals to distinguish it from 0."""
    return f"{share:.2%}" if share >= 0.0001 or share == 0.0 else f"{100.0 * share:.1e}%"
