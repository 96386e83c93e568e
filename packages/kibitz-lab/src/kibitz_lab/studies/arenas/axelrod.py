"""The study `arena-axelrod`: agents in Axelrod's own tournament, among its strategies with a short run time."""

import os
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr
from typing import Any

import msgspec
import numpy as np

from kibitz.core.errors import BadDefinition, advice
from kibitz_lab.bridges.axelrod.package import cached_sources, load_axelrod, strategies_by_name
from kibitz_lab.studies.arenas.families import axelrod_population
from kibitz_lab.studies.arenas.measures import check_agents, half_columns, median_cpu, scores_by_agent
from kibitz_lab.studies.claims import Claim
from kibitz_lab.studies.measures import Measure, exact_columns
from kibitz_lab.studies.study import Case, Results, Row, Settings, Study, Work, cross_factors, names_in

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


def parts(settings: Settings, seed: int) -> list[Work]:
    """Our matches, those of the strategies among themselves, and those of the guests with them."""
    agents = names_in(settings, NAME, "agents")
    rest = [each for each in settings["others"] if each not in agents]
    check_agents(rest, "dilemma")
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
        Work(name="entries", work=play_strategy, cases=ours, version=2),
        Work(name="field", work=play_rows, cases=field, weight=0.5 * len(names) * settings["chunk"]),
        Work(name="guests", work=play_strategy, cases=guest_cases, weight=10, version=2),
        Work(name="others", work=play_strategy, cases=cases(rest, names, settings["other_repetitions"]), version=2),
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
    from kibitz_lab.bridges.axelrod.players import KibitzPlayer

    return KibitzPlayer(agent, ends_known=False)


def play_strategy(case: Case) -> Row:
    """A match in Axelrod's own way: points a turn of both, and the CPU time of the agent."""
    package = load_axelrod()
    own, other = make_player(case["agent"]), make_player(f"{THEIRS}{case['opponent']}")
    match = package.Match((own, other), turns=case["turns"], noise=case["noise"], seed=case["seed"] % (2**31))
    watch = StrategyClock(own)
    match.play()
    points = np.array(match.scores(), np.float64)
    return {
        "earned": float(points[:, 0].mean()),
        "other_earned": float(points[:, 1].mean()),
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
    package, names, first = load_axelrod(), case["names"], case["first"]
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
            (one, other, *(float(found.payoffs[places[a]][places[b]][0]) for a, b in ((one, other), (other, one))))
            for one, other in edges
        ]
    }


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


def everybody_rows(results: Results) -> Iterator[Row]:
    """What everybody earned from each strategy of the field; only those who have met all of them."""
    names = field_of(results.settings)
    played = [row for part in ("entries", "others", "guests") for row in results.rows(part)]
    for noise in results.settings["noises"]:
        own = scores_by_agent(row for row in played if row["noise"] == noise and row["opponent"] in set(names))
        field = field_scores([row for row in results.rows("field") if row["noise"] == noise], names)
        for agent, scores in {**{f"{THEIRS}{name}": met for name, met in field.items()}, **own}.items():
            if set(names) <= {agent.removeprefix(THEIRS), *scores}:
                for opponent, earned in scores.items():
                    yield from ({"noise": noise, "agent": agent, "opponent": opponent, "earned": one} for one in earned)


def rank_rows(results: Results) -> Iterator[Row]:
    """The rank of each agent in a tournament with all strategies and guests."""
    names = field_of(results.settings)
    for noise in results.settings["noises"]:
        played, field, guests = (
            [row for row in results.rows(part) if row["noise"] == noise] for part in ("entries", "field", "guests")
        )
        for agent in dict.fromkeys(row["agent"] for row in played):
            order = standings(played, field, names, agent, guests)
            for each in order:
                if each.name == agent:
                    cpu = median_cpu([row for row in played if row["agent"] == agent])
                    place = {"rank": each.rank, "of": len(order), "points a turn": each.score, "CPU ms a match": cpu}
                    yield {"noise": noise, "agent": agent, **place}


STUDY = Study(
    name=NAME,
    title="Arena: the strategies of Axelrod's library",
    asks=(
        "Harper et al. (2017) let some 200 strategies of the Axelrod library play the iterated prisoner's dilemma. "
        "Those in front had been trained on that very population. How does an agent do that has never met them?\n\n"
        "The strategies are split into halves by family, siblings together: what was ever tuned was tuned on the "
        "first."
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
    measures=(
        Measure(
            name="Ranks",
            part=("entries", "field", "guests"),
            by=("noise", "agent"),
            rows=rank_rows,
            columns=exact_columns("rank", "of", "points a turn", "CPU ms a match"),
            about=(
                "The place of each agent in a tournament of all strategies and this agent, as Axelrod counts: the mean "
                "over all others. Our agents know how much noise there is, but not the length of a match."
            ),
            shown=True,
        ),
        Measure(
            name="Points a turn",
            part=("entries", "field", "guests", "others"),
            by=("noise", "agent"),
            rows=everybody_rows,
            columns=half_columns(axelrod_population, (0.0, 5.0)),
            about=(
                "The mean over the strategies and over each half. The intervals are over matches, and in one column "
                "over opponents with siblings as one."
            ),
            best_first=True,
        ),
    ),
    claims=(
        Claim(
            what="strategies that were trained on the population are in front",
            source="Harper et al. 2017, abstract",
            there=1.0,
            relation=">",
            measure="Ranks",
            cell={"noise": 0.0, "agent": "aware"},
        ),
    ),
    sources=(
        "M. Harper et al. (2017). Reinforcement learning produces dominant strategies for the Iterated Prisoner's "
        "Dilemma. PLoS ONE 12(12), e0188046.",
    ),
)
