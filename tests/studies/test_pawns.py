from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from statistics import fmean

import msgspec
import pytest

from kibitz.agents.search.opponent import Tally
from kibitz.arena.executors import make_executor
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.games.pawns.agents import TABLE
from kibitz.store import Store
from kibitz.studies.blocks import Table
from kibitz.studies.folder import write_report
from kibitz.studies.pawns import STUDY, asymmetric, plain, predictions, strategies, thesis, variants
from kibitz.studies.pawns.fields import Field, ratio_estimate
from kibitz.studies.pawns.games import plain_player, play_game, steps
from kibitz.studies.pawns.networks import THEIRS, VARIANTS, network_cases, packed_networks, watcher
from kibitz.studies.report import Report, make_report
from kibitz.studies.runs import StudyRun
from kibitz.studies.study import Part, Settings, Study

pytestmark = pytest.mark.long

REPRODUCTION = (strategies, plain, asymmetric, predictions, variants)
TINY = {
    "wins": ("features",),
    "depth": 1,
    "tournaments": 3,
    "variant_tournaments": 1,
    "learned": 2,
    "searches": 1,
    "iterations": 1,
    "search_depth": 1,
    "rescored": 1,
    "found_tournaments": 1,
}
CASE = {"depth": 1, "wins": "mate", "seed": 3, "search": 1}


def parts(settings: Settings, seed: int) -> list[Part]:
    return [part for module in REPRODUCTION for part in module.parts(settings, seed)]


def tiny() -> Study:
    """What repeats the thesis, as small as can be."""
    sections = tuple(section for module in REPRODUCTION for section in module.SECTIONS)
    return msgspec.structs.replace(STUDY, quick={**STUDY.quick, **TINY}, parts=parts, sections=sections)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    folder = tmp_path_factory.mktemp("pawns")
    with Store(str(folder / "a.db")) as store, make_executor("inline") as executor:
        run = StudyRun(tiny(), store, quick=True, seed=1)
        list(run.run_rest(executor))
        yield run


@pytest.fixture(scope="module")
def report(run: StudyRun) -> Report:
    return make_report(run)


def table_of(report: Report, chapter: str, start: str) -> Table:
    """The table of a chapter whose caption begins so."""
    blocks = next(each.blocks for each in report.chapters if each.title.startswith(chapter))
    return next(each for each in blocks if isinstance(each, Table) and each.caption.startswith(start))


def test_the_tables_of_the_thesis_say_less_not_more() -> None:
    assert {way: len(pairings) for way, pairings in thesis.changes().items()} == {"up": 4, "down": 6, "same": 6}
    assert thesis.mean_won(thesis.PLAIN) == 50.0
    assert thesis.mean_won(thesis.ASYMMETRIC) == pytest.approx(45.9, abs=0.03)
    by_row = {name: (thesis.mean_won(thesis.PLAIN, name), thesis.mean_won(thesis.ASYMMETRIC, name)) for name in TABLE}
    assert by_row == {"S1": (33.5, 33.5), "S2": (33.25, 16.5), "S3": (41.5, 66.75), "S4": (91.75, 66.75)}


def test_every_share_of_the_thesis_is_of_three_games() -> None:
    for told in (*thesis.PLAIN.values(), *thesis.ASYMMETRIC.values()):
        assert {told.won, told.drawn} <= {0, 33, 67, 100}
        assert told.count(9) == 3 * told.count(3)


def test_table_11_2_names_a_wrong_pairing() -> None:
    found = thesis.changes()
    assert set(found["up"]) - set(thesis.UP) == {("S3", "S4")}
    assert set(thesis.UP) - set(found["up"]) == {("S3", "S1")}
    assert set(thesis.DOWN) == set(found["down"])
    assert asymmetric.told_in(("S3", "S1")) == "11.2, as 100 %: wrong"
    assert asymmetric.told_in(("S3", "S4")) == "no table, though it rose"
    assert asymmetric.told_in(("S1", "S2")) == "11.2"


def test_fishers_test_counts_the_ways_to_share_out_the_wins() -> None:
    for first, second in product(range(4), repeat=2):
        ways = Counter(sum(game < 3 for game in won) for won in combinations(range(6), first + second))
        expected = sum(count for count in ways.values() if count <= ways[first]) / ways.total()
        assert thesis.fisher(first, second, 3) == pytest.approx(expected)
    assert thesis.fisher(0, 6, 9) == pytest.approx(0.009, abs=0.0005)


def test_a_ratio_is_of_the_sums() -> None:
    found = ratio_estimate([1.0, 3.0, 2.0], [2.0, 4.0, 4.0])
    assert found.mean == pytest.approx(0.6)
    assert found.low < 0.6 < found.high
    assert found.blocks == 3


def test_a_search_in_stages_is_the_one_without() -> None:
    whole = strategies.continue_search({**CASE, "until": 1, "stage": None})
    first = strategies.continue_search({**CASE, "until": 0, "stage": None})
    second = strategies.continue_search({**CASE, "until": 1, "stage": first["stage"]})
    assert second["stage"] == whole["stage"] != first["stage"]
    assert second["stage"]["iteration"] == 1
    assert first["stayed"] + second["stayed"] == whole["stayed"]


def test_a_cost_is_not_wins_less_wins() -> None:
    forward, backward = TABLE["S4"], tuple(-weight for weight in TABLE["S4"])
    assert strategies.relative_costs(CASE, 1, [forward, backward]) == [-2.0, 2.0]
    nothing = (0.0,) * 6
    costs = strategies.relative_costs(CASE, 1, [forward, backward, nothing])
    assert costs[0] == -4.0
    assert sum(costs) >= 0.0, "a draw is a not-win for both"


