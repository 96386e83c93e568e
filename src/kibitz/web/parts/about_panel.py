"""What a game is, for people who have not played it: a part of a page that they can unfold."""

from collections.abc import Mapping
from html import escape

from nicegui import ui

from kibitz.core.abilities.about import described_game, first_opponents
from kibitz.core.drawing import svg
from kibitz.core.drawing.positions import draw_position
from kibitz.core.errors import KibitzError
from kibitz.core.game import Game
from kibitz.web.parts.game_cards import minutes_words


def build_about(game: Game, *, unfolded: bool = False) -> None:
    """Lay out the goal, the rules with a picture, the actions, the words and the secrets."""
    opened = " open" if unfolded else ""
    folded = f"<details class='about'{opened}><summary>How to play</summary>{about_html(game)}</details>"
    ui.html(folded, sanitize=False).classes("w-full")  # one element: each costs the server time, and this is text


def about_html(game: Game) -> str:
    """What a game is, as HTML."""
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
