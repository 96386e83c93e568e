"""Our own agents: how early every model infers their missions, and the effect of the weight of the card."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from kibitz.arena.plots.charts import panels
from kibitz.core.match.play import play
from kibitz.core.records import Record
from kibitz.core.registry import make_game, make_model
from kibitz.games.risk.models.training_games import FRACTIONS
from kibitz.games.risk.rules import Risk, State
from kibitz.games.risk.thesis_csv import csv_text, player_reports
from kibitz.studies.blocks import Block, Conclusion, Figure, Listing, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.risk.games import Beliefs, beliefs_of_models, ending
from kibitz.studies.risk.marks import accuracy, answers, calibration, log_loss, mark_game, mean_of, place
from kibitz.studies.risk.thesis import POINTS
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, cross_factors

SETTINGS: Settings = {"own_agents": ("constrained", "mission(w=100)", "mission(w=4)"), "own_games": 40}
QUICK: Settings = {"own_games": 3}
GAME = "risk(players=6, missions=continents, cards=fixed, board='dom-luca82')"
"""The game of the thesis."""
LEARNED = "risk.choice"
TOLD = (
    LEARNED,
    "risk.choice(joint=False)",
    "risk.explanations",
    "risk.explanations(joint=True)",
    "plans",
)
LINES = 18
"""The lines of a CSV file to show: a player and the beginning of the next."""
WIDTH = 110
TICKS = [f"{each:.0%}" if number % 5 == 0 else "" for number, each in enumerate(FRACTIONS)]


def parts(settings: Settings, seed: int) -> list[Part]:
    """Games of six equal agents."""
    cases = cross_factors({"agent": settings["own_agents"]}, repeats=settings["own_games"], seed=seed)
    return [Work(name="own", work=score_game, cases=cases, weight=6.0)]


def score_game(case: Case) -> Row:
    """A game of six, as every model sees it as a spectator."""
    game = make_game(GAME)
    assert isinstance(game, Risk)
    record = play(game, [case["agent"]] * game.players, seed=case["seed"])
    actions = actions_of(record)
    last = ending(game, actions)
    beliefs = beliefs_of_models({name: make_model(name, "risk") for name in TOLD}, game, actions)
    marks = {name: mark_game(each, last.missions, winner_of(last), 0) for name, each in beliefs.items()}
    return (
        {"games": marks} if case["repeat"] else {"games": marks, "shown": example_game(record, game, beliefs[LEARNED])}
    )


def example_game(record: Record, game: Risk, beliefs: Beliefs) -> Row:
    """The data of a single game for the graphs and a file in the thesis's form."""
    players = player_reports(record)
    return {
        "csv": csv_text(players),
        "explanations": players[0].explanations,
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


def own(results: Results) -> Iterator[Block]:
    """Accuracy by agent and model, over time, and a file in the thesis's form."""
    rows = results.rows("own")
    curves = {}
    for agent in results.settings["own_agents"]:
        games = [row["games"] for row in rows if row["agent"] == agent]
        lines = []
        for name in TOLD:
            found = answers(game[name] for game in games)
            losses = [log_loss(found, each) for each in (0.5, 1.0)]
            sure = calibration(found)
            lines.append((name, *(accuracy(found, each) for each in POINTS), *losses, sure.error, sure.floor))
        points = tuple(f"at {each:.0%}" for each in POINTS)
        columns = ("model", *points, "log loss at 50%", "log loss at 100%", "calibration error", "if calibrated")
        yield Table(columns, lines, f"Six times `{agent}`: the share of players whose card is named.")
        curves[agent] = {name: [accuracy(answers(g[name] for g in games), each) for each in FRACTIONS] for name in TOLD}
        yield from best_of(agent, answers(game[LEARNED] for game in games))
    yield Figure(
        "own-accuracy",
        "The share of players whose card is named, over the turn ends of the game.",
        partial(panels, curves, x="part of the game", y="cards named", limits=(0.0, 1.0), ticks=TICKS),
    )
    yield Paragraph("Half of a game's turn ends are placements of the setup, so at half-time no player has attacked.")


def single_games(results: Results) -> Iterator[Block]:
    """The first game of every agent: each player's cards over time, the true ones together, and a file of it."""
    firsts = [row for row in results.rows("own") if "shown" in row]
    truth: dict[str, dict[str, list[float]]] = {}
    for row in firsts:
        agent, told = row["agent"], row["shown"]
        held = [player["card"] for player in row["games"][LEARNED]["players"]]
        shares = np.array(told["shares"])
        truth[agent] = {f"player {seat}": shares[:, seat, card].tolist() for seat, card in enumerate(held)}
        charts = {
            f"{seat}: {told['cards'][card]}": dict(zip(told["cards"], shares[:, seat].T.tolist(), strict=True))
            for seat, card in enumerate(held)
        }
        yield Figure(
            f"players-{agent.replace('(', '-').replace('=', '').rstrip(')')}",
            f"`{agent}`, the first game: the probability of each card for each player, by the learned model. Above "
            f"each chart the player and their true card.",
            partial(panels, charts, x="part of the game", y="probability", limits=(0.0, 1.0), ticks=TICKS),
        )
    yield Figure(
        "true-cards",
        "The same games: the true card of every player, by the learned model.",
        partial(panels, truth, x="part of the game", y="probability", limits=(0.0, 1.0), ticks=TICKS),
    )
    explained = {f"player 0, {row['agent']}": row["shown"]["explanations"] for row in firsts[:1]}
    yield Figure(
        "explanations",
        "Every explanation of one player at every turn end, by the recogniser of the thesis.",
        partial(panels, explained, x="turn ends", y="probability"),
    )
    lines = firsts[0]["shown"]["csv"].splitlines()[:LINES] if firsts else []
    shown = "The first lines of a file in the thesis's form, cut at the right."
    yield Listing("\n".join(line[:WIDTH] for line in lines), shown)


def best_of(agent: str, found: list[tuple[int, Row]]) -> Iterator[Conclusion]:
    """The learned model's results for one agent."""
    half, end = accuracy(found, 0.5), accuracy(found, 1.0)
    sure = mean_of(found, (player["shares"][place(1.0)] for _, player in found), (0.0, 1.0))
    yield Conclusion(
        f"Of six `{agent}` the learned model names the card of {half.mean:.0%} at half-time ({half.low:.0%} to "
        f"{half.high:.0%}) and {end.mean:.0%} at the end ({end.low:.0%} to {end.high:.0%}); the true card then has "
        f"{sure.mean:.0%}."
    )


SECTIONS = (
    Section(title="Our own agents", parts=("own",), blocks=own),
    Section(title="Single games", parts=("own",), blocks=single_games),
)
