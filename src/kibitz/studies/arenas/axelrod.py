"""The study `arena-axelrod`: agents in Axelrod's own tournament, among its strategies with a short run time."""

import os
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr
from typing import Any

import msgspec
import numpy as np

from kibitz.arena.plots.charts import dots, panels
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.bridges.axelrod.package import cached_sources, load_axelrod, strategies_by_name
from kibitz.core.errors import BadDefinition, advice
from kibitz.studies.arenas.families import Opponent, axelrod_population, in_halves
from kibitz.studies.arenas.measures import (
    agents_in,
    check_agents,
    half_table,
    mean_curve,
    places_table,
    population_mean,
    predictability,
    scores_by_agent,
    tenths,
)
from kibitz.studies.blocks import Block, Cell, Conclusion, Figure, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Study, Work, cross_factors

NAME = "arena-axelrod"
THEIRS = "axelrod:"
OTHERS = (
    "cooperator",
    "defector",
    "grim",
    "two_tats",
    "finite_state",
    "memory_one",
    "random",
    "random_table",
    "adapting",
    "purposeful",
)
"""The other agents of the dilemma, which stand in the table of everybody. `mcts` takes too long for it."""
SHOWN = 25
"""The places of a tournament that a report lists."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """Our matches, those of the strategies among themselves, and those of the guests with them."""
    agents = agents_in(settings, NAME)
    check_agents(settings["others"], "dilemma")
    check_agents([each for each in agents if not is_theirs(each)], "dilemma")
    check_strategies("agents", [each.removeprefix(THEIRS) for each in agents if is_theirs(each)])
    names, guests = field_of(settings), guests_of(settings)
    common = {"turns": [settings["turns"]], "noise": list(settings["noises"])}

    def cases(players: Sequence[str], others: Sequence[str], repeats: int) -> list[Case]:
        factors = {"agent": players, "opponent": others, **common}
        met = cross_factors(factors, repeats=repeats, seed=seed, paired=["agent"])
        return [case for case in met if case["agent"] != f"{THEIRS}{case['opponent']}"]

    ours = cases(agents, [*names, *guests], settings["repetitions"])
    rows = [{"first": first} for first in range(0, len(names), settings["chunk"])]
    field = cross_factors({"first": [row["first"] for row in rows], **common}, repeats=settings["field"], seed=seed)
    for case in field:
        case["names"], case["chunk"] = names, settings["chunk"]
    guest_agents = [f"{THEIRS}{each}" for each in guests]
    guest_cases = cases(guest_agents, [*names, *guests], settings["guest_repetitions"])
    return [
        Work(name="entries", work=play_strategy, cases=ours),
        Work(name="field", work=play_rows, cases=field, weight=0.5 * len(names) * settings["chunk"]),
        Work(name="guests", work=play_strategy, cases=guest_cases, weight=10),
        Work(name="others", work=play_strategy, cases=cases(settings["others"], names, settings["other_repetitions"])),
    ]


def field_of(settings: Settings) -> list[str]:
    """The strategies of the tournament."""
    return [each.name for each in axelrod_population()][:: settings["every"]]


def guests_of(settings: Settings) -> list[str]:
    """Strategies that are too slow for the field; they play in every tournament, in fewer repetitions."""
    check_strategies("guests", settings["guests"])
    names = set(field_of(settings))
    return [each for each in dict.fromkeys(settings["guests"]) if each not in names]


def check_strategies(setting: str, names: Sequence[str]) -> None:
    """Raise if Axelrod lacks one of the strategies that a setting names."""
    unknown = [each for each in names if each not in strategies_by_name()]
    if unknown:
        remedy = advice(unknown[0], list(strategies_by_name()))
        raise BadDefinition(NAME, f"{setting}: Axelrod has no strategy {unknown[0]!r}; {remedy}")


def is_theirs(agent: str) -> bool:
    """Whether an agent is a strategy of Axelrod, which then plays without us between."""
    return agent.startswith(THEIRS)


def make_player(agent: str) -> Any:
    """An agent as a player of Axelrod; it is not told the length of a match."""
    load_axelrod()
    if is_theirs(agent):
        with cached_sources():
            return strategies_by_name()[agent.removeprefix(THEIRS)]()
    from kibitz.bridges.axelrod.players import KibitzPlayer

    return KibitzPlayer(agent, ends_known=False)


def play_strategy(case: Case) -> Row:
    """A match in Axelrod's own way: points a turn of both, how it went, and how predictable both were."""
    package = load_axelrod()
    own, other = make_player(case["agent"]), make_player(f"{THEIRS}{case['opponent']}")
    seed = case["seed"] % (2**31)
    match = package.Match((own, other), turns=case["turns"], noise=case["noise"], seed=seed)
    watch = StrategyClock(own)
    rounds = match.play()
    points = np.array(match.scores(), np.float64)
    done = np.array([[int(action is package.Action.D) for action in pair] for pair in rounds])
    return {
        "earned": float(points[:, 0].mean()),
        "other_earned": float(points[:, 1].mean()),
        "curve": tenths(points[:, 0].tolist()),
        "own_guessed": predictability(done[:, 0].tolist(), done[:, 1].tolist()),
        "other_guessed": predictability(done[:, 1].tolist(), done[:, 0].tolist()),
        "cooperates": float(1.0 - done[:, 0].mean()),
        "cpu": watch.seconds,
    }


