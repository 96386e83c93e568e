"""The command line starts at once: it loads a command only when that command is called."""

import importlib
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kibitz.cli import interrupt
from kibitz.cli.main import LazyCommand, commands, main
from other_package import installed_plugin

LOADED = """
import sys
sys.argv = ["kibitz", *sys.argv[1:]]
from kibitz.cli import run
try:
    run()
except SystemExit:
    pass
print(sorted({"typer", "rich", "msgspec", "numpy", "kibitz.core"} & set(sys.modules)), file=sys.stderr)
"""


def test_help_loads_next_to_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED, "--help"], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "['typer']"
    assert "kibitz" in done.stdout


def test_commands_of_other_packages_are_found_and_replace_none_of_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = '{"games": NamedCommand("Theirs.", "gone:Command"), "mine": NamedCommand("Mine.", "gone:Command")}'
    with installed_plugin(tmp_path, "commanding", f"commands={theirs}"):
        assert commands()["games"].summary != "Theirs."
        assert commands()["mine"].heading == "Other packages"
        assert main(["mine"]) == 2
        assert "mine is registered as gone:Command but cannot be loaded" in capsys.readouterr().err


@pytest.mark.parametrize("name", commands())
def test_the_help_of_all_commands_says_what_each_says_of_itself(name: str) -> None:
    loaded = LazyCommand(name).full_command
    assert " ".join(loaded.help.split("\n\n")[0].split()) == commands()[name].summary


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(("odds", "risk", "8 vs 5"), marks=pytest.mark.needs("risk")),
        pytest.param(("odds", "risk", "5 v 4"), marks=pytest.mark.needs("risk")),
        pytest.param(("odds", "axis", "2 inf 2 art vs 3 inf", "--json"), marks=pytest.mark.needs("axis")),
    ],
)
def test_small_contests_need_no_compiler(line: tuple[str, ...]) -> None:
    code = LOADED.replace('{"typer", "rich", "msgspec", "numpy", "kibitz.core"}', '{"numba"}')
    done = subprocess.run([sys.executable, "-c", code, *line], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


DEAF = """
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):
        pass
except BaseException:
    pass
"""
"""A module that drops whatever is raised while it is loaded, as some extensions do."""


def test_ctrl_c_while_a_module_is_loaded_stops_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deaf.py").write_text(DEAF)
    monkeypatch.syspath_prepend(tmp_path)
    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGALRM)}
    try:
        importlib.import_module("deaf")
        with pytest.raises(KeyboardInterrupt):
            time.sleep(20.0)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
