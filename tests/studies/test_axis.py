"""The study of Lie (2009): its numbers are recomputed, runs are judged by the exact solution, and the bars are held."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kibitz.arena.executors import make_executor
from kibitz.arena.statistics import Estimate
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.store import Store
from kibitz.studies.axis import STUDY, battles, family, predictability, scenarios, sweeps, whole_games
from kibitz.studies.axis.trials import run
from kibitz.studies.folder import write_report
from kibitz.studies.report import make_report
from kibitz.studies.runs import StudyRun
from kibitz.studies.study import Part, Settings, Work

pytestmark = pytest.mark.long

TINY = {
    "runs": 1,
    "scale": 0.02,
    "sweep_runs": {"s1": 1, "s2": 1, "s3": 1},
    "family_runs": 1,
    "help_runs": {"s1": 1, "s2": 1, "s3": 1},
    "depth_runs": 1,
    "strength": 0.01,
    "read_kinds": ("bla",),
}


def but_the_third_turn(settings: Settings, seed: int) -> list[Part]:
    """All parts but the one whose table takes long to make."""
    return [part for part in STUDY.parts(settings, seed) if part.name != "third"]


def few_whole_games(settings: Settings, seed: int) -> list[Part]:
    """The same, with whole games of the teams that think least."""
    parts = but_the_third_turn(settings, seed)
    return [
        msgspec.structs.replace(part, cases=[case for case in part.cases if case["team"] in whole_games.SHORT])
        if isinstance(part, Work) and part.name == "whole" and not callable(part.cases)
        else part
        for part in parts
    ]


@pytest.fixture(scope="module", params=[1, pytest.param(2, marks=pytest.mark.slow)])
def tiny(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    """A small study, with one game of two teams, or one of every team from each side."""
    quick = {**STUDY.quick, **TINY, "whole_games": {"front": request.param}}
    folder = tmp_path_factory.mktemp("axis")
    sections = tuple(section for section in STUDY.sections if section.parts != ("third",))
    chosen = few_whole_games if request.param == 1 else but_the_third_turn
    study = msgspec.structs.replace(STUDY, quick=quick, parts=chosen, sections=sections)
    with Store(str(folder / "a.db")) as store, make_executor("inline") as executor:
        run = StudyRun(study, store, quick=True, seed=1)
        list(run.run_rest(executor))
        yield run


def test_average_gains_are_the_exact_ones() -> None:
    """The fractions that the thesis's own scoring gives, whatever it prints."""
    found = {line.what: line.here for line in battles.lines()}
    exact = {
        "infantry together, tank attacks": Fraction(31, 14),
        "infantry split, tank attacks twice": Fraction(3, 8),
        "infantry split, tank attacks once": Fraction(1, 4),
        "second fight after a lost first": Fraction(-15, 4),
        "both infantry attack": Fraction(-257, 329),
        "one attacks, tank replies": Fraction(-39, 28),
        "one attacks, tank takes the empty area": Fraction(-11, 7),
        "three infantry defend": Fraction(-19151, 4600),
        "two infantry defend": Fraction(-19811, 1120),
    }
    for what, value in exact.items():
        assert found[what] == pytest.approx(float(value), abs=1e-12)
    assert found["all attack in the second turn"] == pytest.approx(11.650692, abs=1e-6)
    assert found["all attack in the first turn"] == pytest.approx(-10.220019, abs=1e-6)


def test_battles_are_right_within_their_samples() -> None:
    assert battles.odds("2i2a1t vs 3i1a")[battles.TAKES] == pytest.approx(83.14758357)
    assert battles.odds("1i2a1t vs 3i1a or 2i1a1t vs 3i1a")[battles.TAKES] == pytest.approx(56.875617, abs=1e-5)
    assert battles.odds("2t vs 3i")[battles.KEEPS] == pytest.approx(72.588, abs=1e-3)


def right(runs: int, **case: Any) -> float:
    """The share of runs in which every turn is as good as any."""
    return sum(scenarios.all_right(run({**case, "seed": seed})) for seed in range(runs)) / runs


@pytest.mark.parametrize("scenario", ["s1", "s2", "s3"])
def test_the_best_automaton_finds_every_plan_by_odds(scenario: str) -> None:
    assert right(20, scenario=scenario, team="BLA", outcomes="odds", sure=0.999) == 1.0


def test_bayesian_automata_find_the_third_plan_with_dice() -> None:
    assert right(6, scenario="s3", team="BLA") >= 0.8


def test_tsetlin_does_not() -> None:
    assert right(15, scenario="s3", team="Tsetlin") <= 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "runs", "least"), [("s2", 40, 0.95), ("s3", 200, 0.85)])
