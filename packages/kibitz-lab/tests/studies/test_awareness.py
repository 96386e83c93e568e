"""The study of awareness, in very small."""

from typing import Any

import pytest

from finished_studies import all_results
from kibitz.cli.main import exit_code
from kibitz.core.errors import BadDefinition
from kibitz.core.registry import make_model
from kibitz_lab.studies.awareness import arms, cells, pairs
from kibitz_lab.studies.awareness.matrix import STUDY
from kibitz_lab.studies.study import Results

SMALL: dict[str, Any] = {
    **STUDY.settings,
    **STUDY.quick,
    "games": ("kuhn(players=2)",),
    "hands": 2,
    "agents": ("aware(simulations=4)", "alphabeta"),
    "opponents": ("known", "adapting"),
    "stages": (2, 4),
    "control_pairs": 2,
}


@pytest.fixture(scope="module")
def results() -> Results:
    return all_results(STUDY, SMALL)


@pytest.mark.long
def test_the_report_has_a_row_per_cell_with_its_controls_and_names_refusals(results: Results) -> None:
    gains, refused = (measure.lines(results) for measure in STUDY.measures)
    assert [tuple(line.levels.values()) for line in gains] == [
        ("kuhn(players=2)", "aware(simulations=4)", "strategy_filter", kind) for kind in ("known", "adapting")
    ]
    known, adapting = (line.values for line in gains)
    controls = ("gain", "truth told", "wrong model")
    assert [known[name] is None for name in controls] == [False, False, False]
    assert [adapting[name] is None for name in controls] == [False, True, False]  # there is no truth to tell
    assert known["pairs"] == 4
    named = {line.levels["what"]: line.values["why"] for line in refused}
    assert named["kuhn(players=2): alphabeta with strategy_filter"] == "it takes no model"
    assert any("no truth to tell" in str(why) for why in named.values())


@pytest.mark.long
def test_pairs_have_the_same_opponents_and_seeds_whatever_the_agent_is_told(results: Results) -> None:
    case = {**results.runs["pairs_1"].rows[0].row, "adapters": ["adapting"]}
    other = {**case, "arm": "wrong", "agent": "mcts(simulations=2)"}
    assert pairs.make_block(case, 0) == pairs.make_block(other, 0)
    assert pairs.make_block(case, 0) != pairs.make_block(case, 1)


def test_a_cell_stops_when_it_is_decided_and_its_interval_counts_all_cells() -> None:
    cell = cells.Cell("pennies", "aware", "strategy_filter", "model", "known")
    alone, many = cells.CellTest(cell, 1), cells.CellTest(cell, 100)
    row = {"gains": [0.2, 0.1, 0.15] * 10, "plain": [0.5] * 30, "cpu": 1.0, "strikes": 0}
    alone.add(row)
    many.add(row)
    assert alone.is_decided
    assert alone.verdict == "gains"
    assert alone.estimate is not None
    assert many.estimate is not None
    assert alone.estimate.low > many.estimate.low


def test_a_loss_that_is_small_for_certain_is_enough_against_strangers_only() -> None:
    row = {"gains": [0.05, -0.03, 0.02, -0.02] * 10, "plain": [0.5], "cpu": 1.0, "strikes": 0}
    decided = {}
    for kind in ("known", "strangers"):
        test = cells.CellTest(cells.Cell("pennies", "aware", "strategy_filter", "model", kind), 10)
        test.add(row)
        assert test.verdict == "not worse"
        decided[kind] = test.is_decided
    assert decided == {"known": False, "strangers": True}


def test_a_certain_loss_against_strangers_is_played_on_until_it_is_small_or_large_for_certain() -> None:
    decided = {}
    for least, most in ((-0.05, -0.005), (-0.02, -0.015), (-0.05, -0.04)):
        test = cells.CellTest(cells.Cell("pennies", "aware", "strategy_filter", "model", "strangers"), 1)
        test.add({"gains": [least, most] * 10, "plain": [0.5], "cpu": 1.0, "strikes": 0})
        assert test.verdict == "loses"
        decided[least, most] = test.is_decided
    assert list(decided.values()) == [False, True, True]


def test_controls_know_a_strategy_for_certain_and_a_wrong_one_is_no_part_of_the_opponent() -> None:
    truth = make_model(arms.certain_model("strategy_filter(drift=0.1)", "pennies.heads", true=True))
    assert repr(truth) == "strategy_filter(strategies=[pennies.heads], unknown=0.0, noise=0.0)"
    assert arms.told_model("dbn") == "strategy_filter"
    library = ["pennies.heads", "pennies.copycat"]
    assert arms.wrong_strategies("noisy(strategy=pennies.heads)", library) == ["pennies.copycat"]


def test_models_of_other_games_are_left_out() -> None:
    assert cells.models_for("pawns", ["trails.types", "usual", "strategy_filter"]) == ["strategy_filter"]
    assert cells.models_for("trails", ["trails.types", "usual"]) == ["trails.types"]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"games": ()}, "games: name at least one"),
        ({"opponents": ("me",)}, "'me' is"),
    ],
)
def test_bad_settings_are_refused_in_one_line(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(BadDefinition, match=why) as error:
        STUDY.parts({**SMALL, **changed}, 0)
    assert "\n" not in str(error.value)


def test_options_of_other_studies_are_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["study", "recursive", "--quick", "--games", "kuhn"]) != 0
    assert "games is not a setting" in capsys.readouterr().err
