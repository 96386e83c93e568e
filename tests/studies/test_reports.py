import json
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tiny_study import STUDY, summed

from kibitz import __version__
from kibitz.arena.executors import make_executor
from kibitz.arena.plots import style as drawing
from kibitz.arena.plots.charts import paint_drawing
from kibitz.arena.statistics import Estimate
from kibitz.core.drawing import Arrow, Circle, Drawing, Label, Polygon, Rect
from kibitz.core.errors import MissingPackage, Unwritable
from kibitz.core.version import code_version
from kibitz.store import Store
from kibitz.studies.blocks import Conclusion, words
from kibitz.studies.comparisons import Comparison, comparison_table, share
from kibitz.studies.folder import write_report
from kibitz.studies.report import command, make_report, seconds_in_words
from kibitz.studies.runs import StudyRun
from kibitz.studies.study import Section, Study, Work


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
    expected = [[str(row["a"]), str(row["b"]), str(row["value"])] for row in run.results.rows("sums")]
    assert page.tables[0] == [["a", "b", "value"], *expected]
    assert page.tables[1][1][:3] == ["mean", "1e+09", "Nobody 1900, p. 1"]
    assert page.tables[1][1][4] == "no: ours is lower"
    assert all(reference.startswith("#") for reference in page.references)
    assert not re.search(r"url\((?!#)|@import|<link|<script|<metadata", text)
    assert set(re.findall(r"https?://[\w./]+", text)) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert len(page.ids) == len(set(page.ids))
    assert {reference[1:] for reference in page.references} <= set(page.ids)
    largest = max(row["value"] for row in run.results.rows("sums"))
    assert page.text.count(f"The largest sum is {largest}.") == 2, "once in its place, once in short"
    assert "Sums of <b> & a, with | and * in the text." in page.text
    assert "Unfinished" not in page.text


@pytest.mark.long
def test_the_report_says_how_to_make_it_again(store: Store, tmp_path: Path) -> None:
    run = StudyRun(STUDY, store, called="tiny_study:STUDY")
    assert command(run) == "kibitz study tiny_study:STUDY --seed 0"
    path = write_report(make_report(run), run, tmp_path)
    for text in (path.read_text(), (tmp_path / "report.md").read_text()):
        for said in (command(run), f"kibitz {__version__}", "Python 3.", "numpy ", "4 matches", "14 other cases"):
            assert said in text
        assert "Nobody (1900). Sums." in text
        assert str(tmp_path) not in text


@pytest.mark.long
def test_the_markdown_stands_beside_its_pictures_and_rows(store: Store, tmp_path: Path) -> None:
    run = StudyRun(STUDY, store)
    write_report(make_report(run), run, tmp_path)
    text = (tmp_path / "report.md").read_text()
    pictures = re.findall(r"!\[.*?\]\((.*?)\)", text)
    assert pictures == ["figures/sums.svg"]
    assert ElementTree.parse(tmp_path / pictures[0]).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert "| 1 | 10 | " in text
    assert "&lt;b>" in text
    assert "All \\| sums." not in text, "a bar is only escaped inside a table"
    rows = [json.loads(line) for line in (tmp_path / "rows" / "sums.jsonl").read_text().splitlines()]
    assert rows == [{**row, "kibitz": code_version()} for row in run.results.rows("sums")]
    assert len((tmp_path / "rows" / "cup.csv").read_text().splitlines()) == 1 + 4 * 2
    assert not list(tmp_path.rglob("*.part"))


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
def test_an_unfinished_study_tells_what_is_there(tmp_path: Path) -> None:
    with Store(str(tmp_path / "a.db")) as store, make_executor("inline") as executor:
        run = StudyRun(STUDY, store)
        empty = make_report(run)
        assert not empty.complete
        assert empty.conclusions == ()
        played = run.run_rest(executor)
        for _ in range(5):
            next(played)
        played.close()
        report = make_report(run)
        assert report.progress == "5 of 18 matches and cases"
        assert report.conclusions == (
            f"So far: The largest sum is {max(r['value'] for r in run.results.rows('sums'))}.",
        )
        text = write_report(report, run, tmp_path).read_text()
        assert "Unfinished:" in text
        assert "these results are from 5 of 12 of <code>sums</code>" in text
        assert "There are no results of <code>twice</code> yet." in text
        assert "waiting for earlier parts" in text
        steps = run.run_rest(executor)
        while run.runs.get("twice") is None or run.runs["twice"].done_count < 1:
            next(steps)
        steps.close()
        assert "There are too few results for this section" in write_report(make_report(run), run, tmp_path).read_text()


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