class StrategyClock:
    """Counts the CPU time that a player of Axelrod takes to choose."""

    def __init__(self, player: Any) -> None:
        self.seconds = 0.0
        self.strategy = player.strategy
        player.strategy = self.choose

    def choose(self, opponent: Any) -> Any:
        """The player's choice."""
        start = time.process_time()
        chosen = self.strategy(opponent)
        self.seconds += time.process_time() - start
        return chosen


def play_rows(case: Case) -> Row:
    """Some rows of Axelrod's own tournament of its strategies: points a turn of each pair, one repetition."""
    package, names = load_axelrod(), case["names"]
    first = case["first"]
    edges = [
        (at, other) for at in range(first, min(first + case["chunk"], len(names))) for other in range(at, len(names))
    ]
    used = sorted({place for edge in edges for place in edge})
    with cached_sources():
        players = [strategies_by_name()[names[place]]() for place in used]
    places = {place: at for at, place in enumerate(used)}
    tournament = package.Tournament(
        players,
        turns=case["turns"],
        repetitions=1,
        noise=case["noise"],
        edges=[(places[one], places[other]) for one, other in edges],
        seed=case["seed"] % (2**31),
    )
    with warnings.catch_warnings(), open(os.devnull, "w") as nowhere, redirect_stderr(nowhere):
        warnings.simplefilter("ignore")
        found = tournament.play(progress_bar=False)
    return {
        "pairs": [
            (one, other, float(found.payoffs[places[one]][places[other]][0]), other_payoff(found, places, one, other))
            for one, other in edges
        ]
    }


def other_payoff(found: Any, places: Mapping[int, int], one: int, other: int) -> float:
    """What the second of a pair earned a turn; in a match with itself the same."""
    return float(found.payoffs[places[other]][places[one]][0])


class Standing(msgspec.Struct, frozen=True):
    """A place in a tournament: the points a turn, the mean over all others."""

    rank: int
    name: str
    score: float


def standings(
    entries: Sequence[Row], field: Sequence[Row], names: Sequence[str], agent: str, guests: Sequence[Row] = ()
) -> list[Standing]:
    """The order of a tournament of all strategies, the guests and one agent, as Axelrod counts.

    A score is the mean over all others, each with the same weight; only those who have met all others are ranked.
    """
    earned = field_scores(field, names)
    for row in [*guests, *(row for row in entries if row["agent"] == agent)]:
        player = row["agent"] if row["agent"] == agent else row["agent"].removeprefix(THEIRS)
        earned[player][row["opponent"]].append(row["earned"])
        earned[row["opponent"]][player].append(row["other_earned"])
    others = max((len(met) for met in earned.values()), default=0)
    scores = {
        name: float(np.mean([np.mean(each) for each in met.values()]))
        for name, met in earned.items()
        if len(met) == others
    }
    ranked = sorted(scores, key=lambda name: -scores[name])
    return [Standing(rank, name, scores[name]) for rank, name in enumerate(ranked, 1)]


