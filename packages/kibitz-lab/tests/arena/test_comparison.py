from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kibitz.core.errors import BadDefinition
from kibitz_lab.arena.comparison import ComparisonRun, Evidence, Report, comparison
from kibitz_lab.arena.executors import Executor, make_executor
from kibitz_lab.arena.tournament import seatings
from kibitz_lab.store import Store

POKER = "kuhn(players=2)"


def compared(database: Path | str, a: str = "maniac", b: str = "random", game: str = POKER, **options: Any) -> Report:
    kept = {key: options.pop(key) for key in ("others", "seed", "opening", "series") if key in options}
    executor = options.pop("executor", None) or make_executor("inline")
    with Store(str(database)) as store, executor:
        comparing = ComparisonRun(comparison(game, a, b, **kept), store, Evidence(**options))
        for _ in comparing.play_matches(executor):
            pass
        return comparing.report()


def untimed(report: Report) -> Report:
    """What a report says of the matches the verdict is from, clock readings aside."""
    agents = [msgspec.structs.replace(agent, seconds=0.0) for agent in report.agents]
    return msgspec.structs.replace(report, agents=agents, notes=[], stored=0)


class Disorderly(Executor):
    """Completes items in a strange order, many of them long before they are due; stops as a kill would."""

    def __init__(self, after: int | None = None) -> None:
        self.after = after

    def run_items(self, work: Any, items: Any) -> Iterator[tuple[int, Any]]:  # type: ignore[override]
        waiting: list[tuple[int, Any]] = []
        done = 0
        for position, item in enumerate(items):
            waiting.append((position, item))
            if len(waiting) == 7:
                for chosen in (5, 1, 3, 0):
                    if done == self.after:
                        raise KeyboardInterrupt
                    place, each = waiting.pop(chosen)
                    done += 1
                    yield place, work(each)
        for place, each in waiting[::-1]:
            yield place, work(each)


