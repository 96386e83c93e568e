import os
from pathlib import Path

import pytest

from kibitz.core.errors import StoreTrouble, Unwritable
from kibitz.core.files import atomic_write, check_writable, make_folder, write_file


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
        (tmp_path / "a\0b", "null"),
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
