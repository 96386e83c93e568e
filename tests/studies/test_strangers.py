"""The study of strangers, in very small."""

from typing import Any

import pytest

from kibitz.studies.blocks import Conclusion, Table
from kibitz.studies.results import Results
from kibitz.studies.strangers import STUDY, games, plans
from kibitz.studies.study import Work

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


@pytest.mark.long
def test_the_players_of_a_set_do_not_depend_on_the_size_of_the_study() -> None:
    small, large = (plans.game_plan("pennies", {**SMALL, "matches": count}) for count in (1, 3))
    assert small.players == large.players
    assert {task.seed for task in small.tasks} <= {task.seed for task in large.tasks}
