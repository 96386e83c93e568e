"""The online planner: certified values of plans of growing size, beside one look ahead."""

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from kibitz import core
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz_lab.studies.claims import Claim
from kibitz_lab.studies.measures import Column, Measure, exact_columns
from kibitz_lab.studies.study import Case, Results, Row, Settings, Work
from kibitz_solve import (
    RecursiveGame,
    best_response,
    build_game,
    heuristics_of,
    iterate,
    solve,
    strategy_shares,
    survival_operator,
)
from kibitz_solve.study.proposal import SOURCE

SETTINGS: Settings = {
    "planner_games": (
        "guan",
        "purgatory",
        "right-turn(radius=5)",
        "bear-brawl(radius=2)",
        "inspection",
        "duel(shells=[1, 1])",
        "oshi-zumo(coins=[6, 6], size=2)",
        "rps(wins=2)",
    ),
    "planner_nodes": (1, 4, 16, 64),
}
QUICK: Settings = {
    "planner_games": ("guan", "inspection", "oshi-zumo(coins=[6, 6], size=2)"),
    "planner_nodes": (1, 16, 64),
}
SEATS = (0, 1)
ORDERS, LEANS = ("breadth", "best"), ("even", "cautious")
SHORT = 1e-3
"""The least difference of two certified values: the planner's discount alone costs a ten-thousandth of the value in
every round."""
DISCOUNT, NEAR = 0.99, 1e-6
"""For counting sweeps: the discount, and how near to the values they must get."""


def parts(settings: Settings, seed: int) -> list[Work]:
    """Certified values over budgets, sweeps by heuristic."""
    games = [(game, list(heuristics_of(make_game(game)))) for game in settings["planner_games"]]
    plans = [
        {"game": game, "player": player, "heuristic": heuristic, "order": order, "lean": lean, "nodes": nodes}
        for game, names in games
        for player in SEATS
        for heuristic, order, lean in (*product(names[:1], ORDERS, LEANS), ("range", ORDERS[0], LEANS[0]))
        for nodes in settings["planner_nodes"]
    ]
    sweeps = [{"game": game, "heuristic": name} for game, names in games for name in names]
    return [
        Work(name="planner_certified", work=certify_policies, cases=plans, weight=0.5),
        Work(name="planner_sweeps", work=count_sweeps, cases=sweeps, weight=0.2),
    ]


def certify_policies(case: Case) -> Row:
    """The proved payoffs of the whole policies of planner and look-ahead, over all states."""
    player, game = case["player"], build_game(case["game"])
    solution = solve(game, width=SHORT)
    options = f"heuristic={case['heuristic']}, lean={case['lean']}"
    plan = f"planner(nodes={case['nodes']}, order={case['order']}, {options})"
    exact = (solution.low if player == 0 else -solution.high)[: game.choices]
    planned, looked = (guaranteed_values(game, spec, case["game"], player) for spec in (plan, f"lookahead({options})"))
    return {
        "states": game.choices,
        "exact": float(exact.mean()),
        "planned": float(planned.mean()),
        "looked": float(looked.mean()),
        "short": float((exact - planned).max()),
        "below": int((planned < looked - SHORT).sum()),
        "most_below": float((looked - planned).max()),
    }


def guaranteed_values(model: RecursiveGame, agent: str, game: str, player: int) -> np.ndarray:
    """The proved payoff of an agent's policy in every state, above infinite play."""
    seated = make_agent(agent)
    assert isinstance(seated, core.Strategy)
    seated.begin(make_game(game), player, stream(0, "seat"))
    found = best_response(model, strategy_shares(model, seated, player), player).guaranteed[: model.choices]
    return found if player == 0 else -found


def count_sweeps(case: Case) -> Row:
    """How many sweeps a heuristic's upper bounds need to reach the discounted values, and their error at the start."""
    model = build_game(case["game"])
    heuristic = heuristics_of(make_game(case["game"]))[case["heuristic"]]
    operator = survival_operator(DISCOUNT)
    values = iterate(model, operator, method="newton").values
    start = model.start(model.high)
    for node in range(model.choices):
        start[node] = heuristic.bounds(model.states.state(node))[1] - model.infinite_play
    found, sweeps = start, 0
    while float(np.abs(found - values)[: model.choices].max()) > NEAR:
        found = iterate(model, operator, method="jacobi", start=found, sweeps=1, tolerance=0.0).values
        sweeps += 1
    return {"off": float(np.abs(start - values)[: model.choices].mean()), "sweeps": sweeps}


def plan_rows(results: Results) -> Iterator[Row]:
    """Every plan, with what the same plan with the wider heuristic is certified for."""
    rows = results.rows("planner_certified")
    plans = {(row["heuristic"], *(row[name] for name in PLAN)): row["planned"] for row in rows}
    for row in rows:
        wider = plans.get(("range", *(row[name] for name in PLAN)))
        dominated = row["heuristic"] != "range" and wider is not None
        yield {**row, "worse": int(row["planned"] < wider - SHORT) if dominated and wider is not None else None}


def count_of(name: str) -> Column:
    """A column: the sum of an entry."""
    return Column(name=name, of=lambda rows: sum(bool(row[name]) for row in rows))


PLAN = ("game", "player", "order", "lean", "nodes")
MEASURES = (
    Measure(
        name="The planner: certified values",
        part="planner_certified",
        by=("game", "player", "heuristic", "order", "lean", "nodes"),
        columns=exact_columns("looked", "planned", "exact", "below"),
        about=(
            "The planner (Algorithm 5, corrected) builds the game around its state up to a number of states, puts "
            "bounds of a heuristic at the frontier and plays the equilibrium; `looked` is one look ahead with the same "
            "bounds. The proved payoff of the player, a mean over all states above infinite play; `below` counts "
            "states in which the plan is certified for less than the look-ahead."
        ),
    ),
    Measure(
        name="The planner: exceptions",
        part="planner_certified",
        by=("nodes",),
        rows=plan_rows,
        columns=(Column(name="plans", of=len), count_of("below"), count_of("worse")),
        about=(
            "Plans certified for less than one look ahead in some state, and plans with a dominating heuristic that "
            "are certified for less than the same plan with `range`."
        ),
    ),
    Measure(
        name="The planner: sweeps",
        part="planner_sweeps",
        by=("game", "heuristic"),
        columns=exact_columns("off", "sweeps"),
        about=(
            f"The mean error of a heuristic's upper bounds, and the sweeps from them until all values are within "
            f"{NEAR:g} of the discounted ones. Each game's first heuristic dominates `range`."
        ),
    ),
)
exception = partial(Claim, source=f"{SOURCE}, section 4.3", there=0.0, measure="The planner: exceptions")
CLAIMS = (
    exception(what="plans with a dominating heuristic that are worse", column="worse", cell={"nodes": 1}),
    exception(what="plans below one look ahead, of 64 states", column="below", cell={"nodes": 64}),
)
