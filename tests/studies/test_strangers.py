"""The study of strangers, in very small."""

from typing import Any

import numpy as np
import pytest

from kibitz import play
from kibitz.arena.scoring.strangers.worlds import SecretWorlds
from kibitz.core.records.replay import Replay
from kibitz.core.registry import entries, make_game
from kibitz.games.kuhn.rules import UNKNOWN as UNSEEN
from kibitz.models.hypotheses import known_strategies
from kibitz.studies.blocks import Conclusion, Table
from kibitz.studies.results import Results
from kibitz.studies.strangers import STUDY, bounds, games, plans
from kibitz.studies.study import Work
from kibitz.testing.strangers import players_of
from kibitz.testing.strangers.generator import FEWEST

SMALL = {
    **STUDY.settings,
    "games": ("pennies",),
    "matches": 1,
    "openings": (0,),
    "random_matches": 2,
    "known_matches": 1,
}


class Row:
    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row


class Part:
    def __init__(self, part: Work) -> None:
        assert not callable(part.cases)
        self.rows = [Row({"of": case.get("of"), **part.work(case)}) for case in part.cases]


@pytest.fixture(scope="module")
def results() -> Results:
    return Results(SMALL, 3, {part.name: Part(part) for part in STUDY.parts(SMALL, 3)})  # type: ignore[dict-item, arg-type]


@pytest.mark.long
def test_the_report_has_the_bars_of_every_game_and_says_how_many_are_met(results: Results) -> None:
    found = list(games.blocks(results))
    bars = next(block for block in found if isinstance(block, Table))
    assert {row[0] for row in bars.rows} == {"pennies"}
    assert any("meets" in block.text for block in found if isinstance(block, Conclusion))
    further = next(block for block in games.further_blocks(results) if isinstance(block, Table))
    assert [row[1:3] for row in further.rows] == [
        ("strategy_filter", "random: noticed within 20 choices"),
        ("dbn", "random: noticed within 20 choices"),
        ("strategy_filter", "known only: top-1"),
    ]


def test_every_game_with_three_strategies_has_bars() -> None:
    enough = {name for name in entries("game") if len(known_strategies(make_game(name))) >= FEWEST}
    assert {*plans.games_with_strangers()} == enough


@pytest.mark.long
def test_the_players_of_a_set_do_not_depend_on_the_size_of_the_study() -> None:
    small, large = (plans.game_plan("pennies", {**SMALL, "matches": count}) for count in (1, 3))
    assert small.players == large.players
    assert {task.seed for task in small.tasks} <= {task.seed for task in large.tasks}


@pytest.fixture(scope="module")
def small() -> bounds.SmallGame:
    known, _ = players_of(make_game("kuhn"))
    return bounds.SmallGame("kuhn", known)


def test_a_single_strategy_predicts_as_in_the_benchmark(small: bounds.SmallGame) -> None:
    spec, record = "kuhn.bluffer", play("kuhn", ["kuhn.solid", "kuhn.maniac", "kuhn.rock"], seed=5)
    worlds, predicted = SecretWorlds(small.game, spec, seed=1), small.single_prediction(spec)
    for moment in Replay(record).moments():
        if moment.event is not None:
            position = small.places.get(moment.event.before.view(None, "test").key())
            for player, action in moment.event.choices():
                assert position is not None
                assert worlds.probability(player, action) == pytest.approx(predicted[position, action])
            worlds.observe(moment.event)


def test_the_choices_of_a_player_come_as_often_as_in_matches(small: bounds.SmallGame) -> None:
    choices = small.choices("random")
    assert choices[small.places[(UNSEEN,) * 3, ()]] == pytest.approx([0.5, 0.5])
    reached = small.choices("kuhn.maniac")[small.places[(UNSEEN,) * 3, (1, 1)]]
    bets = np.mean([small.choices(each)[small.places[(UNSEEN,) * 3, ()]][1] for each in small.known])
    assert 0.0 < reached.sum() < bets, "two known players bet before the maniac, the first of them as often as that"
    assert small.gain("random", np.full_like(choices, 0.5), slip=0.0) == pytest.approx(0.0)


def test_no_spectator_without_hindsight_reaches_the_best_single_strategy(small: bounds.SmallGame) -> None:
    """The bar of Kuhn poker: exact Bayes over other strangers misses it; who knows these very strangers does not."""
    _, generated = players_of(small.game)
    strangers = [each.spec for each in generated]
    others = bounds.other_players(small.game, strangers, seeds=range(1000, 1004))
    assert not {*others} & {*strangers} - {"random"}
    found = bounds.prediction_bound(small, strangers, others)
    assert found.single == pytest.approx(-0.0229, abs=0.0001)
    assert found.single < found.bayes < -0.015
    informed = small.bayes_prediction(small.known, strangers, len(small.known) / (len(small.known) + len(strangers)))
    assert np.mean([small.gain(spec, informed, 0.0) for spec in (*strangers, *small.known)]) < found.single


def test_bayes_knows_nothing_of_a_strategy_left_out() -> None:
    known, others = bounds.without(["a", "b"], ["noisy(strategy=a)", "mixture([a, b])", "random"], "b")
    assert (known, others) == (["a"], ["noisy(strategy=a)", "random"])
