"""Lowered expectations: levels, maps, and what they are worth against an opponent who makes mistakes."""

import numpy as np

from kibitz_lab.studies.claims import Claim
from kibitz_lab.studies.measures import Measure, exact_columns
from kibitz_lab.studies.study import Case, Row, Settings, Work
from kibitz_solve import (
    LoweredSolution,
    best_response,
    build_game,
    expand_game,
    graph_sets,
    lower_expectations,
    lowerable,
    policy_values,
    solve,
)
from kibitz_solve.recursive.strategies.lowered import SLIP
from kibitz_solve.study.proposal import SOURCE

SETTINGS: Settings = {
    "lowered_games": (
        "right-turn(radius=12)",
        "chauffeur(radius=10)",
        "bear-brawl(hero_hp=3, bear_hp=3, radius=6, start=(1, 3, 4, 2))",
        "bear-brawl(hero_hp=1, bear_hp=2, radius=3, dimensions=2)",
        "right-turn(radius=60)",
    ),
    "blunder_games": 4,
    "blunders": (0.01, 0.1, 0.3),
}
"""The first few games are played against blunders: actions drawn evenly from all, with these probabilities."""
QUICK: Settings = {
    "lowered_games": ("right-turn(radius=6)", "bear-brawl(hero_hp=2, bear_hp=2, radius=4, start=(1, 2, 4, 2))"),
    "blunder_games": 2,
    "blunders": (0.1,),
}
WIDTH, ROUGH = 1e-5, 1e-3
"""Target width of intervals; and the one for states that count with their value, which is slow to prove."""


def parts(settings: Settings, seed: int) -> list[Work]:
    """Levels of every game, and play against blunders on the first of them."""
    games, met = settings["lowered_games"], settings["blunder_games"]
    blunders = [{"game": game, "blunder": blunder} for game in games[:met] for blunder in settings["blunders"]]
    return [
        Work(name="levels", work=levels_of, cases=[{"game": game} for game in games], version=2, weight=5.0),
        Work(name="blunders", work=against_blunders, cases=blunders, version=2, weight=5.0),
    ]


def levels_of(case: Case) -> Row:
    """The sizes of the levels, hopes and distances."""
    found = lower_expectations(solve(lowerable(build_game(case["game"])), width=WIDTH), width=WIDTH)
    game, count = found.game, len(found)
    winnable = graph_sets(game).positive
    alpha = graph_sets(expand_game(game, winnable)).positive[:count]
    above = found.levels[:count] > 0
    distances = found.together.distances[:count][found.levels[:count] >= 0]
    return {
        "states": count,
        "by level": ", ".join(f"{level}: {size:,}" for level, size in found.sizes().items()),
        "brink": int(found.brinks[:count][found.levels[:count] == 1].sum()),
        "alpha_new": int((alpha != winnable[:count]).sum()),
        "least_hope": float(found.hopes[0][:count][above].min(initial=1.0)),
        "surely": int((found.hopes[0][:count][above] >= 1.0 - WIDTH).sum()),
        "farthest": int(distances.max(initial=0)),
    }


def against_blunders(case: Case) -> Row:
    """The mean probability of a win from states where none can be forced, against perfect defence with blunders."""
    plain = solve(lowerable(build_game(case["game"])), width=WIDTH)
    found = lower_expectations(plain, width=WIDTH)
    players = {
        "plain": plain,
        "lowered": found,
        "by_value": lower_expectations(plain, by_value=True, width=ROUGH),
    }
    rows = {name: player.policy(0).shares for name, player in players.items()}
    won = won_by(found, rows, case["blunder"])
    return {**won, "gain": won["lowered"] - won["plain"]}


def won_by(found: LoweredSolution, rows: dict[str, np.ndarray], blunder: float) -> Row:
    """What each of player 0's strategies wins against this rate of blunders, and the most possible."""
    game, starts = found.game, found.game.mix_starts(1)
    even = np.repeat(1.0 / np.diff(starts), np.diff(starts))
    columns = (1.0 - blunder) * found.policy(1).shares + blunder * even
    above = np.flatnonzero(found.levels[: len(found)] != 0)
    won = {name: policy_values(game, shares, columns) for name, shares in rows.items()}
    won["most"] = best_response(game, columns, 1).values
    return {name: float(values[above].mean()) for name, values in won.items()}


LEVELS = ("states", "by level", "brink", "surely", "least_hope", "farthest", "alpha_new")
MEASURES = (
    Measure(
        name="Lowered expectations: levels",
        part="levels",
        by=("game",),
        columns=exact_columns(*LEVELS),
        about=(
            "Level 0 may be won. A state is on the brink of a level if some pair of actions leads in; level 1 holds "
            "the brink of level 0 and the states from which play can reach it, and so on; -1 is hopeless. Both play as "
            f"if player 1 slipped on a brink with probability {SLIP}; a hope is the probability of then reaching the "
            "level below: `surely` counts hopes of 1. `farthest` is the most rounds to level 0, `alpha_new` the states "
            "that the α-expansion adds."
        ),
    ),
    Measure(
        name="Lowered expectations: wins against blunders",
        part="blunders",
        by=("game", "blunder"),
        columns=exact_columns("plain", "lowered", "by_value", "most", "gain"),
        about=(
            "The exact probability of a win, the mean over all states from which none can be forced, against a "
            "defender who plays optimally except for actions drawn evenly with this probability. `by_value`: states "
            "that may be won count with their value; `most`: a player who knows the blunders."
        ),
        shown=True,
    ),
)
CLAIMS = (
    Claim(
        what="states that the α-expansion adds to Right Turn",
        source=f"{SOURCE}, section 4.2.1",
        there=0.0,
        measure="Lowered expectations: levels",
        column="alpha_new",
        cell={"game": "right-turn(radius=12)"},
    ),
    Claim(
        what="lowered expectations win more than the plain solution",
        source=f"{SOURCE}, section 4.2",
        there=0.0,
        relation=">",
        measure="Lowered expectations: wins against blunders",
        column="gain",
        cell={"game": "right-turn(radius=12)", "blunder": 0.01},
    ),
)
