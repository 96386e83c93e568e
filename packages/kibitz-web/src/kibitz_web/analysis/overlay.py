"""Pictures that take time to compute, shown in a dialog, and the buttons that open it."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from nicegui import ui

from kibitz.core.drawing import Drawing
from kibitz.core.game import Game
from kibitz_web.choices import Choices
from kibitz_web.page_frame import button, errors_shown, keep_doing
from kibitz_web.parts.board import Board
from kibitz_web.visit import Visit


def offer_solution(choices: Choices, game: Game, action: Any) -> None:
    """A button for the solution of a game; it appears once the game is known to be solvable."""
    offered = button("Solution", action, "what perfect players would do here")
    offered.set_visibility(False)

    async def check() -> None:
        offered.set_visibility(await choices.can_solve(game))

    keep_doing(check())


async def show_pictures(
    visit: Visit, work: Callable[..., Mapping[str, Drawing]], *given: object, match: Hashable = None
) -> None:
    """Show the pictures that *work* returns, by caption, or say why there are none."""
    with errors_shown():
        pictures = await visit.run_cpu(work, *given, match=match)
        with ui.dialog(value=True).props("maximized transition-duration=0") as dialog, ui.card().classes("w-full"):
            button("Close", dialog.close)
            for words, picture in pictures.items():
                ui.label(words)
                Board().show(picture)
