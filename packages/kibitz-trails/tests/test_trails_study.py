"""The study of Colored Trails, small enough to be run."""

from collections.abc import Iterator
from statistics import fmean

import pytest

from finished_studies import finished
from kibitz_lab.arena.statistics import Estimate
from kibitz_lab.studies.runs import StudyRun
from kibitz_trails.agents.tree import VERSIONS
from kibitz_trails.study import STUDY, predictors, scores
from kibitz_trails.study.thesis import ACCURACY, CONFUSION, SCORES

pytestmark = pytest.mark.long

FIELD = ("trails.honest", "trails.tit_for_tat", "trails.always_renege")


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudyRun]:
    with finished(STUDY, scores, tmp_path_factory.mktemp("trails"), field=FIELD) as run:
        yield run


def test_the_numbers_of_the_thesis_belong_together() -> None:
    assert set(SCORES) == set(VERSIONS)
    assert all(sum(row.results) == 19 for row in SCORES.values())
    for table, (_, matrix) in CONFUSION.items():
        right = sum(row[place] for place, row in enumerate(matrix)) / sum(map(sum, matrix))
        assert right == pytest.approx(ACCURACY[table, "naive bayes"], abs=5e-5)


def test_every_version_has_its_means_on_every_board(scored: StudyRun) -> None:
    table, _, order = scores.MEASURES
    games = scored.results.rows("scores")
    assert len(games) == 5 * 3 * 2 * len(scores.BOARDS)
    earned: dict[tuple[str, str], float] = {}
    for line in table.lines(scored.results):
        values = {name: value.mean for name, value in line.values.items() if isinstance(value, Estimate)}
        own = [row["earns"] for row in games if all(row[name] == level for name, level in line.levels.items())]
        earned[line.levels["board"], line.levels["agent"]] = values["earns"]
        assert values["earns"] == pytest.approx(fmean(own))
        assert sum(values[name] for name in scores.OUTCOMES) == pytest.approx(1.0)
    lead = next(line for line in order.lines(scored.results) if line.levels["agent"] == "PERB + deception")
    more = lead.values["more than PERB"]
    assert isinstance(more, Estimate)
    assert more.mean == pytest.approx(earned["dd", "PERB + deception"] - earned["dd", "PERB"])
    assert more.blocks == len(FIELD)


def test_predictors_are_judged_by_every_holdout(tmp_path_factory: pytest.TempPathFactory) -> None:
    settings = {"dealers": (*FIELD, "trails.coin_keeper"), "learners": ("c4.5", "shrunk c4.5", "naive bayes")}
    with finished(STUDY, predictors, tmp_path_factory.mktemp("trails"), **settings) as run:
        quality, confusion = (measure.lines(run.results) for measure in predictors.MEASURES)
    assert {line.levels["table"] for line in quality} == set(predictors.TABLES)
    assert {line.levels["left_out"] for line in quality} == {"row", "game", "agent"}
    shrunk = [line.levels["left_out"] for line in quality if line.levels["learner"] == predictors.SHRUNK]
    assert set(shrunk) == {"agent"}
    bayes = [line for line in confusion if line.levels["learner"] == "naive bayes"]
    assert sum(line.values["fraction"] for line in bayes if line.levels["table"] == "transfer") == pytest.approx(1.0)
