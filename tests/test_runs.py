"""How the suite itself is run: what is told of skipped tests, and what runs together."""

from pathlib import Path

import pytest

from distribution import piece
from skip_summary import skip_line

HERE = Path(__file__).parent
SKIPPING = """
import pytest

def test_alone(): pass
@pytest.mark.parametrize("page", "abc")
def test_pages(page): pytest.skip("no chromium here (on Debian: apt-get install chromium)")
def test_sandbox(): pytest.skip("no bwrap here (on Debian: apt-get install bubblewrap)")
def test_network(): pytest.importorskip("no_such_module")
@pytest.mark.skip(reason="ray is not installed")
def test_cluster(): pass
"""


@pytest.mark.long
def test_what_was_skipped_is_one_line_that_says_what_to_install(pytester: pytest.Pytester) -> None:
    pytester.makeconftest((HERE / "skip_summary.py").read_text(encoding="utf-8"))
    pytester.makepyfile(SKIPPING)
    shown = pytester.runpytest().stdout.str().splitlines()
    expected = "6 skipped: apt-get install chromium (3), bubblewrap (1); pip install no_such_module (1), ray (1)"
    assert shown.count(expected) == 1
    assert not any("SKIPPED" in line for line in shown)


def test_a_run_that_skips_nothing_says_nothing_of_it(pytester: pytest.Pytester) -> None:
    pytester.makeconftest((HERE / "skip_summary.py").read_text(encoding="utf-8"))
    pytester.makepyfile("def test_alone(): pass")
    assert "skipped" not in pytester.runpytest().stdout.str()


def test_a_reason_that_names_no_remedy_is_told_as_it_is() -> None:
    reasons = ["Skipped: needs Linux's /proc", "Skipped: KIBITZ_CORPUS names no folder of corpora"] * 2
    assert skip_line(reasons) == "4 skipped: needs Linux's /proc (2); set KIBITZ_CORPUS (2)"


def test_a_file_is_run_in_one_process_unless_its_tests_share_nothing() -> None:
    assert piece("tests/core/test_seeds.py::test_a[1]") == piece("tests/core/test_seeds.py::test_b")
    assert piece("tests/core/test_seeds.py::test_a") != piece("tests/core/test_specs.py::test_a")
    assert piece("tests/test_contracts.py::test_a[1]") != piece("tests/test_contracts.py::test_a[2]")
    assert piece("tests/cli/test_a.py::test_b[postgresql]") == piece("tests/store/test_store.py::test_c")


def test_a_file_that_starts_something_for_all_its_tests_is_run_in_one_process() -> None:
    for path in HERE.rglob("test_*.py"):
        if '@pytest.fixture(scope="module"' in path.read_text(encoding="utf-8"):
            name = path.relative_to(HERE.parent).as_posix()
            assert piece(f"{name}::test_a") == piece(f"{name}::test_b"), f"name {name} in tests/distribution.py"
