"""A newcomer with a clone and the pages *Start* and *Tutorials*: every command there works in an empty environment."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from checkout import ROOT

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

pytestmark = [pytest.mark.system, pytest.mark.slow]


def blocks(page: str, language: str) -> list[str]:
    found = BLOCK.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))
    return [code for name, code in found if name == language]


class Newcomer:
    """Enters what the pages say, in one folder and one environment, and keeps the time."""

    def __init__(self, folder: Path) -> None:
        self.environment, self.start = folder / "env", time.monotonic()

    def enter(self, command: str, folder: Path) -> str:
        path = os.pathsep.join([str(self.environment / "bin"), os.environ["PATH"]])
        settings = {**os.environ, "PATH": path}
        done = subprocess.run(
            ["bash", "-ec", command], cwd=folder, env=settings, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def say(self, what: str) -> None:
        print(f"{what} after {time.monotonic() - self.start:.0f} s")


def test_the_pages_lead_from_nothing_to_a_scored_model(tmp_path: Path) -> None:
    """Run with `-s` to see the times: the first match should take 2 minutes, a tournament 10, a scored model 20."""
    newcomer, mine = Newcomer(tmp_path), tmp_path / "mine"
    mine.mkdir()
    install = blocks("start/install.md", "sh")[0].replace(
        "python3 -m venv env", f"{sys.executable} -m venv {tmp_path}/env"
    )
    newcomer.enter(install.replace(". env/bin/activate\n", "").replace("./packages/", f"{ROOT}/packages/"), tmp_path)
    for block in blocks("start/first-match.md", "console"):
        for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
            newcomer.enter(command, tmp_path)
    newcomer.say("first match")
    agent, model = blocks("tutorials/agent.md", "python")[0], blocks("tutorials/model.md", "python")[0]
    classes = [page.partition("record = ")[0] for page in (agent, model)]
    (project,), (names,) = blocks("tutorials/agent.md", "toml"), blocks("tutorials/model.md", "toml")
    (mine / "mine.py").write_text(classes[0], encoding="utf-8")
    (mine / "pyproject.toml").write_text(project, encoding="utf-8")
    assert "patient" in newcomer.enter(blocks("tutorials/agent.md", "sh")[0], mine)
    newcomer.say("own agent in a tournament")
    (mine / "mine.py").write_text("\n".join(classes), encoding="utf-8")
    (mine / "pyproject.toml").write_text(f"{project}\n{names}", encoding="utf-8")
    assert "habits" in newcomer.enter(blocks("tutorials/model.md", "sh")[0], mine)
    newcomer.say("own model scored")
