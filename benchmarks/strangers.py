"""Models on strangers: the bars of the set `strangers-1`, each with its interval; `--quick` measures some of them."""

from kibitz.arena.executors import make_executor
from kibitz.arena.scoring.strangers import Bar, bars_of, stranger_scores
from kibitz.arena.scoring.strangers.matches import OPENINGS
from kibitz.studies.strangers.bounds import SMALL_GAMES, set_bound
from kibitz.studies.strangers.plans import (
    game_plan,
    games_with_strangers,
    is_about_known,
    is_about_random,
    known_plan,
    random_plan,
    top_1,
)
from kibitz.testing.benchmark import Bench
from kibitz.testing.strangers import SETS

SIZES = {
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
    sizes, games = (QUICK, QUICK_GAMES) if bench.quick else (SIZES, games_with_strangers())
    with make_executor("pool") as pool:
        for game in games:
            scores = stranger_scores(game_plan(game, sizes), strangers=SETS[-1], executor=pool)
            enter(bench, [bar for bar in bars_of(scores) if not is_measured_apart(bar)])
            if game in SMALL_GAMES:
                enter_bound(bench, game)
        plan = random_plan(10 if bench.quick else 40)
        scores = stranger_scores(plan, strangers=SETS[-1], executor=pool)
        enter(bench, [bar for bar in bars_of(scores) if is_about_random(bar)])
        scores = stranger_scores(known_plan(4 if bench.quick else 48), strangers=SETS[-1], executor=pool)
        enter(bench, [bar for bar in bars_of(scores) if is_about_known(bar)])
        enter(bench, [top_1(16 if bench.quick else 128, pool)])


def enter_bound(bench: Bench, game: str) -> None:
    """Enter what a spectator who has not met the strangers can reach at best; it is no bar."""
    found = set_bound(game)
    name = f"{game} exact Bayes over {found.others} other strangers: log loss - best single"
    note = "worked out, not played; the bar above is out of reach where this is above 0"
    bench.estimate(name, found.gain.mean, (found.gain.low, found.gain.high), found.gain.blocks, note=note)


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