def field_scores(field: Sequence[Row], names: Sequence[str]) -> defaultdict[str, defaultdict[str, list[float]]]:
    """What each strategy of the field earned from each other, repetition by repetition."""
    earned: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in field:
        for one, other, own, lost in row["pairs"]:
            if one != other:
                earned[names[one]][names[other]].append(own)
                earned[names[other]][names[one]].append(lost)
    return earned


def everybody(
    ours: Sequence[Row], field: Sequence[Row], guests: Sequence[Row], names: Sequence[str]
) -> dict[str, Mapping[str, Sequence[float]]]:
    """What ours, the strategies and the guests earned from the strategies; only those who have met all are in it."""
    own = scores_by_agent([row for row in [*ours, *guests] if row["opponent"] in set(names)])
    theirs = {f"{THEIRS}{name}": scores for name, scores in field_scores(field, names).items()}
    met = {**theirs, **own}
    return {agent: scores for agent, scores in met.items() if set(names) <= {agent.removeprefix(THEIRS), *scores}}


def scores_section(results: Results) -> Iterator[Block]:
    """Scores and ranks, by noise."""
    package = load_axelrod()
    yield Paragraph(
        f"Axelrod {package.__version__}, {results.settings['turns']} turns. Our agents do not know the length of a "
        "match, but how much noise there is. A score is the mean of the points a turn over all strategies; a rank is "
        "the place in a tournament of all strategies and this one agent, by Axelrod's own matches and tournament."
    )
    if guests_of(results.settings):
        yield Paragraph(
            f"In the tournaments, though not in the scores by half, these slow strategies play as well: "
            f"{', '.join(guests_of(results.settings))}."
        )
    for noise in results.settings["noises"]:
        yield from noise_blocks(results, noise)


def noise_blocks(results: Results, noise: float) -> Iterator[Block]:
    """The tables and figures of one level of noise."""
    played, field, guests, others = (
        [row for row in results.rows(part) if row["noise"] == noise]
        for part in ("entries", "field", "guests", "others")
    )
    names = field_of(results.settings)
    entries = [row for row in played if row["opponent"] in set(names)]
    population = [each for each in axelrod_population() if each.name in set(names)]
    found: dict[str, dict[str, list[float]]] = {}
    for row in entries:
        found.setdefault(row["agent"], {}).setdefault(row["opponent"], []).append(row["earned"])
    words = f"noise {noise:.0%}" if noise else "no noise"
    title = f"Points a turn, {words}"
    yield half_table(title, found, population, shown=True)
    yield half_table(title, found, population, over_opponents=True)
    ranks: list[tuple[Cell, ...]] = []
    halves = in_halves(population)
    for number, agent in enumerate(found):
        order = standings(played, field, names, agent, guests)
        own = next(each for each in order if each.name == agent)
        cpu = 1000.0 * float(np.median([row["cpu"] for row in entries if row["agent"] == agent]))
        ranks.append((agent, own.rank, len(order), own.score, cpu))
        if number == 0:
            rows: list[tuple[Cell, ...]] = [(each.rank, each.name, each.score) for each in order[:SHOWN]]
            first = Table(("rank", "player", "points a turn"), rows, f"The tournament with `{agent}`, {words}.")
        mean = {half: population_mean(found[agent], halves[half]).over_matches.mean for half in halves if halves[half]}
        told = ", ".join(f"{half} {value:.3f}" for half, value in mean.items())
        yield Conclusion(
            f"{words}: `{agent}` is number {own.rank} of {len(order)} with {own.score:.3f} points a turn ({told})."
        )
    columns = ("agent", "rank", "of", "points a turn", "CPU ms a match")
    yield Table(columns, ranks, f"Ranks, each agent in a tournament with all strategies, {words}.", shown=True)
    yield first
    entered = set(found)
    others = [row for row in others if row["agent"] not in entered]
    title = f"Everybody against the strategies, {words}: points a turn"
    yield places_table(title, everybody([*played, *others], field, guests, names), population)
    yield from noise_figures(entries, population, list(found), f"noise-{round(100 * noise)}", words)


