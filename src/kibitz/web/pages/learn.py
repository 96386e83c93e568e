"""Pages to learn from: all models and agents, how each of them thinks or plays, and how it did in the games here."""

import inspect
import re
from contextlib import suppress
from html import escape
from typing import Literal

import msgspec
from nicegui import ui

from kibitz.core.errors import KibitzError
from kibitz.core.records import Record
from kibitz.core.registry import entries, find
from kibitz.core.registry.specs import constructor_parameters, spec_text
from kibitz.core.wording import count_words, percent, question_words
from kibitz.server.workers.debriefing import Guess, guess_marks
from kibitz.store import MatchResult
from kibitz.web.choices import soon
from kibitz.web.look import heading, keep_doing
from kibitz.web.visit import Visit

READ = 8
"""Matches that a model reads again for its page."""
LONGEST = 300
"""Events of the longest of them."""
BINS = ((0.0, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 1.01))
"""How sure a guess was."""
LINES = {"model": "models", "agent": "agents"}
Kind = Literal["model", "agent"]
KINDS: tuple[tuple[Kind, str], ...] = (
    ("model", "Kibitzers: models that watch"),
    ("agent", "Players: agents that play"),
)


async def build_list(visit: Visit) -> None:
    """The list of all models and agents; a worker reads what they say of themselves."""
    heading("Learn", 1)
    ui.label("Kibitzers watch and explain; players play. Each has a page that says how it thinks.").classes("lead")
    ui.html('<p><a href="profile">Which of these are you?</a> What your own games say.</p>', sanitize=False)
    listed = ui.element("div").props('role="status"')
    with listed:
        ui.label("Asking them what they do …").classes("quiet")

    async def show() -> None:
        found: dict[str, dict[str, str]] = await visit.choices.find_once("summaries of all", all_summaries)
        listed.clear()
        with listed:
            for kind, words in KINDS:
                heading(words)
                rows = "".join(entry_html(kind, name, what) for name, what in found[kind].items())
                ui.html(f'<dl class="entries">{rows}</dl>', sanitize=False)

    keep_doing(show())


def all_summaries() -> dict[str, dict[str, str]]:
    """What each model and agent that can be loaded says of itself."""
    found: dict[str, dict[str, str]] = {}
    for kind, _ in KINDS:
        found[kind] = {}
        for name, entry in entries(kind).items():
            with suppress(KibitzError, ImportError):  # a plugin whose package is missing
                found[kind][name] = entry.summary()
    return found


def entry_html(kind: Kind, name: str, what: str) -> str:
    """A name that links to its page, and what it is."""
    words = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(what))
    return f'<dt><a href="{LINES[kind]}/{escape(name)}">{escape(name)}</a></dt><dd>{words}</dd>'


class EntryFacts(msgspec.Struct, frozen=True):
    """What the page of a model or agent says of it."""

    words: list[str]
    """Paragraphs."""
    answers: tuple[str, ...] = ()
    parameters: dict[str, str] = {}


def entry_facts(kind: Kind, name: str) -> EntryFacts:
    """What a model or agent says of itself; it may import much."""
    made = find(name, kind).load()
    text = re.sub(r"[*`]", "", inspect.cleandoc(made.__doc__ or ""))
    parameters = {
        parameter: "" if each.default is inspect.Parameter.empty else spec_text(each.default)
        for parameter, each in constructor_parameters(made).items()
    }
    paragraphs = [each for each in text.split("\n\n") if not each.startswith(">>>")]  # examples are for programmers
    return EntryFacts([" ".join(each.split()) for each in paragraphs], getattr(made, "answers", ()), parameters)


def build_facts(facts: EntryFacts) -> None:
    """Lay out what a model or agent says of itself."""
    for paragraph in facts.words:
        ui.label(paragraph).classes("lead")
    if facts.answers:
        ui.label("It answers: " + " ".join(map(question_words, facts.answers)))
    if facts.parameters:
        heading("Parameters")
        items = facts.parameters.items()
        rows = "".join(f"<li><code>{escape(name)}</code> = {escape(given) or '…'}</li>" for name, given in items)
        ui.html(f'<ul class="plain">{rows}</ul>', sanitize=False)


