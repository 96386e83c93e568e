"""The odds of a raid on a factory: guns fire at every bomber, those left cost the owner a die each."""

from collections import defaultdict
from math import fsum, sqrt

from kibitz.core.abilities.odds import Odds, Survivors, Swing
from kibitz.core.errors import NotUnderstood
from kibitz.games.axis.contests import Contest
from kibitz.games.axis.full.fire import damage_odds, gun_odds
from kibitz.games.axis.full.rules_options import FullRules
from kibitz.games.axis.units import army_text

NO_LIMIT = 1000
"""The value of an area that is not told: no die is worth more."""


def raid_odds(contest: Contest, value: int, heavy: bool, low_luck: bool) -> Odds:
    """What a raid costs both sides: the attacker wins where the damage is worth more than the bombers lost."""
    (army,), units = contest.waves[:1], contest.units
    bombers = [kind for kind, unit in enumerate(units) if unit.domain == "air" and unit.name == "bomber"]
    others = [kind for kind, count in enumerate(army) if count and kind not in bombers]
    if others or not bombers or len(contest.waves) > 1:
        told = army_text(army, units)
        raise NotUnderstood(told, told, "one wave of bombers raids, such as 'raid 2 bombers vs Germany'")
    count, price = army[bombers[0]], units[bombers[0]].cost
    guns = any(number and unit.anti_air for number, unit in zip(contest.defenders, units, strict=True))
    rules = FullRules(low_luck_raids=low_luck)
    found: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
    for (shot,), chance in gun_odds(count, low_luck=low_luck) if guns else (((0,), 1.0),):
        for damage, share in damage_odds(rules, count - shot, heavy, value or NO_LIMIT):
            found[shot, damage].append(chance * share)
    profits: defaultdict[float, list[float]] = defaultdict(list)
    for (shot, damage), chances in found.items():
        profits[float(damage - price * shot)].append(fsum(chances))
    swings = tuple((swing, fsum(chances)) for swing, chances in sorted(profits.items()))
    mean = fsum(swing * chance for swing, chance in swings)
    spread = sqrt(fsum(chance * (swing - mean) ** 2 for swing, chance in swings))
    ranked = sorted(found.items(), key=lambda item: -fsum(item[1]))
    survivors = tuple(
        Survivors({"bomber": count - shot} if count > shot else {}, {"IPC lost": damage}, fsum(chances))
        for (shot, damage), chances in ranked
    )
    return Odds(*_shares(swings), survivors, Swing(mean, spread), {}, swings)


def _shares(swings: tuple[tuple[float, float], ...]) -> tuple[float, float, float]:
    """How likely the attacker gains, comes out even, or loses."""
    up = fsum(chance for swing, chance in swings if swing > 0.0)
    even = fsum(chance for swing, chance in swings if swing == 0.0)
    return min(1.0, up), min(1.0, even), min(1.0, fsum(chance for swing, chance in swings if swing < 0.0))
