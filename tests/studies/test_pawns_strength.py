"""The strength and prediction parts of the study of Pawns: the protocol decides rightly, and pairs are pairs."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from kibitz.arena.executors import make_executor
from kibitz.arena.statistics import Estimate
from kibitz.core.seeds import stream
from kibitz.store import Store
from kibitz.studies.folder import write_report
from kibitz.studies.pawns import STUDY, arms, quality, strength
from kibitz.studies.pawns.arms import ANYBODY, CAPS, MIXES, MODELS, OUTSIDERS, PLAIN, MixedDepthSearch
from kibitz.studies.pawns.games import play_game
from kibitz.studies.pawns.protocol import (
    PAIR,
    PRIMARY,
    comparisons,
    decision,
    gain,
    games_that_count,
    least_gain,
    level_of,
)
from kibitz.studies.report import Report, make_report
from kibitz.studies.runs import StudyRun
from kibitz.studies.study import Part, Row, Settings, Study

pytestmark = pytest.mark.long

TINY = {
    "owned": ("S4",),
    "base": 1,
    "pilots": 1,
    "inside": 1,
    "guessed": 1,
    "outside": 1,
    "glimpse": 1,
    "library": 3,
    "unseen": 1,
}
WATCHERS = (quality.RANDOM, next(iter(quality.NETWORKS)), "strategy filter, depth 3")
PAIRS = 2000


def estimate(low: float, high: float) -> Estimate:
    return Estimate((low + high) / 2, low, high, PAIRS, PAIRS)


def games(arm: str, scores: np.ndarray) -> list[Row]:  # type: ignore[type-arg]
    """Rows of games on pairs 0, 1, 2 …"""
    common = {"own": "S1", "opponent": "S2", "colour": 0}
    return [{"arm": arm, **common, "repeat": repeat, "score": float(score)} for repeat, score in enumerate(scores)]


def coins(name: str, chance: float, count: int = PAIRS) -> np.ndarray:  # type: ignore[type-arg]
    return (stream(5, name).random(count) < chance).astype(float)


# The protocol.


def test_a_gain_is_found_and_none_is_not_claimed() -> None:
    rows = [*games("better", coins("a", 0.57)), *games("plain", coins("b", 0.5)), *games("same", coins("c", 0.5))]
    assert gain(rows, "better", "plain").low > 0.0
    assert gain(rows, "same", "plain").low < 0.0 < gain(rows, "same", "plain").high


def test_pairs_make_small_gains_visible() -> None:
    control = coins("a", 0.5)
    better = np.where(stream(6, "flip").random(PAIRS) < 0.04, 1.0, control)
    rows = [*games("better", better), *games("plain", control), *games("other", coins("b", 0.5))]
    assert gain(rows, "better", "plain").low > 0.0
    assert gain(rows, "better", "other").low < 0.0, "without pairs the same gain drowns"


def test_half_a_pair_counts_for_nothing() -> None:
    rows = [*games("arm", np.ones(30)), *games("plain", np.zeros(20))]
    assert gain(rows, "arm", "plain").matches == 20


@pytest.mark.parametrize(
    ("inside", "outside", "on"),
    [
        ((0.01, 0.05), (-0.01, 0.03), True),
        ((-0.001, 0.05), (-0.01, 0.03), False),
        ((0.01, 0.05), (-0.03, 0.03), False),
        ((0.0, 0.05), (-0.01, 0.03), False),
        ((-0.05, -0.01), (-0.05, -0.03), False),
    ],
)
def test_on_needs_a_gain_inside_and_no_loss_outside(
    inside: tuple[float, float], outside: tuple[float, float], on: bool
) -> None:
    assert decision(estimate(*inside), estimate(*outside)).on is on


def test_the_better_control_decides() -> None:
    rows = [
        *games(PRIMARY, coins("a", 0.6)),
        *games(CAPS[PRIMARY], coins("b", 0.4)),
        *games(MIXES[PRIMARY], coins("c", 0.6)),
    ]
    assert gain(rows, PRIMARY, CAPS[PRIMARY]).low > 0.0 > least_gain(rows, PRIMARY).low


def test_only_the_primary_comparison_has_the_whole_error_to_itself() -> None:
    levels = {pair: level_of(*pair) for pair in comparisons()}
    assert [pair for pair, level in levels.items() if level == 0.95] == [(PRIMARY, CAPS[PRIMARY])]
    others = [1.0 - level for level in levels.values() if level != 0.95]
    assert sum(others) == pytest.approx(0.05)


def test_so_many_looks_at_nothing_rarely_find_something() -> None:
    rng, wrong = stream(8, "null"), 0
    for _ in range(60):
        found = False
        for arm, control in comparisons():
            if (arm, control) != (PRIMARY, CAPS[PRIMARY]):
                rows = [*games(arm, rng.integers(0, 2, 100)), *games(control, rng.integers(0, 2, 100))]
                seen = gain(rows, arm, control, level_of(arm, control))
                found = found or seen.low > 0.0 or seen.high < 0.0
        wrong += found
    assert wrong <= 8


def test_who_loses_to_everybody_counts_in_no_mean() -> None:
    rows: list[Row] = [{"opponent": ANYBODY}, {"opponent": OUTSIDERS[0]}]
    assert games_that_count(rows) == rows[1:]


# What is played.


@pytest.mark.parametrize("library", ["inside", "outside"])
def test_all_arms_play_on_the_seeds_of_their_pairs(library: str) -> None:
    repeats = {PRIMARY: 2, CAPS[PRIMARY]: 2, "asymmetric dbn": 1}
    seeds: dict[tuple[object, ...], set[int]] = {}
    cases = strength.meetings(STUDY.effective_settings(), 3, library, repeats, library)
    for case in cases:
        seeds.setdefault(tuple(case[name] for name in PAIR), set()).add(case["seed"])
    assert all(len(found) == 1 for found in seeds.values())
    assert len(set.union(*seeds.values())) == len(seeds) < len(cases)
    assert {pair[2] for pair in seeds} == {0, 1}


def test_the_whole_study_has_the_pairs_it_promises() -> None:
    settings = STUDY.effective_settings()
    for library, repeats in (
        ("inside", strength.inside_repeats(settings)),
        ("outside", strength.outside_repeats(settings, tuple(MODELS))),
    ):
        cases = games_that_count(strength.meetings(settings, 0, library, repeats, library))
        for arm in (*MODELS, *CAPS.values(), *MIXES.values(), PLAIN):
            assert sum(case["arm"] == arm for case in cases) == strength.pairs_of(settings, library) >= PAIRS


def test_who_gains_nothing_inside_is_seen_less_outside() -> None:
    settings = STUDY.effective_settings()
    repeats = strength.outside_repeats(settings, ["asymmetric dbn"])
    assert {arm for arm, often in repeats.items() if often == settings["outside"]} == {
        "asymmetric dbn",
        CAPS["asymmetric dbn"],
        MIXES["asymmetric dbn"],
        PLAIN,
    }
    assert repeats[PRIMARY] == repeats[CAPS[PRIMARY]] == settings["glimpse"] < settings["outside"]


def test_outsiders_are_strangers_to_the_models() -> None:
    assert not set(arms.HELD_OUT.values()) & set(arms.TABLE.values())
    assert {type(arms.opponent(name, 4)).__name__ for name in OUTSIDERS} == {"AlphaBeta"}


@pytest.mark.parametrize("colour", [0, 1])
def test_a_game_counts_the_nodes_of_the_model_and_comes_again(colour: int) -> None:
    case = {"arm": "asymmetric filter", "own": "S2", "opponent": "S3", "colour": colour, "base": 2, "seed": 4}
    row, again = strength.duel(case), strength.duel(case)
    assert {**row, "seconds": 0} == {**again, "seconds": 0}
    agent, other = arms.player("asymmetric filter", "S2", 2), arms.opponent("S3", 2)
    seats = (agent, other) if colour == 0 else (other, agent)
    game = play_game(*seats, 4)
    assert row["nodes"] == agent.searched
    assert agent.opponent.watched > 0  # type: ignore[attr-defined]
    assert row["nodes"] > agent.opponent.searched > agent.opponent.watched  # type: ignore[attr-defined]
    assert row["score"] == (1 + game["result"] * (1 if colour == 0 else -1)) / 2


def test_a_budget_buys_what_was_spent() -> None:
    costs = np.array([50, 400, 3000, 12_000])
    budget = strength.enough(costs, 1000.0)
    assert np.minimum(costs, budget).mean() >= 1000.0 > np.minimum(costs, budget - 1).mean()
    assert strength.enough(costs, 1e9) == arms.MOST


@pytest.mark.parametrize(("reach", "depths"), [(2.0, {2}), (3.0, {2, 4}), (4.0, {4}), (5.5, {4, 6})])
def test_a_mixed_search_reaches_as_far_on_average(reach: float, depths: set[int]) -> None:
    agent = arms.player(MIXES["asymmetric dbn"], "S2", 2, reach)
    assert isinstance(agent, MixedDepthSearch)
    agent.rng = stream(3, "mixed")
    found = [agent.settings().depth for _ in range(400)]
    assert set(found) == depths
    assert np.mean(found) == pytest.approx(reach, abs=0.2)


# The parts, as small as can be.


def parts(settings: Settings, seed: int) -> list[Part]:
    return [*quality.parts(settings, seed), *strength.parts(settings, seed)]


def tiny() -> Study:
    sections = (*quality.SECTIONS, *strength.SECTIONS)
    return msgspec.structs.replace(STUDY, quick={**STUDY.quick, **TINY}, parts=parts, sections=sections)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    folder = tmp_path_factory.mktemp("strength")
    networks = {name: quality.NETWORKS[name] for name in WATCHERS if name in quality.NETWORKS}
    with (
        pytest.MonkeyPatch.context() as patch,
        Store(str(folder / "a.db")) as store,
        make_executor("inline") as executor,
    ):
        patch.setattr(quality, "NETWORKS", networks)
        patch.setattr(quality, "WATCHERS", WATCHERS)
        run = StudyRun(tiny(), store, quick=True, seed=1)
        list(run.run_rest(executor))
        yield run


@pytest.fixture(scope="module")
def report(run: StudyRun) -> Report:
    return make_report(run)


def test_capped_controls_spend_about_what_their_arms_do(run: StudyRun) -> None:
    def nodes(arm: str) -> float:
        rows = [row for row in run.results.rows("inside") if row["arm"] == arm]
        return sum(row["nodes"] for row in rows) / sum(row["moves"] for row in rows)

    assert all(nodes(kind[arm]) > 0.6 * nodes(arm) for kind in (CAPS, MIXES) for arm in MODELS)


def test_no_network_has_learned_from_a_game_it_foretells(run: StudyRun) -> None:
    learned = {game["moves"] for case in quality.taught_cases(run.results) for game in case["games"]}
    foretold = {game["moves"] for case in quality.quality_cases(run.results) for game in case["games"]}
    assert len(learned) > len(foretold) > 0
    assert not learned & foretold


def test_marks_of_predictions_are_shares(run: StudyRun) -> None:
    for name in WATCHERS:
        found = quality.Quality(run.results, name).rows
        for row in found:
            assert 0 < row["sums"]["top 1"] <= row["sums"]["top 3"] <= row["sums"]["top 5"] <= row["moves"]
            assert len(row["beliefs"]) == row["moves"]
            assert 0 <= row["named"] <= row["games"]
    random, *_, informed = (quality.Quality(run.results, name).mean("top 1").mean for name in WATCHERS)
    assert informed > random


def test_the_report_states_the_protocol_and_decides(run: StudyRun, report: Report, tmp_path: Path) -> None:
    text = write_report(report, run, tmp_path).with_suffix(".md").read_text()
    for words in ("Hypothesis", "Bonferroni", "Rule: an arm is switched on", "Primary comparison", "saturated"):
        assert words in text
    assert "By the rule stated before the run" in text
    assert (tmp_path / "figures" / "gains.svg").exists()
