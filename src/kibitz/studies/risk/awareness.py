"""Does it pay to know the missions of others? The aware agent with a model, without one, and with all cards open."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.arena.statistics import Estimate, mean_interval, paired_bootstrap
from kibitz.core.match import MatchOptions
from kibitz.core.match.recorded import RecordedMatch as Seats
from kibitz.core.registry import make_agent, make_model
from kibitz.games.risk.aware import Aware
from kibitz.games.risk.rules import State
from kibitz.studies.blocks import Block, Conclusion, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, cross_factors

SETTINGS: Settings = {
    "aware_deals": 60,
    "aware_trials": 8,
    "aware_players": (2, 3, 4, 5, 6),
    "aware_opponents": (
        ("risk.mission(w=100)", "risk.constrained"),
        ("risk.mission(w=100)",),
        ("risk.mission(w=4)", "risk.deceptive"),
        ("risk.heuristic",),
    ),
}
"""The opponents take the other seats in turn; the agent's settings were chosen on other deals against the first two."""
QUICK: Settings = {"aware_deals": 1, "aware_trials": 2, "aware_players": (2, 3)}
PLAIN, BLIND, MODEL, ORACLE = "risk.mission(w=100)", "no model", "risk.choice", "all cards open"
ARMS = (PLAIN, BLIND, MODEL, ORACLE)
"""The first does not look ahead; the others do, and know more and more."""


class Oracle(core.Model):
    """Knows all cards, from the study: the upper bound for every model."""

    answers = ("goal",)
    missions: Sequence[int] = ()

    def observe(self, transition: core.Transition) -> None:
        """Learn nothing: all cards are known."""

    def belief(self, player: int) -> dict[str, float]:
        game = self.game
        if len(self.missions) <= player:
            return {}
        return {game.map.mission_name(game.mission_deck[self.missions[player]]): 1.0}  # type: ignore[attr-defined]


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every arm on the same deals, each from one seat, for each number of players and set of opponents."""
    tables = [(count, group) for count in settings["aware_players"] for group in settings["aware_opponents"]]
    cases = [case for count, group in tables for case in match_cases(settings, count, group, seed)]
    return [Work(name="aware", work=play_match, cases=sorted(cases, key=lambda case: case["repeat"]), version=2)]


def match_cases(settings: Settings, players: int, group: Sequence[str], seed: int) -> list[Case]:
    """The matches of so many players against some opponents; seats change from deal to deal."""
    factors: dict[str, Sequence[Any]] = {"against": [" and ".join(group)], "players": [players], "arm": ARMS}
    cases = cross_factors(factors, repeats=settings["aware_deals"], seed=seed, paired=["arm"])
    return [
        {
            **case,
            "opponents": [group[(case["repeat"] + number) % len(group)] for number in range(players - 1)],
            "seat": case["repeat"] % players,
            "trials": settings["aware_trials"],
        }
        for case in cases
    ]


def player(arm: str, trials: int) -> core.Agent:
    """The agent of an arm."""
    if arm == PLAIN:
        return make_agent(PLAIN)
    return Aware(model={BLIND: None, MODEL: make_model(MODEL), ORACLE: Oracle()}[arm], trials=trials)


def play_match(case: Case) -> Row:
    """What an arm earns in one match."""
    agent = player(case["arm"], case["trials"])
    agents: list[str | core.Agent] = list(case["opponents"])
    agents.insert(case["seat"], agent)
    table = Seats(f"risk(players={len(agents)})", agents, MatchOptions(seed=case["seed"]))
    for moment in table.moments():
        if isinstance(getattr(agent, "watcher", None), Oracle):
            assert isinstance(moment.state, State)
            agent.watcher.missions = moment.state.missions  # type: ignore[attr-defined]
    ending = table.record.ending
    assert ending is not None
    return {"won": float(ending.returns[case["seat"]] > 0.0), "plies": ending.plies}


class ArmWins(NamedTuple):
    """The wins of each arm on the same deals, match by match."""

    against: str
    matches: dict[str, NDArray[np.float64]]
    deals: list[int]

    def share(self, arm: str) -> Estimate:
        """The share of matches an arm wins."""
        return mean_interval(self.matches[arm], self.deals, bounds=(0.0, 1.0))

    def gain(self, arm: str) -> Estimate:
        """The extra wins of an arm over the agent that looks ahead equally far and knows no card."""
        return paired_bootstrap(self.matches[arm], self.matches[BLIND], self.deals, bounds=(0.0, 1.0)).difference


def arm_wins(against: str, rows: Sequence[Row]) -> ArmWins:
    """The matches of these rows, with deals by their seeds."""
    seeds = {seed: number for number, seed in enumerate(dict.fromkeys(row["seed"] for row in rows))}
    deals = [seeds[row["seed"]] for row in rows if row["arm"] == BLIND]
    return ArmWins(against, {arm: np.array([row["won"] for row in rows if row["arm"] == arm]) for arm in ARMS}, deals)


def awareness(results: Results) -> Iterator[Block]:
    """How often each arm wins, and what the model and the open cards add, deal by deal."""
    found = [arm_wins(against, rows) for (against,), rows in results.groups("aware", "against").items()]
    pooled = [arm_wins(f"all at {count}", rows) for (count,), rows in results.groups("aware", "players").items()]
    pooled.append(arm_wins("all", results.rows("aware")))
    lines = [
        (each.against, arm, len(each.deals), each.share(arm), None if arm == BLIND else each.gain(arm))
        for each in (*found, *pooled)
        for arm in ARMS
    ]
    columns = ("against", "the agent, or what it knows", "matches", "won", "more than without a model")
    yield Table(columns, lines, "All on the same deals, each from one seat.")
    for each in pooled:
        yield from (awareness_conclusion(each, arm) for arm in (MODEL, ORACLE))


def awareness_conclusion(found: ArmWins, arm: str) -> Conclusion:
    """Whether knowing the missions pays."""
    gained = found.gain(arm)
    shown = "wins more" if gained.low > 0.0 else "wins less" if gained.high < 0.0 else "is not shown to win more"
    return Conclusion(
        f"With {'the learned model' if arm == MODEL else arm} the aware agent {shown} than without a model: "
        f"{gained.mean:+.1%} of the matches, {found.against} ({gained.low:+.1%} to {gained.high:+.1%})."
    )


SECTIONS = (Section(title="An agent that knows the missions of others", parts=("aware",), blocks=awareness),)
