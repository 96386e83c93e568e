"""The package in `examples/nim`, installed from wheels in an empty environment: its game, agent, model and command."""

import json
import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from checkout import ROOT

HEAVY = "import sys; from kibitz.cli.main import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"

pytestmark = [pytest.mark.system, pytest.mark.long]


def called(*command: object, folder: Path) -> "subprocess.CompletedProcess[str]":
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "KIBITZ", "VIRTUAL"))}
    words = list(map(str, command))
    done = subprocess.run(words, cwd=folder, env=bare, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done


def check_wheel(package: str, folder: Path) -> None:
    """The wheel of a package, which is made from the source package, holds every file of the package."""
    (wheel,) = folder.glob(f"{package.replace('-', '_')}-0*.whl")
    source = f"packages/{package}/src/"
    listed = subprocess.run(["git", "ls-files", source], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:  # a tree without git has nothing to compare with
        with ZipFile(wheel) as packed:
            assert {line.removeprefix(source) for line in listed.stdout.splitlines()} <= set(packed.namelist())


def test_a_package_of_120_lines_adds_a_game_an_agent_a_model_and_a_command(tmp_path: Path) -> None:
    pytest.importorskip("build")
    example = [path for path in (ROOT / "examples" / "nim").rglob("*") if path.suffix in (".py", ".toml")]
    assert sum(len(path.read_text().splitlines()) for path in example) <= 120
    ours = ("kibitz", "kibitz-lab")
    for package in (*(ROOT / "packages" / name for name in ours), ROOT / "examples" / "nim"):
        called(sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path, package, folder=tmp_path)
    for name in ours:
        check_wheel(name, tmp_path)
    called(sys.executable, "-m", "venv", "env", folder=tmp_path)
    python, kibitz = tmp_path / "env" / "bin" / "python", tmp_path / "env" / "bin" / "kibitz"
    called(python, "-m", "pip", "install", "--quiet", *tmp_path.glob("*.whl"), folder=tmp_path)
    check = "from kibitz.testing import *; check_game('nim'); check_agent('nim.perfect', ['nim'])"
    called(python, "-W", "ignore", "-c", f"{check}; check_model('favourites', ['nim', 'dilemma'])", folder=tmp_path)
    match = ["watch", "nim", "perfect", "random", "--model", "favourites", "--seed", 1, "--json"]
    record = json.loads(called(kibitz, *match, folder=tmp_path).stdout)
    assert record["ending"]["returns"] == [1.0, -1.0]
    cup = ["tournament", "nim", "perfect", "random", "--model", "favourites", "--workers", 1, "--json"]
    (standings,) = json.loads(called(kibitz, *cup, folder=tmp_path).stdout)["games"]
    assert standings["rows"][0]["name"] == "perfect"
    assert json.loads(called(kibitz, "nim-table", 5, "--json", folder=tmp_path).stdout)["5"] == 1
    assert called(kibitz, "nim-table", 5, "--csv", folder=tmp_path).stdout.splitlines()[:2] == ["stones,take", "1,1"]
    done = called(python, "-c", HEAVY, "--help", folder=tmp_path)
    assert "nim-table" in done.stdout
    assert "List what to take" in called(kibitz, "nim-table", "--help", folder=tmp_path).stdout
    assert {"kibitz_nim"} == {name for name in done.stderr.split() if name.startswith("kibitz_nim")}
