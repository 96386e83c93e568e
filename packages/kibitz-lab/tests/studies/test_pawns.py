"""The study of Pawns: what its rows hold, and that no network is judged by a game it has learned from."""

from collections.abc import Iterator

import msgspec
import numpy as np
import pytest
from test_contract import TINY

from kibitz.core.seeds import stream
from kibitz_lab.arena.executors import make_executor
from kibitz_lab.games.pawns.agents import TABLE
from kibitz_lab.store import Store
from kibitz_lab.studies.pawns import play, strength, thesis
from kibitz_lab.studies.pawns.study import STUDY, network_cases, prediction_cases, ratio_estimate
from kibitz_lab.studies.runs import StudyRun

pytestmark = pytest.mark.long

CASE = {"depth": 1, "wins": "mate", "seed": 3, "search": 1, "iterations": 1}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    study = msgspec.structs.replace(STUDY, quick={**STUDY.quick, **TINY["pawns"]})
    folder = tmp_path_factory.mktemp("pawns")
    with Store(str(folder / "a.db")) as store, make_executor("inline") as executor:
        run = StudyRun(study, store, quick=True, seed=1)
        list(run.run_rest(executor))
        yield run


def test_the_tables_of_the_thesis_say_less_not_more() -> None:
    plain, asymmetric = (
        {pair: round(cell.mean * 3) for pair, cell in table.items()} for table in thesis.BALANCES.values()
    )
    assert (sum(plain.values()), sum(asymmetric.values())) == (24, 22)
    changes = [asymmetric[pair] - plain[pair] for pair in plain]
    assert [sum(change > 0 for change in changes), sum(change < 0 for change in changes)] == [4, 6]


def test_a_ratio_is_of_the_sums() -> None:
    found = ratio_estimate([(1.0, 2.0), (3.0, 4.0), (2.0, 4.0)])
    assert found.mean == pytest.approx(0.6)
    assert found.low < 0.6 < found.high
    assert found.blocks == 3


def test_a_cost_is_not_wins_less_wins() -> None:
    forward, backward = TABLE["S4"], tuple(-weight for weight in TABLE["S4"])
    assert play.relative_costs(CASE, 1, [forward, backward]) == [-2.0, 2.0]
    nothing = (0.0,) * 6
    costs = play.relative_costs(CASE, 1, [forward, backward, nothing])
    assert costs[0] == -4.0
    assert sum(costs) >= 0.0, "a draw is a not-win for both"


def test_a_row_holds_the_whole_game() -> None:
    row = play.play_game(play.plain_player(TABLE["S4"], CASE), play.plain_player(TABLE["S2"], CASE), 5)
    line = play.steps(row["moves"])
    end = line[-1][0]
    assert end.is_terminal()
    assert end.returns()[0] == row["result"]
    assert sum(row["searches"]) == len(line) - 1
    assert min(row["nodes"]) > max(row["searches"])


def test_plain_and_asymmetric_games_share_their_seeds(run: StudyRun) -> None:
    seeds = {(row["wins"], row["repeat"]): row["seed"] for row in run.results.rows("plain")}
    assert len(set(seeds.values())) == len(seeds)
    assert all(seeds[row["wins"], row["repeat"]] == row["seed"] for row in run.results.rows("asymmetric"))


def test_no_network_has_seen_a_game_it_is_judged_by(run: StudyRun) -> None:
    judged = {game["moves"] for case in prediction_cases(run.results) for game in case["games"]}
    learned = {game["moves"] for case in network_cases(run.results) for game in case["games"]}
    assert not judged & learned
    assert len(learned) == 2 * 16


def test_capped_search_spends_what_its_arm_spends() -> None:
    costs = stream(5, "costs").integers(10, 5000, size=200)
    budget = strength.enough(costs, 700.0)
    assert np.minimum(costs, budget).mean() >= 700.0 > np.minimum(costs, budget - 1).mean()


def test_pairs_differ_in_the_arm_alone(run: StudyRun) -> None:
    rows = run.results.rows("duels")
    by_pair: dict[tuple[str, ...], set[int]] = {}
    for row in rows:
        pair = tuple(str(row[name]) for name in ("library", "own", "opponent", "colour", "repeat"))
        by_pair.setdefault(pair, set()).add(row["seed"])
    assert all(len(seeds) == 1 for seeds in by_pair.values())
    gains = [row for row in strength.gain_rows(run.results) if row["arm"] == "asymmetric filter"]
    assert len(gains) == len(by_pair)
    assert all(set(strength.GAINS) <= set(row) for row in gains)
