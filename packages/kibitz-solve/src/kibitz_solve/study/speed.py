"""Speed and survival: how far apart they are, what their strategies guarantee, and how small β and δ can be."""

from collections.abc import Callable
from decimal import Decimal

import numpy as np

from kibitz_lab.studies.claims import Claim
from kibitz_lab.studies.measures import Measure, exact_columns
from kibitz_lab.studies.study import Case, Row, Settings, Work
from kibitz_solve import (
    Operator,
    RecursiveGame,
    best_response,
    build_game,
    complement,
    iterate,
    recursive_game,
    solve,
    speed_operator,
    survival,
    survival_operator,
)
from kibitz_solve.recursive.values.chains import mixes_at
from kibitz_solve.study.proposal import SOURCE

SETTINGS: Settings = {
    "compared_games": (
        "guan",
        "half-guan",
        "purgatory(levels=2)",
        "right-turn(radius=12)",
        "bear-brawl(hero_hp=3, bear_hp=3, radius=6)",
    ),
    "sizes": (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8),
    "smallest": (1e-8, 1e-10, 1e-12, 1e-14, 1e-16, 1e-20, 1e-24, 1e-28),
}
"""The games to compare, and the sizes 1 - β = δ; and how small these get in the test of digits."""
QUICK: Settings = {
    "compared_games": ("guan", "half-guan", "right-turn(radius=6)"),
    "sizes": (1e-2, 1e-4, 1e-6),
    "smallest": (1e-8, 1e-12, 1e-16),
}
HALF = "half-guan"
"""The Guan sisters if getting away is worth ½; only for this study, so not registered."""
ROUNDED = 1e-9


def parts(settings: Settings, seed: int) -> list[Work]:
    """Gaps between the two kinds of game, and the digits left of Guan's distance from its value."""
    gaps = [{"game": game, "eta": eta} for game in settings["compared_games"] for eta in settings["sizes"]]
    limits = [
        {"form": form, "top": top, "eta": eta}
        for form, top in (("survival", 1.0), ("speed", 1.0), ("cost", 1.0), ("survival", 0.5), ("speed", 0.5))
        for eta in settings["smallest"]
        if form != "survival" or eta >= 1e-14  # discounts nearer to 1 are refused
    ]
    return [
        Work(name="gaps", work=gap, cases=gaps, version=2, weight=0.3),
        Work(name="limits", work=digits_left, cases=limits, weight=0.1),
    ]


def guan(top: float) -> RecursiveGame:
    """The Guan sisters if getting away is worth *top*."""
    return recursive_game({"S": [["S", "X"], ["X", "D"]]}, {"X": top, "D": 0.0})


def gap(case: Case) -> Row:
    """How far speed is below survival at most, whether each bounds the other, and what both guarantee."""
    eta = case["eta"]
    game = guan(0.5) if case["game"] == HALF else survival(build_game(case["game"]))
    found = {name: iterate(game, kind(eta), method="newton").values for name, kind in KINDS.items()}
    states = slice(game.choices)
    positive = found["survival"][states][found["survival"][states] > ROUNDED]
    slower = iterate(game, speed_operator(eta * float(positive.min(initial=1.0)) / (1.0 - eta)), method="newton").values
    high = solve(game, width=1e-4).high[states]
    above = (found["speed"] > found["survival"] + ROUNDED)[states] | (found["survival"] > slower + ROUNDED)[states]
    return {
        "gap": float((found["survival"] - found["speed"])[states].max()),
        "unbounded": int(above.sum()),
        **{f"{name}_short": shortfall(game, values, high) for name, values in found.items()},
    }


KINDS: dict[str, Callable[[float], Operator]] = {
    "survival": lambda eta: survival_operator(1.0 - eta),
    "speed": speed_operator,
}


def shortfall(game: RecursiveGame, values: np.ndarray, high: np.ndarray) -> float:
    """The largest shortfall of what player 0's strategy at these values guarantees."""
    rows = mixes_at(game, values, np.zeros(game.nodes, np.uint8))[0]
    won = values[: game.choices] > ROUNDED
    guaranteed = best_response(game, rows, 0).guaranteed[: game.choices]
    return float((high - guaranteed)[won].max(initial=0.0))


def digits_left(case: Case) -> Row:
    """The relative error of Guan's distance from its value, as computed in one of the forms."""
    form, top, eta = case["form"], case["top"], case["eta"]
    if form == "cost":
        game = complement(guan(top))
        step = Operator(step=eta, floor=-1.0)
        distance = -float(iterate(game, step, method="newton", start=game.start(game.low, -1.0)).values[0])
    else:
        distance = top - float(iterate(guan(top), KINDS[form](eta), method="newton").values[0])
    exact = exact_distance(form, top, eta)
    return {"distance": distance, "error": float(abs(Decimal(distance) - exact) / exact)}


def exact_distance(form: str, top: float, eta: float) -> Decimal:
    """Guan's distance from its value in closed form: √η for survival; (d + √(d² + 4d)) / 2 for speed, d = δ / top.

    >>> float(exact_distance("survival", 0.5, 1e-8)), round(float(exact_distance("speed", 1.0, 1e-4)), 8)
    (5e-05, 0.01005012)
    """
    worth, small = Decimal(top), Decimal(eta)
    if form == "survival":
        return worth * small.sqrt()
    cost = small / worth
    return worth * (cost + (cost * cost + 4 * cost).sqrt()) / 2


MEASURES = (
    Measure(
        name="Speed and survival: gaps",
        part="gaps",
        by=("game", "eta"),
        columns=exact_columns("gap", "unbounded", "survival_short", "speed_short"),
        about=(
            "A game of survival multiplies later values by β every round, one of speed subtracts δ; δ = 1 - β = η. "
            "`gap` is the most by which speed is below survival; `unbounded` counts the states in which speed is above "
            "survival, or survival above speed at δ = ηm, m the least value above 0; then the largest proved shortfall "
            "of player 0's strategies of either kind. `half-guan` is Guan if getting away is worth ½."
        ),
    ),
    Measure(
        name="Speed and survival: digits",
        part="limits",
        by=("form", "top", "eta"),
        columns=exact_columns("error"),
        about=(
            "The relative error of Guan's distance from its value, against the closed form. `cost` counts a win as 0 "
            "and everything else as 1, so that the distance itself is the value."
        ),
    ),
)
CLAIMS = (
    Claim(
        what="speed and survival become the same game: states in which neither bounds the other",
        source=f"{SOURCE}, section 4.1",
        there=0.0,
        measure="Speed and survival: gaps",
        column="unbounded",
        cell={"game": "right-turn(radius=12)", "eta": 1e-8},
    ),
)
