"""Lines of source (.py, .js, .css, templates) and of tests, by package and folder: `make lines`."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENDINGS = (".py", ".js", ".css", ".html", ".j2", ".jinja")


def files(folder: Path) -> Iterator[tuple[Path, int]]:
    """The files of *folder* that count, relative to it, with their lines."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in ENDINGS:
            yield path.relative_to(folder), path.read_bytes().count(b"\n")


def row(name: str, *numbers: int) -> str:
    """A line of a table."""
    return f"{name:24}" + "".join(f"{number:>10,d}" for number in numbers)


def main() -> None:
    """Print the table: packages with their folders, and all together."""
    print(f"{'':24}{'source':>10}{'tests':>10}")
    source, tests = 0, sum(lines for _, lines in files(ROOT / "tests"))
    for package in sorted((ROOT / "packages").iterdir()):
        folders = Counter[str]()
        for path, lines in files(package / "src"):
            folders[path.parts[1] if len(path.parts) > 2 else "(files)"] += lines
        tested = sum(lines for _, lines in files(package / "tests"))
        print(row(package.name, folders.total(), tested))
        for name, lines in folders.most_common():
            print(row(f"    {name}", lines))
        source, tests = source + folders.total(), tests + tested
    print(row("over several packages", 0, sum(lines for _, lines in files(ROOT / "tests"))))
    print(row("all", source, tests))


if __name__ == "__main__":
    main()
