"""Tables 1 to 4 and the battles of figures 7 to 17: exact values beside those that the thesis sampled."""

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import NamedTuple

from kibitz_axis.battle.exact import endings
from kibitz_axis.battle.problem import Battle
from kibitz_axis.battle.side import survivors
from kibitz_axis.study.thesis import AUTHOR, BATTLES, SAMPLES, SPANS
from kibitz_axis.units import REVISED, army_price, read_battle
from kibitz_lab.studies.claims import Claim, share
from kibitz_lab.studies.measures import Measure, exact_columns
from kibitz_lab.studies.study import Results, Row, Settings, Work

TAKES, NOBODY, WINS, KEEPS = "attacker takes", "nobody left", "defender wins", "defender keeps"
AREA = 10.0
"""The value of the middle area in the third scenario."""
SECTIONS_OF = {"table 2": "s1", "4.3.3": "s1", "4.3.5": "s1", "table 3": "s2", "table 4": "s3", "4.5.3": "s3"}
"""The scenario of each place of the thesis that prints average gains."""


def parts(settings: Settings, seed: int) -> list[Work]:
    """Nothing is sampled."""
    return []


class Line(NamedTuple):
    """A line of play whose average gain is printed, with what the thesis has and the exact gain."""

    where: str
    what: str
    there: float
    here: float


def outcomes(text: str) -> list[tuple[int, int, float]]:
    """The possible numbers of surviving attackers and defenders, with probabilities; a mean over several battles."""
    battles = [Battle(*read_battle(each)) for each in text.split(" or ")]
    found = [each for battle in battles for each in endings(battle)]
    return [(sum(each.attackers), sum(each.defenders), each.probability / len(battles)) for each in found]


def odds(text: str) -> dict[str, float]:
    """How a battle ends, in per cent; the defender keeps the area if they win or no unit is left."""
    found = dict.fromkeys((TAKES, NOBODY, WINS), 0.0)
    for left, standing, chance in outcomes(text):
        found[TAKES if left else WINS if standing else NOBODY] += 100.0 * chance
    return found | {KEEPS: found[NOBODY] + found[WINS]}


def average(text: str, taken: Sequence[float], kept: Sequence[float]) -> float:
    """A battle's average gain: *taken* if 1, 2 … attackers survive, *kept* if 0, 1 … defenders do."""
    return sum(chance * (taken[left - 1] if left else kept[standing]) for left, standing, chance in outcomes(text))


def attack(text: str) -> float:
    """The average gain of an attack in the third scenario: enemies destroyed less units lost, and the area."""
    attackers, defenders = read_battle(text)
    before = army_price(defenders, REVISED) - army_price(attackers, REVISED)
    gain = 0.0
    for each in endings(Battle(attackers, defenders)):
        left, standing = (survivors(army, REVISED) for army in (each.attackers, each.defenders))
        area = AREA if any(left) else 0.0
        gain += each.probability * (before + army_price(left, REVISED) - army_price(standing, REVISED) + area)
    return gain


def lines() -> list[Line]:
    """Every average gain of tables 2 to 4 and of the text around them."""
    again = average("1t vs 1i", [-8], [-2, 3])
    one_stays = (attack("1i2a1t vs 3i1a") + attack("2i1a1t vs 3i1a")) / 2
    return [
        Line("table 2", "infantry together, tank attacks", 2.69, average("1t vs 2i", [-8], [-1, 3, 6])),
        Line("4.3.3", "infantry split, tank attacks twice", 0.28, average("1t vs 1i", [again], [3, 6])),
        Line("4.3.3", "infantry split, tank attacks once", 0.19, average("1t vs 1i", [-4], [3, 6])),
        Line("4.3.3", "second fight after a lost first", -3.82, again),
        Line("table 2", "no attack", 0.0, 0.0),
        Line("table 2", "both infantry attack", -0.78, average("2i vs 1t", [3, 6], [-1, -8])),
        Line("table 2", "one attacks, tank replies", -1.44, average("1i vs 1t", [6], [3, again])),
        Line("4.3.5", "one attacks, tank takes the empty area", -1.58, average("1i vs 1t", [6], [3, -4])),
        Line("table 3", "three infantry defend", -4.0, average("2t vs 3i", [-34, -39], [1, 6, 9, 12])),
        Line("table 3", "two infantry defend", -17.7, average("2t vs 2i", [-31, -36], [6, 9, 12])),
        Line("table 3", "three infantry attack", -21.4, average("3i vs 2t", [6, 9, 12], [-29, -34, -39])),
        Line("table 3", "no movement", -30.0, -30.0),
        Line("table 4", "all attack in the second turn", 11.6, attack("2i2a1t vs 3i1a")),
        Line("table 4", "all but one non-tank, second turn", 5.6, one_stays),
        Line("4.5.3", "all but two, second turn", 0.3, attack("1i1a1t vs 3i1a")),
        Line("table 4", "no movement", 0.0, 0.0),
        Line("table 4", "all attack in the first turn", -10.3, attack("2i2a1t vs 6i2a1t")),
    ]


def battle_rows(results: Results) -> Iterator[Row]:
    """How often every battle of the thesis ends in each way, exactly."""
    for where, (text, what, _) in BATTLES.items():
        for ending, percent in odds(text).items():
            yield {"where": where, "battle": what, "ending": ending, "probability": percent / 100.0}


def gain_rows(results: Results) -> Iterator[Row]:
    """The average gains."""
    for line in lines():
        yield {"where": line.where, "line": line.what, "gain": line.here}


def unit_rows(results: Results) -> Iterator[Row]:
    """The units of Table 1."""
    for unit in REVISED[:3]:
        yield {"unit": unit.name, "attack": unit.attack, "defence": unit.defence, "cost": unit.price}


def sampling_error(where: str) -> float:
    """Two standard errors of an average gain over the thesis's samples, at most."""
    low, high = SPANS[SECTIONS_OF[where]][0]
    return (high - low) / sqrt(SAMPLES)


MEASURES = (
    Measure(
        name="Table 1: units",
        part=(),
        by=("unit",),
        rows=unit_rows,
        columns=exact_columns("attack", "defence", "cost"),
        about="Artillery lifts the attack of one infantry to 2.",
    ),
    Measure(
        name="Figures 7 to 17: how battles end",
        part=(),
        by=("where", "battle", "ending"),
        rows=battle_rows,
        columns=exact_columns("probability"),
        about="Exact probabilities. The defender keeps the area if they win or no unit is left.",
        across=True,
    ),
    Measure(
        name="Tables 2 to 4: average gains",
        part=(),
        by=("where", "line"),
        rows=gain_rows,
        columns=exact_columns("gain"),
        about=(
            "Exact, with the thesis's own scoring, which credits captures that follow. Its 2.69 does not follow from "
            "its own odds, which give 31/14; Table 2 prints 0.19 for two attacks of the tank, but according to the "
            "text that is the number for one attack."
        ),
    ),
)
CLAIMS = (
    *(
        Claim(
            what=f"{what}: {ending}",
            source=f"{AUTHOR}, {where}",
            there=share(round(percent * SAMPLES / 100.0), SAMPLES),
            measure="Figures 7 to 17: how battles end",
            cell={"where": where, "ending": ending},
        )
        for where, (_, what, printed) in BATTLES.items()
        for ending, percent in printed.items()
    ),
    *(
        Claim(
            what=f"{line.what}: average gain",
            source=f"{AUTHOR}, {line.where}",
            there=line.there,
            within=sampling_error(line.where),
            measure="Tables 2 to 4: average gains",
            cell={"where": line.where, "line": line.what},
        )
        for line in lines()
    ),
)
