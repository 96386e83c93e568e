"""Our own agents: how early every model infers their missions (Khan 2013, 5.5)."""

from collections.abc import Iterator

from kibitz.core.match.play import play
from kibitz.core.records import Record
from kibitz.core.registry import make_game, make_model
from kibitz.games.risk.game import Risk
from kibitz.studies.measures import Measure
from kibitz.studies.risk.games import beliefs_of_models, ending
from kibitz.studies.risk.marks import ABOUT_SURE, NAMED, SURE, hit_columns, mark_game, player_rows
from kibitz.studies.study import Case, Results, Row, Settings, Work, cross_factors

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
    return [Work(name="own", work=score_game, cases=cases, version=2, weight=6.0)]


def score_game(case: Case) -> Row:
    """A game of six, as every model sees it."""
    game = make_game(GAME)
    assert isinstance(game, Risk)
    actions = actions_of(play(game, [case["agent"]] * game.players, seed=case["seed"]))
    last = ending(game, actions)
    beliefs = beliefs_of_models({name: make_model(name, "risk") for name in MODELS}, game, actions)
    winner = last.mover if last.is_terminal() else None
    return {"games": {name: mark_game(each, last.missions, winner) for name, each in beliefs.items()}}


def actions_of(record: Record) -> list[int]:
    """The actions of a record, chance included."""
    state = make_game(record.header.game).new_initial_state()
    found = []
    for entry in record.entries:
        found.append(state.string_to_action(state.current_player(), entry.actions[0]))
        state.apply_action(found[-1])
    return found


def own_rows(results: Results) -> Iterator[Row]:
    """Every player of every game by every model."""
    for agent in results.settings["own_agents"]:
        games = [row["games"] for row in results.rows("own") if row["agent"] == agent]
        for model in MODELS:
            yield from player_rows((game[model] for game in games), agent=agent, model=model)


MEASURES = (
    Measure(
        name="Our own agents",
        part="own",
        by=("agent", "model"),
        rows=own_rows,
        columns=hit_columns(*NAMED),
        about="Games of six equal agents: the fraction of players whose card is named.",
        shown=True,
    ),
    Measure(
        name="How sure about our own agents",
        part="own",
        by=("agent", "model"),
        rows=own_rows,
        columns=SURE,
        about=ABOUT_SURE,
    ),
)
