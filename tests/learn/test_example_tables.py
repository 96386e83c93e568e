"""Tables of training rows: what CSV and ARFF files hold, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from kibitz.core.errors import BadExamples
from kibitz.learn.example_tables import ExampleTable, LabelledRow, TableLayout, read_table, write_table
from kibitz.learn.examples import Column

LAYOUT = TableLayout("answers", (Column("gain"), Column("last", ("none", "all"))), Column("answer", ("yes", "no")))
ROWS = [
    LabelledRow((1.5, None), "yes", "g1", "talker(a=1, b=2)"),
    LabelledRow((None, "all"), "no", "g1", "mute"),
    LabelledRow((-2.0, "none"), "no", "g2", "mute"),
]
TABLE = ExampleTable(LAYOUT, ROWS)
CSV = "gain,last,answer,game,agent\n"


@pytest.mark.parametrize("name", ["t.csv", "t.arff", "T.ARFF"])
def test_a_table_is_read_as_it_was_written(tmp_path: Path, name: str) -> None:
    write_table(tmp_path / name, TABLE)
    assert read_table(tmp_path / name, LAYOUT) == TABLE


def test_columns_may_stand_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("agent,answer,game,last,gain\nmute,no,g2,none,-2\n")
    assert read_table(tmp_path / "t.csv", LAYOUT).rows == ROWS[2:]


def test_a_spreadsheet_takes_no_agent_for_a_formula(tmp_path: Path) -> None:
    table = ExampleTable(LAYOUT, [LabelledRow((-2.0, "none"), "no", "g2", "=HYPERLINK(1)")])
    write_table(tmp_path / "t.csv", table)
    assert (tmp_path / "t.csv").read_text().splitlines()[-1] == '-2,none,no,g2,"\'=HYPERLINK(1)"'
    assert read_table(tmp_path / "t.csv", LAYOUT) == table


def test_rows_are_grouped_by_game_or_by_agent_or_not_at_all() -> None:
    groups = {by: TABLE.examples(by).groups.tolist() for by in ("row", "game", "agent")}
    assert groups == {"row": [0, 1, 2], "game": [0, 0, 1], "agent": [0, 1, 1]}
    examples = TABLE.examples()
    assert examples.labels == ("yes", "no")
    assert np.isnan(examples.values[0, 1])
    assert np.isnan(examples.values[1, 0])


def test_some_columns_can_be_left_out() -> None:
    less = TABLE.with_columns(["last"])
    assert less.layout.names == ("last", "answer", "game", "agent")
    assert [row.values for row in less.rows] == [(None,), ("all",), ("none",)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("last,answer,game,agent\nall,yes,g,a\n", "no column gain; rows of answers need gain, last"),
        (CSV.replace("gain", "gain,mood") + "1,2,all,yes,g,a\n", "unknown column mood"),
        (CSV + "1,all,perhaps,g,a\n", "row 1: answer is 'perhaps'; known: yes, no"),
        (CSV + "1,all,yes,g,a\nmuch,all,yes,g,a\n", "row 2: gain is 'much', which is not a number"),
        (CSV + "1,most,yes,g,a\n", "row 1: last is 'most'"),
        (CSV + "nan,all,yes,g,a\n", "gain is nan"),
        (CSV + "1,all,?,g,a\n", "row 1: answer, game and agent may not be missing"),
        (CSV + "1,all,yes,g\n", "line 2: 4 values, but 5 columns; is it cut off?"),
        (CSV, "there are no rows"),
        ("", "it is empty"),
    ],
)
def test_files_that_cannot_be_right_are_refused_with_the_place(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with pytest.raises(BadExamples) as raised:
        read_table(path, LAYOUT)
    assert str(raised.value).startswith(str(path))
    assert why in str(raised.value)


def test_an_arff_file_without_rows_or_columns_is_refused_and_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.arff"
    for text, why in (
        ("@relation a\n@attribute gain numeric\n", "no line @data"),
        ("@relation a\n@data\n1,2\n", "no line @attribute"),
        ("@relation a\n@attribute gain numeric\n@data\n1\n2,3\n4\n", "line 5: 2 values, but 1 columns"),
    ):
        path.write_text(text)
        with pytest.raises(BadExamples, match=why):
            read_table(path, LAYOUT)
    with pytest.raises(BadExamples, match="none"):
        read_table(tmp_path / "none.csv", LAYOUT)


def test_values_that_a_line_cannot_hold_are_refused(tmp_path: Path) -> None:
    bad = ExampleTable(LAYOUT, [ROWS[0]._replace(agent='say "hello"')])
    with pytest.raises(BadExamples, match="cannot hold the value"):
        write_table(tmp_path / "t.csv", bad)
