"""Our own agents: how early every model infers their missions (Khan 2013, 5.5)."""

from kibitz.core.match.play import play
from kibitz.core.registry import make_game, make_model
from kibitz_lab.studies.measures import Measure, fractions
from kibitz_lab.studies.study import Case, Row, Settings, Work, cross_factors
from kibitz_risk.game import Risk
from kibitz_risk.models.training_games import steps_of_record
from kibitz_risk.study.marks import ABOUT_SURE, NAMED, SURE, player_rows

SETTINGS: Settings = {
    "own_agents": ("constrained", "mission(w=100)", "mission(w=4)"),
    "own_games": 40,
}
QUICK: Settings = {"own_games": 2}
GAME = "risk(players=6, missions=continents, cards=fixed, board='dom-luca82')"
"""The game of the thesis."""
MODELS = ("risk.choice", "risk.choice(joint=False)", "risk.explanations", "risk.explanations(joint=True)", "plans")


def parts(settings: Settings, seed: int) -> list[Work]:
    """Games of six equal agents."""
    cases = cross_factors({"agent": settings["own_agents"]}, repeats=settings["own_games"], seed=seed)
    return [Work(name="own", work=score_game, cases=cases, version=3, weight=6.0)]


def score_game(case: Case) -> list[Row]:
    """A game of six, as every model sees it."""
    game = make_game(GAME)
    assert isinstance(game, Risk)
    record = play(game, [case["agent"]] * game.players, seed=case["seed"])
    actions = [action for (_, _, action, _), _ in steps_of_record(record)]
    return list(player_rows({name: make_model(name, "risk") for name in MODELS}, game, actions, case["repeat"]))


MEASURES = (
    Measure(
        name="Our own agents",
        part="own",
        by=("agent", "model"),
        columns=fractions(*NAMED, block="game"),
        about="Games of six equal agents: the fraction of players whose card is named.",
        shown=True,
    ),
    Measure(
        name="How sure about our own agents",
        part="own",
        by=("agent", "model"),
        columns=SURE,
        about=ABOUT_SURE,
    ),
)
