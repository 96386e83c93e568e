"""The install script in an empty folder: the server that it leaves behind runs, and its data are private."""

import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from checkout import ROOT

pytestmark = pytest.mark.system

DEPLOY = ROOT / "deploy"
UV = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))


def install(folder: Path, *options: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run the script in *folder* as a shell would, without what belongs to these tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "KIBITZ", "VIRTUAL"))}
    command = ["sh", str(DEPLOY / "install.sh"), *options]
    return subprocess.run(
        command, cwd=folder, env={**kept, **environment}, capture_output=True, text=True, check=False, timeout=600
    )


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.slow
@pytest.mark.parametrize("installer", ["uv", "pip"])
def test_what_the_script_installs_serves(tmp_path: Path, installer: str) -> None:
    if installer == "uv" and UV is None:
        pytest.skip("uv is not installed (pip install uv)")
    paths = f"{Path(UV).parent}:{os.environ['PATH']}" if UV else os.environ["PATH"]
    environment = {"PATH": paths} if installer == "uv" else {"KIBITZ_INSTALL_WITH_PIP": "1"}
    (tmp_path / "units").mkdir()
    options = ["--prefix", "here", "--unit", "units", "--python", sys.executable]
    done = install(tmp_path, *options, **environment)
    assert done.returncode == 0, done.stderr
    assert "start it with:" in done.stdout
    data, kibitz = tmp_path / "here" / "data", str(tmp_path / "here" / "bin" / "kibitz")
    assert mode_of(data) == 0o700
    token = call(kibitz, tmp_path, "token", "ann", "--operator").strip()
    assert mode_of(data / "kibitz.db") == 0o600
    check_server(kibitz, tmp_path, token)
    assert call(kibitz, tmp_path, "backup", "all.zip").startswith("all.zip holds 1 runs")
    if installer == "pip":  # an update keeps the data
        assert install(tmp_path, *options, **environment).returncode == 0
        assert "ann" in call(kibitz, tmp_path, "token")
    check_unit(tmp_path / "units" / "kibitz.service", tmp_path / "here")


def call(kibitz: str, folder: Path, *arguments: str) -> str:
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "KIBITZ"))}
    done = subprocess.run([kibitz, *arguments], cwd=folder, env=bare, capture_output=True, text=True, check=True)
    return done.stdout


def check_server(kibitz: str, folder: Path, token: str) -> None:
    """Start it, ask it, and stop it as systemd does."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "KIBITZ"))}
    command = [kibitz, "serve", "--api", "--port", "0", "--log", "log.json"]
    with subprocess.Popen(command, cwd=folder, env=bare, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline() + process.stdout.readline()
            address = said.split("http://")[1].split("/")[0]
            with httpx2.Client(base_url=f"http://{address}/api", timeout=60.0) as client:
                assert client.get("/ready").json() == {"ready": True, "problems": []}
                assert client.get("/me").status_code == 401
                mine: dict[str, Any] = {"headers": {"authorization": f"Bearer {token}"}}
                assert client.get("/me", **mine).json()["role"] == "operator"
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
        finally:
            process.kill()
    assert mode_of(folder / "log.json") == 0o600
    assert token not in (folder / "log.json").read_text()


def check_unit(unit: Path, prefix: Path) -> None:
    """The unit names what was installed, and systemd understands it, where there is one to ask."""
    text = unit.read_text()
    assert f"ExecStart={prefix}/bin/kibitz serve" in text
    assert "@" not in text.replace("@PREFIX@", "").partition("[Unit]")[2]
    if shutil.which("systemd-analyze"):
        asked = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
        assert "kibitz.service" not in asked.stderr, asked.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "name a folder to install into: --prefix FOLDER"),
        (["--prefix"], "--prefix needs a value"),
        (["--prefix", ""], "--prefix needs a value"),
        (["--perfix", "here"], "unknown option --perfix"),
        (["--prefix", "a b"], "folders may have letters"),
        (["--prefix", "here", "--data", "x;y"], "folders may have letters"),
        (["--prefix", "here", "--user", "a b"], "no user can have"),
        (["--prefix", "here", "--python", "no-python"], "no-python is no Python of at least 3.11"),
        (["--prefix", "here", "--lock", "none.lock"], "there is no file"),
        (["--prefix", "here", "--unit", "nowhere"], "there is no folder"),
    ],
)
def test_a_wrong_use_of_the_script_is_one_line_and_leaves_nothing(
    tmp_path: Path, options: list[str], words: str
) -> None:
    done = install(tmp_path, *options)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.startswith("install.sh: ")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_lock_names_every_package_that_the_server_needs() -> None:
    import re
    import tomllib

    needed = []
    for path in ROOT.glob("packages/*/pyproject.toml"):
        project = tomllib.loads(path.read_text())["project"]
        needed += [*project["dependencies"], *project.get("optional-dependencies", {}).get("postgres", [])]
    locked = set(re.findall(r"^([a-z0-9-]+)(?:\[[^]]*\])?==", (DEPLOY / "requirements.lock").read_text(), re.MULTILINE))
    names = {re.match(r"[A-Za-z0-9_-]+", each).group().lower().replace("_", "-") for each in needed}  # type: ignore[union-attr]
    assert {each for each in names if not each.startswith("kibitz")} <= locked