def test_bayesian_automata_hold_their_bars(scenario: str, runs: int, least: float) -> None:
    """Runs of the second scenario take seconds each; the study has 200 of them."""
    assert right(runs, scenario=scenario, team="BLA") >= least


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["s1", "s2", "s3"])
def test_the_best_automaton_holds_its_bar(scenario: str) -> None:
    assert right(200, scenario=scenario, team="BLA", outcomes="odds", sure=0.999) >= 0.98


def test_a_run_is_judged_unit_by_unit() -> None:
    """One round is no learning: what comes out is anything, and how far off it is counted."""
    row = run({"scenario": "s3", "team": "Tsetlin", "rounds": [1, 1], "seed": 5})
    attacking = row["first"].count("> M")
    assert row["first_off"] == attacking
    assert row["first_right"] == (attacking == 0)
    assert (row["first_lost"] == 0.0) == (attacking == 0)


def test_infantry_moves_are_told_apart() -> None:
    def first(*orders: str) -> dict[str, str]:
        return {"first": "; ".join(orders)}

    stay, north, west = "infantry South stays", "infantry South > North", "infantry South > West"
    moves = [scenarios.pair_move(first(*pair)) for pair in ((stay, stay), (north, north), (stay, north), (west, west))]
    assert moves == ["together", "together", "split", "both attack"]
    assert scenarios.pair_move(first(stay, west)) == "one attacks"
    assert scenarios.tank_attacks({**first(stay, stay), "reply": "tank West > South"})
    assert not scenarios.tank_attacks({**first(stay, stay), "reply": "tank West > North"})
    assert not scenarios.tank_attacks({**first(stay, north), "reply": "tank West stays"})


def test_whole_games_change_sides() -> None:
    case = {"scenario": "front", "team": "one turn", "opponent": "random", "strength": 0.01, "seed": 3}
    gains = [whole_games.whole_game({**case, "repeat": repeat})["gain"] for repeat in range(2)]
    assert all(abs(gain) < 200.0 for gain in gains)


@pytest.mark.parametrize("team", whole_games.TEAMS)
def test_every_team_can_sit_down_on_a_large_board(team: str) -> None:
    agent = make_agent(f"automata({whole_games.TEAMS[team]}, strength=0.01)")
    agent.begin(make_game("axis(scenario=front)"), 0, stream(1, "team"))


def test_games_from_both_sides_are_taken_together() -> None:
    games = [{"repeat": 0, "gain": 30.0}, {"repeat": 1, "gain": -20.0}, {"repeat": 2, "gain": 7.0}]
    assert whole_games.pair_means(games) == [5.0]
    assert whole_games.pair_means(games[2:]) == [7.0]


def test_depth_is_worth_what_the_same_games_bring_more() -> None:
    def games(*gains: float) -> list[dict[str, float]]:
        return [{"repeat": repeat, "gain": gain} for repeat, gain in enumerate(gains)]

    groups = {
        ("front", "random", whole_games.SHALLOW): games(1.0, 2.0, 3.0, 4.0),
        ("front", "random", whole_games.DEEP): games(5.0, 4.0, 6.0, 9.0, 99.0),
        ("front", "axis.greedy", whole_games.DEEP): games(1.0, 2.0),
    }
    ((board, opponent, pairs, more),) = whole_games.worth_of_depth(groups)
    assert (board, opponent, pairs) == ("front", "random", 2)
    assert isinstance(more, Estimate)
    assert more.mean == 3.5


def test_a_watched_game_tells_how_well_it_was_foretold() -> None:
    row = predictability.watch_game({"scenario": "s3", "kind": "bla", "variety": 0.0, "seed": 1})
    assert row["orders"] >= 10
    assert row["hits"] >= 0.9
    assert 0.0 <= row["log_loss"] < 0.3


def test_all_parts_are_reported(tiny: StudyRun, tmp_path: Path) -> None:
    report = make_report(tiny)
    tables = report.plain()["tables"]
    assert len(tables) >= 14
    assert all(table["rows"] for table in tables[:5])
    assert write_report(report, tiny, str(tmp_path / "report")).name == "report.html"


def test_rows_are_found_by_their_levels(tiny: StudyRun) -> None:
    groups = tiny.results.groups("runs", "scenario", "team")
    assert len(groups) == 3 + 5 + 5
    assert all((row["scenario"], row["team"]) == levels for levels, rows in groups.items() for row in rows)


def test_settings_belong_to_their_parts() -> None:
    assert len(sweeps.parts(STUDY.settings, 0)[0].cases) > 2500
    assert len(family.parts(STUDY.settings, 0)[0].cases) == 3 * (5 + 2) * 200 + 2 * (20 + 20 + 200)
