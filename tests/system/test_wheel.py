"""The wheel holds the whole package, and what is unpacked from it runs without the source tree."""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.system, pytest.mark.long]


def test_the_wheel_holds_every_file_of_the_package_and_runs(tmp_path: Path) -> None:
    pytest.importorskip("build")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("kibitz-*.whl")  # made from the source package, as `python -m build` does
    assert len(list(tmp_path.glob("kibitz-*.tar.gz"))) == 1
    with ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if name.startswith("kibitz/")}
        packed.extractall(tmp_path / "unpacked")
    listed = subprocess.run(["git", "ls-files", "src/kibitz"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:  # a tree without git has nothing to compare with
        assert {line.removeprefix("src/") for line in listed.stdout.splitlines()} <= names
    program = "import kibitz; print(kibitz.__file__); print(kibitz.play('kuhn', ['rock'] * 3, seed=1).ending.returns)"
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "unpacked")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.startswith(str(tmp_path / "unpacked"))
