"""`kibitz program`, used rightly and wrongly."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


BEAR = "bear-brawl(hero_hp=2, bear_hp=2, radius=3)"


def test_a_program_is_learned_shown_written_and_read_again(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "hero.py"
    code, out, _ = run("program", BEAR, "--out", str(file), "--certify", "bear-brawl(radius=4)")
    assert code == 0
    assert out.startswith("if x < 0: R\n")
    assert out.count("it loses nothing") == 2
    assert 'return {"A": 1.0}' in file.read_text()
    code, out, _ = run("program", "bear-brawl(radius=4)", "--read", str(file), "--json")
    found = json.loads(out)
    assert code == 0
    assert found["size"] == {"answers": 3, "tests": 2, "depth": 2}
    assert [each["exact"] for each in found["certificates"]] == [True]
    assert found["certificates"][0]["fidelity"] == 1.0


@pytest.mark.long
def test_json_tells_the_violations(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "lazy.py"
    file.write_text('GAME = "guan"\nPLAYER = 0\ndef act(outcome: int):\n    return {"W": 1}\n')
    code, out, _ = run("program", "guan", "--read", str(file), "--json")
    (certificate,) = json.loads(out)["certificates"]
    assert code == 0
    assert certificate["violations"] == [{"state": "(0,)", "said": "W", "why": "only mixtures are right"}]
    assert certificate["start"] == [0.0, 1.0]
    assert "wrong at (0,): W" in run("program", "guan", "--read", str(file))[1]


def test_the_program_of_another_game_is_refused(tmp_path: Path, run: Run) -> None:
    file = str(tmp_path / "guan.py")
    assert run("program", "guan", "--out", file)[0] == 0
    code, _, err = run("program", "right-turn(radius=4)", "--read", file)
    assert code == 2
    assert "written for guan, not for right-turn" in err


@pytest.mark.long
def test_a_program_is_shortened(run: Run) -> None:
    code, out, _ = run("program", "inspection", "--loss", "0.05", "--json")
    assert code == 0
    found = json.loads(out)
    low, high = found["certificates"][0]["start"]
    assert high - low <= 0.05 + 1e-9
    assert found["size"]["answers"] >= 1
    for words in (("--leaves", "3", "--loss", "0.1"), ("--leaves", "3", "--learner", "foidl")):
        code, _, err = run("program", "inspection", *words)
        assert code == 2
        assert len(err.strip().splitlines()) == 1
