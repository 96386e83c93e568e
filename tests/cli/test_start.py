"""The command line starts at once: it loads a command only when that command is called."""

import subprocess
import sys

import pytest

from kibitz.cli.commands import COMMANDS, LazyCommand

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


@pytest.mark.parametrize(("argument", "loaded"), [("--version", "[]"), ("--help", "['typer']")])
def test_answers_about_the_command_line_load_next_to_nothing(argument: str, loaded: str) -> None:
    done = subprocess.run([sys.executable, "-c", LOADED, argument], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == loaded
    assert "kibitz" in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_all_commands_says_what_each_says_of_itself(name: str) -> None:
    target, summary = COMMANDS[name]
    loaded = LazyCommand(name, target, summary).full_command
    assert " ".join(loaded.help.split("\n\n")[0].split()) == summary
