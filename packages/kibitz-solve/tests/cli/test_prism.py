"""`kibitz solve model.prism`: answers on the screen and as JSON, strategies in files, mistakes in a line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from checkout import EXAMPLES

Run = Callable[..., tuple[int, str, str]]
MODELS = EXAMPLES / "prism"
RPS = str(MODELS / "rps.prism")


@pytest.mark.long
def test_properties_are_answered_on_the_screen_and_as_json(tmp_path: Path, run: Run) -> None:
    props = tmp_path / "rps.props"
    props.write_text(
        'const int k;\n"soon": <<one>>Pmax=? [ F<=k "won" ]\n// a comment\n'
        '<<one:two>>max=? (P[F "won"] + P[F winner=2])\n'
        "<<two>>P<=0.5 [ F<=1 winner=1 ]\n"
    )
    code, out, _ = run("solve", RPS, "--prop", str(props), "--const", "k=2")
    assert code == 0
    assert '"soon": <<one>>Pmax=? [ F<=k "won" ]' in out
    assert "[0.5555555556, 0.5555555556]" in out
    assert "rock1 0.3333, paper1 0.3333, scissors1 0.3333" in out
    assert "Nash" in out
    assert "holds: [0.3333333333, 0.3333333333]" in out
    code, out, _ = run("solve", RPS, "--prop", f"{props}:soon", "--const", "k=2", "--json")
    (found,) = json.loads(out)
    assert found["low"] <= 5 / 9 <= found["high"]
    assert found["states"] == 4
    code, out, _ = run("solve", RPS, "--prop", '<<two>>R{"utility"}min=? [ F winner=3 ]', "--json")
    assert code == 0
    assert json.loads(out)[0]["low"] == "infinity"


@pytest.mark.long
def test_strategies_are_exported(tmp_path: Path, run: Run) -> None:
    asked = '<<one>>Pmax=? [ F "won" ]'
    assert run("solve", RPS, "--prop", asked, "--out", str(tmp_path / "rps.csv"))[0] == 0
    assert (tmp_path / "rps.csv").read_text().count("rock1") == 3
    code, _, err = run("solve", RPS, "--prop", "<<one>>Pmax=? [ F true ]", "--out", "x.csv")
    assert code != 0
    assert "no strategy to write" in err
