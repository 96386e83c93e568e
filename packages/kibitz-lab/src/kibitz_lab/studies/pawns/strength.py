"""Games for strength: searches that predict the opponent, and plain search that spends as many nodes."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from kibitz import core
from kibitz.core.agent import Clock
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.models.strategy_filter import StrategyFilter
from kibitz_lab.games.pawns.agents import TABLE
from kibitz_lab.models.dbn.model import Dbn
from kibitz_lab.search.alphabeta import AlphaBeta
from kibitz_lab.search.asymmetric import Asymmetric
from kibitz_lab.studies.pawns.play import NOISE, play_game, steps
from kibitz_lab.studies.study import Case, Results, Row, Settings, cross_factors

WINS = "mate"
MODELS = ("asymmetric dbn", "asymmetric filter")
"""The arms to judge: the asymmetric tree with the network that comes with the game, and with the strategy filter."""
CAPPED = "capped for "
CAPS = {arm: CAPPED + arm for arm in MODELS}
"""The controls that spend what an arm does."""
PLAIN, FURTHER = "plain", "plain, deeper"
DEEPER = 2
"""How many plies further the asymmetric tree and the deeper plain search look."""
DEEPEST, MOST = 12, 30_000
"""The greatest depth and the most nodes of a search with a node budget."""
SURPLUS = 1.1
"""The factor between the nodes of a capped control and of its arm, so that it has at least as many in all games."""
SAMPLED = 4
"""The step between positions of a pilot game that are searched to see what a budget would buy."""
HELD_OUT = {
    "keeper": (0.0, 1000.0, 0.0, -100.0, 0.0, 10000.0),
    "herd": (0.0, 100.0, -10.0, -10000.0, -10.0, 1000.0),
}
"""Strategies that no model was trained on or knows: one keeps its pawns, one keeps them together."""
OPPONENTS = {"inside": tuple(TABLE), "outside": (*HELD_OUT, "S4 at half depth", "S2 two plies deeper", "unsteady S3")}
GAINS = {
    "over plain search of its cost": CAPS,
    "over plain search": dict.fromkeys(MODELS, PLAIN),
    "over deeper plain search": dict.fromkeys(MODELS, FURTHER),
}
"""The comparisons of an arm, each with its control."""


def player(arm: str, own: str, depth: int, budget: float | None = None) -> AlphaBeta:
    """The player of an arm with the weights of the strategy *own*; the *budget* of a capped arm is its nodes."""
    common: dict[str, Any] = {"weights": TABLE[own], "noise": NOISE, "win_value": WINS}
    if arm.startswith(CAPPED):
        return AlphaBeta(depth=DEEPEST, nodes=None if budget is None else int(budget), step=2, **common)
    network = Dbn(trained="pawns.em", own=f"pawns.{own.lower()}(noise='leaf')")
    made: dict[str, Callable[[], AlphaBeta]] = {
        PLAIN: lambda: AlphaBeta(depth=depth, **common),
        FURTHER: lambda: AlphaBeta(depth=depth + DEEPER, **common),
        "asymmetric dbn": lambda: Asymmetric(network, depth, DEEPER, rule="seen_before", **common),
        "asymmetric filter": lambda: Asymmetric(
            StrategyFilter(depth=1), depth, DEEPER, rule="mass(mass=0.8)", **common
        ),
    }
    return made[arm]()


def opponent(name: str, depth: int) -> AlphaBeta:
    """The opponent of that name: a strategy of the library, which looks *depth* plies ahead, or one outside it."""
    common: dict[str, Any] = {"noise": NOISE, "win_value": WINS}
    if name == "S4 at half depth":
        return AlphaBeta(depth=max(1, depth // 2), weights=TABLE["S4"], **common)
    if name == "S2 two plies deeper":
        return AlphaBeta(depth=depth + 2, weights=TABLE["S2"], **common)
    if name == "unsteady S3":
        return AlphaBeta(depth=depth, weights=TABLE["S3"], variety=0.2, **common)
    return AlphaBeta(depth=depth, weights={**TABLE, **HELD_OUT}[name], **common)


def meetings(settings: Settings, seed: int, arms: Sequence[str], repeats: Mapping[str, int]) -> list[Case]:
    """Every strategy with every opponent, in both colours; all arms on the same seeds, so that games are pairs."""
    return [
        case
        for library, often in repeats.items()
        for case in cross_factors(
            {
                "library": [library],
                "arm": arms,
                "own": settings["owned"],
                "opponent": OPPONENTS[library],
                "colour": (0, 1),
                "base": [settings["base"]],
            },
            repeats=often,
            seed=seed,
            paired=["arm"],
        )
    ]


def pilot_cases(settings: Settings, seed: int) -> list[Case]:
    """A game of every arm with every opponent, which measures what the arm spends."""
    return meetings(settings, seed, MODELS, dict.fromkeys(OPPONENTS, 1))


def duel_cases(results: Results) -> list[Case]:
    """The games of all arms and controls, with the budgets of those that have one."""
    settings, rows = results.settings, results.rows("pilot")
    budgets = {(library, CAPS[arm]): budget_of(rows, library, arm) for library in OPPONENTS for arm in MODELS}
    repeats = {library: settings[library] for library in OPPONENTS}
    cases = meetings(settings, results.seed, [PLAIN, FURTHER, *MODELS, *CAPS.values()], repeats)
    return [{**case, "budget": budgets.get((case["library"], case["arm"]))} for case in cases]


def duel(case: Case) -> Row:
    """A game of an arm: its score, its moves, and its nodes with those of its model."""
    game, colour = game_of(case), case["colour"]
    score = (1.0 + game["result"] * (1 if colour == 0 else -1)) / 2.0
    return {"score": score, "moves": game["searches"][colour], "nodes": game["nodes"][colour]}


def game_of(case: Case) -> Row:
    """The game of a case, with the arm in the seat of its colour."""
    agent = player(case["arm"], case["own"], case["base"], case.get("budget"))
    other = opponent(case["opponent"], case["base"])
    black, white = (agent, other) if case["colour"] == 0 else (other, agent)
    return play_game(black, white, case["seed"])


def measure_cost(case: Case) -> Row:
    """What an arm spends in a game, and what deepening without a budget would spend in some of its positions."""
    found, colour = game_of(case), case["colour"]
    deepening = player(CAPS[case["arm"]], case["own"], case["base"], MOST)
    deepening.begin(make_game("pawns"), colour, stream(case["seed"], "pilot"))
    states = [state for state, _ in steps(found["moves"])[colour:-1:2][::SAMPLED]]
    spent = [spent_on(deepening, state) for state in states]
    return {"moves": found["searches"][colour], "nodes": found["nodes"][colour], "costs": spent}


def spent_on(agent: AlphaBeta, state: core.State) -> int:
    """The nodes of one move."""
    agent.act(state, Clock())
    assert agent.found is not None, "it has just searched"
    return agent.found.nodes


def budget_of(rows: Sequence[Row], library: str, arm: str) -> int:
    """The least budget with which plain search spends what an arm does, and a little more."""
    own = [row for row in rows if (row["library"], row["arm"]) == (library, arm)]
    spent = SURPLUS * sum(row["nodes"] for row in own) / sum(row["moves"] for row in own)
    return enough(np.array([each for row in own for each in row["costs"]]), spent)


def enough(costs: Any, spent: float) -> int:
    """The least budget with which searches of these unbounded costs spend *spent* on average.

    >>> enough(np.array([100, 1000]), 300.0)
    500
    """
    return 1 + bisect_left(range(1, MOST), spent, key=lambda budget: float(np.minimum(costs, budget).mean()))


def gain_rows(results: Results) -> Iterator[Row]:
    """The gain of every arm over its controls, game by game on the same seeds, opponents and colours."""
    pairs: dict[tuple[Any, ...], dict[str, float]] = {}
    for row in results.rows("duels"):
        pair = tuple(row[name] for name in ("library", "own", "opponent", "colour", "repeat"))
        pairs.setdefault(pair, {})[row["arm"]] = row["score"]
    for (library, *_), scores in pairs.items():
        for arm in MODELS:
            gains = {
                name: scores[arm] - scores[control[arm]]
                for name, control in GAINS.items()
                if arm in scores and control[arm] in scores
            }
            yield {"library": library, "arm": arm, **gains}
