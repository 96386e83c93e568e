"""`kibitz bench`: figures, missing peers, and the file that keeps them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
BENCHMARK = """
def measure(bench):
    bench.ratio("same_as_itself", lambda: sum(range(1000)), lambda: sum(range(1000)), least=0.01)
    bench.ratio("absent", lambda: 1, lambda: 1, least=1.0, needs="no_such_peer")
    bench.figure("missed", [1.0, 2.0, 3.0], "s", most=0.5)
    bench.estimate("with interval", 0.1 if bench.quick else 0.3, (0.0, float("inf")), 7, most=0.2)
"""


def test_bench_prints_figures_and_says_which_peer_is_missing(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "packages" / "own" / "benchmarks"
    folder.mkdir(parents=True)
    (folder / "tiny_one.py").write_text(BENCHMARK)
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("bench", "tiny-one", "--runs", "3", "--json")
    assert code == 0
    figures = json.loads(out)
    assert set(figures["same_as_itself"]) >= {"value", "unit", "bar", "ok", "spread", "runs"}
    assert figures["same_as_itself"]["ok"] is True
    assert figures["absent"]["value"] is None
    assert figures["absent"]["ok"] is False
    assert "no_such_peer is not installed" in figures["absent"]["note"]
    assert figures["missed"] == {
        "value": 2.0, "unit": "s", "bar": "<= 0.5", "ok": False, "spread": [1.0, 3.0], "runs": 3, "note": ""
    }  # fmt: skip
    assert figures["with interval"]["value"] == 0.3
    assert figures["with interval"]["spread"] is None
    code, out, _ = run("bench", "tiny-one", "--runs", "3", "--quick")
    assert code == 0
    assert "with interval" in out
    assert "0.1 " in out
    assert "missed" in out
    assert "not measured" in out


def test_bench_adds_to_a_file_with_date_and_version(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "packages" / "own" / "benchmarks"
    folder.mkdir(parents=True)
    for name in ("tiny_one", "tiny_two"):
        (folder / f"{name}.py").write_text(BENCHMARK)
    monkeypatch.chdir(tmp_path)
    for name in ("tiny-one", "tiny-two"):
        assert run("bench", name, "--runs", "3", "--out", "figures.json", "--json")[0] == 0
    kept = json.loads((tmp_path / "figures.json").read_text())
    assert list(kept) == ["tiny-one", "tiny-two"]
    assert set(kept["tiny-one"]) == {"date", "kibitz", "machine", "quick", "figures"}
    assert kept["tiny-two"]["figures"]["missed"]["value"] == 2.0
    (tmp_path / "figures.json").write_text("{}]")
    code, _, error = run("bench", "tiny-one", "--out", "figures.json")
    assert code == 2
    assert "figures.json: not figures" in error
    assert "there is no such folder" in run("bench", "tiny-one", "--out", "nowhere/figures.json")[2]
