"""The online planner: certified values of plans of growing size, beside one look ahead; and matches."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby, product
from typing import Any

import numpy as np

from kibitz import core
from kibitz.arena.plots.charts import panels
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.core.match.play import play
from kibitz.core.records import Record
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import derived_seed, stream
from kibitz.solve import (
    RecursiveGame,
    best_response,
    build_game,
    heuristics_of,
    iterate,
    solve,
    strategy_shares,
    survival_operator,
)
from kibitz.studies.blocks import Block, Conclusion, Figure, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

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
    "planner_large": ("right-turn(radius=30)", "goofspiel", "inspection(periods=20, inspections=6)"),
    "planner_matches": 20,
}
QUICK: Settings = {
    "planner_games": ("guan", "inspection", "oshi-zumo(coins=[6, 6], size=2)"),
    "planner_nodes": (1, 16, 64),
    "planner_large": ("duel",),
    "planner_matches": 4,
}
SEATS = (0, 1)
ORDERS, LEANS = ("breadth", "best"), ("even", "cautious")
SHORT = 1e-3
"""The least difference of two certified values: the planner's discount alone costs a ten-thousandth of the value in
every round."""
DISCOUNT, NEAR = 0.99, 1e-6
"""For counting sweeps: the discount, and how near to the values they must get."""
PLAYED_NODES, MOST_PLIES, SHOWN_MATCHES = 50, 60, 3


def parts(settings: Settings, seed: int) -> list[Part]:
    """Certified values over budgets, sweeps by heuristic, and matches in larger games."""
    games = [(game, list(heuristics_of(make_game(game)))) for game in settings["planner_games"]]
    plans = [
        {"game": game, "player": player, "heuristic": heuristic, "order": order, "lean": lean, "nodes": nodes}
        for game, names in games
        for player in SEATS
        for heuristic, order, lean in (*product(names[:1], ORDERS, LEANS), ("range", ORDERS[0], LEANS[0]))
        for nodes in settings["planner_nodes"]
    ]
    sweeps = [{"game": game, "heuristic": name} for game, names in games for name in names]
    matches = [
        {"game": game, "player": player, "match": match, "seed": derived_seed(seed, game, player, match)}
        for game in settings["planner_large"]
        for player in SEATS
        for match in range(settings["planner_matches"])
    ]
    return [
        Work(name="planner_certified", work=certify_policies, cases=plans, weight=0.5),
        Work(name="planner_sweeps", work=count_sweeps, cases=sweeps, weight=0.2),
        Work(name="planner_matches", work=play_match, cases=matches, weight=0.2),
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


def play_match(case: Case) -> Row:
    """One match of the planner against the look-ahead: what it earned, and all events."""
    agents = ["lookahead", "lookahead"]
    agents[case["player"]] = f"planner(nodes={PLAYED_NODES})"
    record = play(case["game"], agents, seed=case["seed"], max_plies=MOST_PLIES)
    assert record.ending is not None
    told = told_moves(case["game"], record) if case["match"] == 0 else []
    return {"earned": record.ending.returns[case["player"]], "reason": record.ending.reason, "told": told}


def told_moves(game: str, record: Record) -> list[str]:
    """Round by round, what both chose and what followed."""
    state = make_game(game).new_initial_state()
    lines = [str(state)]
    for entry in record.entries:
        if entry.player == core.SIMULTANEOUS:
            state.apply_actions([state.string_to_action(player, text) for player, text in enumerate(entry.actions)])
        else:
            state.apply_action(state.string_to_action(entry.player, entry.actions[0]))
        chosen = "" if entry.player == core.CHANCE else f"{' / '.join(entry.actions)}: "
        lines.append(f"{chosen}{state}")
    return lines


def section(results: Results) -> Iterator[Block]:
    """Budgets, heuristics, matches."""
    yield Paragraph(
        "The planner (Algorithm 5, corrected) builds the game around its state up to a number of states, puts bounds "
        "of a heuristic at the frontier, solves that and plays the equilibrium; `lookahead` fills one matrix game with "
        "the same bounds. Both are certified: the best response to their actions in all states is computed."
    )
    rows = results.rows("planner_certified")
    yield from budgets(rows)
    yield from heuristics(rows, results.rows("planner_sweeps"))
    yield from matches(results)


def budgets(rows: list[Row]) -> Iterator[Block]:
    """Certified values over budgets, and the plans that are below one look ahead."""
    nodes = sorted({row["nodes"] for row in rows})
    yield Table(
        ("game", "seat", "heuristic", "order", "lean", "look-ahead", *map(str, nodes), "exact"),
        [
            (*plan, plans[0]["looked"], *(row["planned"] for row in plans), plans[0]["exact"])
            for plan, plans in ((plan, list(group)) for plan, group in groupby(rows, key=plan_of))
        ],
        "The proved payoff of the player, as a mean over all states of the game, above infinite play: for the "
        f"look-ahead, for plans of {', '.join(map(str, nodes))} states, and for optimal play.",
    )
    yield Figure(
        "planner-budgets",
        "Certified value over the budget, player 0, breadth first.",
        lambda: panels(
            curves(rows), x="states expanded", y="certified, mean of all states", ticks=[str(n) for n in nodes]
        ),
    )
    yield from exceptions(rows)


def plan_of(row: Row) -> tuple[Any, ...]:
    """The player and the kind of a plan, without its size."""
    return tuple(row[name] for name in ("game", "player", "heuristic", "order", "lean"))


def exceptions(rows: list[Row]) -> Iterator[Block]:
    """All plans that are certified for less than one look ahead in some state."""
    below = [row for row in rows if row["below"]]
    if below:
        yield Table(
            ("game", "seat", "heuristic", "order", "lean", "states expanded", "states below", "of", "at most by"),
            [(*plan_of(row), row["nodes"], row["below"], row["states"], row["most_below"]) for row in below],
            f"Plans certified for less than one look ahead in some state, by more than {SHORT:g}.",
        )
    enough = max((row["nodes"] for row in below), default=0)
    by_game = Counter(row["game"] for row in below)
    where = ", ".join(f"{count} of `{game}`" for game, count in by_game.items())
    yield Conclusion(
        f"Of {len(rows)} plans {len(rows) - len(below)} are certified nowhere below one look ahead with the same "
        f"heuristic{f'; the others ({where}) expand at most {enough} states' if below else ''}."
    )


def curves(rows: list[Row]) -> dict[str, dict[str, list[Estimate]]]:
    """The lines of the figure, over the budgets."""
    found: dict[str, dict[str, list[Estimate]]] = {}
    first = {row["game"]: row["heuristic"] for row in reversed(rows)}
    for row in rows:
        if plan_of(row) == (row["game"], 0, first[row["game"]], ORDERS[0], LEANS[0]):
            lines = found.setdefault(row["game"].partition("(")[0], {"planner": [], "look-ahead": [], "exact": []})
            for line, name in zip(lines.values(), ("planned", "looked", "exact"), strict=True):
                line.append(Estimate(row[name], row[name], row[name], 1, 1))
    return found


def heuristics(rows: list[Row], sweeps: list[Row]) -> Iterator[Block]:
    """The conjecture on dominating heuristics, both readings."""
    yield Table(
        ("game", "heuristic", "mean error at the start", "sweeps"),
        [(row["game"], row["heuristic"], row["off"], row["sweeps"]) for row in sweeps],
        f"Sweeps until all values are within {NEAR:g} of the discounted ones ({DISCOUNT}), from a heuristic's upper "
        "bounds; each game's first heuristic dominates `range`, and `forced` dominates both.",
    )
    needed = {(row["game"], row["heuristic"]): row["sweeps"] for row in sweeps}
    games = dict.fromkeys(row["game"] for row in sweeps)
    quicker = sum(needed[game, "forced"] <= needed[game, "range"] for game in games)
    pairs = [(row, other) for row in rows for other in rows if row["heuristic"] != "range" and is_dominated(row, other)]
    worse = [row for row, other in pairs if row["planned"] < other["planned"] - SHORT]
    yield Conclusion(
        "Keffer conjectures that with a dominating heuristic values converge sooner and strategies are better. For "
        f"values this holds, and `forced` needs no more sweeps than `range` in {quicker} of {len(games)} games. For "
        f"strategies it is false: {len(worse)} of {len(pairs)} plans with the dominating heuristic are certified for "
        f"less than the same plan with `range`{' (' + where(worse) + ')' if worse else ''}."
    )


def is_dominated(row: Row, other: Row) -> bool:
    """Whether *other* is the same plan by the wider heuristic."""
    same = all(row[name] == other[name] for name in ("game", "player", "order", "lean", "nodes"))
    return same and other["heuristic"] == "range"


def where(rows: list[Row]) -> str:
    """The names of these plans."""
    return ", ".join(f"{row['game']} as player {row['player']} with {row['nodes']} states" for row in rows)


def matches(results: Results) -> Iterator[Block]:
    """Matches against the look-ahead in larger games, and some of them move by move."""
    rows = results.rows("planner_matches")
    table = []
    for game, player in dict.fromkeys((row["game"], row["player"]) for row in rows):
        mine = [row for row in rows if (row["game"], row["player"]) == (game, player)]
        cut = sum(row["reason"] == "max_plies" for row in mine)
        earned = mean_interval([row["earned"] for row in mine], bounds=make_game(game).utility)
        table.append((game, player, earned, len(mine), cut))
    yield Table(
        ("game", "planner's seat", "earned", "matches", f"cut off after {MOST_PLIES} plies"),
        table,
        f"The planner with {PLAYED_NODES} states against the look-ahead, each with the game's first heuristic.",
    )
    for row in [row for row in rows if row["told"]][:SHOWN_MATCHES]:
        yield Paragraph(
            f"{row['game']}, the planner as player {row['player']}, who earned {row['earned']:g} in "
            f"{len(row['told']) - 1} moves. " + " → ".join(row["told"])
        )


SECTIONS = (
    Section(
        title="The online planner",
        parts=("planner_certified", "planner_sweeps", "planner_matches"),
        blocks=section,
    ),
)
