"""Pictures that take some thinking, shown over the page."""

from collections.abc import Callable, Mapping

from nicegui import ui

from kibitz.core.drawing import Drawing
from kibitz.core.errors import KibitzError
from kibitz.server.minds import Minds
from kibitz.web.board import Board
from kibitz.web.look import button


async def show_pictures(minds: Minds, work: Callable[..., Mapping[str, Drawing]], *given: object) -> None:
    """Show over the page what *work* finds, pictures by what they are, or say why there are none."""
    try:
        pictures = await minds.compute(work, *given)
    except KibitzError as error:
        ui.notify(str(error), type="warning")
        return
    with ui.dialog(value=True).props("maximized transition-duration=0") as dialog, ui.card().classes("w-full"):
        button("Close", dialog.close)
        for words, picture in pictures.items():
            ui.label(words)
            Board().show(picture)
