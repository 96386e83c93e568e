"""Measures of a negotiation: the bargaining set of a board, and what records hold of a match."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.cli.main import exit_code
from kibitz.core.kit.numbers import Measure
from kibitz.core.match.play import play
from kibitz.core.records import read_record
from kibitz.core.records.replay import measures_of
from kibitz_lab.arena.runs import interval_of
from kibitz_trails.board_file import load
from kibitz_trails.measures import bargaining_set, pareto_front

POINTS = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=12)


@pytest.mark.long
@given(POINTS)
def test_the_front_is_what_nothing_betters(points: list[tuple[float, float]]) -> None:
    front = pareto_front(points)
    for point in points:
        bettered = any(each != point and each[0] >= point[0] and each[1] >= point[1] for each in points)
        assert (point in front) == (not bettered)


def test_the_bargaining_set_of_dd_is_the_known_one() -> None:
    found = bargaining_set(load("dd"))
    fair = [each for each in found.front if min(each) > 5]
    assert {sum(each) for each in fair} == {280.0}
    assert (min(fair), max(fair)) == ((100.0, 180.0), (180.0, 100.0))
    assert found.nash == found.kalai_smorodinsky == (140.0, 140.0)
    assert found.disagreement == (5.0, 5.0)
    assert found.distance_to_front((140.0, 140.0)) == 0.0
    assert found.distance_to_front((5.0, 5.0)) > 100.0


@pytest.mark.parametrize(
    ("agents", "wanted"),
    [
        (("trails.honest", "trails.honest"), {"welfare": [280.0], "distance to Nash": [0.0], "promises kept": [1, 1]}),
        (("trails.rob", "trails.honest"), {"welfare": [140.0], "distance to Pareto": [0.0], "promises kept": [0, 1]}),
    ],
)
def test_records_hold_the_measures_of_a_match(
    agents: tuple[str, str], wanted: dict[str, list[float]], tmp_path: Path
) -> None:
    path = tmp_path / "match.krec"
    play("trails", agents, seed=1, path=path)
    record = read_record(path)
    assert record.ending is not None
    written = record.ending.measures
    found = {name: [each.value for each in measures_of(record) if each.name == name] for name in wanted}
    assert found == wanted
    record.ending = msgspec.structs.replace(record.ending, measures=msgspec.UNSET)
    assert tuple(measures_of(record)) == written  # worked out from the events, where the record does not hold them


def test_three_players_and_hidden_chips_have_fewer_measures_and_other_games_none() -> None:
    three = play("trails(board='layers(missing=[1, 2, 1])')", ["trails.honest"] * 3, seed=1)
    assert {each.name for each in measures_of(three)} <= {"welfare", "promises kept"}
    assert measures_of(play("pennies(lead=2)", ["pennies.heads", "pennies.alternator"], seed=3)) == ()


def test_a_run_shows_the_mean_measures_of_every_agent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = str(tmp_path / "runs.db")
    agents = "trails", "trails.honest", "trails.rob"
    assert exit_code(["tournament", *agents, "--repeats", "1", "--executor", "inline", "--db", db]) == 0
    capsys.readouterr()
    assert exit_code(["runs", "1", "--measures", "--json", "--db", db]) == 0
    found = {(each["agent"], each["measure"]): each["mean"]["mean"] for each in json.loads(capsys.readouterr().out)}
    assert found["trails.rob", "promises kept"] == 0.0
    assert found["trails.honest", "promises kept"] == 1.0
    assert found["trails.rob", "welfare"] == 140.0
    for shown in ([], ["--measures"]):
        assert exit_code(["runs", "1", *shown, "--db", db]) == 0
        assert capsys.readouterr().out.count("too few games") == (10 if shown else 2)


def test_the_interval_of_a_distance_does_not_go_below_zero_nor_that_of_a_share_beyond_one() -> None:
    apart = [Measure("distance to Nash", value, "", least=0.0) for value in (0.0, 0.0, 0.0, 90.0)]
    free = [Measure("welfare", each.value, "") for each in apart]
    held, unheld = (interval_of(found, range(4)) for found in (apart, free))
    assert unheld.low < held.low == 0.0
    assert (held.mean, held.high) == (unheld.mean, unheld.high)
    kept = [Measure("promises kept", value, "", 0, least=0.0, most=1.0) for value in (1.0, 1.0, 0.5, 1.0)]
    assert interval_of(kept, range(4)).high <= 1.0
    record = play("trails", ["trails.honest", "trails.rob"], seed=1)
    bounds = {each.name: (each.least, each.most) for each in measures_of(record)}
    assert bounds["distance to Pareto"] == bounds["distance to Nash"] == (0.0, pytest.approx(330 * 2**0.5))
    assert bounds["welfare"] == (-160.0, 500.0)
    assert bounds["promises kept"] == (0.0, 1.0)
