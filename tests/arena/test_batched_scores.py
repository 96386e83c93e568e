"""Records of repeated games scored in one kernel call: the sheets that one by one give, to 1e-9."""

from collections.abc import Sequence

import numpy as np
import pytest

from kibitz.arena.batches import played_batch
from kibitz.arena.scoring import batched_records
from kibitz.arena.scoring.batched_records import RecordWork
from kibitz.arena.scoring.results import Sheet
from kibitz.arena.scoring.score_record import Task, score_record
from kibitz.arena.series import Series
from kibitz.arena.sources import Fixtures, SourceRecord

MODELS = (
    "strategy_filter",
    "strategy_filter(drift=0.05, noise=0.1, unknown=0.3)",
    "strategy_filter(temper=0.5, unknown=0.0)",
    "strategy_filter(strategies=[dilemma.tit_for_tat, dilemma.memory_one(shares=[0.9, 0.1, 0.6, 0.2])], unknown=1.0)",
)


def assert_alike(slow: Sheet, fast: Sheet) -> None:
    assert (slow.game, slow.events, slow.complete, slow.strategies) == (
        fast.game,
        fast.events,
        fast.complete,
        fast.strategies,
    )
    assert (slow.returns, slow.watchers, slow.labels, slow.errors) == (
        fast.returns,
        fast.watchers,
        fast.labels,
        fast.errors,
    )
    assert slow.answers.keys() == fast.answers.keys()
    for key, one in slow.answers.items():
        other = fast.answers[key]
        np.testing.assert_array_equal(one.places, other.places)
        np.testing.assert_allclose(one.marks, other.marks, rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(one.held, other.held, rtol=0.0, atol=1e-9)
        assert (one.labels, one.changes) == (other.labels, other.changes)
        assert one.microseconds.shape == other.microseconds.shape


def sheets(tasks: Sequence[Task], monkeypatch: pytest.MonkeyPatch) -> list[Sheet]:
    """The sheets of tasks scored together; none of them may be scored alone."""
    with monkeypatch.context() as patch:
        patch.setattr(batched_records, "score_record", None)
        return RecordWork().together(tasks)


@pytest.mark.long
@pytest.mark.parametrize("agents", [(), ("random", "grim", "memory_one(shares=[0.9, 0.1, 0.6, 0.2])")])
def test_sheets_of_a_batch_are_those_of_single_records(
    agents: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Fixtures("dilemma(rounds=15)", agents, 6, seed=4)
    tasks = [Task(kept, MODELS, 2, "dilemma") for kept in found]
    for task, fast in zip(tasks, sheets(tasks, monkeypatch), strict=True):
        assert_alike(score_record(task), fast)


def test_stored_matches_are_scored_together(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = "dilemma.pavlov", "random"
    (stored,) = played_batch([Series(0, 0, "dilemma(rounds=9)", pair, pair, (1, 2))])
    tasks = [Task(SourceRecord(each.record), ("strategy_filter",), 3, "dilemma") for each in stored]
    for task, fast in zip(tasks, sheets(tasks, monkeypatch), strict=True):
        assert_alike(score_record(task), fast)


def test_other_games_and_models_are_scored_one_by_one() -> None:
    tasks = [Task(kept, ("strategy_filter@0",), 3) for kept in Fixtures("dilemma(rounds=3)", (), 1)]
    tasks += [Task(kept, ("strategy_filter",), 3) for kept in Fixtures("dilemma(rounds=3, noise=0.1)", (), 1)]
    tasks += [Task(kept, ("strategy_filter",), 3) for kept in Fixtures("kuhn", (), 1)]
    tasks += [Task(SourceRecord("unreadable"), ("strategy_filter",), 3)]
    for task, fast in zip(tasks, RecordWork().together(tasks), strict=True):
        slow = score_record(task)
        assert slow.refused == fast.refused
        if slow.refused is None:
            assert_alike(slow, fast)
