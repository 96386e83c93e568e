"""Speed and survival: how far apart they are, what their strategies guarantee, and how small β and δ can be."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from math import log10

import numpy as np

from kibitz.arena.plots.charts import log_curves
from kibitz.solve import (
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
from kibitz.solve.recursive.values.chains import mixes_at
from kibitz.studies.blocks import Block, Conclusion, Figure, Paragraph, Table
from kibitz.studies.comparisons import Comparison, comparison_table
from kibitz.studies.recursive.proposal import SOURCE
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

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
FORMS = ("survival", "speed", "cost")
ROUNDED = 1e-9
VISIBLE = 1e-11
"""A gap below this is mostly rounding."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """Gaps between the two kinds of game, and the digits left of Guan's distance from its value."""
    gaps = [{"game": game, "eta": eta} for game in settings["compared_games"] for eta in settings["sizes"]]
    limits = [
        {"form": form, "top": top, "eta": eta}
        for form, top in (("survival", 1.0), ("speed", 1.0), ("cost", 1.0), ("survival", 0.5), ("speed", 0.5))
        for eta in settings["smallest"]
        if form != "survival" or eta >= 1e-14  # discounts nearer to 1 are refused
    ]
    return [
        Work(name="gaps", work=gap, cases=gaps, weight=0.3),
        Work(name="limits", work=digits_left, cases=limits, weight=0.1),
    ]


def guan(top: float) -> RecursiveGame:
    """The Guan sisters if getting away is worth *top*."""
    return recursive_game({"S": [["S", "X"], ["X", "D"]]}, {"X": top, "D": 0.0})


def gap(case: Case) -> Row:
    """How far speed is below survival at most, whether it is nowhere above and twice bounded, and what both "
    "guarantee."""
    eta = case["eta"]
    game = guan(0.5) if case["game"] == HALF else survival(build_game(case["game"]))
    found = {name: iterate(game, kind(eta), method="newton").values for name, kind in KINDS.items()}
    states = slice(game.choices)
    positive = found["survival"][states][found["survival"][states] > ROUNDED]
    slower = iterate(game, speed_operator(eta * float(positive.min(initial=1.0)) / (1.0 - eta)), method="newton").values
    high = solve(game, width=1e-4).high[states]
    return {
        "gap": float((found["survival"] - found["speed"])[states].max()),
        "ordered": bool((found["speed"] <= found["survival"] + ROUNDED)[states].all()),
        "bounded": bool((found["survival"] <= slower + ROUNDED)[states].all()),
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


def section(results: Results) -> Iterator[Block]:
    """The gaps, their order, the guarantees, and the digits."""
    rows = results.rows("gaps")
    yield Paragraph(
        "A game of survival multiplies later values by β < 1 every round, a game of speed subtracts δ from them; "
        "(4.10) says that they are the same in the limit. At equal size, δ = 1 - β = η, speed is never worth more: "
        "subtracting η costs at least as much as the share η of a value up to 1. And survival is never worth more than "
        "speed at δ = ηm, where m is the least value above 0 of any matrix."
    )
    games = list(dict.fromkeys(row["game"] for row in rows))
    yield Table(
        ("game", "η", "largest gap", "gap / η", "gap / √η", "survival falls short", "speed falls short"),
        [
            (
                row["game"],
                row["eta"],
                row["gap"],
                row["gap"] / row["eta"],
                row["gap"] / row["eta"] ** 0.5,
                row["survival_short"],
                row["speed_short"],
            )
            for row in rows
        ],
        "The most by which speed is below survival, and the largest proved shortfall of player 0's strategies of "
        "either kind in any state. `half-guan` is Guan if getting away is worth ½.",
    )
    orders = {game: order([row for row in rows if row["game"] == game]) for game in games}
    yield comparison_table(
        [
            Comparison(
                what="speed and survival become the same game as δ and 1 - β go to 0",
                source=f"{SOURCE}, section 4.1",
                there="yes",
                here="bounded by each other in "
                f"{sum(row['ordered'] and row['bounded'] for row in rows)} of {len(rows)} cases",
                holds=all(row["ordered"] and row["bounded"] for row in rows),
            )
        ]
    )
    told = ", ".join(f"{power:.2f} (`{game}`)" for game, power in orders.items())
    yield Conclusion(
        f"At the smallest sizes the gap shrinks like η to the power of {told}: fast if nearly everything is at stake "
        "on the way to a win, slowly if less is."
    )
    curves = {game.partition("(")[0]: {row["eta"]: row["gap"] for row in rows if row["game"] == game} for game in games}
    yield Figure("gaps", "How far speed is below survival.", lambda: log_curves(curves, x="η = 1 - β = δ", y="gap"))
    yield from limits(results)


def order(rows: list[Row]) -> float:
    """The order of the gap in η, from the two smallest sizes at which it exceeds rounding.

    >>> round(order([{"eta": 1e-2, "gap": 0.3}, {"eta": 1e-4, "gap": 0.003}]), 6)
    1.0
    """
    first, second = sorted((row for row in rows if row["gap"] > VISIBLE), key=lambda row: float(row["eta"]))[:2]
    return (log10(second["gap"]) - log10(first["gap"])) / (log10(second["eta"]) - log10(first["eta"]))


def limits(results: Results) -> Iterator[Block]:
    """How small 1 - β and δ can be before rounding hides their effect."""
    rows = results.rows("limits")
    sizes = sorted({row["eta"] for row in rows}, reverse=True)
    errors = {(row["form"], row["top"], row["eta"]): row["error"] for row in rows}
    kinds = list(dict.fromkeys((row["form"], row["top"]) for row in rows))
    names = {kind: f"{kind[0]}, value {'1' if kind[1] == 1.0 else '½'}" for kind in kinds}
    yield Table(
        ("η", *names.values()),
        [(f"{eta:.0e}", *(errors.get((*kind, eta)) for kind in kinds)) for eta in sizes],
        "The relative error of Guan's distance from its value, against the closed form. `cost` counts a win as 0 and "
        "everything else as 1, so that the distance itself is the value. Survival below 1e-14 is refused.",
    )
    usable = {names[kind]: [eta for eta in sizes if errors.get((*kind, eta), 1.0) <= 0.01] for kind in kinds}
    yield Conclusion(
        "To 1 % of the distance: "
        + "; ".join(
            f"{name} down to {min(found):.0e}" if found else f"{name} nowhere" for name, found in usable.items()
        )
        + ". δ ≥ 2⁻⁵³ is neither needed (cost) nor enough (speed as a value)."
    )


SECTIONS = (Section(title="Speed and survival", parts=("gaps", "limits"), blocks=section),)
