"""The home page: what kibitz is, and the form that starts a game."""

from nicegui import ui

from kibitz.web.look import heading
from kibitz.web.match_form import MatchForm
from kibitz.web.matches_list import MatchesList
from kibitz.web.visit import Visit

WHAT = """A kibitzer is a model that watches a game, works out what each player is trying to do, and explains it.
Play a game here, against a program or a friend, and see what the kibitzers believe about you."""
HOW = (
    "Choose a game and its players: you, a friend by link, any program, or an open seat.",
    "Choose kibitzers: models that weigh every strategy or plan that fits what they see.",
    "Press Start. Press on the board or on a button, or type a move. Tab and Enter work too.",
    "Beside the board you see what each kibitzer believes, how that changed, and why.",
    "Every finished match is among the records: step through it, let other models watch it, share it.",
)


async def build(visit: Visit) -> None:
    """Lay the page out: text on the left, the form on the right."""
    form = MatchForm(visit)
    await form.load()
    with ui.element("div").classes("home"):
        with ui.element("section").props('aria-label="what this is"'):
            heading("Play, and see what it believes about you", 1)
            ui.label(WHAT)
            with ui.element("ol").classes("how"):
                for words in HOW:
                    with ui.element("li"):
                        ui.label(words)
            MatchesList(visit).build()
        with ui.element("section").props('aria-label="set up a game"'):
            heading("Set up a game")
            await form.build()
