"""Matches of strangers and known players in every game of the set, and the bars that the models reach."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from kibitz.arena.plots.strangers import stranger_figure
from kibitz.arena.scoring.strangers import Bar, MatchPlan, PlayerSheet, PlayerTask, bars_of, watch_player
from kibitz.arena.scoring.strangers.bars import top_1_bar
from kibitz.arena.scoring.strangers.matches import OPENINGS
from kibitz.arena.scoring.strangers.summary import ModelOnStrangers, StrangerScores
from kibitz.arena.statistics import mean_interval
from kibitz.studies.blocks import Block, Cell, Conclusion, Figure, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.strangers.plans import (
    FILTER,
    KNOWN_AGENTS,
    game_plan,
    games_with_strangers,
    is_about_random,
    known_records,
    random_bars,
    random_plan,
    scores_of_game,
)
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

SETTINGS: Settings = {
    "games": tuple(games_with_strangers()),
    "matches": 24,
    "short_matches": 48,
    "pawns_matches": 24,
    "long_matches": 3,
    "trails_matches": 12,
    "risk_matches": 6,
    "random_matches": 100,
    "known_matches": 128,
    "openings": OPENINGS,
}
QUICK: Settings = {
    "games": ("dilemma", "pennies"),
    "matches": 2,
    "short_matches": 2,
    "pawns_matches": 1,
    "long_matches": 1,
    "trails_matches": 1,
    "risk_matches": 1,
    "random_matches": 4,
    "known_matches": 4,
    "openings": (0, 2),
}


def parts(settings: Settings, seed: int) -> list[Part]:
    """The matches of all games, more matches of the random player, and matches of known players only."""
    every = [(game, game_plan(game, settings, seed)) for game in settings["games"]]
    matches = [case_of(game, task) for game, plan in every for task in plan.tasks]
    random = [case_of("pawns", task) for task in random_plan(settings["random_matches"], seed).tasks]
    known: list[Case] = [{"match": number} for number in range(settings["known_matches"])]
    return [
        Work(name="strangers", work=watch_case, cases=matches),
        Work(name="random_player", work=watch_case, cases=random),
        Work(name="known_players", work=score_known, cases=known),
    ]


def case_of(game: str, task: PlayerTask) -> Case:
    """A match as the case of a part."""
    return {"of": game, "task": msgspec.to_builtins(task)}


def watch_case(case: Case) -> Row:
    """Play and watch one match."""
    return {"sheet": msgspec.to_builtins(watch_player(msgspec.convert(case["task"], PlayerTask)))}


def score_known(case: Case) -> Row:
    """How often the filter's likeliest strategy is right in one match of known players of Pawns."""
    from kibitz.arena.scoring import model_scores

    scores = model_scores([known_records(case["match"] + 1)[case["match"]]], FILTER, game="pawns", resamples=2)
    figures = scores["strategy"][FILTER[0]].figures
    return {"right": figures.accuracy.mean if figures.accuracy is not None else 0.0, "events": figures.events}


def sheets_of(results: Results, part: str, game: str) -> list[PlayerSheet]:
    """The sheets of one game."""
    return [msgspec.convert(row["sheet"], PlayerSheet) for row in results.rows(part) if row["of"] == game]


def plans_of(results: Results) -> Mapping[str, MatchPlan]:
    """The plans of all games."""
    return {game: game_plan(game, results.settings, results.seed) for game in results.settings["games"]}


def blocks(results: Results) -> Iterator[Block]:
    """The bars of all games, then the players of each game."""
    found = {
        game: scores_of_game(plan, sheets_of(results, "strangers", game)) for game, plan in plans_of(results).items()
    }
    bars = [bar for scores in found.values() for bar in bars_of(scores) if not is_about_random(bar)]
    yield from bar_blocks(bars, f"in {len(found)} games")
    for game, scores in found.items():
        yield from game_blocks(game, scores)


def bar_blocks(bars: list[Bar], where: str) -> Iterator[Block]:
    """The table of bars, and how many are met."""
    yield Table(
        ("game", "model", "what", "value", "if calibrated", "bar", "reached"),
        [bar_row(bar) for bar in bars],
        "The bars.",
    )
    measured = [bar for bar in bars if bar.is_met is not None]
    for model in dict.fromkeys(bar.model for bar in measured):
        own = [bar for bar in measured if bar.model == model]
        reached, missed = sum(bool(bar.is_met) for bar in own), sum(not bar.is_met and bar.clear for bar in own)
        yield Conclusion(f"`{model}` meets {reached} of {len(own)} bars {where}, and clearly misses {missed}.")


def bar_row(bar: Bar) -> tuple[Cell, ...]:
    """A bar in the table."""
    reached = "not measured" if bar.is_met is None else "met" if bar.is_met else "missed"
    doubt = "" if bar.clear or bar.is_met is None else ", not clearly"
    return bar.game, bar.model, bar.what, bar.value, bar.floor, bar.limit_text, reached + doubt


def game_blocks(game: str, scores: StrangerScores) -> Iterator[Block]:
    """The players of one game."""
    columns = ("player", "spec", "choices", "log loss", "uniform", "best known", "top-1", "P(unknown)", "noticed")
    for model in scores.models:
        yield Table(columns, list(player_rows(model)), f"{game}: `{model.model}` on every player.")
    draw: partial[Picture] = partial(stranger_figure, scores)
    yield Figure(f"strangers-{game}", f"{game}: how reliable the models are, and how well they predict.", draw)
    for note in scores.notes:
        yield Paragraph(f"{note}.")


def player_rows(model: ModelOnStrangers) -> Iterator[tuple[Cell, ...]]:
    """A row per player."""
    for each in model.players:
        figures = (each.log_loss, each.uniform, each.single, each.top_1, each.unknown, each.noticed)
        yield each.name, each.spec, each.choices, *figures


def further_blocks(results: Results) -> Iterator[Block]:
    """The random player of Pawns, and known players of Pawns."""
    plan = random_plan(results.settings["random_matches"], results.seed)
    rows = results.rows("known_players")
    right = mean_interval(
        [row["right"] for row in rows for _ in range(row["events"])],
        [number for number, row in enumerate(rows) for _ in range(row["events"])],
        bounds=(0.0, 1.0),
    )
    bars = [*random_bars(plan, sheets_of(results, "random_player", "pawns")), top_1_bar("pawns", FILTER[0], right)]
    yield from bar_blocks(bars, "about the random player and known players of Pawns")
    yield Paragraph(f"The known players are {', '.join(KNOWN_AGENTS)}, in matches against each other.")


SECTIONS = (
    Section(title="Strangers in every game", parts=("strangers",), blocks=blocks),
    Section(
        title="The random player and known players", parts=("random_player", "known_players"), blocks=further_blocks
    ),
)
