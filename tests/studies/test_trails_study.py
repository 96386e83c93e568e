"""The study of Colored Trails, small enough to be run."""

from collections.abc import Iterator
from statistics import fmean
from types import ModuleType
from typing import ClassVar

import msgspec
import pytest
from finished_studies import finished

from kibitz.arena.plots.charts import vector
from kibitz.games.trails.agents.versions import VERSIONS
from kibitz.studies.blocks import Figure, Table
from kibitz.studies.report import Report, make_report
from kibitz.studies.runs import StudyRun
from kibitz.studies.study import Part, Settings
from kibitz.studies.trails import (
    STUDY,
    fingerprints,
    predictors,
    scores,
    strength,
    trees,
)
from kibitz.studies.trails.fields import Meeting, lead, meetings
from kibitz.studies.trails.thesis import ACCURACY, CONFUSION, SCORES

pytestmark = pytest.mark.long

FIELD = ("trails.honest", "trails.tit_for_tat", "trails.always_renege")


def run_of(module: ModuleType, folder: pytest.TempPathFactory, **settings: object) -> Iterator[StudyRun]:
    with finished(STUDY, module, folder.mktemp("trails"), **settings) as run:
        yield run


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    yield from run_of(scores, tmp_path_factory, field=FIELD)


@pytest.fixture(scope="module")
def foretold(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    dealers = (*FIELD, "trails.coin_keeper")
    yield from run_of(predictors, tmp_path_factory, dealers=dealers, learners=("c4.5", "shrunk c4.5", "naive bayes"))


def tables(report: Report) -> list[Table]:
    return [block for chapter in report.chapters for block in chapter.blocks if isinstance(block, Table)]


def test_the_numbers_of_the_thesis_belong_together() -> None:
    assert set(SCORES) == set(VERSIONS)
    assert all(sum(row.results) == 19 for row in SCORES.values())
    for table, (_, matrix) in CONFUSION.items():
        right = sum(row[place] for place, row in enumerate(matrix)) / sum(map(sum, matrix))
        assert right == pytest.approx(ACCURACY[table, "naive bayes"], abs=5e-5)


def test_every_version_has_its_means_on_every_board(scored: StudyRun) -> None:
    report = make_report(scored)
    assert report.complete
    first, second = tables(report)[:2]
    for board, table in (("dd", first), ("di", second)):
        games = list(meetings(scored.results.matches(f"scores_{board}"), list(VERSIONS), (board,)))
        assert len(games) == 5 * 3 * 2
        for row in table.rows:
            own = [game.own for game in games if game.agent == row[0]]
            assert row[1].mean == pytest.approx(fmean(own))  # type: ignore[union-attr]
            assert sum(share.mean for share in row[3:]) == pytest.approx(1.0)  # type: ignore[union-attr]
    perb, deceiving = first.rows[0], first.rows[1]
    assert deceiving[2].mean < perb[2].mean, "opponents of deception earn less"  # type: ignore[union-attr]
    assert report.conclusions[0].startswith("On DD deception earns PERB +")


def test_the_bar_chart_begins_at_the_least_score(scored: StudyRun) -> None:
    figure = next(block for block in make_report(scored).chapters[0].blocks if isinstance(block, Figure))
    axes = figure.draw().axes[0]
    assert axes.get_ylim()[0] == pytest.approx(-80.0)
    assert len(axes.patches) == 2 * len(VERSIONS)
    assert vector(figure.draw, "scores").startswith("<svg")


def test_a_lead_is_taken_opponent_by_opponent() -> None:
    games = [
        Meeting("dd", agent, f"o{place}", own, 0.0, 0) for place in range(3) for agent, own in (("a", 5), ("b", 2))
    ]
    gap = lead(games, "a", "b")
    assert (gap.mean, gap.blocks) == (3.0, 3)
    assert lead(games, "a", "b", of_others=True).mean == 0.0


def test_predictors_are_judged_ablated_and_set_beside_the_thesis(foretold: StudyRun) -> None:
    report = make_report(foretold)
    quality = foretold.results.rows("quality")
    assert {row["table"] for row in quality} == set(predictors.TABLES)
    assert {row["left_out"] for row in quality} == {"row", "game", "agent"}
    known = predictors.find_validation(quality, table="response", learner="c4.5", features="extended", left_out="row")
    assert known.accuracy.mean > max(known.shares)
    ablations = foretold.results.rows("ablation")
    assert len(ablations) == 16
    for row in ablations:
        base = predictors.find_validation(
            quality, table=row["table"], learner="c4.5", features="thesis", left_out="game"
        )
        assert row["with"]["mean"] == pytest.approx(base.log_loss.mean)
        assert row["more"]["mean"] == pytest.approx(row["without"]["mean"] - row["with"]["mean"])
    captions = [table.caption for table in tables(report)]
    assert any("beside Table 5.3" in caption for caption in captions)
    assert any("each left out in turn" in caption for caption in captions)
    assert len(report.conclusions) == 4
    assert {row["left_out"] for row in quality if row["learner"] == predictors.SHRUNK} == {"agent"}


def test_fingerprints_are_told(tmp_path_factory: pytest.TempPathFactory) -> None:
    for run in run_of(fingerprints, tmp_path_factory, keeps=(0.0, 1.0), gives=(1.0,)):
        grids = tables(make_report(run))
        assert len(grids) == len(VERSIONS)
        cheated, paid = (row[1].mean for row in grids[0].rows)  # type: ignore[union-attr]
        assert cheated < paid, "PERB earns more from those who keep their promises"


def test_trees_are_compared_with_that_of_the_thesis(tmp_path_factory: pytest.TempPathFactory) -> None:
    for run in run_of(trees, tmp_path_factory, known=FIELD[1:2], strangers=FIELD[:1]):
        report = make_report(run)
        known, strangers = tables(report)
        assert [row[0] for row in known.rows] == list(trees.TREES)
        assert all((row[3] is None) == (row[0] == trees.THESIS) for row in strangers.rows)
        assert report.conclusions[0].startswith("Predictors on all features")


class Strength:
    """Both subjects as one: the agent is set beside the scores of others."""

    QUICK: ClassVar = scores.QUICK | strength.QUICK
    SECTIONS = strength.SECTIONS

    @staticmethod
    def parts(settings: Settings, seed: int) -> list[Part]:
        return [part for subject in (scores, strength) for part in subject.parts(settings, seed)]


def test_the_agent_that_finds_out_is_set_beside_the_thesis(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = tuple(f"_{board}" for board in scores.BOARDS[1:])
    for module in (scores, strength):
        monkeypatch.setattr(module, "BOARDS", scores.BOARDS[:1])
    sections = [
        msgspec.structs.replace(section, parts=tuple(part for part in section.parts if not part.endswith(others)))
        for section in Strength.SECTIONS
    ]
    monkeypatch.setattr(Strength, "SECTIONS", tuple(sections))
    few = {"field": FIELD[1:2], "known": FIELD[1:2], "strangers": FIELD[2:]}
    few |= {"kibitzer": "trails.kibitzer(types=(trails.tit_for_tat,), nodes=50)"}
    with finished(STUDY, Strength, tmp_path_factory.mktemp("strength"), **few) as run:
        report = make_report(run)
    assert report.complete
    (earned,) = tables(report)
    assert [row[:2] for row in earned.rows] == [("DD", "known"), ("DD", "strangers")]
    assert all(row[4].mean > 0.0 for row in earned.rows[::2])  # type: ignore[union-attr]
