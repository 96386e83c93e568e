"""How much an agent can gain from knowing its opponent, and how much of it the agent that learns this gets."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz.arena.statistics import Estimate
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.games.trails.agents.negotiator import Negotiator
from kibitz.games.trails.agents.population import PDA19, STRANGERS
from kibitz.games.trails.agents.versions import VERSIONS
from kibitz.games.trails.lookahead.bounds import fixed_response, known_response
from kibitz.games.trails.lookahead.plans import PLANS
from kibitz.games.trails.rules import Trails
from kibitz.studies.blocks import Block, Cell, Conclusion, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work
from kibitz.studies.trails.fields import game_on
from kibitz.studies.trails.scores import BOARDS
from kibitz.studies.trails.strength import KIBITZER, games_of_agents, sources

PLAN_NAMES = tuple(f"trails.{name}" for name in PLANS)
BAR = 0.4
"""The share of the gap that the agent should close."""
SETTINGS: Settings = {
    "fixed_agents": (*PDA19, *STRANGERS, *tuple(VERSIONS.values())[:2], *PLAN_NAMES),
    "bound_games": 10,
    "bound_nodes": 10_000,
}
QUICK: Settings = {"fixed_agents": ("trails.deceiver", *PLAN_NAMES), "bound_games": 2, "bound_nodes": 300}
Floats = NDArray[np.float64]
Places = NDArray[np.int64]
RESAMPLES = 10_000
"""Fields of opponents drawn for the interval of a share."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every fixed agent against all opponents, and look-ahead that knows each of them."""
    field = (*settings["known"], *settings["strangers"])
    shared = {"games": settings["bound_games"], "nodes": settings["bound_nodes"]}
    fixed = [
        {"board": board, "agent": agent, "opponents": field, **shared}
        for board in BOARDS
        for agent in settings["fixed_agents"]
    ]
    known = [{"board": board, "opponent": opponent, **shared} for board in BOARDS for opponent in field]
    return [Work(name="fixed", work=fixed_row, cases=fixed), Work(name="responses", work=known_row, cases=known)]


def negotiator(name: str) -> Negotiator:
    """The negotiator of that name."""
    agent = make_agent(name)
    assert isinstance(agent, Negotiator)
    return agent


def trails_on(board: str) -> Trails:
    """The game on a board."""
    game = make_game(game_on(board))
    assert isinstance(game, Trails)
    return game


def fixed_row(case: Case) -> Row:
    """What a fixed agent earns from all opponents, in both seats."""
    game, agent = trails_on(case["board"]), negotiator(case["agent"])
    earned = {
        name: fmean(fixed_response(game, seat, agent, negotiator(name), case["games"]) for seat in (0, 1))
        for name in case["opponents"]
    }
    return {"earned": earned}


def known_row(case: Case) -> Row:
    """What look-ahead that knows an opponent earns from them, in both seats."""
    game, opponent = trails_on(case["board"]), negotiator(case["opponent"])
    return {"earned": fmean(known_response(game, seat, opponent, case["nodes"], case["games"]) for seat in (0, 1))}


class Gap(NamedTuple):
    """The payoffs on a board: of the best fixed agent, of the agent that learns, and of one that knows."""

    best: str
    low: float
    own: float
    high: float
    share: Estimate


def bound_blocks(results: Results) -> Iterator[Block]:
    """The bounds, and the share of the gap between them."""
    rows: list[tuple[Cell, ...]] = []
    shares = {}
    for board in BOARDS:
        for title, plans in (("negotiators", ()), ("negotiators and plans", PLAN_NAMES)):
            found = gap(results, board, plans)
            rows.append((board.upper(), title, *found))
            shares[board, title] = found.share
    yield Table(
        ("board", "fixed agents", "best of them", "which earns", KIBITZER, "knowing the opponent", "share of the gap"),
        rows,
        "Points per game over all opponents and both seats; shares with 95 % intervals over opponents.",
    )
    yield Paragraph(
        "A fixed agent plays the same way against all opponents; the best of them on average is the lower bound. The "
        "main numbers are those with the population and PERB as fixed agents, the ones without look-ahead; the plans "
        "that the agent looks ahead with were made for it, and the second numbers count them as fixed agents, too. "
        "The upper bound is the mean over opponents of the most that any agent got from each: look-ahead that knows "
        "them, any fixed agent, or the agent itself. It was found, not proved; on small boards it was compared with "
        "exact best responses. For the intervals opponents were resampled, and the best fixed agent chosen for each "
        "sample."
    )
    main = {board: share for (board, title), share in shares.items() if title == "negotiators"}
    least = min(main, key=lambda board: main[board].mean)
    verdict = "at least" if main[least].mean >= BAR else "on some board less than"
    yield Conclusion(
        f"Of what knowing the opponent is worth beyond the best fixed agent, the agent that learns gets {verdict} "
        f"{BAR:.0%}: {main[least].mean:.0%} ({main[least].low:.0%} to {main[least].high:.0%}) on {least.upper()} is "
        "the least."
    )


def gap(results: Results, board: str, plans: Sequence[str]) -> Gap:
    """The payoffs on a board, if *plans* count as fixed agents."""
    everyone = {row["agent"]: row["earned"] for row in results.rows("fixed") if row["board"] == board}
    responses = {row["opponent"]: row["earned"] for row in results.rows("responses") if row["board"] == board}
    games = [game for game in games_of_agents(results, KIBITZER) if game.board == board]
    own = np.array([fmean(game.own for game in games if game.opponent == opponent) for opponent in responses])
    fixed = np.array([[earned[opponent] for opponent in responses] for earned in everyone.values()])
    most = np.maximum(np.maximum(own, list(responses.values())), fixed.max(axis=0))
    names = list(everyone)
    counted = [place for place, name in enumerate(names) if name in plans or name not in PLAN_NAMES]
    low = fixed[counted].mean(axis=1)
    share = share_closed(own, fixed[counted], most)
    return Gap(names[counted[int(low.argmax())]], float(low.max()), float(own.mean()), float(most.mean()), share)


def share_closed(own: Floats, fixed: Floats, most: Floats) -> Estimate:
    """The share of the gap between the best fixed agent and the most, with its interval over opponents."""

    def closed_share(places: Places) -> Floats:
        low = fixed[:, places].mean(axis=-1).max(axis=0)
        gained, there = own[places].mean(axis=-1) - low, most[places].mean(axis=-1) - low
        return np.where(there > 0.0, gained / np.where(there > 0.0, there, 1.0), 1.0)

    opponents = len(own)
    drawn = closed_share(stream(0, "share").integers(opponents, size=(RESAMPLES, opponents)))
    low, high = np.quantile(drawn, (0.025, 0.975))
    mean = closed_share(np.arange(opponents)[None, :])[0]
    return Estimate(float(mean), float(low), float(high), opponents, opponents)


SECTIONS = (
    Section(
        title="The worth of knowing the opponent",
        parts=(*sources("kibitzer"), "fixed", "responses"),
        blocks=bound_blocks,
    ),
)
