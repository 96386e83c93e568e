"""Models on strangers: the bars of the set `strangers-1`, each with its interval; `--quick` measures some of them."""

from collections.abc import Mapping
from typing import Any

import msgspec

from kibitz.core.registry import make_game
from kibitz_lab.arena.executors import Executor, make_executor
from kibitz_lab.arena.scoring import model_scores
from kibitz_lab.arena.scoring.strangers import Bar, MatchPlan, Player, bars_of, plan_matches, stranger_scores
from kibitz_lab.arena.scoring.strangers.bars import KNOWN_BAR, RANDOM_GAMES
from kibitz_lab.arena.scoring.strangers.matches import AS_NAMED, OPENINGS
from kibitz_lab.arena.sources import Fixtures
from kibitz_lab.testing.benchmark import Bench
from kibitz_lab.testing.strangers import SETS, find_set, players_of

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
WHOLE = {
    "matches": 8,
    "short_matches": 24,
    "pawns_matches": 4,
    "long_matches": 1,
    "trails_matches": 3,
    "risk_matches": 3,
    "openings": OPENINGS,
}
QUICK = {
    "matches": 2,
    "short_matches": 4,
    "pawns_matches": 1,
    "long_matches": 1,
    "trails_matches": 1,
    "risk_matches": 1,
    "openings": (0, 2),
}
QUICK_GAMES = ("dilemma", "kuhn", "pawns", "pennies")


def measure(bench: Bench) -> None:
    """Play the set, game by game."""
    sizes, games = (QUICK, QUICK_GAMES) if bench.quick else (WHOLE, games_with_strangers())
    with make_executor("pool") as pool:
        for game in games:
            scores = stranger_scores(game_plan(game, sizes), strangers=SETS[-1], executor=pool)
            enter(bench, [bar for bar in bars_of(scores) if not is_measured_apart(bar)])
        plan = random_plan(10 if bench.quick else 40)
        scores = stranger_scores(plan, strangers=SETS[-1], executor=pool)
        enter(bench, [bar for bar in bars_of(scores) if is_about_random(bar)])
        scores = stranger_scores(known_plan(4 if bench.quick else 48), strangers=SETS[-1], executor=pool)
        enter(bench, [bar for bar in bars_of(scores) if is_about_known(bar)])
        enter(bench, [top_1(16 if bench.quick else 128, pool)])


def is_measured_apart(bar: Bar) -> bool:
    """Whether a bar is measured in further matches of its own."""
    return is_about_random(bar) or (bar.game.startswith("pawns") and is_about_known(bar))


def enter(bench: Bench, bars: list[Bar]) -> None:
    """Enter bars as figures with their intervals."""
    for bar in bars:
        held = bar.value
        most, least = (bar.limit, None) if bar.most else (None, bar.limit)
        name = f"{bar.game} {bar.model}: {bar.what}"
        if held is None:
            bench.note_missing(name, bar.limit_text, "the model gave no such answers in these matches")
        else:
            note = f"a calibrated model: {bar.floor_text}" if bar.floor is not None else ""
            bench.estimate(name, held.mean, (held.low, held.high), held.blocks, least=least, most=most, note=note)


def game_plan(game: str, sizes: Mapping[str, Any]) -> MatchPlan:
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
        seed=0,
        max_plies=RISK_PLIES if game == "risk" else None,
    )


def random_plan(matches: int) -> MatchPlan:
    """Further matches of the random player, who must be noticed in nearly all of them."""
    (game,) = RANDOM_GAMES
    known, generated = players_of(make_game(game))
    chosen = [Player(each.name, each.spec, each.kind, each.seed) for each in generated if each.spec == "random"]
    plan = plan_matches(game, MODELS[game], known, chosen, matches=matches, openings=(0,))
    tasks = tuple(task for task in plan.tasks if not task.player.is_known)
    return msgspec.structs.replace(plan, tasks=tasks)


def known_plan(matches: int) -> MatchPlan:
    """Further matches of each known player of Pawns, whose calibration error fewer matches cannot tell from chance."""
    known, _ = players_of(make_game("pawns"))
    plan = plan_matches("pawns", MODELS["pawns"], known, [], matches=matches)
    tasks = [
        msgspec.structs.replace(task, library=(), models=tuple(each for each in task.models if each[1] == AS_NAMED))
        for task in plan.tasks
    ]
    return msgspec.structs.replace(plan, tasks=tuple(tasks))


def top_1(matches: int, executor: Executor) -> Bar:
    """How often the likeliest strategy of known players of Pawns is right."""
    records = list(Fixtures("pawns", KNOWN_AGENTS, matches, seed=KNOWN_SEED))
    scores = model_scores(records, FILTER, game="pawns", executor=executor)
    accuracy = scores["strategy"][FILTER[0]].figures.accuracy
    return Bar("pawns", FILTER[0], "known only: top-1", accuracy, 0.889 - 0.02, most=False)


def games_with_strangers() -> list[str]:
    """The games of the newest set, and those that came later."""
    return [*find_set().known, *LATER]


def is_about_random(bar: Bar) -> bool:
    """Whether a bar is about the random player, of whom there are further matches."""
    return bar.what.startswith("random")


def is_about_known(bar: Bar) -> bool:
    """Whether a bar is about the calibration of known players alone, of whom there are further matches in Pawns."""
    return bar.what.startswith(KNOWN_BAR)
