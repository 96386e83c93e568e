"""Our own agents: how early every model infers their missions, and the effect of the weight of the card."""

from collections.abc import Iterator

from kibitz.core.match.play import play
from kibitz.core.records import Record
from kibitz.core.registry import make_game, make_model
from kibitz.games.risk.game import Risk, State
from kibitz.games.risk.models.training_games import FRACTIONS, at_fractions
from kibitz.games.risk.thesis_csv import player_reports
from kibitz.studies.measures import Column, Measure
from kibitz.studies.results import Results
from kibitz.studies.risk.games import Beliefs, beliefs_of_models, ending
from kibitz.studies.risk.marks import ABOUT_SURE, FRACTION, NAMED, SURE, hit_columns, mark_game, place, player_rows
from kibitz.studies.study import Case, Part, Row, Settings, Work, cross_factors

SETTINGS: Settings = {"own_agents": ("constrained", "mission(w=100)", "mission(w=4)"), "own_games": 40}
QUICK: Settings = {"own_games": 3}
GAME = "risk(players=6, missions=continents, cards=fixed, board='dom-luca82')"
"""The game of the thesis."""
LEARNED = "risk.choice"
MODELS = (LEARNED, "risk.choice(joint=False)", "risk.explanations", "risk.explanations(joint=True)", "plans")
TENTHS = tuple(each for each in FRACTIONS if round(each * 100) % 10 == 0)


def parts(settings: Settings, seed: int) -> list[Part]:
    """Games of six equal agents."""
    cases = cross_factors({"agent": settings["own_agents"]}, repeats=settings["own_games"], seed=seed)
    return [Work(name="own", work=score_game, cases=cases, version=2, weight=6.0)]


def score_game(case: Case) -> Row:
    """A game of six, as every model sees it as a spectator."""
    game = make_game(GAME)
    assert isinstance(game, Risk)
    record = play(game, [case["agent"]] * game.players, seed=case["seed"])
    actions = actions_of(record)
    last = ending(game, actions)
    beliefs = beliefs_of_models({name: make_model(name, "risk") for name in MODELS}, game, actions)
    marks = {name: mark_game(each, last.missions, winner_of(last), 0) for name, each in beliefs.items()}
    return (
        {"games": marks} if case["repeat"] else {"games": marks, "shown": example_game(record, game, beliefs[LEARNED])}
    )


def example_game(record: Record, game: Risk, beliefs: Beliefs) -> Row:
    """The data of a single game for the graphs."""
    explanations = player_reports(record)[0].explanations
    return {
        "explanations": {name: at_fractions(values, TENTHS) for name, values in explanations.items()},
        "cards": [game.map.mission_name(mission) for mission in game.mission_deck],
        "shares": beliefs.by_turns.tolist(),
    }


def actions_of(record: Record) -> list[int]:
    """The actions of a record, chance included."""
    state = make_game(record.header.game).new_initial_state()
    found = []
    for entry in record.entries:
        found.append(state.string_to_action(state.current_player(), entry.actions[0]))
        state.apply_action(found[-1])
    return found


def winner_of(last: State) -> int | None:
    """The winner, if there is one."""
    return last.mover if last.is_terminal() else None


def own_rows(results: Results) -> Iterator[Row]:
    """Every player of every game by every model."""
    for agent in results.settings["own_agents"]:
        games = [row["games"] for row in results.rows("own") if row["agent"] == agent]
        for model in MODELS:
            yield from player_rows((game[model] for game in games), agent=agent, model=model)


def curve_rows(results: Results) -> Iterator[Row]:
    """The same at every tenth of the game."""
    for row in own_rows(results):
        yield from ({**row, "at": at, "cards named": row["hits"][place(at)]} for at in TENTHS)


def single_rows(results: Results) -> Iterator[Row]:
    """The first game: the probability of each card for each player, by the learned model."""
    for row in results.rows("own")[:1]:
        shown, players = row["shown"], row["games"][LEARNED]["players"]
        for seat, player in enumerate(players):
            for number, card in enumerate(shown["cards"]):
                for at in TENTHS:
                    probability = shown["shares"][place(at)][seat][number]
                    yield {"player": f"{seat}: {shown['cards'][player['card']]}", "card": card, "at": at,
                           "probability": probability}  # fmt: skip


def explanation_rows(results: Results) -> Iterator[Row]:
    """The first game: every explanation of the first player, by the recogniser of the thesis."""
    for row in results.rows("own")[:1]:
        for explanation, values in row["shown"]["explanations"].items():
            for at, probability in zip(TENTHS, values, strict=True):
                yield {"explanation": explanation, "at": at, "probability": probability}


PROBABILITY = (Column(name="probability", exact=True, bounds=FRACTION),)
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
    Measure(
        name="Our own agents: over the game",
        part="own",
        by=("agent", "model", "at"),
        rows=curve_rows,
        columns=(Column(name="cards named", block="game", bounds=FRACTION),),
        across=True,
        drawn="curves",
    ),
    Measure(
        name="A single game",
        part="own",
        by=("player", "card", "at"),
        rows=single_rows,
        columns=PROBABILITY,
        about="The first game of the first agent: each card for each player, by the learned model.",
        across=True,
        drawn="curves",
    ),
    Measure(
        name="A single player",
        part="own",
        by=("explanation", "at"),
        rows=explanation_rows,
        columns=PROBABILITY,
        about="The same game: every explanation of player 0, by the recogniser of the thesis.",
        across=True,
        drawn="curves",
    ),
)
