"""`kibitz verify`: a saved solution is proved again, a tampered one has exit code 1."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from checkout import EXAMPLES

Run = Callable[..., tuple[int, str, str]]
MODELS = EXAMPLES / "prism"


@pytest.mark.long
def test_a_saved_solution_is_verified_and_a_tampered_one_is_not(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "duel.npz"
    code, out, _ = run("solve", "duel", "--proof", str(path))
    assert code == 0
    assert "kibitz verify" in out
    code, out, _ = run("verify", str(path))
    assert code == 0
    assert "tables of duel" in out
    assert "proved" in out
    assert "FAILS" not in out
    with np.load(path) as kept:
        arrays = {name: kept[name].copy() for name in kept.files}
    arrays["low"][0] += 1e-3
    arrays["high"][0] += 1e-3
    np.savez(path, **arrays)
    code, out, _ = run("verify", str(path))
    assert code == 1
    assert "FAILS" in out
    assert "NOT proved" in out
    code, out, _ = run("verify", str(path), "--json")
    assert code == 1
    assert not json.loads(out)["holds"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("model", "asked", "constants"),
    [
        ("aloha.prism", '<<usr1>>R{"time"}min=? [ F s1=3 ]', "D=8,q=0.9"),
        pytest.param("aloha.prism", "<<usr1>>Pmax=? [ F s1=3 & slot<D ]", "D=8,q=0.9", marks=pytest.mark.slow),
        ("rps.prism", '<<one>>R{"utility"}max=? [ C<=3 ]', ""),
        ("rps.prism", "<<one>>Pmin=? [ G winner!=2 ]", ""),
    ],
)
def test_answers_about_models_are_proved_again(
    tmp_path: Path, run: Run, model: str, asked: str, constants: str
) -> None:
    path = tmp_path / "proof.npz"
    assert run("solve", str(MODELS / model), "--prop", asked, "--const", constants, "--proof", str(path))[0] == 0
    code, out, _ = run("verify", str(path))
    assert code == 0, out


def test_what_is_no_solution_is_refused_in_a_line(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(b"nothing")
    for words in (("verify", str(path)), ("verify", "none.npz"), ("solve", "guan", "--proof", "x.txt")):
        code, _, err = run(*words)
        assert code == 2
        assert len(err.strip().splitlines()) == 1
