"""Tables of training rows: what CSV and ARFF files hold, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from kibitz.core.errors import BadExamples
from kibitz_lab.learn.example_tables import ExampleTable, LabelledRow, TableLayout, cases_text, write_table
from kibitz_lab.learn.examples import Column

LAYOUT = TableLayout("answers", (Column("gain"), Column("last", ("none", "all"))), Column("answer", ("yes", "no")))
ROWS = [
    LabelledRow((1.5, None), "yes", "g1", "talker(a=1, b=2)"),
    LabelledRow((None, "all"), "no", "g1", "mute"),
    LabelledRow((-2.0, "none"), "no", "g2", "mute"),
]
TABLE = ExampleTable(LAYOUT, ROWS)
CSV = "gain,last,answer,game,agent\n"


def test_a_table_is_written_as_csv_and_arff(tmp_path: Path) -> None:
    rows = '1.5,?,yes,g1,"talker(a=1, b=2)"\n?,all,no,g1,mute\n-2,none,no,g2,mute\n'
    write_table(tmp_path / "t.csv", TABLE)
    assert (tmp_path / "t.csv").read_text() == CSV + rows
    write_table(tmp_path / "T.ARFF", TABLE)
    head, _, data = (tmp_path / "T.ARFF").read_text().partition("@data\n")
    assert data == rows
    assert head.splitlines() == [
        "@relation answers",
        "@attribute gain numeric",
        "@attribute last {none,all}",
        "@attribute answer {yes,no}",
        "@attribute game string",
        "@attribute agent string",
    ]


def test_a_spreadsheet_takes_no_agent_for_a_formula(tmp_path: Path) -> None:
    table = ExampleTable(LAYOUT, [LabelledRow((-2.0, "none"), "no", "g2", "=HYPERLINK(1)")])
    write_table(tmp_path / "t.csv", table)
    assert (tmp_path / "t.csv").read_text().splitlines()[-1] == '-2,none,no,g2,"\'=HYPERLINK(1)"'


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


def test_values_that_a_line_cannot_hold_are_refused(tmp_path: Path) -> None:
    bad = ExampleTable(LAYOUT, [ROWS[0]._replace(agent='say "hello"')])
    with pytest.raises(BadExamples, match="cannot hold the value"):
        write_table(tmp_path / "t.csv", bad)


def test_cases_are_lines_below_their_names() -> None:
    assert cases_text(["a", "b c"], [["1", None], ["x,y", "=2"]]) == 'a,"b c"\n1,?\n"x,y","\'=2"\n'


def test_a_value_that_a_data_file_cannot_hold_is_refused() -> None:
    with pytest.raises(BadExamples, match="cannot hold the value"):
        cases_text(["a"], [["?"]])
