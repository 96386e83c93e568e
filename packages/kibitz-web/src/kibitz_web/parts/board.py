"""The board of a page: a drawing that is patched as it changes, and clicks on it."""

import re
from collections.abc import Callable, Container, Mapping, Sequence

from msgspec.structs import replace
from nicegui import ui
from nicegui.events import GenericEventArguments

from kibitz.core.drawing import Drawing, Patch, Piece, svg
from kibitz.core.pictures.match_pictures import drawn_after
from kibitz_web.page_frame import call
from kibitz_web.server.live.matches import LiveMatch

SHARED = 32
"""Pictures of a match that are kept for spectators, who may be a few events apart."""


ART, PATHS = re.compile('data-art="([^"]*)"'), re.compile("<path [^>]*/>")
TOOLS = (
    '<button type="button" class="act" data-tool="out" aria-label="smaller">−</button>'
    '<button type="button" class="act" data-tool="in" aria-label="larger">+</button>'
    '<button type="button" class="act" data-tool="list" aria-pressed="false">List</button>'
)
"""The tools of large pictures, which the script handles."""


class Board:
    """A drawing in the page. *pressed* gets the id of an offered shape that someone presses, *dragged* those of two."""

    def __init__(
        self, pressed: Callable[[str], None] | None = None, dragged: Callable[[str, str], None] | None = None
    ) -> None:
        self.drawn: Drawing | None = None
        self.known: set[str] = set()
        """The art that the page has seen, and paints by its name."""
        with ui.element("div").classes("board"):
            ui.html(TOOLS, sanitize=False).classes("tools")
            self.element = ui.html("", sanitize=False).classes("picture")
            ui.element("div").classes("places").props('aria-label="all places"')
        if pressed is not None:
            for event in ("click", "keydown"):
                self.element.on(
                    event,
                    lambda found: pressed(event_text(found)),
                    js_handler="(e) => { const id = kibitz.pressed(e); if (id) emit(id); }",
                )
        if dragged is not None:
            self.element.on(
                "pointerup",
                lambda found: dragged(*event_texts(found, 2)),
                js_handler="(e) => { const ids = kibitz.dropped(e); if (ids) emit(...ids); }",
            )

    def show(self, drawing: Drawing) -> None:
        """Show this drawing."""
        if self.drawn is None:
            self.element.set_content(svg(drawing))
            call(self.element, "fitted")
        else:
            if (self.drawn.width, self.drawn.height) != (drawing.width, drawing.height):
                call(self.element, "resize", drawing.width, drawing.height)
            if patches := drawing.patches(self.drawn):
                call(self.element, "patch", [without_art(patch, self.known) for patch in patches])
        self.known |= {shape.art.name for shape in drawing.shapes if isinstance(shape, Piece)}
        self.drawn = drawing

    def offer(
        self,
        shapes: Sequence[str],
        chosen: str = "",
        previews: Mapping[str, tuple[str, str, bool | None]] | None = None,
    ) -> None:
        """Make these shapes pressable; one of them may be chosen already, and *previews* say what they lead to."""
        call(self.element, "offer", shapes, chosen, previews or {})


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


def without_art(patch: Patch, known: Container[str]) -> Patch:
    """A patch whose figure has no paths, if the page knows its art: they are most of what is sent."""
    found = ART.search(patch.svg) if patch.svg else None
    return replace(patch, svg=PATHS.sub("", patch.svg)) if found is not None and found[1] in known else patch


def event_texts(event: GenericEventArguments, count: int) -> list[str]:
    """So many texts that a script sent with an event; a browser may send fewer, and then the rest are empty."""
    given = event.args if isinstance(event.args, list) else [event.args]
    return [*map(str, given[:count]), *[""] * (count - len(given))]


def event_text(event: GenericEventArguments) -> str:
    """The text that a script sent with an event."""
    return event_texts(event, 1)[0]
