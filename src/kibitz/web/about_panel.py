"""What a game is, for people who have not played it: a part of a page that they can unfold."""

from collections.abc import Mapping
from html import escape

from nicegui import ui

from kibitz.core.abilities.about import about_game
from kibitz.core.game import Game


def build_about(game: Game) -> None:
    """Lay out the goal, the rules, the actions and the secrets; nothing if the game does not say."""
    about = about_game(game)
    if about is None:
        return
    parts = {
        "Players": dict.fromkeys(about.players, ""),
        "Actions": {form.form: form.meaning for form in about.actions},
        "Cards, missions and types": about.labels,
        "Agents": about.strategies,
    }
    lines = "".join(f"<p>{escape(words)}</p>" for words in (about.goal, about.rules, f"Secret: {about.secret}"))
    lists = "".join(f"<h3>{escape(title)}</h3>{_list(rows)}" for title, rows in parts.items() if rows)
    folded = f'<details class="about"><summary>how to play</summary>{lines}{lists}</details>'
    ui.html(folded, sanitize=False).classes("w-full")  # one element: each costs the server time, and this is text


def _list(rows: Mapping[str, str]) -> str:
    """Names and what they mean, as HTML."""
    items = (f"{name}: {words}" if words else name for name, words in rows.items())
    return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>"
