"""Importing kibitz costs next to nothing, and what it promises to export is there."""

import subprocess
import sys

import pytest

import kibitz
from kibitz import core

LIGHT = """
import sys, time
start = time.process_time()
import kibitz
seconds = time.process_time() - start
heavy = {"numpy", "numba", "scipy", "msgspec", "rich", "typer", "zstandard"} & set(sys.modules)
assert not heavy, heavy
print(seconds)
"""

RULES_ONLY = """
import sys
from kibitz.core.registry import make_game
import kibitz.core
for name in ("dilemma", "kuhn", "offers", "pennies"):
    make_game(name).new_initial_state()
print("numba" in sys.modules)
"""


@pytest.mark.long
def test_import_loads_nothing_heavy_and_takes_under_a_tenth_of_a_second() -> None:
    seconds = min(float(_python(LIGHT)) for _ in range(3))
    assert seconds < 0.1


def test_rules_alone_load_no_compiler() -> None:
    assert _python(RULES_ONLY).strip() == "False"


def test_everything_promised_is_exported() -> None:
    for module in (kibitz, core):
        missing = [name for name in module.__all__ if not hasattr(module, name)]
        assert missing == []
    assert "play" in kibitz.__all__


def _python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
