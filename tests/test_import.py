"""Importing kibitz loads nothing heavy."""

import subprocess
import sys

LIGHT = """
import sys
import kibitz
print(sorted({"numpy", "numba", "scipy", "msgspec", "rich", "typer", "zstandard"} & set(sys.modules)))
"""

RULES_ONLY = """
import sys
from kibitz.core.registry import make_game
import kibitz.core
for name in ("dilemma", "kuhn", "offers", "pennies"):
    make_game(name).new_initial_state()
print("numba" in sys.modules)
"""


def test_import_loads_nothing_heavy() -> None:
    assert _python(LIGHT).strip() == "[]"


def test_rules_alone_load_no_compiler() -> None:
    assert _python(RULES_ONLY).strip() == "False"


def _python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
