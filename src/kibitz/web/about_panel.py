"""What a game is, for people who have not played it: a part of a page that they can unfold."""

from nicegui import ui

from kibitz.core.abilities.about import about_game
from kibitz.core.game import Game
from kibitz.web.look import heading


def build_about(game: Game) -> None:
    """Lay out the goal, the rules, the actions and the secrets; nothing if the game does not say."""
    about = about_game(game)
    if about is None:
        return
    with ui.expansion("how to play").classes("w-full about"):
        ui.label(about.goal)
        ui.label(about.rules)
        ui.label(f"Secret: {about.secret}")
        parts = {
            "Players": dict.fromkeys(about.players, ""),
            "Actions": {form.form: form.meaning for form in about.actions},
            "Cards, missions and types": about.labels,
            "Agents": about.strategies,
        }
        for title, rows in parts.items():
            if rows:
                heading(title, 3)
                with ui.element("ul"):
                    for name, words in rows.items():
                        with ui.element("li"):
                            ui.label(f"{name}: {words}" if words else name)
