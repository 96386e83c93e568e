"""The import contract of the future packages: which ring each module of today is in, and which rings it may import.

`rings.toml` assigns modules to rings, and `rings_today.txt` lists the imports that do not fit yet. That list only
shrinks: `lint-imports` fails where a further import does not fit, and where a listed one is gone.
`python -m tools.rings` writes the list anew without those that are gone.
"""

import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import grimp
from importlinter import Contract, ContractCheck, output

TODAY = Path(__file__).with_name("rings_today.txt")
RINGS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("rings.toml").read_text(encoding="utf-8"))
HOMES = {module: ring for ring, each in RINGS.items() for module in each["modules"]}


@cache
def ring_of(module: str) -> str:
    """The ring of a module: that of the longest name that holds it."""
    return HOMES[module] if module in HOMES else ring_of(module.rpartition(".")[0])


def misfits(graph: grimp.ImportGraph) -> Iterator[str]:
    """Imports of a ring that may not be imported, as lines of `rings_today.txt`."""
    for module in graph.modules:
        if module.split(".")[0] == "kibitz":
            home = ring_of(module)
            allowed = {home, *RINGS[home]["imports"]}
            for imported in graph.find_modules_directly_imported_by(module):
                if imported.split(".")[0] == "kibitz" and ring_of(imported) not in allowed:
                    yield f"{home} -> {ring_of(imported)}: {module} -> {imported}"


def listed() -> set[str]:
    """The imports of today that do not fit."""
    return set(TODAY.read_text(encoding="utf-8").splitlines())


class Rings(Contract):  # type: ignore[misc]
    """Imports between rings fit, but for those that are listed; each that is listed is still there."""

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:
        """Compare the misfits with the list."""
        found = set(misfits(graph))
        unknown = [module for module in HOMES if module not in graph.modules]
        new, gone = sorted(found - listed()), sorted(listed() - found)
        return ContractCheck(kept=not (unknown or new or gone), metadata={"unknown": unknown, "new": new, "gone": gone})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Say which imports are new, and which lines can go."""
        said = {
            "unknown": "rings.toml names a module that does not exist:",
            "new": "does not fit the rings (tools/rings.toml):",
            "gone": "is gone; take it off the list by `python -m tools.rings`:",
        }
        for kind, words in said.items():
            for line in check.metadata[kind]:
                output.print_error(f"{words} {line}", bold=False)


def shortened(now: Iterable[str]) -> list[str]:
    """The listed imports that are still there; all of them where no list exists yet."""
    return sorted(set(now) & listed() if TODAY.exists() else set(now))


if __name__ == "__main__":
    lines = shortened(misfits(grimp.build_graph("kibitz", cache_dir=None)))
    TODAY.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{TODAY.name}: {len(lines)} imports")
