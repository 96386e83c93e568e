"""The study of Risk on a corpus of three small games, and the marks it gives."""

import gzip
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from kibitz.core.errors import BadDefinition
from kibitz_lab.arena.executors import make_executor
from kibitz_lab.store import Store
from kibitz_lab.studies.blocks import Figure, Table
from kibitz_lab.studies.report import make_report
from kibitz_lab.studies.report_files import markdown
from kibitz_lab.studies.runs import StudyRun
from kibitz_risk.models.training_games import FRACTIONS
from kibitz_risk.study import STUDY, own_agents
from kibitz_risk.study.corpora import ALONE, JOINT, KHAN, SHIPPED, distinct_games, sets_of, train_on_set
from kibitz_risk.study.marks import END, OVER, calibration, player_marks

GAME = "risk(players=3, missions=continents, cards=fixed, board='dom-luca82')"


def logged(seed: int) -> str:
    """The log of a game of three constrained players."""
    return gzip.decompress(
        Path(__file__).with_name("data").joinpath(f"constrained-{seed}.log.gz").read_bytes()
    ).decode()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "constrained").mkdir()
    for seed in range(3):
        text = logged(seed)
        for name in (f"{seed}.log", f"again-{seed}.log"):  # logs that repeat a game
            (folder / "constrained" / name).write_text(text)
    return folder


@pytest.mark.long
def test_a_corpus_is_its_distinct_games(corpus: Path, tmp_path: Path) -> None:
    assert sets_of(str(corpus)) == ["constrained"]
    assert len(list(distinct_games(corpus / "constrained"))) == 3
    assert sets_of("") == []
    with pytest.raises(BadDefinition, match="there is no folder"):
        sets_of(str(tmp_path / "nowhere"))
    with pytest.raises(BadDefinition, match="holds logs"):
        sets_of(str(tmp_path))


@pytest.mark.long
def test_a_single_game_is_told_by_what_was_known_before(corpus: Path) -> None:
    case = {"corpus": str(corpus), "set": "constrained", "most": 1, "seed": 0, "folds": 3}
    rows = train_on_set(case)
    assert Counter(row["model"] for row in rows) == dict.fromkeys((SHIPPED, KHAN, JOINT, ALONE), 3)


def test_a_set_that_teaches_nothing_is_named(tmp_path: Path) -> None:
    case = {"corpus": str(tmp_path), "set": "unfinished", "most": None, "seed": 0, "folds": 3}
    (tmp_path / "unfinished").mkdir()
    text = logged(1)
    (tmp_path / "unfinished" / "cut.log").write_text("\n".join(text.splitlines()[:60]))
    with pytest.raises(BadDefinition, match=r"no game with missions was won in the logs of .*unfinished"):
        train_on_set(case)


def test_marks_by_hand() -> None:
    moments = len(FRACTIONS)
    shares = np.zeros((moments, 2, 3))
    shares[:, 0] = [0.5, 0.25, 0.25]
    shares[:, 1] = [0.4, 0.4, 0.2]
    shares[-4:, 1] = [0.1, 0.8, 0.1]
    endings = np.zeros((2, 2, 3))
    endings[:, :, 0], endings[1, 1] = 1.0, [0.0, 1.0, 0.0]
    rows = [{"game": 0, **player_marks(shares[:, seat], endings[:, seat], seat, won=seat == 1)} for seat in range(2)]
    assert [row["at 50%"] for row in rows] == [1.0, 0.5], "a tie of two counts half"
    assert [row.get("winners") for row in rows] == [None, 1.0]
    assert [(row[END], row[OVER]) for row in rows] == [(1.0, 1.0), (0.0, 1.0)]
    assert [row["log loss at 100%"] for row in rows] == pytest.approx([-np.log(0.5), -np.log(0.8)])
    assert [row["on top for good after"] for row in rows] == [FRACTIONS[0], FRACTIONS[-4]]
    error = calibration(rows).error
    assert error is not None
    assert 0.0 < error.mean < 0.6


@pytest.mark.long
def test_a_corpus_is_compared_with_the_thesis(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_agents, "GAME", GAME)  # three players instead of six: a fourth of the time
    changed = {
        "own_agents": ("constrained",),
        "own_games": 1,
        "corpus": str(corpus),
    }
    with Store(str(tmp_path / "study.db")) as store:
        run = StudyRun(STUDY, store, quick=True, changed=changed)
        for _ in run.run_rest(make_executor("inline")):
            pass
        report = make_report(run)
    tables = {chapter.title: chapter.blocks[-1] for chapter in report.chapters}
    assert all(isinstance(each, Table | Figure) for each in tables.values())
    corpora = next(block for block in report.chapters[0].blocks if isinstance(block, Table))
    models = {row[1] for row in corpora.rows}
    assert {"choice as it comes", "choice", "explanations"} < models
    assert report.comparison is not None
    assert not re.search(r"\b(inf|nan)\b|interval unknown", markdown(report))


def test_settings_that_a_study_does_not_have_are_refused(tmp_path: Path) -> None:
    with Store(str(tmp_path / "study.db")) as store, pytest.raises(BadDefinition, match="corpora is not a setting"):
        StudyRun(STUDY, store, changed={"corpora": "x"})
