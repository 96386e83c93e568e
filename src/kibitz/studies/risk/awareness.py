"""Does it pay to know what others are after? The aware agent with a model, without one, and with all cards open."""

from collections.abc import Iterator, Sequence

import numpy as np

from kibitz import core
from kibitz.arena.statistics import mean_interval, paired_bootstrap
from kibitz.core.play import Table as Seats
from kibitz.core.registry import make_model
from kibitz.games.risk.aware import Aware
from kibitz.games.risk.rules import State
from kibitz.studies.blocks import Block, Conclusion, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, crossed

SETTINGS: Settings = {"aware_deals": 100, "aware_opponents": ("risk.mission(w=100)", "risk.constrained")}
QUICK: Settings = {"aware_deals": 2}
GAME = "risk"
BLIND, MODEL, ORACLE = "no model", "risk.choice", "all cards open"
ARMS = (BLIND, MODEL, ORACLE)


class Oracle(core.Model):
    """Knows all cards, which the study tells it: what no model can do better than."""

    answers = ("goal",)
    missions: Sequence[int] = ()

    def observe(self, transition: core.Transition) -> None:
        """There is nothing to learn."""

    def belief(self, player: int) -> dict[str, float]:
        game = self.game
        if len(self.missions) <= player:
            return {}
        return {game.map.mission_name(game.mission_deck[self.missions[player]]): 1.0}  # type: ignore[attr-defined]


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every arm in every seat on the same deals."""
    cases = crossed(
        {"arm": ARMS, "seat": (0, 1, 2)}, repeats=settings["aware_deals"], seed=seed, paired=["arm", "seat"]
    )
    opponents = {"opponents": list(settings["aware_opponents"])}
    return [Work(name="aware", work=competed, cases=[{**case, **opponents} for case in cases], weight=2.0)]


def competed(case: Case) -> Row:
    """What the aware agent earns in one match."""
    models = {BLIND: None, MODEL: make_model(MODEL, "risk"), ORACLE: Oracle()}
    aware = Aware(model=models[case["arm"]] if case["arm"] != BLIND else None)
    agents: list[str | core.Agent] = list(case["opponents"])
    agents.insert(case["seat"], aware)
    table = Seats(GAME, agents, seed=case["seed"])
    for moment in table.moments():
        if isinstance(getattr(aware, "watcher", None), Oracle):
            assert isinstance(moment.state, State)
            aware.watcher.missions = moment.state.missions  # type: ignore[union-attr]
    ending = table.record.ending
    assert ending is not None
    return {"won": float(ending.returns[case["seat"]] > 0.0), "plies": ending.plies}


def awareness(results: Results) -> Iterator[Block]:
    """How often each arm wins, and what the model and the open cards add, deal by deal."""
    rows = results.rows("aware")
    won = {arm: np.array([row["won"] for row in rows if row["arm"] == arm]) for arm in ARMS}
    deals = np.array([row["repeat"] for row in rows if row["arm"] == BLIND])
    lines = []
    for arm in ARMS:
        gained = paired_bootstrap(won[arm], won[BLIND], deals, bounds=(0.0, 1.0)).difference if arm != BLIND else None
        lines.append((arm, len(won[arm]), mean_interval(won[arm], deals, bounds=(0.0, 1.0)), gained))
    columns = ("the aware agent knows", "matches", "won", "more than without a model")
    opponents = " and ".join(f"`{each}`" for each in results.settings["aware_opponents"])
    yield Table(columns, lines, f"Three at the table, against {opponents}, every seat on the same deals.")
    for arm, _, _, gained in lines[1:]:
        assert gained is not None
        shown = "wins more" if gained.low > 0.0 else "wins less" if gained.high < 0.0 else "is not shown to win more"
        yield Conclusion(
            f"With {'the learned model' if arm == MODEL else arm} the aware agent {shown} than without a model: "
            f"{gained.mean:+.1%} of the matches ({gained.low:+.1%} to {gained.high:+.1%})."
        )


SECTIONS = (Section(title="An agent that knows what others are after", parts=("aware",), blocks=awareness),)
