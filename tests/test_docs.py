"""Every code block of the documentation runs, and prints what it says it prints."""

import doctest
import importlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from typer.main import get_command

import kibitz
from kibitz.cli.main import app, exit_code
from kibitz_lab.store import Store
from printed import FigureChecker, pattern

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


NEEDED = {"bridges": "pyspiel", "environments": "pettingzoo"}
"""Packages that pages about other packages need."""


def blocks(page: Path, language: str) -> list[str]:
    return [code for name, code in BLOCK.findall(page.read_text(encoding="utf-8")) if name == language]


def write_files(page: Path, folder: Path) -> None:
    """Put the page's TOML blocks into files, each named by its first line."""
    for code in blocks(page, "toml"):
        (folder / code.partition("\n")[0].removeprefix("# ")).write_text(code, encoding="utf-8")


def with_blocks(language: str) -> list[Path]:
    return [page for page in PAGES if blocks(page, language)]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.long
@pytest.mark.parametrize("page", with_blocks("python"), ids=name)
def test_python_blocks_run_from_top_to_bottom(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if page.stem in NEEDED:
        pytest.importorskip(NEEDED[page.stem])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KIBITZ_NO_SANDBOX", "")  # a page may set it
    module = re.sub(r"\W", "_", f"page_{page.relative_to(ROOT).with_suffix('')}")  # two pages may share a name
    path = tmp_path / f"{module}.py"
    path.write_text("\n".join(blocks(page, "python")), encoding="utf-8")
    if "kibitz_web" in path.read_text(encoding="utf-8"):  # a process has one web app, perhaps begun before
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        printed = done.stdout
    else:
        monkeypatch.syspath_prepend(tmp_path)
        imported = __import__(module)  # a real module, so that its classes can be pickled
        assert imported.__file__ == str(path)
        printed = capsys.readouterr().out
    for expected in blocks(page, "text"):
        assert re.search(pattern(expected), printed, re.DOTALL), f"expected\n{expected}\nprinted\n{printed}"


SLOW = {
    "docs/explanation/aware.md",
    "docs/explanation/missions.md",
    "docs/explanation/negotiators.md",
    "docs/explanation/pawns-study.md",
    "docs/games/risk.md",
    "docs/howto/bridges.md",
    "docs/howto/networks.md",
    "docs/howto/programs.md",
    "docs/howto/score-models.md",
    "docs/howto/solve-a-game.md",
    "docs/howto/solve-secrets.md",
    "docs/howto/studies.md",
    "docs/howto/train.md",
    "docs/reference/arenas.md",
    "docs/reference/awareness.md",
    "docs/reference/benchmarks.md",
    "docs/tutorials/cluster.md",
}
"""Pages whose commands without output take more than five seconds; the others run all of them at once."""
UNRUN = {
    r"kibitz serve": "runs until it is stopped: tests/system",
    r"^(?!kibitz)": "another program writes the input of kibitz, without an end",
    r"--executor ray|postgresql:": "needs a cluster or a database server: tests/system",
    r"\btalker\b": "the bot is the reader's own",
    r"\b(my_agent|patient|habits)\b": "needs the package that the page makes: tests/system installs one",
    r"shop\.plans|new\.txt": "the logs are the reader's own: plan-traces.md has the same commands with a file",
    r"risk-choice|risk\.choice\(trained": "a handful of games teaches it nothing, and then it writes no file",
    r"study \w+ --workers|--pairs (60|2000)\b": "takes hours",
}
"""Commands that are not run, only parsed, and why."""


def shown_commands(page: Path) -> Iterator[tuple[str, str | None]]:
    """Every command of kibitz on a page, with what it prints if the page shows that."""
    for language, code in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "console":
            for part in re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]:
                yield part.partition("\n")[0], part.partition("\n")[2]
        elif language == "sh":
            lines = code.replace("\\\n", "").splitlines()
            yield from ((line, None) for line in lines if re.search(r"(^|\| )kibitz ", line))


def put_inputs(page: Path, folder: Path) -> None:
    """The files that the commands of a page read: its TOML blocks, named by their first lines, examples, logs."""
    write_files(page, folder)
    (folder / "examples").symlink_to(ROOT / "examples")
    for source in (ROOT / "examples" / "prism").glob("*.pr*"):
        (folder / source.name).symlink_to(source)
    if page.stem == "operate":
        Store("kibitz.db").close()
    for where in ("logs", "games"):
        (folder / where).mkdir()
        for log in (ROOT / "packages" / "kibitz-risk" / "tests" / "data").glob("constrained-*.log.gz"):
            (folder / where / log.name).symlink_to(log)


COMMAND_PAGES = [
    pytest.param(page, long, id=f"{name(page)}{'-all' if long else ''}", marks=[pytest.mark.slow] if long else [])
    for page in PAGES
    if any(shown_commands(page))
    for long in ((False, True) if name(page) in SLOW else (False,))
]