def estimate(low: float, high: float) -> Estimate:
    return Estimate((low + high) / 2, low, high, 10, 10)


@pytest.mark.parametrize(
    ("there", "here", "verdict"),
    [
        (0.5, estimate(0.4, 0.6), "yes: theirs lies in our interval"),
        (0.3, estimate(0.4, 0.6), "no: ours is higher"),
        (0.7, estimate(0.4, 0.6), "no: ours is lower"),
        (estimate(0.55, 0.9), estimate(0.4, 0.6), "yes: the intervals overlap"),
        (estimate(0.7, 0.9), estimate(0.4, 0.6), "no: ours is lower"),
        (estimate(0.1, 0.3), estimate(0.4, 0.6), "no: ours is higher"),
        (0.5, estimate(float("-inf"), float("inf")), "not decided: an interval is unknown"),
        (2670.0, 2670.0, "yes: the same"),
        (2670.0, 2673.0, "no: ours is higher"),
        (0.5, None, "not decided: nothing is known here"),
    ],
)
def test_numbers_agree_where_their_intervals_say_so(there: float, here: Estimate, verdict: str) -> None:
    compared = Comparison(what="w", source="s", there=there, here=here)
    assert compared.verdict() == verdict
    assert comparison_table([compared]).rows[0][1:4:2] == (words(there), words(here))


def test_claims_hold_or_not_and_some_numbers_cannot_be_compared() -> None:
    claims = [
        Comparison(what="w", source="s", there="it won", here="2nd", holds=holds) for holds in (True, False, None)
    ]
    assert [each.verdict() for each in claims] == ["yes", "no", "not decided"]
    other = Comparison(what="w", source="s", there=1.0, here=estimate(2, 3), apart="another field")
    assert other.verdict() == "not comparable: another field"


def test_shares_of_few_matches_have_wide_intervals() -> None:
    assert share(2, 3).mean == pytest.approx(2 / 3)
    assert share(3.5, 19).mean == pytest.approx(3.5 / 19)
    assert share(0, 3).high > 0.5


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.123, "0.12 s"), (59.4, "59 s"), (200.2, "3 min 20 s"), (7500.0, "2 h 5 min")]
)
def test_times_are_said_in_words(seconds: float, said: str) -> None:
    assert seconds_in_words(seconds) == said


def test_a_drawing_is_painted_with_all_its_shapes() -> None:
    shapes = (
        Rect(id="a", x=0.0, y=0.0, fill="board"),
        Circle(id="b", x=1.5, y=0.5, fill="player0"),
        Polygon(id="c", points=((0.0, 1.0), (1.0, 1.0), (0.5, 2.0)), fill="player1"),
        Arrow(id="d", x=1.0, y=1.0, to_x=2.0, to_y=2.0, stroke="ink"),
        Label(id="e", x=1.0, y=0.5, text="here"),
    )
    (axes,) = paint_drawing(Drawing(2.0, 2.0, shapes)).axes
    assert len(axes.patches) == 4
    assert [text.get_text() for text in axes.texts] == ["here"]
    assert axes.get_ylim() == (2.0, 0.0), "y is counted downwards"


def test_a_part_that_has_no_cases_hides_no_results(tmp_path: Path) -> None:
    case = {"a": 1, "b": 2, "seed": 3}
    study = Study(
        name="part",
        title="Part",
        asks="Nothing.",
        settings={},
        quick={},
        parts=lambda settings, seed: [
            Work(name="some", work=summed, cases=[case]),
            Work(name="none", work=summed, cases=[]),
        ],
        sections=(Section(title="All", parts=("some", "none"), blocks=lambda results: [Conclusion("It is done.")]),),
    )
    with Store(str(tmp_path / "a.db")) as store, make_executor("inline") as executor:
        run = StudyRun(study, store)
        for _ in run.run_rest(executor):
            pass
        assert make_report(run).conclusions == ("It is done.",)
