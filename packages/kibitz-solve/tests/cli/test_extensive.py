"""`kibitz solve --method` and `kibitz exploit`, used rightly and wrongly."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kibitz.core.match.play import play

Run = Callable[..., tuple[int, str, str]]
KUHN = "kuhn(players=2)"


def test_a_game_with_secrets_is_solved_shown_and_played(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "kuhn.json"
    code, out, _ = run("solve", KUHN, "--method", "cfr", "--target", "1e-4", "--out", str(file))
    assert code == 0
    assert "12 information sets, 58 histories (CFR+" in out
    assert "player 0 earns -0.055" in out
    assert "deal A, ?" in out
    assert "cfr(file=" in out
    ending = play(KUHN, [f"cfr(file={str(file)!r})", "kuhn.rock"], seed=1).ending
    assert ending is not None
    assert not any(ending.strikes)


@pytest.mark.parametrize("method", ["cfr", "mccfr"])
def test_json_holds_exploitability_and_strategies(method: str, run: Run) -> None:
    code, out, _ = run("solve", KUHN, "--method", method, "--iterations", "3000", "--json", "--seed", "4")
    found = json.loads(out)
    assert code == 0
    assert (found["iterations"], found["stopped"], found["information_sets"]) == (3000, "iterations", 12)
    assert found["exploitability"] < 0.05
    assert found["nash_conv"] == pytest.approx(2.0 * found["exploitability"])
    assert all(sum(shares.values()) == pytest.approx(1.0) for player in found["policy"] for shares in player.values())


def processor_seconds(process: subprocess.Popen[str]) -> float:
    """What a process has used so far, however busy the machine is."""
    user, system = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.system
@pytest.mark.long
def test_control_c_keeps_the_strategy_found_so_far(tmp_path: Path) -> None:
    file = tmp_path / "leduc.json"
    command = [sys.executable, "-m", "kibitz.cli", "solve", "leduc", "--method", "cfr", "--iterations", "1000000000"]
    for patience in (2.5, 20.0):  # where kernels must be compiled first, nothing is found after the shorter time
        process = subprocess.Popen(
            [*command, "--out", str(file), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        while processor_seconds(process) < patience:
            time.sleep(0.1)
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=120)
        assert (process.returncode, "Traceback" in err) == (130, False)
        if out:
            break
    assert json.loads(out)["stopped"] == "interrupted"
    assert json.loads(file.read_text())["exploitability"] == json.loads(out)["exploitability"] < 1.0


def test_a_risk_is_kept(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "reply.json"
    code, out, _ = run("exploit", "maniac", "-g", KUHN, "--risk", ".05", "--out", str(file), "--json")
    (found,) = json.loads(out)["agents"]
    assert code == 0
    for seat in found["seats"]:
        assert seat["given_up"] <= 0.05 + 1e-9
        assert seat["value"] < seat["safe"] < seat["best"]
    # The file holds that very response: its own exploiter wins no more than the risk on average.
    again = json.loads(run("exploit", f"cfr(file={str(file)!r})", "-g", KUHN, "--json")[1])["agents"][0]
    assert again["exploitability"] == pytest.approx(0.05, abs=1e-6)


@pytest.mark.long
def test_the_frontier_is_printed_and_drawn(tmp_path: Path, run: Run) -> None:
    picture = tmp_path / "frontier.svg"
    code, out, _ = run("exploit", "rock", "maniac", "-g", KUHN, "--frontier", "--picture", str(picture))
    assert code == 0
    assert out.count("ε-safe") == 2
    assert picture.read_text().count("axes_") >= 2
    found = json.loads(run("exploit", "rock", "-g", KUHN, "--frontier", "--json")[1])["frontiers"]
    assert all(point["given_up"] <= point["parameter"] + 1e-9 for point in found[0]["points"]["ε-safe"])
