"""The page that sets up a match: every option of the game, its seats, its models and its clocks."""

from nicegui import ui

from kibitz.web.look import heading
from kibitz.web.parts.match_form import MatchForm
from kibitz.web.visit import Visit


async def build(visit: Visit, game: str) -> None:
    """Lay the form out for a game, or for the first one if it is unknown."""
    form = MatchForm(visit, game)
    await form.load()
    heading("Set up a game", 1)
    with ui.element("div").classes("panel form"):
        await form.build()