def noise_figures(
    entries: Sequence[Row], population: Sequence[Opponent], agents: Sequence[str], tag: str, words: str
) -> Iterator[Figure]:
    """Score by family, predictability by family, and the course of a match."""
    families = {each.name: f"{each.family} ({each.half})" for each in population}
    order = sorted(set(families.values()), key=lambda name: (name.endswith("(unseen)"), name))

    def by_family(key: str) -> dict[str, dict[str, Estimate]]:
        groups: dict[str, dict[str, Estimate]] = {}
        for agent in agents:
            held: dict[str, list[float]] = {}
            for row in entries:
                if row["agent"] == agent:
                    held.setdefault(families[row["opponent"]], []).append(row[key])
            groups[agent] = {family: mean_interval(held[family]) for family in order if family in held}
        return groups

    yield Figure(
        f"scores-{tag}",
        f"Points a turn by family of the opponents, {words}.",
        lambda: dots(by_family("earned"), label="points a turn"),
    )
    yield Figure(
        f"guessed-{tag}",
        f"How predictable the families are: the share of choices that a plain observer guesses, {words}.",
        lambda: dots(by_family("other_guessed"), label="share of choices guessed"),
    )
    yield Figure(
        f"own-guessed-{tag}",
        f"How predictable the agents are against each family, {words}.",
        lambda: dots(by_family("own_guessed"), label="share of own choices guessed"),
    )
    courses: dict[str, dict[str, list[Estimate]]] = {}
    for half, members in in_halves(population).items():
        names = {each.name for each in members}
        lines = {
            agent: mean_curve([row for row in entries if row["agent"] == agent and row["opponent"] in names], "curve")
            for agent in agents
        }
        courses[half] = {agent: line for agent, line in lines.items() if line}
    yield Figure(
        f"course-{tag}",
        f"Points a turn by tenths of a match: the learning curve within a match, {words}.",
        lambda: panels(courses, x="tenth of the match", y="points a turn"),
    )


STUDY = Study(
    name=NAME,
    title="Arena: the strategies of Axelrod's library",
    asks=(
        "Harper et al. (2017) let some 200 strategies of the Axelrod library play the iterated prisoner's dilemma. "
        "Those in front had been trained on that very population. How does an agent do that has never met them?\n\n"
        "The strategies are split into halves by family, siblings together: what was ever tuned was tuned on the "
        "first, and both stand side by side. Means are told with two intervals: over matches, and over opponents."
    ),
    settings={
        "agents": ("aware", "tit_for_tat", "pavlov", "generous"),
        "noises": (0.0, 0.05),
        "turns": 200,
        "repetitions": 10,
        "field": 2,
        "guests": ("DBS",),
        "guest_repetitions": 2,
        "others": OTHERS,
        "other_repetitions": 2,
        "every": 1,
        "chunk": 6,
    },
    quick={"repetitions": 2, "field": 1, "guests": (), "others": (), "every": 9, "chunk": 13},
    parts=parts,
    sections=(
        Section(title="Scores and ranks", parts=("entries", "field", "guests", "others"), blocks=scores_section),
    ),
    sources=(
        "M. Harper et al. (2017). Reinforcement learning produces dominant strategies for the Iterated Prisoner's "
        "Dilemma. PLoS ONE 12(12), e0188046.",
    ),
)
