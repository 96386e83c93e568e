"""Arenas with opponents that other people wrote: what `aware` wins there, each figure with its interval over matches.

By default everybody is met twice: all bots of rock-paper-scissors, all strategies of Axelrod (the rank is among every
ninth), and the poker players in fewer hands. With `--runs 10` or more it is the whole: so many matches against
everybody, and slow strategies of Axelrod are among those ranked.
"""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

import numpy as np

from kibitz_lab.arena.executors import Executor, make_executor
from kibitz_lab.studies.arenas import axelrod, poker, rps
from kibitz_lab.studies.arenas.families import Opponent, axelrod_population, in_halves, rps_population
from kibitz_lab.studies.arenas.measures import mean_over_matches, scores_by_agent, worst_mean
from kibitz_lab.studies.study import Row, Work
from kibitz_lab.testing.benchmark import Bench

WHOLE = 10
"""The runs from which on everybody is met."""
AGENT, KNOWN = "aware", "roshambo_population"
RPS_BARS = {"all": 330.0, "unseen": 305.0}
NOISE_BARS = {0.0: (2.94, 1.0), 0.05: (2.55, 3.0)}
"""The least score and the worst rank, by noise."""
POKER_BARS = {"kuhn(players=2)": 0.6, "leduc": 0.3}
RISK = 0.1
"""What `aware` may lose a hand to a perfect player."""


def measure(bench: Bench) -> None:
    """Meet the populations, one arena after the other."""
    with make_executor("pool") as pool:
        if find_spec("pyspiel") is None:
            bench.missing("rps return, all", "open_spiel", "points", f">= {RPS_BARS['all']:g}")
        else:
            measure_rps(bench, pool)
        if find_spec("axelrod") is None:
            bench.missing("axelrod score", "axelrod", "points a turn", ">= 2.94")
        else:
            measure_axelrod(bench, pool)
        measure_poker(bench, pool)


def is_whole(bench: Bench) -> bool:
    """Whether everybody is met."""
    return bench.runs >= WHOLE and not bench.quick


def matches_of(bench: Bench) -> int:
    """The matches against each opponent: two at least, so that there is an interval."""
    return bench.runs if is_whole(bench) else 2


def rows_of(pool: Executor, part: Work) -> list[Row]:
    """The rows of all cases of a part, in their order."""
    assert isinstance(part, Work)
    assert not callable(part.cases)
    done = pool.results(part.work, part.cases)
    return [{**case, **row} for case, row in zip(part.cases, done, strict=True) if isinstance(row, dict)]


def met_in(scores: Mapping[str, Sequence[float]], population: Sequence[Opponent]) -> list[Sequence[float]]:
    """The scores against the opponents of a population who were met."""
    return [scores[each.name] for each in population if each.name in scores]


def measure_rps(bench: Bench, pool: Executor) -> None:
    """The two tracks of rock-paper-scissors."""
    sizes = {"matches": matches_of(bench), "known_matches": matches_of(bench)}
    settings = {**rps.STUDY.settings, **sizes, "every": 4 if bench.quick else 1, "agents": (AGENT,), "known": (KNOWN,)}
    parts = {part.name: part for part in rps.parts({**settings, "theirs": ("greenberg",)}, 0)}
    population = rps_population()[:: settings["every"]]
    for name, agent in (("strangers", AGENT), ("bots", "roshambo:greenberg"), ("population", KNOWN)):
        part = parts[name]
        rows = rows_of(pool, part)
        scores = scores_by_agent(rows)[agent]
        halves = in_halves(population)
        if name == "population":
            mean = mean_over_matches(met_in(scores, population))
            bench.estimate(
                "rps known population", mean.mean, (mean.low, mean.high), mean.blocks, unit="points", least=540.0
            )
            continue
        for half in halves:
            mean = mean_over_matches(met_in(scores, halves[half]))
            bar = RPS_BARS.get(half) if agent == AGENT else None
            label = f"rps {'stranger' if agent == AGENT else agent}, {half}"
            bench.estimate(label, mean.mean, (mean.low, mean.high), mean.blocks, unit="points", least=bar)
        if agent == AGENT:
            bot, worst = worst_mean(scores)
            spread = worst.low, worst.high
            bench.estimate(
                "rps worst mean", worst.mean, spread, worst.blocks, unit=f"points, against {bot}", least=-20.0
            )
            bench.figure("rps CPU of the agent", [1000.0 * row["cpu"] for row in rows], "ms a match", most=60.0)


def measure_axelrod(bench: Bench, pool: Executor) -> None:
    """Score and rank, with noise and without."""
    whole = is_whole(bench)
    part_of_field = 1 if whole else 9
    sizes = {"repetitions": matches_of(bench), "field": 2 if whole else 1, "agents": (AGENT,)}
    settings = {**axelrod.STUDY.settings, **sizes, **({} if whole else {"guests": ()})}
    population = axelrod_population()[:: 9 if bench.quick else 1]
    names = axelrod.field_of({"every": part_of_field})
    found: dict[str, list[Row]] = {}
    for name, every in (("entries", 9 if bench.quick else 1), ("field", part_of_field), ("guests", part_of_field)):
        parts = {part.name: part for part in axelrod.parts({**settings, "every": every}, 0)}
        found[name] = rows_of(pool, parts[name])
    for noise, (least, place) in NOISE_BARS.items():
        entries, field, guests = ([row for row in rows if row["noise"] == noise] for rows in found.values())
        scores = scores_by_agent(entries)[AGENT]
        words = f"axelrod, noise {noise:g}"
        for half, members in in_halves(population).items():
            mean = mean_over_matches(met_in(scores, members))
            bar = least if half == "all" else None
            label = f"{words}: score, {half}"
            bench.estimate(label, mean.mean, (mean.low, mean.high), mean.blocks, unit="points a turn", least=bar)
        ranked = {*names, *axelrod.guests_of(settings)}
        met = [row for row in entries if row["opponent"] in ranked]
        order = axelrod.standings(met, field, names, AGENT, guests)
        rank = next(each.rank for each in order if each.name == AGENT)
        bench.figure(f"{words}: rank", [float(rank)], f"of {len(order)}", most=place)
        if not noise:
            bench.figure("dilemma CPU of the agent", [1000.0 * row["cpu"] for row in entries], "ms a match", most=15.0)


def measure_poker(bench: Bench, pool: Executor) -> None:
    """The share of what can be won, and what an equilibrium wins from us."""
    whole = is_whole(bench)
    sizes = {"hands": 1000, "first": 300} if whole else {"hands": 400, "first": 120}
    settings = {**poker.STUDY.settings, **sizes, "matches": matches_of(bench), "agents": (AGENT,)}
    parts = {part.name: part for part in poker.parts(settings, 0)}
    rows = [poker.with_won(row, settings["first"]) for row in rows_of(pool, parts["hands"])]
    for game, least in POKER_BARS.items():
        here = [row for row in rows if row["game"] == game]
        met = [row for row in here if row["opponent"] != poker.EQUILIBRIUM]
        population = poker.poker_population(game)
        for half, members in in_halves(population).items():
            names = {each.name for each in members}
            share = poker.share_interval([row for row in met if row["opponent"] in names], "repeat")
            bar = least if half == "all" else None
            bench.estimate(f"{game}: share won, {half}", share.mean, (share.low, share.high), share.blocks, least=bar)
        against = [float(np.mean(row["gains"])) for row in here if row["opponent"] == poker.EQUILIBRIUM]
        bench.figure(f"{game}: a hand against equilibrium", against, "chips", least=-RISK)
