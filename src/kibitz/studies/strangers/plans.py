"""The matches of the benchmark of strangers: which models watch which games, how often and how long.

`kibitz bench strangers` and the study `strangers` play these; the sizes differ.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kibitz.arena.executors import Executor
from kibitz.arena.scoring import model_scores
from kibitz.arena.scoring.strangers import Bar, MatchPlan, Player, PlayerSheet, plan_matches, scores_of_sheets
from kibitz.arena.scoring.strangers.bars import KNOWN_BAR, RANDOM_GAMES, bars_of, top_1_bar
from kibitz.arena.scoring.strangers.matches import AS_NAMED
from kibitz.arena.scoring.strangers.summary import StrangerScores
from kibitz.arena.sources import Fixtures, SourceRecord
from kibitz.core.registry import make_game
from kibitz.testing.strangers import SETS, find_set, players_of

MODELS: Mapping[str, tuple[str, ...]] = {"pawns": ("strategy_filter", "dbn"), "trails": ("trails.types",)}
"""The models of games that are not watched by FILTER alone."""
FILTER = ("strategy_filter",)
SIZES = {
    "pawns": "pawns_matches",
    **dict.fromkeys(("axis", "kuhn", "leduc", "offers"), "short_matches"),
    "breakthrough": "long_matches",
    "trails": "trails_matches",
    "risk": "risk_matches",
}
"""The setting that is the number of matches, for games with few choices in a match, or whose matches take long."""
RISK_PLIES = 150
"""Events of Risk that are played; the first 45 or so deal the territories."""
LATER = ("leduc",)
"""Games that got three strategies after the set was published; their strangers are generated from its seed."""
KNOWN_SEED = 4242
"""The seed of the matches on which the top-1 of known players has been measured since there are models."""
KNOWN_AGENTS = ("pawns.s1", "pawns.s2", "pawns.s3", "pawns.s4")


def game_plan(game: str, sizes: Mapping[str, Any], seed: int = 0) -> MatchPlan:
    """The matches of one game of the set."""
    rules = make_game(game)
    known, generated = players_of(rules)
    strangers = [Player(each.name, each.spec, each.kind, each.seed) for each in generated]
    return plan_matches(
        rules,
        MODELS.get(game, FILTER),
        known,
        strangers,
        matches=sizes[SIZES.get(game, "matches")],
        openings=sizes["openings"] if game != "risk" else sizes["openings"][:1],
        seed=seed,
        max_plies=RISK_PLIES if game == "risk" else None,
    )


def random_plan(matches: int, seed: int = 0) -> MatchPlan:
    """Further matches of the random player, who must be noticed in nearly all of them."""
    (game,) = RANDOM_GAMES
    known, generated = players_of(make_game(game))
    chosen = [Player(each.name, each.spec, each.kind, each.seed) for each in generated if each.spec == "random"]
    plan = plan_matches(game, MODELS[game], known, chosen, matches=matches, openings=(0,), seed=seed)
    tasks = tuple(task for task in plan.tasks if not task.player.is_known)
    return msgspec.structs.replace(plan, tasks=tasks)


def known_plan(matches: int, seed: int = 0) -> MatchPlan:
    """Further matches of each known player of Pawns, whose calibration error fewer matches cannot tell from chance."""
    known, _ = players_of(make_game("pawns"))
    plan = plan_matches("pawns", MODELS["pawns"], known, [], matches=matches, seed=seed)
    tasks = [
        msgspec.structs.replace(task, library=(), models=tuple(each for each in task.models if each[1] == AS_NAMED))
        for task in plan.tasks
    ]
    return msgspec.structs.replace(plan, tasks=tuple(tasks))


def games_with_strangers() -> list[str]:
    """The games of the newest set, and those that came later."""
    return [*find_set().known, *LATER]


def known_records(matches: int) -> list[SourceRecord]:
    """The matches of known players of Pawns."""
    return list(Fixtures("pawns", KNOWN_AGENTS, matches, seed=KNOWN_SEED))


def top_1(matches: int, executor: Executor | None = None) -> Bar:
    """How often the likeliest strategy of known players of Pawns is right."""
    scores = model_scores(known_records(matches), FILTER, game="pawns", executor=executor)
    return top_1_bar("pawns", FILTER[0], scores["strategy"][FILTER[0]].figures.accuracy)


def scores_of_game(plan: MatchPlan, sheets: Sequence[PlayerSheet]) -> StrangerScores:
    """The scores of one game of the set."""
    return scores_of_sheets(plan, sheets, strangers=SETS[-1])


def random_bars(plan: MatchPlan, sheets: Sequence[PlayerSheet]) -> list[Bar]:
    """The bars about the random player alone."""
    return [bar for bar in bars_of(scores_of_game(plan, sheets)) if is_about_random(bar)]


def is_about_random(bar: Bar) -> bool:
    """Whether a bar is about the random player, of whom there are further matches."""
    return bar.what.startswith("random")


def is_about_known(bar: Bar) -> bool:
    """Whether a bar is about the calibration of known players alone, of whom there are further matches in Pawns."""
    return bar.what.startswith(KNOWN_BAR)