class EntryPage:
    """The page of one model or agent."""

    def __init__(self, visit: Visit, kind: Kind, name: str) -> None:
        self.visit, self.kind, self.name = visit, kind, name
        self.entry = find(name, kind)

    async def build(self) -> None:
        """Lay the page out."""
        heading(self.name, 1)
        heading("How it thinks" if self.kind == "model" else "How it plays")
        facts, area = await soon(self.facts()), ui.element("div").props('role="status"')
        with area:
            if facts is not None:
                build_facts(facts)
            else:
                ui.label("Asking it …").classes("quiet")
                keep_doing(self.fill(area))
        if self.kind == "model":
            heading("How well it guessed in the games here")
            self.calibrated = ui.element("div").props('role="status"')
            with self.calibrated:
                ui.label("It reads the newest games …").classes("quiet")
            keep_doing(self.calibrate())
        else:
            await self.build_results()

    async def facts(self) -> EntryFacts:
        """What it says of itself; in a thread, as workers may have much to compile."""
        key = f"{self.kind} {self.name}"
        found: EntryFacts = await self.visit.choices.find_once(key, entry_facts, self.kind, self.name, in_thread=True)
        return found

    async def fill(self, area: ui.element) -> None:
        """Show what it says of itself when that is known."""
        found = await self.facts()
        area.clear()
        with area:
            build_facts(found)

    async def calibrate(self) -> None:
        """Let the model read the newest games, and say how often its guesses were right."""
        compute = self.visit.service.compute
        records = await compute.run_io(self.newest_records)
        try:
            guesses = await self.visit.run_cpu(guess_marks, records, self.name) if records else []
        except KibitzError as error:
            guesses, words = [], f"It cannot read them: {error}"
        else:
            words = "No game here is one that it can read yet."
        self.calibrated.clear()
        with self.calibrated:
            if guesses:
                ui.html(calibration_html(guesses, len(records)), sanitize=False)
            else:
                ui.label(words).classes("quiet")

    def newest_records(self) -> list[Record]:
        """The newest short games on this server."""
        archive = self.visit.service.lobby.archive
        short = [each for each in archive.newest(10 * READ) if each.plies <= LONGEST]
        prefix = self.entry.prefix.rstrip(".")
        fitting = [each for each in short if not prefix or each.game.startswith(prefix)]
        return [archive.record(str(each.index)) for each in fitting[:READ]]

    async def build_results(self) -> None:
        """How the agent did in the games here."""
        archive = self.visit.service.lobby.archive
        results = await self.visit.service.compute.run_io(archive.newest, 500)
        heading("Its results here")
        rows = result_rows(results, self.name)
        if not rows:
            ui.label("It has not played here yet.").classes("quiet")
        else:
            ui.html(f'<ul class="plain">{"".join(f"<li>{escape(row)}</li>" for row in rows)}</ul>', sanitize=False)
        game = self.entry.prefix.rstrip(".")
        if game in entries("game"):
            ui.html(f'<p><a class="go" href="../setup?game={escape(game)}">Play against it</a></p>', sanitize=False)


def result_rows(results: list[MatchResult], agent: str) -> list[str]:
    """For each game that an agent played, how often it came first and what it earned."""
    found: dict[str, list[tuple[bool, float]]] = {}
    for result in results:
        for name, value in zip(result.names, result.returns, strict=True):
            if name.partition("(")[0] == agent:
                found.setdefault(result.game, []).append((value == max(result.returns), value))
    return [
        f"{game}: first in {sum(first for first, _ in own)} of {len(own)} matches, "
        f"{sum(value for _, value in own) / len(own):+.2f} on average"
        for game, own in found.items()
    ]


def calibration_html(guesses: list[Guess], matches: int) -> str:
    """A table: how sure it was of its first guess, and how often that was right."""
    rows = ""
    for low, high in BINS:
        own = [guess for guess in guesses if low <= guess.share < high]
        if own:
            said = sum(guess.share for guess in own) / len(own)
            right = sum(guess.right for guess in own) / len(own)
            rows += f"<tr><td>{percent(said)}</td><td>{percent(right)}</td><td>{len(own)}</td></tr>"
    games = count_words(matches, "game", "games")
    caption = f"Its first guesses of the next move in {games}; well calibrated means equal columns."
    head = '<tr><th scope="col">it was sure by</th><th scope="col">it was right</th><th scope="col">guesses</th></tr>'
    return f'<table class="plain-table"><caption>{caption}</caption><thead>{head}</thead><tbody>{rows}</tbody></table>'
