"""1D1H1B: Keffer's policy table (Table 1) and the formula for the winnable states (3.17)."""

from functools import partial
from itertools import product

import numpy as np

from kibitz.core.registry import make_game
from kibitz_lab.studies.claims import Claim
from kibitz_lab.studies.measures import Measure, exact_columns
from kibitz_lab.studies.study import Case, Row, Settings, Work
from kibitz_solve import RecursiveGame, build_game, expected_rounds, solve
from kibitz_solve.games.bear_brawl import BearBrawl
from kibitz_solve.study import proposal
from kibitz_solve.study.proposal import SOURCE, TABLE_1

SETTINGS: Settings = {"boards": ((5, 10), (5, 20), (10, 20))}
"""Hit points of both, and the largest distance from the powder."""
QUICK: Settings = {"boards": ((3, 9), (5, 10))}
TABLE_BOARD = "bear-brawl(hero_hp=3, bear_hp=3, radius=9)"
"""The board that holds all states of Table 1."""
SAME = 1e-6
"""Rounds that differ by less are equal."""


def parts(settings: Settings, seed: int) -> list[Work]:
    """Table 1 on its own board, and the formula on all of the boards."""
    boards = [{"hit_points": hit_points, "radius": radius} for hit_points, radius in settings["boards"]]
    return [
        Work(name="table_1", work=judged_table, version=2, cases=[{"game": TABLE_BOARD}]),
        Work(name="formula", work=judged_formula, cases=boards, weight=5.0),
    ]


def judged_table(case: Case) -> list[Row]:
    """Every row of Table 1: the rounds to the win, and whether both actions are among the best, in time too."""
    game = build_game(case["game"])
    needed = expected_rounds(game).expected
    return [judged_row(game, needed, position, *actions) for position, actions in TABLE_1.items()]


def judged_row(game: RecursiveGame, needed: np.ndarray, position: proposal.Position, hero: str, bear: str) -> Row:
    """One row: an action is best if it leaves one round less than the state has."""
    node = game.states.node(position)
    names = [game.states.actions(node, player) or [] for player in (0, 1)]
    left = game.matrix(node, needed)
    best = float(needed[node]) - 1.0
    hero_best = bool(left[names[0].index(hero)].max() <= best + SAME)
    bear_best = bool(left[:, names[1].index(bear)].min() >= best - SAME)
    row = {"state": str(position), "rounds": float(needed[node]), "hero": hero, "bear": bear}
    return {**row, "hero_best": hero_best, "bear_best": bear_best, "optimal": float(hero_best and bear_best)}


def judged_formula(case: Case) -> Row:
    """How many states go on and are won, how often (3.17) and our rounds differ, and the same for ended games."""
    spec = f"bear-brawl(hero_hp={case['hit_points']}, bear_hp={case['hit_points']}, radius={case['radius']})"
    solution = solve(spec, objective="survival")
    positions = [solution.game.states.state(node).position for node in range(len(solution))]
    promised = np.array([proposal.is_won_by_hero(*position) for position in positions])
    low, high = solution.low[: len(solution)], solution.high[: len(solution)]
    needed = expected_rounds(solution.game).expected[: len(solution)]
    predicted = np.array([proposal.rounds(*position) for position in positions])
    return {
        "states": len(solution),
        "won": int(promised.sum()),
        "differ": int(((low != promised) | (high != promised)).sum()),
        "rounds_differ": int((np.abs(needed - predicted)[promised] > SAME).sum()),
        "over_differ": over_differing(spec),
    }


def over_differing(spec: str) -> int:
    """Positions in which the game is over and (3.17) names the wrong winner."""
    game = make_game(spec)
    assert isinstance(game, BearBrawl)
    points, places = range(game.hero_hp + 1), range(-game.radius, game.radius + 1)
    ended = ((position, game.payoff(position)) for position in product(points, points, places, places))
    return sum(worth is not None and (worth > 0.0) != proposal.is_won_by_hero(*position) for position, worth in ended)


STATES = ("states", "won", "differ", "rounds_differ", "over_differ")
MEASURES = (
    Measure(
        name="1D1H1B: Table 1",
        part="table_1",
        by=("state", "hero", "bear"),
        columns=exact_columns("rounds", "hero_best", "bear_best"),
        about=(
            "A hero and a bear stand on a line with powder at 0; both choose at once to step left, step right or "
            "attack. A state is the hit points of hero and bear, then their places. An action is among the best if no "
            "other wins sooner, or loses later."
        ),
    ),
    Measure(
        name="1D1H1B: optimal rows of Table 1",
        part="table_1",
        by=(),
        columns=exact_columns("optimal"),
    ),
    Measure(
        name="1D1H1B: (3.17)",
        part="formula",
        by=("hit_points", "radius"),
        columns=exact_columns(*STATES),
        about=(
            "States that go on, those won by (3.17), those in which it differs from certified values, those in which "
            "the rounds do, and positions in which the game is over and it names the wrong winner."
        ),
    ),
)
formula = partial(
    Claim, source=f"{SOURCE}, (3.17)", there=0.0, measure="1D1H1B: (3.17)", cell={"hit_points": 5, "radius": 10}
)
CLAIMS = (
    Claim(
        what="all rows of Table 1 are optimal play",
        source=f"{SOURCE}, Table 1",
        there=1.0,
        measure="1D1H1B: optimal rows of Table 1",
    ),
    formula(what="states that go on in which (3.17) names the wrong winner", column="differ"),
    formula(what="ended positions in which (3.17) names the wrong winner", column="over_differ"),
)
