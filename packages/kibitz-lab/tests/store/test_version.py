"""Changed code is told from the code at hand."""

from pathlib import Path

from kibitz_lab.store.version import fingerprint


def test_the_fingerprint_changes_with_code_and_data_and_with_nothing_else(tmp_path: Path) -> None:
    for name in ("core/seeds.py", "games/nim/data.json", "cli/play.py", "core/__pycache__/seeds.pyc"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("one")
    first = fingerprint(tmp_path)
    for name, matters in (
        ("cli/play.py", False),
        ("core/__pycache__/seeds.pyc", False),
        ("core/seeds.py", True),
        ("games/nim/data.json", True),
    ):
        (tmp_path / name).write_text("other")
        assert (fingerprint(tmp_path) != first) == matters, name
        (tmp_path / name).write_text("one")
        assert fingerprint(tmp_path) == first
    (tmp_path / "core/seeds.py").rename(tmp_path / "core/other.py")
    assert fingerprint(tmp_path) != first
