"""Kernels that run plain until a helper has compiled them, and what can go wrong with the helper."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kibitz.core.kernels import background

pytestmark = pytest.mark.long

MATCHES = {
    "pawns": (["alphabeta(depth=2)", "mcts(simulations=10)"], ["dbn", "strategy_filter"], 10),
    "breakthrough": (["alphabeta(depth=2)", "mcts(simulations=10)"], ["rehearsal"], 8),
    "risk": (["risk.mission", "risk.aware", "random"], ["risk.choice"], 70),
    "trails": (["trails.perb", "trails.perb"], ["trails.types"], 6),
    "axis(scenario=revised, rules=full, turns=1)": (["random"] * 5, [], 24),
    "dilemma": (["aware", "dilemma.pavlov"], ["strategy_filter"], 20),
}
PLAY = """
import hashlib, json, sys
import msgspec
from kibitz.core.kernels import background, jit_enabled
from kibitz.core.match import MatchOptions
from kibitz.core.match.play import RecordedMatch

load = background.Helper.load
asked = []
background.compile_in_background(asked.append)

def digest(game, agents, models, plies, switch):
    "The record of a match in which kernels are compiled at the ply *switch*."
    background.Helper.load = lambda helper, kernel: False
    match = RecordedMatch(game, agents, MatchOptions(models=models, seed=5, max_plies=plies), now=lambda: 0.0)
    for number, _ in enumerate(match.moments()):
        if number == switch:
            background.Helper.load = load
            for name in asked:
                background.compile_kernel(name)
    return hashlib.sha1(msgspec.json.encode([match.record.entries, match.record.ending])).hexdigest()

matches = json.loads(sys.argv[1])
switches = (-1, lambda plies: plies // 2, lambda plies: 0) if jit_enabled() else (-1,)
found = {game: [digest(game, *given, each if each == -1 else each(given[2])) for each in switches]
         for game, given in matches.items()}
print(json.dumps([found, sorted(asked)]))
"""


def environment(**changed: str) -> dict[str, str]:
    """That of a process that may start a helper."""
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"} | changed


def test_a_match_is_the_same_plain_compiled_and_switched_in_the_middle() -> None:
    command = [sys.executable, "-c", PLAY, json.dumps(MATCHES)]
    settings: list[dict[str, str]] = [{}, {"KIBITZ_NO_JIT": "1"}]
    runs = [subprocess.Popen(command, env=environment(**each), stdout=subprocess.PIPE) for each in settings]
    (digests, asked), (without_compiler, _) = (json.loads(each.communicate()[0]) for each in runs)
    assert digests == {game: 3 * each for game, each in without_compiler.items()}
    assert {"kibitz_lab", "kibitz_trails", "kibitz_axis"} <= {name.partition(".")[0] for name in asked}


KERNEL = """
from kibitz.core.kernels import kernel

@kernel("int64(int64)")
def double(x):
    return 2 * x
"""
WAIT = """
import os, sys, time
from kibitz.core.kernels import background
background.compile_in_background()
import slow_rules
double, first = slow_rules.double, slow_rules.double(4)
plain = double.code is None

def wait(seconds=90):
    until = time.monotonic() + seconds
    while double.code is None and time.monotonic() < until:
        time.sleep(.02)
        background.load_compiled()
    return double.code is not None

"""


def start(folder: Path, code: str, **changed: str) -> "subprocess.Popen[str]":
    """A process that calls a kernel which is not compiled, and goes on with *code*."""
    (folder / "slow_rules.py").write_text(KERNEL)
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    env = environment(**{"PYTHONPATH": path, "KIBITZ_KERNELS": str(folder / "kernels")} | changed)
    return subprocess.Popen([sys.executable, "-c", WAIT + code], env=env, stdout=subprocess.PIPE, text=True)


def printed(process: "subprocess.Popen[str]") -> str:
    """What a process prints until it ends well."""
    out, _ = process.communicate(timeout=200)
    assert process.returncode == 0
    return out.strip()


WAITED = "print(first, plain, wait(), double(5))"
COMPILED = "8 True True 10"
AGAIN = "8 False True 10"


def test_a_helper_at_low_priority_compiles_what_is_called_plain(tmp_path: Path) -> None:
    priority = "os.getpriority(os.PRIO_PROCESS, background.HELPER.worker.pid) - os.nice(0)"
    result, nice = printed(start(tmp_path, f"{WAITED}; print({priority})")).splitlines()
    assert result == COMPILED
    assert int(nice) == background.NICE
    assert printed(start(tmp_path, WAITED)) == AGAIN


def test_two_processes_compile_at_once(tmp_path: Path) -> None:
    both = [start(tmp_path, WAITED) for _ in range(2)]
    assert [printed(each) for each in both] == [COMPILED, COMPILED]
    assert printed(start(tmp_path, WAITED)) == AGAIN


def test_without_a_folder_to_write_to_kernels_are_compiled_for_this_process(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code = f"print(os.environ['KIBITZ_KERNELS']); {WAITED}"
    folder, result = printed(start(tmp_path, code, KIBITZ_KERNELS=str(tmp_path / "file" / "kernels"))).splitlines()
    assert result == COMPILED
    assert not Path(folder).exists()


def test_on_a_full_disk_kernels_run_plain(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n")
    assert printed(start(tmp_path, "print(first, plain, wait(3), double(5))")) == "8 True False 10"


def test_another_processor_and_other_settings_of_the_compiler_have_their_own_code(tmp_path: Path) -> None:
    assert printed(start(tmp_path, WAITED)) == COMPILED
    for setting in ({"NUMBA_OPT": "1"}, {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}):
        assert printed(start(tmp_path, WAITED, **setting)) == COMPILED
        assert printed(start(tmp_path, WAITED, **setting)) == AGAIN
    assert len(list((tmp_path / "kernels").iterdir())) == 3


def test_imports_and_matches_start_no_helper(tmp_path: Path) -> None:
    code = "import kibitz, kibitz.cli.main; from kibitz.core.kernels import background; "
    code += "kibitz.play('kuhn', ['random'] * 3, seed=1); print(background.HELPER)"
    assert subprocess.check_output([sys.executable, "-c", code], env=environment(), text=True) == "None\n"
    background.compile_in_background()
    assert background.HELPER is None  # in a test