@pytest.mark.long
def test_the_better_agent_is_found_and_the_sentence_comes_from_the_interval(tmp_path: Path) -> None:
    report = compared(tmp_path / "a.db", least=0.2)
    assert report.verdict == "better"
    assert report.difference.low > 0.0
    assert report.sentence.startswith("maniac is better than random: +")
    assert report.sentence.endswith(f"decided after {report.matches} matches")
    assert (report.won + report.drawn + report.lost) == report.matches == report.difference.matches
    assert sum(row.won for row in report.seats) == report.won
    assert [row.difference.matches for row in report.seats] == [report.matches // 2] * 2
    assert report.ratios["better"] >= report.limit
    turned = compared(tmp_path / "b.db", "random", "maniac", least=0.2)
    assert turned.verdict == "worse"
    assert turned.sentence.startswith("maniac is better than random: +")


@pytest.mark.long
def test_the_answer_is_the_same_in_any_order_of_completion(tmp_path: Path) -> None:
    plain = compared(tmp_path / "a.db", least=0.2)
    assert untimed(compared(tmp_path / "b.db", least=0.2, executor=Disorderly())) == untimed(plain)


@pytest.mark.long
def test_one_that_was_stopped_goes_on_to_the_same_answer(tmp_path: Path) -> None:
    plain = compared(tmp_path / "a.db", least=0.2)
    for after in (0, 3, 20):
        with pytest.raises(KeyboardInterrupt):
            compared(tmp_path / "b.db", least=0.2, executor=Disorderly(after))
    with Store(str(tmp_path / "b.db")) as store:
        assert store.run(1).stored == 23
        assert store.run(1).finished is None
    again = compared(tmp_path / "b.db", least=0.2)
    assert untimed(again) == untimed(plain)
    with Store(str(tmp_path / "b.db")) as store:
        assert [run.finished is not None for run in store.runs()] == [True]


@pytest.mark.long
def test_a_larger_budget_goes_on_with_the_same_matches(tmp_path: Path) -> None:
    whole = compared(tmp_path / "whole.db", "solid", "rock", least=0.1, most=120)
    first = compared(tmp_path / "grown.db", "solid", "rock", least=0.1, most=40)
    assert first.verdict == "undecided"
    assert first.sentence.startswith("not decided within 40 matches: solid against rock ")
    with Store(str(tmp_path / "grown.db")) as store:
        before = dict(store.records(1))
    more = compared(tmp_path / "grown.db", "solid", "rock", least=0.1, most=120)
    assert untimed(more) == untimed(whole)
    with Store(str(tmp_path / "grown.db")) as store:
        assert (store.run(1).planned, store.run(1).stored) == (120, 120)
        after = dict(store.records(1))
    assert before.items() <= after.items()
    less = compared(tmp_path / "grown.db", "solid", "rock", least=0.1, most=40)
    assert untimed(less) == untimed(first)


def test_another_least_difference_uses_the_same_matches(tmp_path: Path) -> None:
    fine = compared(tmp_path / "a.db", "solid", "rock", least=0.1, most=200)
    coarse = compared(tmp_path / "a.db", "solid", "rock", least=1.0, most=200)
    assert coarse.run == fine.run == 1
    assert coarse.verdict == "alike"
    assert coarse.matches < fine.matches
    assert coarse.stored == fine.stored
    assert coarse.sentence.startswith("no difference as large as 1: ")


@pytest.mark.long
def test_a_width_is_played_for_whatever_is_decided_before(tmp_path: Path) -> None:
    report = compared(tmp_path / "a.db", least=1.0, width=0.6)
    low, high = report.difference.low, report.difference.high
    assert (high - low) / 2.0 <= 0.6
    assert "known to within 0.6 after" in report.sentence
    short = compared(tmp_path / "a.db", least=1.0, width=0.1, most=100)
    assert "not known to within 0.1 after 100 matches" in short.sentence


def test_where_a_game_is_not_zero_sum_earning_more_than_the_other_is_not_called_better(tmp_path: Path) -> None:
    report = compared(tmp_path / "a.db", "defector", "generous", "dilemma(rounds=5)", opening=1)
    assert report.verdict == "better"
    assert report.sentence.startswith("defector earns more than generous where they meet: +")
    assert any("is not zero-sum" in note and "kibitz tournament" in note for note in report.notes)
    turned = compared(tmp_path / "a.db", "generous", "defector", "dilemma(rounds=5)", opening=1)
    assert turned.sentence.startswith("defector earns more than generous where they meet: +")


def test_the_same_game_again_and_again_is_noticed(tmp_path: Path) -> None:
    report = compared(tmp_path / "a.db", "tit_for_tat", "defector", "dilemma(rounds=5)")
    assert report.verdict == "repeated"
    assert report.matches == 20
    assert "play the same game again and again (where defector earns 5 more than tit_for_tat)" in report.sentence
    assert "use --opening" in report.sentence
    other = compared(tmp_path / "a.db", "tit_for_tat", "defector", "dilemma(rounds=5)", opening=2, most=60)
    assert other.verdict != "repeated"


def test_many_at_a_table_meet_in_every_seat_with_the_same_neighbours(tmp_path: Path) -> None:
    assert seatings(("a", "b"), "swap") == [("a", "b"), ("b", "a")]
    orders = seatings(("a", "b", "c", "d"), "swap")
    assert len(orders) == len(set(orders)) == 8
    for name in "abcd":
        assert [sum(order[seat] == name for order in orders) for seat in range(4)] == [2] * 4
    assert {tuple({"a": "b", "b": "a"}.get(name, name) for name in order) for order in orders} == set(orders)
    report = compared(tmp_path / "a.db", "solid", "random", "kuhn", others=["rock"], least=0.5, most=60)
    assert report.difference.matches == report.matches
    assert [row.difference.matches for row in report.seats] == [report.matches // 3] * 3
    default = comparison("kuhn(players=4)", "solid", "x=random")
    assert default.tournament.fields == (("solid", "x", "solid#2", "rock"),)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((POKER, "solid", "nobody"), {}, "no agent named 'nobody'"),
        ((POKER, "solid", "rock", ["random"]), {}, "you named 1 others"),
        ((POKER, "solid", "human"), {}, "a person answers for it"),
        ((POKER, "solid", "rock"), {"most": 1}, "a block has 2 matches"),
        ((POKER, "solid", "rock"), {"least": 9.0}, "the least difference must be between 0 and 4"),
        ((POKER, "solid", "rock"), {"alpha": 1.0}, "a level must be between"),
    ],
)
def test_what_cannot_be_compared_is_said(tmp_path: Path, arguments: Any, options: Any, words: str) -> None:
    with pytest.raises((BadDefinition, KeyError, ValueError), match=words), Store(str(tmp_path / "a.db")) as store:
        ComparisonRun(comparison(*arguments), store, Evidence(**options))
