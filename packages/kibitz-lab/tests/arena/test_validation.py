"""Cross-validation of tables of rows, with intervals by game."""

import numpy as np
import pytest

from kibitz.core.seeds import stream
from kibitz_lab.arena.validation import FOLDS, LEARNERS, validate_learner, validations
from kibitz_lab.learn.example_tables import ExampleTable, LabelledRow, TableLayout
from kibitz_lab.learn.examples import Column

LAYOUT = TableLayout("answers", (Column("gain"), Column("noise")), Column("answer", ("yes", "no")))


def rows(count: int = 240, agents: int = 4) -> list[LabelledRow]:
    """Games of four rows, in which the answer is the sign of the gain, but the other way round for the last agent."""
    rng = stream(1, "validation")
    found = []
    for number in range(count):
        gain, agent = float(rng.normal()), number % agents
        label = "yes" if (gain > 0.0) != (agent == agents - 1) else "no"
        found.append(LabelledRow((gain, float(rng.normal())), label, f"g{number // 4}", f"a{agent}"))
    return found


@pytest.mark.parametrize("learner", list(LEARNERS))
def test_every_learner_is_judged_on_what_it_has_not_seen(learner: str) -> None:
    easy = ExampleTable(LAYOUT, [row for row in rows() if row.agent != "a3"])
    found = validate_learner(easy, learner, "game")
    assert found.accuracy.mean > 0.9
    assert found.accuracy.blocks == 60
    assert 0.0 <= found.log_loss.low <= found.log_loss.mean
    assert np.sum(found.confusion) == found.rows == 180
    assert np.trace(found.confusion) == pytest.approx(found.accuracy.mean * found.rows)
    assert sum(found.shares) == pytest.approx(1.0)


def test_an_agent_unlike_the_others_is_foretold_wrongly_when_it_was_never_seen() -> None:
    table = ExampleTable(LAYOUT, rows())
    known = validate_learner(ExampleTable(LAYOUT, [row for row in rows() if row.agent != "a3"]), "c4.5", "agent")
    mixed = validate_learner(table, "c4.5", "agent")
    assert known.accuracy.low > mixed.accuracy.high
    assert mixed.calibration_error.low > known.calibration_error.mean


@pytest.mark.long
def test_tables_are_validated_in_every_way_there_is_enough_for() -> None:
    found = list(validations([ExampleTable(LAYOUT, rows())]))
    assert [each.left_out for each in found] == list(FOLDS)
    assert [each.learner for each in found] == ["c4.5", "c4.5", "shrunk c4.5"]
    few = ExampleTable(LAYOUT, [row._replace(agent="a0") for row in rows(20)])
    assert [each.left_out for each in validations([few])] == ["row"]
    alike = ExampleTable(LAYOUT, [row._replace(label="yes") for row in rows()])
    assert list(validations([alike])) == []
