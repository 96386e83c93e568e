"""Descriptions of registered classes from their source equal those from the classes themselves."""

import subprocess
import sys
from pathlib import Path

import pytest

from kibitz.core.registry import RegistryEntry, entries
from kibitz.core.registry.descriptions import describe, describe_loaded
from kibitz.core.registry.registry import Kind

KINDS: tuple[Kind, ...] = ("game", "agent", "model")
SOURCE = '''
from math import tau

from kibitz import core

LIMIT, SPAN = 3, (1, 2 / 4)


class Base(core.Strategy):
    """A base."""

    def __init__(self, depth: int, span: tuple[int, float] = SPAN, *, limit: int = LIMIT) -> None: ...


class Plain(Base):
    """Plays *plainly*.

    And more.
    """


class Computed(core.Strategy):
    """Has a default that must be computed."""

    def __init__(self, angle: float = tau) -> None: ...


class Bare(core.Strategy):
    """Takes nothing."""


class Decorated(core.Strategy):
    """Its constructor is made by a decorator."""

    width: int = 4


def narrow(decorated: type) -> type:
    decorated.__init__ = lambda self, width=5: None
    return decorated


Decorated = narrow(Decorated)
'''


@pytest.mark.parametrize("kind", KINDS)
def test_the_source_says_what_the_class_says(kind: Kind) -> None:
    for entry in entries(kind).values():
        assert describe(entry) == describe_loaded(entry), entry.name


@pytest.mark.parametrize("name", ["Base", "Plain", "Computed", "Bare", "Decorated"])
def test_forms_of_constructors(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "described_agents.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    entry = RegistryEntry("agent", name, f"described_agents:{name}")
    assert describe(entry) == describe_loaded(entry)


LISTING = """
import sys
from kibitz.core.registry import entries
from kibitz.core.registry.descriptions import describe

for kind in ("game", "agent", "model"):
    for entry in entries(kind).values():
        describe(entry)
print([name for name in ("numba", "kibitz.games.risk.rules", "kibitz.models.dbn.model") if name in sys.modules])
"""


@pytest.mark.long
def test_lists_load_no_game_and_no_compiler() -> None:
    done = subprocess.run([sys.executable, "-c", LISTING], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