@pytest.mark.long
@pytest.mark.parametrize(("page", "long"), COMMAND_PAGES)
def test_commands_do_what_the_page_shows(
    page: Path, long: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From top to bottom in one folder; examples print what the page says they print."""
    if page.stem in NEEDED:
        pytest.importorskip(NEEDED[page.stem])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(os.environ, "COLUMNS", "100")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    put_inputs(page, tmp_path)
    for command, expected in shown_commands(page):
        left_out = expected is None and name(page) in SLOW and not long
        if left_out or any(re.search(unrun, command) for unrun in UNRUN):
            continue
        words = shlex.split(command, comments=True)
        assert words[0] == "kibitz", f"only kibitz commands are shown as console blocks: {command}"
        files = {word: sorted(map(str, tmp_path.glob(word))) for word in words if "*." in word}
        code = exit_code([each for word in words[1:] for each in files.get(word) or [word]])
        printed = capsys.readouterr()
        assert code == (2 if "# refused" in command else 0), f"{command}\n{printed.err}"
        if expected is not None:
            same = re.fullmatch(pattern(trimmed(expected)), trimmed(printed.out), re.DOTALL)
            assert same, f"{command}\nprinted\n{printed.out}"


def test_the_command_line_understands_every_command() -> None:
    """Those that take hours or need another machine, too: they are parsed and not run."""
    commands = get_command(app).commands
    for page in PAGES:
        for command, _ in shown_commands(page):
            called, *rest = shlex.split(command.partition("kibitz ")[2], comments=True)
            if called != "--version":
                commands[called].full_command.make_context(called, rest)


def trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{name(page)} links to {target}, which is not there"


def test_tutorials_import_public_names_only() -> None:
    packages = r"kibitz|kibitz_lab|kibitz_solve|kibitz_lab\.plans|kibitz\.testing"
    for page in sorted((ROOT / "docs").glob("start/*.md")) + sorted((ROOT / "docs").glob("tutorials/*.md")):
        for code in blocks(page, "python"):
            for package in re.findall(r"^ *(?:from|import) (kibitz[\w.]*)", code, re.MULTILINE):
                assert re.fullmatch(packages, package), f"{name(page)} imports {package}, which is not public"


def broken_links(site: Path) -> list[str]:
    """The links, pictures and scripts of built pages that lead to no file or no anchor of the site."""
    texts = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html") if path.name != "404.html"}
    anchors = {path: set(re.findall(r'\b(?:id|name)="?([^"\s>]+)', text)) for path, text in texts.items()}
    found = []
    for path, text in texts.items():
        for link in set(re.findall(r'\b(?:href|src)="?([^"\s>]+)', text)):
            target, _, anchor = link.partition("#")
            place = Path(os.path.normpath(path.parent / unquote(target.partition("?")[0]))) if target else path
            if ":" in target or "//" in target:
                continue
            if not place.exists() or (anchor and unquote(anchor) not in anchors.get(place, {unquote(anchor)})):
                found.append(f"{path.relative_to(site)}: {link}")
    return found


@pytest.mark.long
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """Strictly: every page is in the navigation once, and every link and anchor leads somewhere."""
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for page in sorted((tmp_path / "site" / "games").glob("*.html")):
        assert re.search(r'class="?(?:position|gallery)\b', page.read_text(encoding="utf-8")), (
            f"{page.name}: no picture"
        )
    for name in ("awareness", "benchmarks"):
        page = (tmp_path / "site" / "reference" / f"{name}.html").read_text(encoding="utf-8")
        assert "<table" in page
        assert "figures: " not in page
    assert broken_links(tmp_path / "site") == []
    aware = (tmp_path / "site" / "explanation" / "aware.html").read_text(encoding="utf-8")
    assert re.search(r'href="?\.\./reference/glossary\.html#model\b', aware)
    index = (tmp_path / "site" / "search" / "search_index.js").read_text(encoding="utf-8")
    assert "exploitability" in index


def test_the_citation_file_names_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {kibitz.__version__}\n" in text
    assert "license: MIT\n" in text


@pytest.mark.long
@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=name)
def test_notebooks_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("IPython")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KIBITZ_CORPUS", str(tmp_path))  # as it runs for readers without a corpus
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] for cell in cells if cell["cell_type"] == "code"), "run `make notebooks`"
    names: dict[str, object] = {}
    for number, cell in enumerate(code):
        exec(compile(cell, f"{path.name}[{number}]", "exec"), names)
    pyplot.close("all")


def test_public_names_are_few_and_each_has_an_example_in_the_reference() -> None:
    pages = {"kibitz": "kibitz", "kibitz_lab": "lab", "kibitz_lab.plans": "plans", "kibitz.testing": "testing"}
    count = 0
    for package, page in pages.items():
        module = importlib.import_module(package)
        objects = [getattr(module, name) for name in module.__all__ if name not in ("__version__", "plugin")]
        text = (ROOT / "docs" / "reference" / "api" / f"{page}.md").read_text(encoding="utf-8")
        documented = re.findall(r"^::: (\S+)$", text, re.MULTILINE)
        assert documented == [f"{each.__module__}.{each.__name__}" for each in objects]
        assert [each.__name__ for each in objects if ">>> " not in (each.__doc__ or "")] == []
        count += len(objects)
    assert count <= 43


EXAMPLES = sorted(path for path in ROOT.glob("packages/*/src/**/*.py") if ">>> " in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", EXAMPLES, ids=name)
def test_examples_in_docstrings_run(path: Path) -> None:
    module = ".".join(path.relative_to(ROOT / "packages").with_suffix("").parts[2:]).removesuffix(".__init__")
    runner = doctest.DocTestRunner(checker=FigureChecker())
    for example in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(module)):
        runner.run(example)
    result = runner.summarize(verbose=False)
    assert result.attempted > 0
    assert result.failed == 0
