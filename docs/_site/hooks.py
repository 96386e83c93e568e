"""What MkDocs adds to the Markdown files of this folder: a page for every game, tables of figures, pages from the
root, words explained.

A page `docs/games/<name>.md` follows what the game says of itself; a game without one gets a page of its own. Links to
files outside the documentation become their names, so that the site is whole wherever it lies.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # MkDocs loads this file by its path
os.environ["KIBITZ_NO_JIT"] = "1"  # pictures of positions need no compiled kernels

import figures
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from kibitz.core import drawing
from kibitz.core.game import CHANCE, Game, State
from kibitz.core.kit.about import About, about_game
from kibitz.core.pictures.match_pictures import draw_position
from kibitz.core.registry import entries, make_game
from kibitz.core.seeds import stream

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FROM_ROOT = {
    "contributing/guide.md": "CONTRIBUTING.md",
    "contributing/changelog.md": "CHANGELOG.md",
    "contributing/security.md": "SECURITY.md",
}
PLIES = 8
"""How far the matches go whose positions are shown."""
OUTSIDE = re.compile(r"\[([^\]]*)\]\(((?:\.\./)*[^)#:\s]+)(#[^)\s]*)?\)")
TABLES = {"benchmarks": figures.benchmark_tables, "awareness": figures.awareness_words}
"""What stands in place of a line `<!-- figures: NAME -->`."""
PICTURE = re.compile(r"<!-- picture: (.+?) -->")
"""What a picture of the game with this spec stands in place of."""
TERM = re.compile(r"^\*\*(.+?)\*\*: (.+)$", re.MULTILINE)


def game_names() -> list[str]:
    return sorted(name for name in entries("game") if ":" not in name and "." not in name)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put every game into the navigation."""
    for section in config.nav or []:
        if "Games" in section:
            own = [{title(make_game(name)): f"games/{name}.md"} for name in game_names()]
            more = sorted(path for path in (DOCS / "games").glob("*.md") if path.stem not in {"index", *game_names()})
            section["Games"] += [*own, *({heading(path): f"games/{path.name}"} for path in more)]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made: from the root, and of games without a page of their own."""
    for target, source in FROM_ROOT.items():
        files.append(File.generated(config, target, content=(ROOT / source).read_text(encoding="utf-8")))
    for name in game_names():
        if files.get_file_from_path(f"games/{name}.md") is None:
            files.append(File.generated(config, f"games/{name}.md", content=f"# {title(make_game(name))}\n"))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Begin pages of games with what the game says of itself, resolve links, and explain words of the glossary."""
    place = Path(page.file.src_uri)
    if place.parent.name == "games" and place.stem in game_names():
        first, _, rest = markdown.partition("\n")
        markdown = f"{first}\n\n{introduction(make_game(place.stem))}\n{rest}"
    if page.file.src_uri == "games/index.md":
        markdown += f"\n{gallery()}\n"
    markdown = PICTURE.sub(lambda found: picture(make_game(found[1])), markdown)
    for name, make in TABLES.items():
        if (mark := f"<!-- figures: {name} -->") in markdown:
            markdown = markdown.replace(mark, make())
    source = (DOCS / place).parent if page.file.src_uri not in FROM_ROOT else ROOT
    markdown = outside_code(markdown, lambda text: OUTSIDE.sub(lambda found: resolved(found, source, place), text))
    if page.file.src_uri == "reference/glossary.md":
        return markdown
    return markdown + "\n\n" + "\n".join(f"*[{term}]: {meaning}" for term, meaning in glossary())


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let the first use of each word of the glossary lead to its entry, which gets an anchor."""
    if page.file.src_uri == "reference/glossary.md":
        return re.sub(
            r"<p><strong>(.+?)</strong>", lambda found: f'<p id="{anchor(found[1])}"><strong>{found[1]}</strong>', html
        )
    here = os.path.relpath("reference/glossary.html", Path(page.file.dest_uri).parent)
    return link_words(html, here)


def link_words(html: str, glossary_page: str) -> str:
    """Put a link around the first explained use of each word that stands neither in a link nor in a heading."""
    inside, linked, parts = 0, set(), []
    for part in re.split(r"(<abbr [^>]*>.*?</abbr>|</?(?:a|h[1-6])\b[^>]*>)", html):
        if part.startswith("<abbr "):
            word = re.sub("<[^>]+>", "", part)
            if not inside and word not in linked:
                linked.add(word)
                part = f'<a class="word" href="{glossary_page}#{anchor(word)}">{part}</a>'
        elif re.match(r"</(?:a|h[1-6])\b", part):
            inside -= 1
        elif re.match(r"<(?:a|h[1-6])\b", part):
            inside += 1
        parts.append(part)
    return "".join(parts)


def anchor(word: str) -> str:
    """The name of a word's entry in the glossary."""
    return re.sub(r"\W+", "-", word.lower()).strip("-")


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Take the script that lets search work on files from this site, not from elsewhere."""
    here = os.path.relpath("assets/file-worker.js", Path(page.file.dest_uri).parent)
    return re.sub(r'src="?https://[^"> ]*iframe-worker[^"> ]*"?', f'src="{here}"', output)


def outside_code(markdown: str, change: Any) -> str:
    """Change what is not within a block of code."""
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else change(part) for part in parts)


def resolved(found: re.Match[str], source: Path, place: Path) -> str:
    """A link as the site needs it: unchanged within the documentation, to a made page, or only its text."""
    text, target, anchor = found[1], found[2], found[3] or ""
    path = (source / target).resolve()
    if source == DOCS / place.parent and path.is_relative_to(DOCS) and path.exists():
        return found[0]
    made = {ROOT / origin: page for page, origin in FROM_ROOT.items()} | {ROOT / "README.md": "index.md"}
    if path in made:
        page, anchor = made[path], "" if made[path] == "index.md" else anchor
    elif path.is_relative_to(DOCS) and path.exists():
        page = str(path.relative_to(DOCS))
    else:
        return text if "`" in text or target in text else f"{text} (`{path.relative_to(ROOT)}`)"
    return f"[{text}]({os.path.relpath(page, place.parent)}{anchor})"


def glossary() -> list[tuple[str, str]]:
    path = DOCS / "reference" / "glossary.md"
    return TERM.findall(path.read_text(encoding="utf-8")) if path.exists() else []


def heading(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def title(game: Game) -> str:
    about = about_game(game)
    return about.title if about else type(game).__name__


def position(game: Game) -> State:
    """A position some plies into a random match."""
    rng = stream(3, "documentation")
    state = game.new_initial_state()
    for _ in range(PLIES):
        after = state.clone()
        if after.is_terminal():
            break
        if after.current_player() == CHANCE:
            outcomes = after.chance_outcomes()
            chances = [share for _, share in outcomes]
            after.apply_action(outcomes[int(rng.choice(len(outcomes), p=chances))][0])
        else:
            movers = game.movers(after)
            after.step([drawn_action(after, player, rng) for player in movers])
        if after.is_terminal():
            break
        state = after
    return state


def drawn_action(state: State, player: int, rng: Any) -> int:
    legal = state.legal_actions(player)
    return legal[int(rng.integers(len(legal)))]


def picture(game: Game) -> str:
    return f'<div class="position">{drawing.svg(draw_position(game, position(game)))}</div>'


def introduction(game: Game) -> str:
    about = about_game(game)
    return (
        picture(game) if about is None else "\n\n".join([f"*{about.goal}*", picture(game), *paragraphs(about)]) + "\n"
    )


def paragraphs(about: About) -> list[str]:
    parts = [about.rules, f"**Hidden.** {about.secret}", "**Players.** " + " · ".join(about.players)]
    if about.actions:
        rows = "\n".join(f"| `{form.form}` | {form.meaning} |" for form in about.actions)
        parts.append(f"| action | meaning |\n|---|---|\n{rows}".replace("||", "| |"))
    if about.strategies:
        rows = "\n".join(f"| `{name}` | {words} |" for name, words in about.strategies.items())
        parts.append(f"| agent | how it plays |\n|---|---|\n{rows}")
    return parts


def gallery() -> str:
    """All games, each with its picture and its goal."""
    cards = [
        f'<a class="card" href="{name}.html">{drawing.svg(draw_position(game, position(game)))}'
        f"<b>{title(game)}</b><span>{about.goal if (about := about_game(game)) else ''}</span></a>"
        for name in game_names()
        for game in [make_game(name)]
    ]
    return f'<div class="gallery">{"".join(cards)}</div>'
