"""Lines of source (.py, .js, .css, templates) and of tests, by folder and by future package: `make lines`."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tools.rings import RINGS, ring_of

ROOT = Path(__file__).parents[1]
ENDINGS = (".py", ".js", ".css", ".html", ".j2", ".jinja")
START, TESTS_START = 151_081, 59_863
"""Lines of commit f8d35a5f."""
STAGES = {
    "less": (127_000, 50_000),
    "once": (123_000, 49_000),
    "one of each": (111_000, 46_000),
    "rings": (109_000, 45_000),
    "once, everywhere": (99_000, 42_000),
}
"""The aims for source and tests."""
FOLDERS = {
    "games": (46_907, 24_000), "studies": (13_270, 5_000), "solve": (13_996, 9_000), "models": (11_684, 9_000),
    "agents": (11_648, 9_000), "core": (9_860, 7_000), "arena": (8_485, 6_500), "cli": (6_639, 4_200),
    "server": (6_427, 4_300), "learn": (5_491, 4_200), "web": (6_039, 4_700), "bridges": (4_545, 3_600),
    "store, testing, remote": (5_866, 4_500),
}  # fmt: skip
"""Lines of commit f8d35a5f, and the aim of the last stage."""


def files(folder: str) -> Iterator[tuple[Path, int]]:
    """The files of *folder* that count, relative to it, with their lines."""
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix in ENDINGS:
            yield path.relative_to(ROOT / folder), path.read_bytes().count(b"\n")


def ring_of_file(path: Path) -> str:
    """The future ring of a file below `src` or `tests`: tests lie in folders of the names that they test."""
    parts = path.with_suffix("").parts
    parts = parts[1:] if parts[0] == "kibitz" else parts
    return ring_of(".".join(("kibitz", *(part.removeprefix("test_") for part in parts if part != "__init__"))))


def row(name: str, *numbers: int | None) -> str:
    """A line of a table."""
    return f"{name:24}" + "".join(f"{'' if number is None else format(number, ',d'):>12}" for number in numbers)


def heading(*names: str) -> str:
    """The names of the columns."""
    return f"\n{names[0]:24}" + "".join(f"{name:>12}" for name in names[1:])


def main() -> None:
    """Print the three tables."""
    by_folder, by_ring = Counter[str](), {"src": Counter[str](), "tests": Counter[str]()}
    for folder, counts in by_ring.items():
        for path, lines in files(folder):
            counts[ring_of_file(path)] += lines
            if folder == "src":
                name = path.parts[1] if len(path.parts) > 2 else "(other)"
                by_folder[next((each for each in FOLDERS if name in each.split(", ")), name)] += lines
    source, tests = by_ring["src"].total(), by_ring["tests"].total()
    print(heading("", "at f8d35a5f", "now", *STAGES)[1:].replace("once, everywhere", "  everywhere"))
    print(row("source", START, source, *(aim for aim, _ in STAGES.values())))
    print(row("tests", TESTS_START, tests, *(aim for _, aim in STAGES.values())))
    print(heading("folder", "at f8d35a5f", "now", "aim"))
    for name in dict.fromkeys([*FOLDERS, *by_folder]):
        print(row(name, FOLDERS.get(name, (None,))[0], by_folder[name], FOLDERS.get(name, (None, None))[1]))
    print(heading("ring", "source", "aim", "tests"))
    for ring, each in RINGS.items():
        print(row(ring, by_ring["src"][ring], each["source"], by_ring["tests"][ring]))


if __name__ == "__main__":
    main()
