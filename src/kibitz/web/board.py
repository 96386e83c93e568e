"""The board of a page: a drawing that is patched as it changes, and clicks on it."""

from collections.abc import Callable, Sequence

from nicegui import ui
from nicegui.events import GenericEventArguments

from kibitz.core.drawing import Drawing, svg
from kibitz.core.drawing.positions import drawn_after
from kibitz.server.live.matches import LiveMatch
from kibitz.web.look import call

SHARED = 32
"""Pictures of a match that are kept for spectators, who may be a few events apart."""


class Board:
    """A drawing in the page. *pressed* gets the id of an offered shape when someone presses it."""

    def __init__(self, pressed: Callable[[str], None] | None = None) -> None:
        self.drawn: Drawing | None = None
        self.element = ui.html("", sanitize=False).classes("picture")
        if pressed is not None:
            for event in ("click", "keydown"):
                self.element.on(
                    event,
                    lambda found: pressed(event_text(found)),
                    js_handler="(e) => { const id = kibitz.pressed(e); if (id) emit(id); }",
                )

    def show(self, drawing: Drawing) -> None:
        """Show this drawing."""
        if self.drawn is None:
            self.element.set_content(svg(drawing))
        else:
            if (self.drawn.width, self.drawn.height) != (drawing.width, drawing.height):
                call(self.element, "resize", drawing.width, drawing.height)
            if patches := drawing.patches(self.drawn):
                call(self.element, "patch", patches)
        self.drawn = drawing

    def offer(self, shapes: Sequence[str], chosen: str = "") -> None:
        """Make these shapes pressable; one of them may be chosen already."""
        call(self.element, "offer", shapes, chosen)


def picture_after(match: LiveMatch, ply: int, player: int | None) -> Drawing:
    """The picture after *ply* events as *player* sees it; spectators, who are many, share theirs."""
    if player is not None:
        return drawn_after(match.game, match.events[ply - 1], player, all_seen=False)
    found = match.drawings.get(ply)
    if found is None:
        found = match.drawings[ply] = drawn_after(match.game, match.events[ply - 1], None, all_seen=False)
        while len(match.drawings) > SHARED:
            del match.drawings[next(iter(match.drawings))]
    return found


def event_text(event: GenericEventArguments) -> str:
    """The text that a script sent with an event."""
    given = event.args
    return str(given[0] if isinstance(given, list) and given else given)
