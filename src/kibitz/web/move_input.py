"""How a player enters a move: by pressing the board or a button, setting counters, or typing."""

from collections.abc import Callable, Mapping, Sequence

from nicegui import ui
from nicegui.events import GenericEventArguments

from kibitz import core
from kibitz.core.drawing import Counters, Drawing
from kibitz.core.drawing.buttons import MOST_BUTTONS
from kibitz.web.board import Board, event_text
from kibitz.web.composer import Composer, counters_action, limit_inputs
from kibitz.web.look import button, call, whole_number

LONGEST = 20
"""Digits of an action."""
Choose = Callable[[int | str], None]


class MoveInput:
    """The inputs of one player; *choose* gets an action or the typed text."""

    def __init__(self, board: Board, choose: Choose) -> None:
        self.board, self.choose = board, choose
        self.composer, self.offering = Composer(), False
        self.buttons = ui.element("div").classes("choices").props('role="group" aria-label="your moves"')
        self.buttons.on("click", self.click_button, js_handler="(e) => kibitz.chosen(e) && emit(kibitz.chosen(e))")
        self.more = ui.element("div").classes("row")
        self.counters: Counters | None = None
        self.line = ui.input("type a move").props("dense").on("keydown.enter", self.enter_move)

    def offer(self, drawing: Drawing, view: core.State, player: int, permitted: Sequence[int]) -> None:
        """Let *player* choose on *view* among the *permitted* actions."""
        self.offering = True
        whole = len(permitted) == len(view.legal_actions(player))
        inputs = drawing.inputs_of(player)
        self.composer = Composer(inputs if whole else limit_inputs(inputs, set(permitted)))
        short = not isinstance(permitted, core.ProductActions) and len(permitted) <= MOST_BUTTONS
        few = [(str(action), view.action_to_string(player, action)) for action in permitted] if short else []
        call(self.buttons, "choices", few)
        self.board.offer(self.composer.offered_shapes(), self.composer.source)
        self.show_counters(self.composer.counters)

    def clear(self) -> None:
        """Remove all choices."""
        if not self.offering:
            return
        self.offering, self.composer = False, Composer()
        call(self.buttons, "choices", [])
        self.board.offer([])
        self.show_counters(None)

    def press_shape(self, shape: str) -> None:
        """Handle a press on a shape of the board."""
        amounts = self.composer.press(shape)
        if len(amounts) == 1:
            self.choose(next(iter(amounts.values())))
        elif amounts:
            self.ask_amount(amounts)
        else:
            self.board.offer(self.composer.offered_shapes(), self.composer.source)

    def ask_amount(self, amounts: Mapping[int, int]) -> None:
        """Ask for an amount."""
        self.more.clear()
        least, most = min(amounts), max(amounts)
        with self.more:
            number = ui.number("how many", value=most, min=least, max=most, format="%d").props("dense autofocus")

            def choose_amount() -> None:
                action = amounts.get(whole_number(number.value))
                if action is not None:
                    self.more.clear()
                    self.choose(action)

            number.on("keydown.enter", choose_amount)
            button("OK", choose_amount)

    def show_counters(self, counters: Counters | None) -> None:
        """Show a counter per factor, and a button that plays their action."""
        if counters == self.counters:
            return
        self.counters = counters
        self.more.clear()
        if counters is None:
            return
        with self.more:
            numbers = {
                name: ui.number(name, value=least, min=least, max=most, format="%d").props("dense").style("width: 6rem")
                for name, (least, most) in counters.ranges.items()
            }
            button("Play this", lambda: self.choose(counters_action(counters, _values(numbers))))

    def click_button(self, event: GenericEventArguments) -> None:
        """Handle a press on a button."""
        text = event_text(event)
        if text.isdecimal() and len(text) < LONGEST:
            self.choose(int(text))

    def enter_move(self) -> None:
        """Handle a typed move."""
        words, self.line.value = str(self.line.value or ""), ""
        self.choose(words)


def _values(numbers: Mapping[str, ui.number]) -> dict[str, int]:
    return {name: whole_number(number.value) for name, number in numbers.items()}