def test_a_row_holds_the_whole_game() -> None:
    row = play_game(plain_player(TABLE["S4"], CASE), plain_player(TABLE["S2"], CASE), 5)
    line = steps(make_game("pawns"), row["moves"])
    end = line[-1][0]
    assert end.is_terminal()
    assert end.returns()[0] == row["result"]
    assert sum(row["searches"]) == len(line) - 1
    assert min(row["nodes"]) > max(row["searches"])


def test_plain_and_asymmetric_games_share_their_seeds(run: StudyRun) -> None:
    seeds = {(row["wins"], row["repeat"]): row["seed"] for row in run.results.rows("plain")}
    assert len(set(seeds.values())) == len(seeds)
    for part in ("asymmetric", "variants"):
        assert all(seeds[row["wins"], row["repeat"]] == row["seed"] for row in run.results.rows(part))


def test_no_network_has_seen_a_game_it_is_judged_by(run: StudyRun) -> None:
    judged = {game["moves"] for case in predictions.prediction_cases(run.results) for game in case["games"]}
    learned = {game["moves"] for case in network_cases(run.results) for game in case["games"]}
    assert not judged & learned
    assert len(learned) == 2 * 16


def test_watched_afterwards_a_game_gives_the_tally_of_its_player(run: StudyRun) -> None:
    counted = 0
    for row in run.results.rows("asymmetric"):
        network = packed_networks(run.results, row["wins"])[VARIANTS[THEIRS][0]]
        for game in row["games"]:
            line, tally = steps(make_game("pawns"), game["moves"]), Tally()
            moves = list(predictions.predicted_moves(watcher(network, game["black"]), line, stream(0, "x")))
            predictions.judge(moves, "seen_before", tally, stream(0, "x"))
            assert msgspec.to_builtins(tally) == game["tally"]
            counted += tally.predictions
    assert counted > 50


def test_ours_stands_beside_table_10_2(run: StudyRun, report: Report) -> None:
    table = table_of(report, "Plain search", "The share of games")
    assert [row[1] for row in table.rows] == [str(told) for told in thesis.PLAIN.values()]
    assert table.rows[5][:2] == ("S2 v S2", "33 % (67 %)")
    won = [
        game["result"] > 0
        for row in run.results.rows("plain")
        for game in row["games"]
        if (row["wins"], game["black"], game["white"]) == ("features", "S2", "S1") and row["repeat"] < 3
    ]
    cell = next(row for row in table.rows if row[0] == "S2 v S1")[2]
    assert cell.mean == pytest.approx(fmean(won))
    assert cell.low < cell.high
    assert len(won) == cell.matches == 3


def test_changes_are_told_with_what_chance_can_do(run: StudyRun, report: Report) -> None:
    table = table_of(report, "Asymmetric trees", "The share of games")
    assert len(table.rows) == 16 + 4 + 1
    assert {row[-1] for row in table.rows[:16]} == {"chance can explain it"}, "three games show nothing"
    before, after = (
        Field(run.results.rows(part), "features", player, 3)
        for part, player in (("plain", "plain"), ("asymmetric", THEIRS))
    )
    assert table.rows[-1][6].mean == pytest.approx(after.overall().mean - before.overall().mean)
    assert table.rows[-1][1:3] == ("50 %", "45.88 %")


def test_all_of_the_thesis_is_in_the_report(report: Report) -> None:
    assert report.complete
    told = " ".join(report.conclusions)
    assert "4 pairings rose, 6 fell and 6 stayed" in told
    assert "black won 50.0 % with plain search and 45.9 % with the asymmetric tree" in told
    assert "0 if only 3 of them differed" in told
    assert "2007 of 5520 (36%)" in told
    costs = {row[0]: row[1] for row in table_of(report, "Nodes and time", "What a search").rows}
    assert costs["`features`: nodes of a search, plain"] == "2670"
    assert costs["`features`: seconds of a search, asymmetric"] == "0.873"
    five = table_of(report, "Five ways", "The five ways in play")
    assert [row[1] for row in five.rows] == ["plain", *VARIANTS]
    foretold = table_of(report, "Five ways", "White's moves")
    lifts = {row[1]: row[4] for row in foretold.rows if row[0] == "features"}
    assert lifts["random numbers, MAX_PR"].low < 1.2
    assert lifts["two slices, MAX_PR"].mean > lifts["random numbers, MAX_PR"].mean


def test_ratios_of_one_are_counted_and_left_out_of_the_figure(run: StudyRun, report: Report) -> None:
    table = table_of(report, "Ratios", "The pessimistic ratios")
    first = next(row for row in table.rows if row[:2] == ("features", "one slice"))
    rows = [row["ratios"]["one slice"] for row in run.results.rows("predictions") if row["wins"] == "features"]
    assert first[4] == sum(sum(row.values()) for row in rows)
    assert first[5] == sum(row.get("1", 0) for row in rows) > 0
    caption = next(figure for figure in report.figures() if figure.name == "ratios").caption
    assert f"left out: {first[5]} (one slice)" in caption


def test_the_report_is_written_with_its_figures(run: StudyRun, report: Report, tmp_path: Path) -> None:
    page = write_report(report, run, tmp_path / "out")
    assert page.exists()
    assert {path.name for path in (tmp_path / "out" / "figures").glob("*.svg")} == {"balance.svg", "ratios.svg"}
