"""The recogniser as a fitness function: at which weight of the card is it recognised (Khan 2013, 5.5)?"""

from kibitz.core.match.play import play
from kibitz.core.registry import make_game, make_model
from kibitz.games.risk.game import Risk
from kibitz.studies.measures import Column, Measure
from kibitz.studies.risk.games import beliefs_of_models, ending
from kibitz.studies.risk.marks import FRACTION
from kibitz.studies.risk.own_agents import GAME, LEARNED, actions_of, winner_of
from kibitz.studies.study import Case, Part, Row, Settings, Work, cross_factors

SETTINGS: Settings = {"fitness_weights": (1, 4, 16, 64, 256), "fitness_games": 24}
QUICK: Settings = {"fitness_weights": (1, 64), "fitness_games": 5}
OTHERS = "heuristic"
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


MEASURES = (
    Measure(
        name="The recogniser as a fitness",
        part="fitness",
        by=("w",),
        columns=(
            Column(name="probability of the true card", of="share", bounds=FRACTION),
            Column(name=f"more than with w = {SHIPPED}", of="share", bounds=(-1.0, 1.0), less={"w": SHIPPED}),
            Column(name="at the end", of="end", bounds=FRACTION),
            Column(name="won", bounds=FRACTION),
        ),
        about=f"One `mission(w)` among five `{OTHERS}`, by the learned model as a spectator, on the same deals.",
    ),
)
