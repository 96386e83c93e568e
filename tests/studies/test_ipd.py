from collections.abc import Iterator
from statistics import fmean

import pytest

from kibitz.arena.executors import make_executor
from kibitz.store import Store
from kibitz.studies import ipd
from kibitz.studies.blocks import Conclusion, Table
from kibitz.studies.report import Report, make_report
from kibitz.studies.runs import StudyRun
from kibitz.studies.study import cross_factors

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    """The small version, run to its end."""
    folder = tmp_path_factory.mktemp("ipd")
    with Store(str(folder / "a.db")) as store, make_executor("pool", workers=2) as executor:
        run = StudyRun(ipd.STUDY, store, quick=True, seed=1)
        list(run.run_rest(executor))
        yield run


@pytest.fixture(scope="module")
def report(run: StudyRun) -> Report:
    return make_report(run)


def test_the_filter_names_a_defector_at_once_and_never_tells_nice_ones_apart() -> None:
    def case(strategy: str, opponent: str) -> dict[str, object]:
        return cross_factors({"strategy": [strategy], "opponent": [opponent], "rounds": [20]})[0]

    assert ipd.watch_match(case("defector", "cooperator")) == {
        "seen": "t" + "a" * 20,
        "settled": 1,
        "named": ["defector"],
    }
    kind = ipd.watch_match(case("tit_for_tat", "cooperator"))
    assert kind["seen"] == "t" * 21
    assert kind["settled"] is None
    assert set(kind["named"]) == {"tit_for_tat", "cooperator", "grim", "generous", "pavlov", "two_tats"}
    assert ipd.watch_match(case("random", "random"))["named"] == ["unknown"]


def test_the_table_of_scores_is_that_of_the_matches(run: StudyRun, report: Report) -> None:
    table = report.chapters[0].blocks[0]
    assert isinstance(table, Table)
    for row in table.rows:
        for rounds, cell in zip((10, 50), row[3:], strict=True):
            earned = [
                returned / rounds
                for result in run.results.matches("scores")
                for name, returned in zip(result.names, result.returns, strict=True)
                if (name, result.game) == (row[1], f"dilemma(rounds={rounds})")
            ]
            assert cell.mean == pytest.approx(fmean(earned))
            assert cell.low < cell.mean < cell.high
    assert [row[0] for row in table.rows] == list(range(1, 9))
    means = [row[4].mean for row in table.rows]
    assert means == sorted(means, reverse=True)


def test_the_sentences_say_what_the_rows_say(run: StudyRun, report: Report) -> None:
    rows = run.results.rows("naming")
    alone = fmean(row["seen"][-1] == "a" for row in rows)
    assert any(f"names {100 * alone:.1f} % (" in text for text in report.conclusions)
    assert sum("earns most" in text for text in report.conclusions) == 2
    assert any(text.startswith("Without random in the field tit_for_tat and grim earn") for text in report.conclusions)
    tied = report.chapters[2].blocks[1]
    assert isinstance(tied, Table)
    same = dict(tied.rows)
    assert same["cooperator"] == "cooperator = generous = grim = pavlov = tit_for_tat = two_tats"
    assert same["defector"] == "grim = tit_for_tat"
    said = [block.text for block in report.chapters[2].blocks if isinstance(block, Conclusion)]
    assert (
        "the strategies cooperator, generous, grim, pavlov, tit_for_tat and two_tats are indistinguishable" in said[0]
    )


def test_what_axelrod_found_stands_beside_ours(report: Report) -> None:
    table = next(each for each in report.chapters[0].blocks if isinstance(each, Table) and "there" in each.columns)
    verdicts = {row[0]: row[4] for row in table.rows}
    assert verdicts["tit for tat earns most"] == "no", "grim does: it alone exploits random to the end"
    assert verdicts["every nice strategy earns more than every other"] == "yes"
    assert all("Axelrod 1984" in str(row[2]) for row in table.rows)


def test_every_round_that_was_seen_is_judged(run: StudyRun) -> None:
    for row in run.results.rows("naming"):
        assert len(row["seen"]) == row["rounds"] + 1
        assert row["settled"] == ipd.settling_round(row["seen"])
        truth = "unknown" if row["strategy"] == "random" else row["strategy"]
        assert {"a": row["named"] == [truth], "t": truth in row["named"], "w": truth not in row["named"]}[
            row["seen"][-1]
        ]
