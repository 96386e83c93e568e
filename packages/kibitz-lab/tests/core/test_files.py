import os
from pathlib import Path

import pytest

from kibitz.core.errors import StoreTrouble, Unwritable
from kibitz.core.files import atomic_write, cell_text, check_writable, csv_cell, make_folder, write_file
from kibitz.core.records import RecordWriter
from kibitz_lab.store.schema import database_url


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_file(path, "älter")
    assert path.read_bytes() == "älter".encode()
    with atomic_write(path) as partial:
        partial.write_text("newer")
        assert path.read_text(encoding="utf-8") == "älter"
    assert path.read_text() == "newer"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize(
    ("raised", "seen"),
    [
        (OSError(28, "No space left on device"), Unwritable),
        (StoreTrouble("a.db", "it went away"), StoreTrouble),
        (ValueError("a mistake of ours"), ValueError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
)
def test_what_is_cut_short_leaves_the_old_file_alone(
    raised: BaseException, seen: type[BaseException], tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def cut_short() -> None:
        with atomic_write(path) as partial:
            partial.write_text("half of")
            raise raised

    with pytest.raises(seen) as caught:
        cut_short()
    assert type(caught.value) is seen
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_what_cannot_be_written_is_said_before_and_after_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path, words in (
        (tmp_path, "it is a folder"),
        (tmp_path / "no" / "a.txt", "there is no such folder"),
        (tmp_path / "file" / "a.txt", "there is no such folder"),
        (tmp_path / ("a" * 300), "file name too long"),
        (tmp_path / "a\0b", "control character"),
    ):
        with pytest.raises(Unwritable, match=words):
            check_writable(path)
        with pytest.raises(Unwritable, match="cannot write"):
            write_file(path, b"")
    check_writable(tmp_path / "file")
    with pytest.raises(Unwritable, match="a folder is needed"):
        make_folder(tmp_path / "file")
    make_folder(tmp_path / "some" / "folder")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "some"]


def test_what_a_link_points_to_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    write_file(link, "words")
    assert link.is_symlink()
    assert target.read_text() == "words"


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    check_writable(pipe)
    write_file(pipe, "words")
    assert os.read(reader, 100) == b"words"
    os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["a\0b", "a\nb", "a\x1b[2Jb", "a\x7fb"])
def test_a_name_with_a_control_character_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    for write in (lambda path: write_file(path, "x"), check_writable, make_folder, RecordWriter):
        with pytest.raises(Unwritable, match="its name holds a control character") as caught:
            write(tmp_path / name)
        assert str(caught.value).isprintable()
    with pytest.raises(StoreTrouble, match="control character"):
        database_url(str(tmp_path / name))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "\rx", "'=x", "''@x"])
def test_a_cell_that_begins_as_a_formula_is_marked_and_read_back(text: str) -> None:
    assert csv_cell(text) == f"'{text}"
    assert cell_text(f"'{text}") == text


@pytest.mark.parametrize("value", ["-3.5", "+7", "-1e-9", ".5", "-inf", -3.5, 0, "grim", "it's", "'quoted'", "a=b", ""])
def test_other_cells_stay_as_they_are(value: object) -> None:
    assert csv_cell(value) == value
    assert cell_text(str(value)) == str(value)
