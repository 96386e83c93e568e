"""The figure of scores."""

from pathlib import Path

import pytest

from kibitz.core.errors import BadSpec, MissingPackage, Unwritable
from kibitz_lab.arena.plots.scores import write_plot
from kibitz_lab.arena.scoring import Scores, model_scores
from kibitz_lab.arena.sources import Fixtures


@pytest.fixture(scope="module")
def scores() -> Scores:
    return model_scores(
        Fixtures("dilemma(rounds=4)", [], 4, seed=1), ["strategy_filter", "strategy_filter(drift=0.3)@0"]
    )


def test_figures_that_cannot_be_written_are_said(
    scores: Scores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadSpec, match=r"\.svg or \.png"):
        write_plot(scores, tmp_path / "a.pdf")
    with pytest.raises(Unwritable, match="no such folder"):
        write_plot(scores, tmp_path / "nowhere" / "a.svg")
    (tmp_path / "taken.svg").mkdir()
    with pytest.raises(Unwritable, match=r"taken\.svg"):
        write_plot(scores, tmp_path / "taken.svg")
    assert [path.name for path in tmp_path.iterdir()] == ["taken.svg"]
    monkeypatch.setattr("kibitz.plots.style.find_spec", lambda name: None)
    with pytest.raises(MissingPackage, match=r"pip install 'kibitz\[plots\]'"):
        write_plot(scores, tmp_path / "a.svg")


@pytest.mark.long
def test_scores_of_nothing_are_an_empty_figure(tmp_path: Path) -> None:
    write_plot(model_scores([], ["strategy_filter"]), tmp_path / "empty.png")
    assert (tmp_path / "empty.png").read_bytes().startswith(b"\x89PNG")
