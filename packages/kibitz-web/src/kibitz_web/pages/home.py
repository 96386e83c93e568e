"""The home page: a card per game, one press from a match; what you play, what others play, and what was played."""

from functools import partial
from html import escape

from nicegui import ui
from nicegui.events import GenericEventArguments

from kibitz.core.registry import spec_of
from kibitz_lab.store import MatchResult
from kibitz_web.page_frame import button, errors_shown, heading, keep_doing
from kibitz_web.parts.board import event_text
from kibitz_web.parts.game_cards import FIRST, GameCard
from kibitz_web.parts.seat_names import agent_name, capital_words
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.live.seats import Seat
from kibitz_web.visit import Visit, match_address, open_match, own_seats, sit_down

HEAD = "Play. It works out what you are up to, and tells you what gave you away."
WHAT = """Pick a game. While you play, a kibitzer watches, guesses your plan and your style, and says why.
Afterwards you read the debrief: what it believed of you, and which moves told it."""
RESUMED = 6
"""Own matches on the page."""
SHOWN = 5
"""Records on the page."""
PAUSE = 1.0
"""Seconds between refreshes of the live matches."""
LISTED = 20
"""Live matches on the page: where hundreds are played, nobody reads them all, and each costs the server some work."""


class HomePage:
    """One visitor's home page."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit

    async def build(self) -> None:
        """Lay the page out."""
        gallery = self.visit.gallery
        cards = await gallery.soon_cards()
        seats = own_seats(self.visit)
        with ui.element("section").props('aria-label="what this is"'):
            heading(HEAD, 1)
            ui.label(WHAT).classes("lead")
            self.build_buttons(seats)
        build_own_matches(self.visit, seats)
        heading("Games")
        self.cards = ui.html(cards_html(cards), sanitize=False).classes("cards-area")
        self.listen(self.cards)
        if not gallery.known:
            keep_doing(self.fill())
        MatchesList(self.visit).build()
        await build_last_games(self.visit)

    def build_buttons(self, seats: list[Seat]) -> None:
        """The large buttons: play at once, or go back to the last match."""
        buttons = play_button(FIRST, "Play Pawns now", "go")
        if seats:
            last = seats[-1]
            turn = ", your turn" if last.request is not None else ""
            words = f"Resume: {self.visit.gallery.title(last.match.game)}{turn}"
            buttons += link_button(match_address(last.match.number), words)
        self.listen(ui.html(f'<div class="row">{buttons}</div>', sanitize=False))

    def listen(self, element: ui.html) -> None:
        """Open a match when somebody presses a *Play now*."""
        element.on("click", self.play, js_handler="(e) => { const game = kibitz.playNow(e); if (game) emit(game); }")

    async def play(self, event: GenericEventArguments) -> None:
        """Open the match of a card."""
        with errors_shown():
            card = await self.visit.gallery.card(event_text(event))
            setup = await self.visit.run_thread(card.setup, self.visit.service.lobby.agents)
            await open_match(self.visit, setup)
        ui.run_javascript("kibitz.idle()")

    async def fill(self) -> None:
        """Show the whole cards when they are made."""
        self.cards.set_content(cards_html(await self.visit.gallery.cards()))


def build_own_matches(visit: Visit, seats: list[Seat]) -> None:
    """The visitor's matches that are not over, the newest first."""
    if not seats:
        return
    heading("Your games in progress")
    ui.html(
        f'<div class="resume">{"".join(resume_html(visit, s) for s in seats[: -RESUMED - 1 : -1])}</div>',
        sanitize=False,
    )


def resume_html(visit: Visit, seat: Seat) -> str:
    """A match for its player: the game with its picture, the others, and whose turn it is."""
    match, name = seat.match, spec_of(seat.match.game).name
    players = range(match.game.players)
    others = ", ".join(agent_name(match.game, match.who(player)) for player in players if player != seat.number)
    turn = "Your turn" if seat.request is not None else f"{len(match.events)} moves made"
    classes = ' class="turn"' if seat.request is not None else ""
    return (
        f'<a href="{match_address(match.number).lstrip("/")}"><img src="thumbnails/{escape(name)}.svg" alt="">'
        f"<span><b>{escape(visit.gallery.title(match.game))}</b><small>against {escape(others)}</small><br>"
        f"<small{classes}>{turn}</small></span></a>"
    )


async def build_last_games(visit: Visit) -> None:
    """A line for each of the newest records."""
    archive = visit.service.lobby.archive
    results = await visit.service.compute.run_io(archive.newest, SHOWN)
    if not results:
        return
    heading("Last games")
    lines = [(each.index, result_words(each, visit)) for each in results]
    rows = "".join(f'<li><a href="replay/{number}">{escape(words)}</a></li>' for number, words in lines)
    ui.html(f'<ul class="plain">{rows}</ul><p><a href="records">All records</a></p>', sanitize=False)


