"""“Which of these are you?”: what models make of the visitor over their own games; the list stays in their browser."""

from collections import defaultdict
from html import escape
from typing import Any

from nicegui import ui

from kibitz.core.abilities.about import described_game, label_name, label_words
from kibitz.core.errors import KibitzError
from kibitz.core.insight import UNKNOWN
from kibitz.core.records import Record
from kibitz.core.registry import make_game
from kibitz.core.wording import count_words, percent
from kibitz.server.workers.debriefing import OwnGame, own_games
from kibitz.web.look import button, heading
from kibitz.web.visit import Visit

MOST = 20
"""Own games that are read."""
SHOWN = 4
"""Labels shown of each game."""


class ProfilePage:
    """One visitor's profile."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit

    def build(self) -> None:
        """Lay the page out; `load` fills it."""
        heading("Which of these are you?", 1)
        ui.label(
            "A kibitzer reads your own games and says whom you play like. The list of your games is kept in this "
            "browser only, and you can delete it."
        ).classes("lead")
        self.found = ui.element("div").props('role="status"')
        with self.found:
            ui.label("Looking for your games …").classes("quiet")
        button("Forget my games", self.forget)

    async def load(self) -> None:
        """Ask the browser for the list, read the games, and show what they say."""
        with self.found:
            listed = await ui.run_javascript("return kibitz.games()", timeout=10.0)
        pairs = valid_pairs(listed)[-MOST:]
        records = await self.visit.service.compute.run_io(self.records, pairs)
        try:
            games = await self.visit.run_cpu(own_games, records) if records else []
        except KibitzError as error:
            self.show(f"<p>{escape(str(error))}</p>")
            return
        self.show(profile_html(games) if games else "<p>You have not finished a game in this browser yet.</p>")

    def show(self, body: str) -> None:
        """Replace what is shown."""
        self.found.clear()
        with self.found:
            ui.html(body, sanitize=False)

    def records(self, pairs: list[tuple[int, int]]) -> list[tuple[Record, int]]:
        """The records of one's games, each with one's seat."""
        found = []
        for number, player in pairs:
            try:
                record = self.visit.service.lobby.archive.record(str(number))
            except KibitzError:  # a server with other records
                continue
            if player < len(record.header.agents):
                found.append((record, player))
        return found

    def forget(self) -> None:
        """Delete the list."""
        ui.run_javascript("kibitz.forget()")
        self.show("<p>The list is deleted.</p>")


def valid_pairs(listed: Any) -> list[tuple[int, int]]:
    """The numbers and seats that a browser sent, which may be anything."""
    pairs = listed if isinstance(listed, list) else []
    return [
        (pair[0], pair[1])
        for pair in pairs
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(each, int) and each >= 0 for each in pair)
    ]


def profile_html(games: list[OwnGame]) -> str:
    """For each game: whom you play like, on average over your matches, and how predictable you were."""
    by_game: dict[str, list[OwnGame]] = defaultdict(list)
    for each in games:
        by_game[each.game].append(each)
    return "".join(game_html(name, own) for name, own in by_game.items())


def game_html(name: str, own: list[OwnGame]) -> str:
    """What one's matches of a game say."""
    game = make_game(name)
    labels = {label for each in own for label in each.belief}
    mean = {label: sum(each.belief.get(label, 0.0) for each in own) / len(own) for label in labels}
    ranked = sorted(mean.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
    rows = "".join(
        f'<li class="reading"><span class="claim">{escape(shown_name(game, label))}, {percent(share)}</span>'
        f'<span class="quiet">{escape(label_words(game, label) or "")}</span></li>'
        for label, share in ranked
    )
    guessed, made = sum(each.first for each in own), sum(each.foreseen for each in own)
    foreseen = f"It guessed {percent(guessed / made)} of your {made} choices." if made else ""
    title = f"{described_game(game).title}, {count_words(len(own), 'match', 'matches')}"
    return f'<div class="panel"><h2>{escape(title)}</h2><ul class="plain">{rows}</ul><p>{foreseen}</p></div>'


def shown_name(game: Any, label: str) -> str:
    """A label for people."""
    return "none of the known ones" if label == UNKNOWN else label_name(game, label)
