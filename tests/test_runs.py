"""How the suite itself is run: what is told of skipped tests, and what runs together."""

from pathlib import Path

from distribution import piece

ROOT = Path(__file__).parents[1]


def test_a_file_that_starts_something_for_all_its_tests_is_run_in_one_process() -> None:
    for path in [*ROOT.glob("packages/*/tests/**/test_*.py"), *ROOT.glob("tests/**/test_*.py")]:
        if '@pytest.fixture(scope="module"' in path.read_text(encoding="utf-8"):
            name = path.relative_to(ROOT).as_posix()
            assert piece(f"{name}::test_a") == piece(f"{name}::test_b"), f"name {name} in tests/support/distribution.py"
