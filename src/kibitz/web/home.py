"""The first page: what this is, in one screen, and a game in two clicks."""

from nicegui import ui

from kibitz.web.house import House
from kibitz.web.look import heading
from kibitz.web.setup_form import SetupForm
from kibitz.web.tables_list import TablesList

WHAT = """A kibitzer watches a game over the players' shoulders, works out what each is up to, and says so.
Play a game here, against a program or a friend, and watch what the kibitzers come to believe of you."""
HOW = (
    "Choose a game and who sits where: you, a friend by link, any program, or whoever comes.",
    "Choose kibitzers: models that weigh every strategy or plan that fits what they see.",
    "Press Start. Press on the board, on a button, or type a move. Tab and Enter do as well.",
    "Beside the board stands what each kibitzer believes, how that changed, and why.",
    "Afterwards every match is among the records: step through it, put another model over it, share it.",
)


def build(house: House) -> None:
    """Words on the left, the form on the right."""
    with ui.element("div").classes("home"):
        with ui.element("section").props('aria-label="what this is"'):
            heading("Play, and watch what it believes of you", 1)
            ui.label(WHAT)
            with ui.element("ol").classes("how"):
                for words in HOW:
                    with ui.element("li"):
                        ui.label(words)
            TablesList(house).build()
        with ui.element("section").props('aria-label="set up a game"'):
            heading("Set up a game")
            SetupForm(house).build()
