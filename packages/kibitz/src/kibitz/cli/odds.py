"""`kibitz odds`: the outcomes of a contest decided by dice, with their probabilities."""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from rich.text import Text

from kibitz.cli.console import Part, Table, bar, busy, colour, dim
from kibitz.cli.options import Argument, TableCommand
from kibitz.core.kit.odds import LeastArmy, Odds, OddsMaker
from kibitz.core.registry import make_odds
from kibitz.core.specs import Spec, parse_spec


class OddsCommand(TableCommand, frozen=True):
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

    game: Argument[Annotated[str, "GAME"]]
    """A game, with rules: risk, 'axis(losses=pairs)'."""
    contest: Argument[Annotated[str, "CONTEST"]]
    """Attackers, 'vs' and defenders."""
    bars: bool = False
    """Draw a bar beside every number."""
    most: Annotated[int, msgspec.Meta(ge=0)] = 12
    """Number of likeliest outcomes to show."""
    scenario: Annotated[str | None, "FILE"] = None
    """Units of a scenario: its file, or its name."""
    least: Annotated[float | None, "P"] = None
    """Find the cheapest attackers that win with probability P."""

    def execute(self) -> None:
        spec = parse_spec(self.game)
        given = {} if self.scenario is None else {"scenario": self.scenario}
        maker = make_odds(Spec(spec.name, {**spec.parameters, **given}))
        if self.least is not None:
            with busy("looking for the cheapest army", quiet=self.json or self.csv):
                army = maker.least_army(self.contest, self.least)
            self.show(army, least_parts(maker, army))
            return
        found = maker.odds(self.contest)
        self.show(found, odds_parts(maker, found, self.bars, self.most))


def least_parts(maker: OddsMaker, found: LeastArmy) -> Iterator[Part]:
    """The cheapest army that wins."""
    words = " ".join(f"{count} {name}" for name, count in found.army.items())
    yield f"{words}: {found.cost} {maker.counted_in}, wins with {percent(found.probability)}"
    yield dim(f"the best of {found.looked_at:,} armies of up to three kinds")


def odds_parts(maker: OddsMaker, found: Odds, bars: bool, most: int) -> Iterator[Part]:
    """The odds as tables."""

    def figures(share: float, style: str = "") -> list[Any]:
        return [percent(share)] + ([Text(bar(share), style=style)] if bars else [])

    last = [""] * bars
    rows = [("attacker wins", *figures(found.attacker, colour(0)))]
    rows += [(f"  {part}", *figures(share, colour(0))) for part, share in found.wins.items()]
    rows += [("draw", *figures(found.draw)), ("defender wins", *figures(found.defender, colour(1)))]
    yield Table(("", "probability", *last), rows)
    if most:
        rows = []
        for each in found.survivors[:most]:
            both = each.attacker, each.defender
            sides = [" ".join(maker.survivors_in_words(count, name) for name, count in side.items()) for side in both]
            rows.append((*sides, *figures(each.probability)))
        yield ""
        yield Table(("attackers left", "defenders left", "probability", *last), rows)
        if hidden := found.survivors[most:]:
            rest = percent(sum(each.probability for each in hidden))
            yield dim(f"and {len(hidden)} other ways to end, {rest} together")
    swing = f"{found.swing.mean:+z.3f} ± {found.swing.sd:.3f}"
    yield f"\nswing {swing} {maker.counted_in} (mean ± standard deviation)"


def percent(share: float) -> str:
    """A share in percent, with enough decimals to distinguish it from 0."""
    return f"{share:.2%}" if share >= 0.0001 or share == 0.0 else f"{100.0 * share:.1e}%"
