"""The odds of `kibitz odds risk`: a battle written as `8 vs 5`, armies on the two territories."""

import re
from math import fsum, sqrt
from typing import Annotated, ClassVar

from msgspec import Meta

from kibitz.core.errors import NotUnderstood
from kibitz.core.kit.odds import Odds, OddsMaker, Survivors, Swing
from kibitz_risk.dice import MOST_DICE, battle_endings
from kibitz_risk.options import CardRule, most_defence_dice

BATTLE = re.compile(r"\s*(\d{1,9})(?:\s+arm(?:y|ies))?\s*(?:vs?\.?|against|:)\s*(\d{1,9})(?:\s+arm(?:y|ies))?\s*", re.I)
MOST = 1000
ADVICE = "write the armies of attacker and defender, such as '8 vs 5'"
Endings = dict[tuple[int, int], float]


class BattleOdds(OddsMaker):
    """Odds of a battle to its end: both roll as many dice as they may, the defender at most *defence*.

    As in the game, *defence* 0 is three dice by the Italian rule for *cards*, and else two; all other rules of the
    game are accepted, and change nothing here. All armies count: of the attacker's, *behind* stay on their territory
    and do not fight. The attacker stops where *stop* armies or fewer could still attack; 0 is never.
    """

    counted_in: ClassVar[str] = "armies"
    takes_all_rules: ClassVar[bool] = True

    def __init__(
        self,
        defence: Annotated[int, Meta(ge=0, le=MOST_DICE)] = 0,
        behind: Annotated[int, Meta(ge=0, le=1)] = 1,
        stop: Annotated[int, Meta(ge=0, le=MOST)] = 0,
        cards: CardRule = "increasing",
    ) -> None:
        self.defence, self.behind, self.stop, self.cards = defence, behind, stop, cards

    @property
    def defence_dice(self) -> int:
        """The most dice a defender rolls."""
        return most_defence_dice(self.defence, self.cards)

    def survivors_in_words(self, count: int, name: str) -> str:
        return "1 army" if count == 1 else f"{count} {name}"

    def battle(self, text: str) -> tuple[int, int]:
        """The armies in a line: those that may attack, and the defender's."""
        text = text.strip()
        found = BATTLE.fullmatch(text)
        if found is None:
            raise NotUnderstood(text, text, ADVICE)
        attackers, defenders = int(found[1]), int(found[2])
        stays = " (one stays behind)" if self.behind else ""
        sides = ("an attacker" + stays, found[1], self.behind + 1), ("a defender", found[2], 1)
        for side, word, least in sides:
            if not least <= int(word) <= MOST:
                raise NotUnderstood(text, word, f"{side} has {least} to {MOST} armies")
        return attackers - self.behind, defenders

    def odds(self, text: str) -> Odds:
        battle = self.battle(text)
        return self.odds_of_endings(battle, battle_endings(*battle, self.stop, self.defence_dice))

    def odds_of_endings(self, battle: tuple[int, int], endings: Endings) -> Odds:
        """The odds from the endings of a battle; a battle that the attacker breaks off is the defender's."""
        won = min(1.0, fsum(share for (_, defenders), share in endings.items() if defenders == 0))
        gains = [((battle[1] - other) - (battle[0] - own), share) for (own, other), share in endings.items()]
        mean = fsum(share * gain for gain, share in gains)
        spread = sqrt(fsum(share * (gain - mean) ** 2 for gain, share in gains))
        ranked = sorted(endings.items(), key=lambda item: (-item[1], item[0]))
        survivors = tuple(
            Survivors(survivor_counts(a + self.behind), survivor_counts(d), share) for (a, d), share in ranked
        )
        lost = min(1.0, fsum(share for (_, defenders), share in endings.items() if defenders))
        return Odds(won, 0.0, lost, survivors, Swing(mean, spread))


def survivor_counts(armies: int) -> dict[str, int]:
    """Armies as counts of survivors; empty where there are none."""
    return {"armies": armies} if armies else {}
