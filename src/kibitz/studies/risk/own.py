"""Our own agents: how early their missions are read, by every model, and what the weight of the card does."""

from collections.abc import Iterator
from functools import partial

from kibitz.core.play import play
from kibitz.core.records import Record
from kibitz.core.registry import make_game, make_model
from kibitz.games.risk.models.lessons import FRACTIONS
from kibitz.games.risk.rules import Risk, State
from kibitz.games.risk.thesis_csv import csv_text, watched
from kibitz.studies.blocks import Block, Conclusion, Figure, Listing, Paragraph, Table
from kibitz.studies.figures import panels
from kibitz.studies.results import Results
from kibitz.studies.risk.games import believed, ending
from kibitz.studies.risk.marks import accuracy, answers, calibration, log_loss, marked, mean_of, place
from kibitz.studies.risk.thesis import POINTS
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, crossed

SETTINGS: Settings = {"own_agents": ("constrained", "mission(w=100)", "mission(w=4)"), "own_games": 40}
QUICK: Settings = {"own_games": 3}
GAME = "risk(players=6, missions=continents, cards=fixed, board='dom-luca82')"
"""The game of the thesis."""
TOLD = ("risk.choice", "risk.choice(joint=False)", "risk.explanations", "risk.explanations(joint=True)", "plans")
LINES = 18
"""Of a CSV file that are shown: a player and the beginning of the next."""
WIDTH = 110


def parts(settings: Settings, seed: int) -> list[Part]:
    """Games in which all six play alike."""
    cases = crossed({"agent": settings["own_agents"]}, repeats=settings["own_games"], seed=seed)
    return [Work(name="own", work=told, cases=cases, weight=6.0)]


def told(case: Case) -> Row:
    """A game of six, as every model sees it from outside."""
    game = make_game(GAME)
    assert isinstance(game, Risk)
    record = play(game, [case["agent"]] * game.players, seed=case["seed"])
    actions = actions_of(record)
    last = ending(game, actions)
    marks = {
        name: marked(believed(make_model(name, "risk"), game, actions), last.missions, winner_of(last), 0)
        for name in TOLD
    }
    csv = csv_text(watched(record)) if case["repeat"] == 0 else ""
    return {"games": marks, "csv": csv}


def actions_of(record: Record) -> list[int]:
    """The actions of a record, chance included."""
    state = make_game(record.header.game).new_initial_state()
    found = []
    for entry in record.entries:
        found.append(state.string_to_action(state.current_player(), entry.actions[0]))
        state.apply_action(found[-1])
    return found


def winner_of(last: State) -> int | None:
    """Who has won, if anybody has."""
    return last.mover if last.is_terminal() else None


def own(results: Results) -> Iterator[Block]:
    """Accuracy by agent and model, over time, and a file of the thesis's shape."""
    rows = results.rows("own")
    curves = {}
    for agent in results.settings["own_agents"]:
        games = [row["games"] for row in rows if row["agent"] == agent]
        lines = []
        for name in TOLD:
            found = answers(game[name] for game in games)
            losses = [log_loss(found, each) for each in (0.5, 1.0)]
            lines.append((name, *(accuracy(found, each) for each in POINTS), *losses, calibration(found).error))
        points = tuple(f"at {each:.0%}" for each in POINTS)
        columns = ("model", *points, "log loss at 50%", "log loss at 100%", "calibration error")
        yield Table(columns, lines, f"Six times `{agent}`: the share of players whose card is told.")
        curves[agent] = {name: [accuracy(answers(g[name] for g in games), each) for each in FRACTIONS] for name in TOLD}
        yield from best_of(agent, answers(game["risk.choice"] for game in games))
    ticks = [f"{each:.0%}" if number % 5 == 0 else "" for number, each in enumerate(FRACTIONS)]
    yield Figure(
        "own-accuracy",
        "The share of players whose card is told, over the turn ends of the game.",
        partial(panels, curves, x="part of the game", y="cards told", limits=(0.0, 1.0), ticks=ticks),
    )
    first = next(row for row in rows if row["csv"])
    yield Listing(
        "\n".join(line[:WIDTH] for line in first["csv"].splitlines()[:LINES]),
        "The first lines of a file as the thesis has them, cut at the right.",
    )
    yield Paragraph("Half of a game's turn ends are placements of the setup, so that at half-time nobody has attacked.")


def best_of(agent: str, found: list[tuple[int, Row]]) -> Iterator[Conclusion]:
    """What the learned model makes of one agent."""
    half, end = accuracy(found, 0.5), accuracy(found, 1.0)
    sure = mean_of(found, (player["shares"][place(1.0)] for _, player in found), (0.0, 1.0))
    yield Conclusion(
        f"Of six `{agent}` the learned model tells {half.mean:.0%} at half-time ({half.low:.0%} to {half.high:.0%}) "
        f"and {end.mean:.0%} at the end ({end.low:.0%} to {end.high:.0%}); the true card then has {sure.mean:.0%}."
    )


SECTIONS = (Section(title="Our own agents", parts=("own",), blocks=own),)
