"""The recogniser as a fitness function: tune an agent's weight of its card so that a watcher can recognise the card."""

from collections.abc import Iterator

import numpy as np

from kibitz.arena.statistics import mean_interval, paired_bootstrap
from kibitz.core.match.play import play
from kibitz.core.registry import make_game, make_model
from kibitz.games.risk.rules import Risk
from kibitz.studies.blocks import Block, Conclusion, Table
from kibitz.studies.results import Results
from kibitz.studies.risk.games import beliefs_of_models, ending
from kibitz.studies.risk.own_agents import GAME, LEARNED, actions_of, winner_of
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, cross_factors

SETTINGS: Settings = {"fitness_weights": (1, 4, 16, 64, 256), "fitness_games": 24}
QUICK: Settings = {"fitness_weights": (1, 64), "fitness_games": 4}
OTHERS = "heuristic"
FIGURES = ("share", "end", "won")
SHIPPED = 4
"""The weight of Domination's players."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every weight on the same deals, in each seat."""
    weights = {"w": sorted({SHIPPED, *settings["fitness_weights"]})}
    cases = cross_factors(weights, repeats=settings["fitness_games"], seed=seed, paired=["w"])
    return [Work(name="fitness", work=fit, cases=cases, weight=3.0)]


def fit(case: Case) -> Row:
    """The belief in the card of one agent with a mission, among others who only conquer."""
    game = make_game(GAME)
    assert isinstance(game, Risk)
    seat = case["repeat"] % game.players
    agents = [f"mission(w={case['w']})" if each == seat else OTHERS for each in range(game.players)]
    actions = actions_of(play(game, agents, seed=case["seed"]))
    last = ending(game, actions)
    shares = beliefs_of_models({LEARNED: make_model(LEARNED, "risk")}, game, actions)[LEARNED].by_turns[:, seat]
    card = last.missions[seat]
    return {"share": float(shares[:, card].mean()), "end": float(shares[-1, card]), "won": winner_of(last) == seat}


def fitness(results: Results) -> Iterator[Block]:
    """The results of each weight; the best of one half of the games is judged on the other half."""
    rows = results.rows("fitness")
    weights = sorted({row["w"] for row in rows})
    by_weight = {w: [row for row in rows if row["w"] == w] for w in weights}
    lines = []
    for w, some in by_weight.items():
        figures = [mean_interval([float(row[name]) for row in some], bounds=(0.0, 1.0)) for name in FIGURES]
        lines.append((w, len(some), *figures))
    columns = ("weight of the card", "games", "share of the true card", "at the end", "won")
    yield Table(columns, lines, f"One `mission(w)` among five `{OTHERS}`, by the learned model as a spectator.")
    shares = {w: np.array([row["share"] for row in some]) for w, some in by_weight.items()}
    half = len(shares[SHIPPED]) // 2
    best = max(weights, key=lambda w: shares[w][:half].mean())
    gained = paired_bootstrap(shares[best][half:], shares[SHIPPED][half:], bounds=(0.0, 1.0)).difference
    yield Conclusion(
        f"Tuned by what the recogniser says in one half of the games, the weight of the card becomes {best}; in the "
        f"other half the true card then has {gained.mean:+.3f} more than with {SHIPPED} "
        f"({gained.low:+.3f} to {gained.high:+.3f})."
    )


SECTIONS = (Section(title="The recogniser as a fitness", parts=("fitness",), blocks=fitness),)
