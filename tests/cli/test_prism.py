"""`kibitz solve model.prism`: answers on the screen and as JSON, strategies in files, mistakes in a line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
MODELS = Path(__file__).parents[2] / "examples" / "prism"
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
    for name in ("rps.dot", "rps.csv", "rps.tra"):
        assert run("solve", RPS, "--prop", asked, "--out", str(tmp_path / name))[0] == 0
    assert '[label="end: 1", shape=ellipse];' in (tmp_path / "rps.dot").read_text()
    assert (tmp_path / "rps.csv").read_text().count("rock1") == 3
    transitions = (tmp_path / "rps.tra").read_text().splitlines()
    assert transitions[1] == "4:2 36 36"
    assert transitions[2] == "0 0 1 1.0 [rock1,rock2]"
    assert (tmp_path / "rps.sta").read_text() == "# States\n(winner)\n0:(-1)\n1:(0)\n2:(1)\n3:(2)\n"
    strategies = (tmp_path / "rps.strat").read_text().splitlines()
    assert strategies[0] == "# Strategy of one"
    shares = [float(line.split()[-1]) for line in strategies if line.startswith("0 [")]
    assert sum(shares) == pytest.approx(2.0)


def test_any_solved_game_is_exported(tmp_path: Path, run: Run) -> None:
    assert run("solve", "guan", "--out", str(tmp_path / "guan.tra"))[0] == 0
    head, counts, *lines = (tmp_path / "guan.tra").read_text().splitlines()
    assert head == "# Transitions (CSG)"
    assert counts == f"{len((tmp_path / 'guan.sta').read_text().splitlines()) - 2}:2 {len(lines)} {len(lines)}"
    assert run("solve", "guan", "--out", str(tmp_path / "guan.dot"))[0] == 0
    assert (tmp_path / "guan.dot").read_text().startswith("digraph solution {")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((RPS,), "say what to compute: --prop"),
        ((RPS, "--prop", "nothing.props"), "there is no such file"),
        (("none.prism", "--prop", "<<one>>Pmax=? [ F true ]"), "none.prism: cannot be read: no such file"),
        ((RPS, "--prop", "<<one>>Pmax=? [ F true ]", "--lowered"), "--lowered is not for .prism models"),
        ((RPS, "--prop", "<<one>>Pmax=? [ F tru ]"), "--prop:1:19: nothing is called 'tru'"),
        ((RPS, "--prop", "<<one>>Pmax=? [ F true ]", "--out", "x.tex"), "ends in one of"),
        ((RPS, "--prop", "<<one>>Pmax=? [ F true ]", "--out", "x.csv"), "no strategy to write"),
        ((RPS, "--prop", "<<one:two>>max=? (P[F true]+P[F true])"), "Nash"),
        (("guan", "--prop", "<<one>>Pmax=? [ F true ]"), "--prop is for .prism models"),
    ],
)
def test_mistakes_get_a_line(words: tuple[str, ...], why: str, run: Run) -> None:
    code, _, err = run("solve", *words)
    assert code != 0
    assert why in err
    assert len(err.strip().splitlines()) == 1
