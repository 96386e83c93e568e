"""How much there is to gain from knowing whom one deals with, and how much of it the agent gets that finds out."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from kibitz.core.registry import make_agent, make_game
from kibitz.games.trails.agents.negotiator import Negotiator
from kibitz.games.trails.agents.population import PDA19, STRANGERS
from kibitz.games.trails.lookahead.bounds import fixed_response, known_response
from kibitz.games.trails.lookahead.plans import PLANS, Plan
from kibitz.games.trails.rules import Trails
from kibitz.studies.blocks import Block, Cell, Conclusion, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work
from kibitz.studies.trails.fields import game_on
from kibitz.studies.trails.strength import KIBITZER, of, played

BAR = 0.4
"""The share of the gap that the agent is to close."""
SETTINGS: Settings = {
    "fixed_agents": (*PDA19, *STRANGERS, *PLANS),
    "bound_games": 20,
    "bound_nodes": 10_000,
}
QUICK: Settings = {"fixed_agents": ("trails.deceiver", *PLANS), "bound_games": 2, "bound_nodes": 300}


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every fixed way to play with everybody, and look-ahead that knows each of them."""
    field, boards = (*settings["known"], *settings["strangers"]), settings["strength_boards"]
    shared = {"games": settings["bound_games"], "nodes": settings["bound_nodes"]}
    fixed = [
        {"board": board, "agent": agent, "opponents": field, **shared}
        for board in boards
        for agent in settings["fixed_agents"]
    ]
    known = [{"board": board, "opponent": opponent, **shared} for board in boards for opponent in field]
    return [
        Work(name="fixed", work=fixed_row, cases=fixed, weight=10.0),
        Work(name="responses", work=known_row, cases=known, weight=20.0),
    ]


def negotiator(name: str) -> Negotiator:
    """The negotiator of that name, or of the plan that is called so."""
    agent = Plan(PLANS[name]) if name in PLANS else make_agent(name)
    assert isinstance(agent, Negotiator)
    return agent


def trails_on(board: str) -> Trails:
    """The game on a board."""
    game = make_game(game_on(board))
    assert isinstance(game, Trails)
    return game


def fixed_row(case: Case) -> Row:
    """What one who always plays alike earns from everybody, in both seats."""
    game, agent = trails_on(case["board"]), negotiator(case["agent"])
    earned = {
        name: fmean(fixed_response(game, seat, agent, negotiator(name), case["games"]) for seat in (0, 1))
        for name in case["opponents"]
    }
    return {"earned": earned}


def known_row(case: Case) -> Row:
    """What look-ahead that knows an opponent earns from him, in both seats."""
    game, opponent = trails_on(case["board"]), negotiator(case["opponent"])
    return {
        "earned": fmean(known_response(game, seat, opponent, case["nodes"], case["games"] // 2 + 1) for seat in (0, 1))
    }


def told(results: Results) -> Iterator[Block]:
    """The bounds, and the share of what lies between them."""
    rows: list[tuple[Cell, ...]] = []
    shares = {}
    for board in results.settings["strength_boards"]:
        for title, names in (("negotiators", ()), ("negotiators and plans", tuple(PLANS))):
            found = gap(results, board, names)
            rows.append((board.upper(), title, *found))
            shares[board, title] = found[-1]
    yield Table(
        ("board", "fixed agents", "best of them", "which earns", KIBITZER, "knowing the opponent", "share of the gap"),
        rows,
        "Points per game over all opponents and both seats.",
    )
    yield Paragraph(
        "A fixed agent plays alike whomever it meets; the best of them on average is the lower bound. The upper bound "
        "is the mean over opponents of the most that anybody got from each: look-ahead that knows him, any fixed "
        "agent, or the agent itself. On small boards such look-ahead was compared with exact best responses."
    )
    least = min(shares, key=lambda key: shares[key])
    verdict = "at least" if shares[least] >= BAR else "on some board less than"
    yield Conclusion(
        f"Of what knowing the opponent is worth beyond the best fixed agent, the agent that finds out gets {verdict} "
        f"{BAR:.0%}: {shares[least]:.0%} on {least[0].upper()} with {least[1]} as fixed agents is the least."
    )


def gap(results: Results, board: str, plans: Sequence[str]) -> tuple[str, float, float, float, float]:
    """The best fixed agent with its mean, the agent's, that of the responses, and the share of the gap."""
    everyone = {row["agent"]: row["earned"] for row in results.rows("fixed") if row["board"] == board}
    fixed = {name: earned for name, earned in everyone.items() if name in plans or name not in PLANS}
    games = [game for game in of(played(results), KIBITZER) if game.board == board]
    most, own = [], []
    for row in results.rows("responses"):
        if row["board"] != board:
            continue
        opponent = row["opponent"]
        own.append(fmean(game.own for game in games if game.opponent == opponent))
        most.append(max(own[-1], row["earned"], *(earned[opponent] for earned in everyone.values())))
    best = max(fixed, key=lambda name: fmean(fixed[name].values()))
    low, high, here = fmean(fixed[best].values()), fmean(most), fmean(own)
    return best, low, here, high, (here - low) / (high - low) if high > low else 1.0


SECTIONS = (Section(title="What it is worth to know the other", parts=("strength", "fixed", "responses"), blocks=told),)
