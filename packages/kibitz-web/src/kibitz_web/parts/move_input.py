"""How a player enters a move: by pressing the board or a button, filling trays, or typing."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace
from nicegui import ui
from nicegui.events import GenericEventArguments

from kibitz import core
from kibitz.core.actions import from_digits
from kibitz.core.drawing import Chip, ChoiceButton, Click, Counters, Drawing, FromTo, Input, Tray
from kibitz.core.kit.positions import Preview
from kibitz.core.registry import kit_of
from kibitz_web.page_frame import call, whole_number
from kibitz_web.parts.board import Board, event_text
from kibitz_web.parts.seat_names import action_meanings, is_cryptic

Amounts = Mapping[int, int]
"""The action of each amount."""


class Composer:
    """The inputs of one position, and the shape pressed so far. A first press without alternative is made at once."""

    def __init__(self, inputs: Sequence[Input] = ()) -> None:
        self.clicks = {each.shape: each.action for each in inputs if isinstance(each, Click)}
        self.targets: dict[str, dict[str, Amounts]] = {}
        for each in inputs:
            if isinstance(each, FromTo):
                self.targets.setdefault(each.source, {})[each.target] = each.actions
        self.choices = {each.action: each.words for each in inputs if isinstance(each, ChoiceButton)}
        self.counters = next((each for each in inputs if isinstance(each, Counters)), None)
        self.source = next(iter(self.targets)) if len(self.targets) == 1 else ""

    def offered_shapes(self) -> list[str]:
        """The shapes that can be pressed now."""
        return [*{**self.clicks, **self.targets, **self.targets.get(self.source, {})}]

    def offered_actions(self) -> dict[str, int]:
        """The action to which the next press of a shape leads, of several amounts the largest."""
        ends = self.targets.get(self.source, {})
        return {**self.clicks, **{shape: actions[max(actions)] for shape, actions in ends.items()}}

    def covered_actions(self) -> set[int]:
        """The actions that can be composed in some way, without counters."""
        ways = (actions for ends in self.targets.values() for actions in ends.values())
        return {*self.clicks.values(), *self.choices, *(action for actions in ways for action in actions.values())}

    def only_way(self) -> Amounts:
        """The amounts of the only way there is; empty if there is anything else to press."""
        ends = [*self.targets.values()]
        return next(iter(ends[0].values())) if len(ends) == 1 == len(ends[0]) and not self.clicks else {}

    def press(self, shape: str) -> Amounts:
        """The action of each amount that this press leads to; empty if it was only the first press, or none."""
        if shape in self.clicks:
            return {1: self.clicks[shape]}
        found = self.targets.get(self.source, {}).get(shape) or self.targets.get(shape, {}).get(shape)
        if found is None:
            self.source = shape if shape in self.targets and shape != self.source else ""
        return found or {}

    def drag(self, source: str, target: str) -> Amounts:
        """The action of each amount that a drag from one shape to another leads to."""
        return self.targets.get(source, {}).get(target, {})


def counters_action(counters: Counters, values: Mapping[str, int]) -> int:
    """The action that the values of the counters describe."""
    return from_digits([values[name] for name in counters.ranges], counters.bases)


def limit_inputs(inputs: Sequence[Input], permitted: Collection[int]) -> list[Input]:
    """The inputs that lead to permitted actions; counters are not limited."""
    found: list[Input] = []
    for each in inputs:
        match each:
            case FromTo():
                actions = {amount: action for amount, action in each.actions.items() if action in permitted}
                found += [replace(each, actions=actions)] if actions else []
            case Click() | ChoiceButton() if each.action not in permitted:
                pass
            case _:
                found.append(each)
    return found


LONGEST = 20
"""Digits of an action."""
MOST_BUTTONS = 30
"""With more choices than this, the player types the move."""
MOST_PREVIEWS = 24
"""Choices of which the page says at once what they would bring."""
PLAIN = "#e8e8e8"
"""The colour of chips of which a drawing says nothing."""
Choose = Callable[[int | str], None]
Found = TypeVar("Found")


class MoveInput:
    """The inputs of one player; *choose* gets an action or the typed text."""

    def __init__(self, board: Board, game: core.Game, choose: Choose) -> None:
        self.board, self.game, self.choose = board, game, choose
        self.composer, self.offering = Composer(), False
        self.view: core.State | None = None
        self.player = 0
        self.amounts: Mapping[int, int] = {}
        self.values: dict[str, int] = {}
        self.looked_up = kit_of(game).preview
        self.meanings = action_meanings(game)
        ui.element("p").classes("preview").props('aria-live="polite"')
        self.more = ui.element("div").classes("more")
        self.more.on("click", self.tap, js_handler="(e) => { const t = kibitz.tapped(e); if (t) emit(t); }")
        self.buttons = ui.element("div").classes("choices").props('role="group" aria-label="your moves"')
        self.buttons.on("click", self.click_button, js_handler="(e) => kibitz.chosen(e) && emit(kibitz.chosen(e))")
        self.typing = ui.element("details").classes("typing")
        with self.typing:
            ui.html("type it instead", sanitize=False, tag="summary")
            self.line = ui.input("type a move").props("dense").on("keydown.enter", self.enter_move)

    def offer(self, drawing: Drawing, view: core.State, player: int, permitted: Sequence[int]) -> None:
        """Let *player* choose on *view* among the *permitted* actions."""
        self.offering, self.view, self.player = True, view, player
        whole = len(permitted) == len(view.legal_actions(player))
        inputs = drawing.inputs_of(player)
        self.composer = Composer(inputs if whole else limit_inputs(inputs, set(permitted)))
        self.show_buttons(permitted)
        self.show_offer()
        self.show_more()
        typed = not (self.composer.offered_shapes() or self.composer.counters or self.composer.choices)
        if typed and len(permitted) > MOST_BUTTONS:
            self.typing.props("open")

    def usual_prompt(self) -> str:
        """What a player does with these inputs, where the game does not say so."""
        composer = self.composer
        if composer.counters is not None:
            return "Put what you choose into the trays."
        if composer.targets:
            return "Tap a marked piece, then where it goes."
        return "Tap one of the marked places." if composer.clicks else "Choose below."

    def show_buttons(self, permitted: Sequence[int]) -> None:
        """Show a button for each choice that nothing on the board stands for."""
        choices = dict(self.composer.choices)
        if not isinstance(permitted, core.ProductActions):
            covered = self.composer.covered_actions()
            others = [action for action in permitted[: 2 * MOST_BUTTONS + 1] if action not in covered]
            assert self.view is not None, "there is something to choose"
            if len(others) <= MOST_BUTTONS and len(permitted) <= 2 * MOST_BUTTONS + len(covered):
                choices |= {action: self.view.action_to_string(self.player, action) for action in others}
        call(self.buttons, "choices", [self.button_words(action, words) for action, words in choices.items()])

    def button_words(self, action: int, words: str) -> tuple[str, str, str, bool]:
        """What stands on a button: the choice, and what it would bring or mean."""
        brought = self.preview(action) if self.composer.counters is None else None
        meaning = self.meanings.get(words, "") if brought is None else brought.words
        if brought is None and meaning and is_cryptic(words):
            words, meaning = meaning, words  # a letter tells people nothing
        return str(action), words[:1].upper() + words[1:], meaning, brought is not None and brought.good is True

    def show_offer(self) -> None:
        """Make shapes pressable, with what pressing them would bring."""
        actions = self.composer.offered_actions()
        known = (
            {shape: self.preview(action) for shape, action in actions.items()} if len(actions) <= MOST_PREVIEWS else {}
        )
        previews = {shape: (each.words, each.mark, each.good) for shape, each in known.items() if each is not None}
        self.board.offer(self.composer.offered_shapes(), self.composer.source, previews)

    def preview(self, action: int) -> Preview | None:
        """What a choice would bring, as far as the game says."""
        if self.looked_up is None or self.view is None:
            return None
        return self.looked_up(self.view, self.player, action)

    def show_more(self) -> None:
        """Show trays where there are counters, ask for an amount where that is all there is to choose, else nothing."""
        counters, amounts = self.composer.counters, self.composer.only_way()
        if counters is not None:
            self.values = {name: counters.start.get(name, least) for name, (least, _) in counters.ranges.items()}
            self.show_trays(counters)
        elif len(amounts) > 1 and not self.composer.choices:
            self.ask_amount(amounts)
        else:
            call(self.more, "empty")

    def clear(self) -> None:
        """Remove all choices."""
        if not self.offering:
            return
        self.offering, self.composer = False, Composer()
        call(self.buttons, "choices", [])
        call(self.more, "empty")
        self.board.offer([])

    def follow_press(self, amounts: Mapping[int, int]) -> None:
        """Play what was pressed, ask how much, or show what can be pressed next."""
        if len(amounts) == 1:
            self.choose(next(iter(amounts.values())))
        elif amounts:
            self.ask_amount(amounts)
        elif self.offering:
            self.show_offer()

    def ask_amount(self, amounts: Mapping[int, int]) -> None:
        """Ask for an amount."""
        self.amounts = amounts
        call(self.more, "amount", min(amounts), max(amounts), f"How many? {min(amounts)} to {max(amounts)}")

    def show_trays(self, counters: Counters) -> None:
        """Show what is in the trays, and what playing it would bring."""
        trays = [
            (tray.title, [self.chip_words(counters, factor, chip) for factor, chip in tray.chips.items()])
            for tray in counters.trays or [plain_tray(counters)]
        ]
        action = counters_action(counters, self.values)
        ready = self.view is not None and action in self.view.legal_actions(self.player)
        brought = self.preview(action) if ready else None
        words = brought.words if brought is not None else "" if ready else "Put something into every tray."
        call(self.more, "trays", trays, counters.done, ready, words, brought is not None and brought.good is True)

    def chip_words(self, counters: Counters, factor: str, chip: Chip) -> tuple[str, str, str, str, int, int]:
        """A chip: its counter, its look, how many are in the tray and how many are left."""
        least, most = counters.ranges[factor]
        value = self.values[factor]
        return factor, chip.fill, chip.letter, chip.name, value - least, most - value

    def tap(self, event: GenericEventArguments) -> None:
        """Handle a press in the trays, or on the buttons of an amount."""
        text, counters = event_text(event), self.composer.counters
        if text.startswith("=") and (action := self.amounts.get(whole_number(_number(text[1:])))) is not None:
            call(self.more, "empty")
            self.choose(action)
        elif text == "cancel":
            call(self.more, "empty")
            self.composer.source = ""
            self.show_offer()
        elif counters is not None and text == "done":
            self.choose(counters_action(counters, self.values))
        elif counters is not None and text[1:] in counters.ranges:
            least, most = counters.ranges[text[1:]]
            step = 1 if text[0] == "+" else -1
            self.values[text[1:]] = min(most, max(least, self.values[text[1:]] + step))
            self.show_trays(counters)

    def click_button(self, event: GenericEventArguments) -> None:
        """Handle a press on a button."""
        text = event_text(event)
        if text.isdecimal() and len(text) < LONGEST:
            self.choose(int(text))

    def enter_move(self) -> None:
        """Handle a typed move."""
        words, self.line.value = str(self.line.value or ""), ""
        self.choose(words)


def plain_tray(counters: Counters) -> Tray:
    """A tray for counters of which the drawing says no more than their names."""
    return Tray("Choose", {name: Chip(PLAIN, name[:2].title(), name) for name in counters.ranges})


def _number(text: str) -> float | None:
    """The number that a browser sent, if it is one."""
    return float(text) if text.isdecimal() and len(text) < LONGEST else None
