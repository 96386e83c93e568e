import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tiny_study import STUDY

from kibitz.core.errors import MissingPackage, Unwritable
from kibitz.plots import style as drawing
from kibitz_lab.arena.executors import make_executor
from kibitz_lab.store import Store
from kibitz_lab.studies.report import make_report
from kibitz_lab.studies.report_files import write_report
from kibitz_lab.studies.runs import StudyRun


class Page(HTMLParser):
    """Notices tags that do not close, and collects the cells of all tables, all references and all text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.references: list[str] = []
        self.ids: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
        self.references += [str(value) for name, value in attributes if name in ("src", "href", "xlink:href", "data")]
        self.ids += [str(value) for name, value in attributes if name == "id"]

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if "td" in self.open or "th" in self.open:
            self.tables[-1][-1][-1] += data


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with the small study in it."""
    store = Store(str(tmp_path_factory.mktemp("store") / "a.db"))
    with make_executor("inline") as executor:
        list(StudyRun(STUDY, store).run_rest(executor))
    return store


@pytest.mark.long
def test_the_page_holds_the_rows_and_needs_nothing_else(store: Store, tmp_path: Path) -> None:
    run = StudyRun(STUDY, store)
    path = write_report(make_report(run), run, tmp_path / "report")
    text = path.read_text()
    page = Page(text)
    expected = [[str(row[name]) for name in ("a", "b", "repeat", "value")] for row in run.results.rows("sums")]
    assert page.tables[1] == [["a", "b", "repeat", "value"], *expected]
    assert page.tables[0][1][:3] == ["mean", "Nobody 1900, p. 1", "1e+09"]
    assert [row[4] for row in page.tables[0][1:]] == ["differs", "not comparable: another field"]
    assert all(reference.startswith("#") for reference in page.references)
    assert not re.search(r"url\((?!#)|@import|<link|<script|<metadata", text)
    assert set(re.findall(r"https?://[\w./]+", text)) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert len(page.ids) == len(set(page.ids))
    assert {reference[1:] for reference in page.references} <= set(page.ids)
    assert "Sums of <b> & a, with | and * in the text." in page.text
    assert "Unfinished" not in page.text


@pytest.mark.long
def test_the_same_study_gives_the_same_files(store: Store, tmp_path: Path) -> None:
    for folder in (tmp_path / "a", tmp_path / "b"):
        run = StudyRun(STUDY, store)
        write_report(make_report(run), run, folder)
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*.*"))
    assert len(files) == 7
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


@pytest.mark.long
def test_a_report_that_is_there_already_is_not_drawn_again(store: Store, tmp_path: Path) -> None:
    run = StudyRun(STUDY, store)
    path = write_report(make_report(run), run, tmp_path)
    path.write_text("left alone")
    write_report(make_report(run), run, tmp_path)
    assert path.read_text() == "left alone"
    (tmp_path / "report.md").unlink()  # what a kill leaves
    write_report(make_report(run), run, tmp_path)
    assert path.read_text().startswith("<!DOCTYPE html>")


@pytest.mark.long
def test_folders_that_cannot_be_written_are_said(store: Store, tmp_path: Path) -> None:
    run = StudyRun(STUDY, store)
    (tmp_path / "file").write_text("")
    with pytest.raises(Unwritable, match="cannot write"):
        write_report(make_report(run), run, tmp_path / "file")
    (tmp_path / "report.html").mkdir()
    with pytest.raises(Unwritable, match=r"report\.html"):
        write_report(make_report(run), run, tmp_path)
    assert not list(tmp_path.rglob("*.part"))


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing.check_plots()
    monkeypatch.setattr(drawing, "find_spec", lambda _: None)
    with pytest.raises(MissingPackage, match=r"pip install 'kibitz\[plots\]'"):
        drawing.check_plots()
