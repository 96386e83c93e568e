"""What a game is, for people who have not played it: a part of a page that they can unfold."""

from collections.abc import Mapping
from contextlib import suppress
from html import escape

from nicegui import ui

from kibitz.core.drawing import svg
from kibitz.core.errors import KibitzError
from kibitz.core.game import Game
from kibitz.core.kit.about import described_game, first_opponents
from kibitz.core.pictures.match_pictures import draw_position
from kibitz.core.registry import make_game
from kibitz_web.choices import Choices
from kibitz_web.page_frame import keep_doing
from kibitz_web.parts.game_cards import minutes_words


async def find_about(choices: Choices, game: Game) -> str:
    """The goal, the rules with a picture, the actions, the words and the secrets."""
    spec = repr(game)
    return str(await choices.find_once(f"about {spec}", about_html, spec, in_thread=True))


def build_about(choices: Choices, game: Game, known: str | None) -> None:
    """Lay out what a game is: at once if it is *known*, else when it has been found."""

    async def fill() -> None:
        with suppress(KibitzError):
            found = await find_about(choices, game)
            if not area.is_deleted:  # another game may have been chosen
                area.set_content(found)

    with ui.element("details").classes("about w-full"):  # it stays unfolded when it is filled
        ui.html("How to play", sanitize=False, tag="summary")
        area = ui.html(known or "", sanitize=False)
    if known is None:
        keep_doing(fill())


def about_html(spec: str) -> str:
    """What a game is, as HTML."""
    game = make_game(spec)
    about = described_game(game)
    parts = {
        "Players": dict.fromkeys(about.players, ""),
        "What you can do": {form.form: form.meaning for form in about.actions},
        "What you see": about.colours,
        "Words": about.glossary,
        "Cards, missions and types": about.labels,
        "Good first opponents": first_opponents(game),
        "All its players": about.strategies,
    }
    lasts = f"<p>A match takes about {minutes_words(about.minutes)}.</p>" if about.minutes else ""
    lines = "".join(f"<p>{escape(words)}</p>" for words in (about.goal, about.rules, f"Secret: {about.secret}"))
    lists = "".join(f"<h3>{escape(title)}</h3>{_list(rows)}" for title, rows in parts.items() if rows)
    return f"{first_picture(game)}{lines}{lasts}{lists}"


def first_picture(game: Game) -> str:
    """The picture of the first position; empty if that cannot be drawn."""
    try:
        drawn = svg(draw_position(game, game.new_initial_state().view(None)), 24.0)
    except (KibitzError, ArithmeticError, LookupError, ValueError):  # of a game that others wrote
        return ""
    return f'<figure class="picture small">{drawn}</figure>'


def _list(rows: Mapping[str, str]) -> str:
    """Names and what they mean, as HTML."""
    items = ((f"<b>{escape(name)}</b>: {escape(words)}" if words else escape(name)) for name, words in rows.items())
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"