def result_words(result: MatchResult, visit: Visit) -> str:
    """A record in a line."""
    name = result.game.partition("(")[0]
    card = visit.gallery.known.get(name)
    players = [capital_words(each.removeprefix(f"{name}.").replace("_", " ")) for each in result.names]
    return f"{result.game if card is None else card.title}: {' against '.join(players)}, {result.plies} moves"


def cards_html(cards: list[GameCard]) -> str:
    """The cards in two groups: games with characters to read, and the others, which one unfolds."""
    own = [card for card in cards if card.own_agents]
    others = [card for card in cards if not card.own_agents]
    if not own:
        return f'<div class="cards">{"".join(map(card_html, others))}</div>'
    shown = f'<div class="cards">{"".join(map(card_html, own))}</div>'
    summary = f"<summary>{len(others)} more: duels, puzzles, and games of other packages</summary>"
    more = f'<details class="more">{summary}<div class="cards">{"".join(map(card_html, others))}</div></details>'
    return shown + (more if others else "")


def card_html(card: GameCard) -> str:
    """One card."""
    name, title = escape(card.name), escape(card.title)
    opponent = next(iter(card.opponents.values()), "")
    about = f'<p class="quiet">First opponent: {escape(opponent)}</p>' if opponent else ""
    return (
        f'<article class="card"><img src="thumbnails/{name}.svg" alt="" loading="lazy" width="280" height="150">'
        f'<div class="inside"><h3>{title}</h3><p>{escape(card.goal)}</p>'
        f'<p class="facts">{escape(card.facts)}</p>{about}'
        f'<div class="row">{play_button(card.name, "Play now", "go small", f"Play {card.title} now")}'
        f"{link_button(f'/setup?game={card.name}', 'Set up', f'Set up {card.title}')}</div></div></article>"
    )


def play_button(game: str, words: str, classes: str, label: str = "") -> str:
    """A button that plays a game at once."""
    named = f' aria-label="{escape(label)}"' if label else ""
    return f'<button type="button" class="{classes}" data-game="{escape(game)}"{named}>{escape(words)}</button>'


def link_button(address: str, words: str, label: str = "") -> str:
    """A link that looks like a button."""
    named = f' aria-label="{escape(label)}"' if label else ""
    return f'<a class="plain-button" href="{escape(address.lstrip("/"))}"{named}>{escape(words)}</a>'


Row = tuple[int, str, tuple[str, ...], bool]
"""A match: its number, its game, its players, and whether a seat is open."""


class MatchesList:
    """Lists the live matches while the page is open; a line is built once and taken away when its match ends."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.lines: dict[Row, ui.element] = {}
        with ui.element("div") as self.area:
            heading("Being played now")
            self.waiting, self.running = ui.element("div"), ui.element("div")
            self.rest = ui.label().classes("quiet")

    def build(self) -> None:
        """Fill the list, and keep it fresh."""
        self.refresh()
        ui.timer(PAUSE, self.refresh)

    def rows(self) -> list[Row]:
        """The rows: matches with open seats first, then those that are on the page already, then the newest."""
        listed = {row[0] for row in self.lines}
        live = self.visit.service.lobby.live_matches()
        live.sort(key=lambda match: (not match.open_seats, match.number not in listed, -match.number))
        self.rest.set_text(f"and {len(live) - LISTED} more" if len(live) > LISTED else "")
        return [self.row(match) for match in live[:LISTED]]

    def row(self, match: LiveMatch) -> Row:
        names = tuple(agent_name(match.game, match.who(player)) for player in range(match.game.players))
        return match.number, self.visit.gallery.title(match.game), names, bool(match.open_seats)

    def refresh(self) -> None:
        """Take away the lines that are no longer true, and add the new ones."""
        rows = self.rows()
        for gone in self.lines.keys() - set(rows):
            self.lines.pop(gone).delete()
        for row in sorted(set(rows) - self.lines.keys()):
            with self.waiting if row[3] else self.running:
                self.lines[row] = self.line(row)
                self.lines[row].move(target_index=0)
        self.area.set_visibility(bool(rows))

    def line(self, row: Row) -> ui.element:
        """One match: a link to its page, who plays, and a button if a seat is open."""
        number, game, players, waits = row
        with ui.element("div").classes("row") as line:
            ui.link(f"Match {number}: {game}", match_address(number))
            ui.label(" against ".join(players)).classes("quiet")
            if waits:
                button("Sit down", partial(sit_down, self.visit, number), f"sit down in match {number}")
        return line
