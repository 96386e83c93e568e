"""Does it pay to know the missions of others? The aware agent with a model, without one, and with all cards open."""

from collections.abc import Iterator, Sequence
from typing import Any

from kibitz import core
from kibitz.core.match import MatchOptions
from kibitz.core.match.recorded import RecordedMatch
from kibitz.core.registry import make_agent, make_model
from kibitz.games.risk.aware import Aware
from kibitz.games.risk.game import State
from kibitz.studies.measures import Column, Measure
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Settings, Work, cross_factors

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
    match = RecordedMatch(f"risk(players={len(agents)})", agents, MatchOptions(seed=case["seed"]))
    for moment in match.moments():
        if isinstance(getattr(agent, "watcher", None), Oracle):
            assert isinstance(moment.state, State)
            agent.watcher.missions = moment.state.missions  # type: ignore[attr-defined]
    ending = match.record.ending
    assert ending is not None
    return {"won": float(ending.returns[case["seat"]] > 0.0), "plies": ending.plies}


def arm_rows(results: Results) -> Iterator[Row]:
    """The matches by opponents, and of all together."""
    yield from results.rows("aware")
    yield from ({**row, "against": "all"} for row in results.rows("aware"))


MEASURES = (
    Measure(
        name="An agent that knows the missions of others",
        part="aware",
        by=("against", "arm"),
        rows=arm_rows,
        columns=(
            Column(name="won", bounds=(0.0, 1.0)),
            Column(name="more than without a model", of="won", bounds=(-1.0, 1.0), less={"arm": BLIND}),
        ),
        about="The fraction of deals that each arm wins, all on the same deals, each from one seat.",
        shown=True,
    ),
)
