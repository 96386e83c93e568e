"""Entries of forms, which put what is entered into an attribute of the form.

NiceGUI's own bindings to plain objects are compared ten times a second for all pages at once, so one value that cannot
be shown would break every page. These only listen.
"""

import math
from typing import Any, TypeVar

from nicegui import ui
from nicegui.elements.mixins.value_element import ValueElement
from nicegui.events import GenericEventArguments

Entry = TypeVar("Entry", bound=ValueElement[Any])


def keep_in(form: object, name: str, entry: Entry) -> Entry:
    """Show the form's attribute in an entry, and set it to what is entered."""
    entry.value = getattr(form, name)
    entry.on_value_change(lambda event: setattr(form, name, event.value))
    return entry


def select_several(label: str, options: list[str]) -> ui.select:
    """An entry for some of the options, or others that are typed."""
    made = ui.select(options, label=label, multiple=True, with_input=True, new_value_mode="add-unique")
    return made.classes("w-full").props("use-chips")


class NumberEntry(ui.number):
    """An entry for a number; what is none, or infinite, counts as nothing."""

    def _event_args_to_value(self, e: GenericEventArguments) -> float | None:
        try:
            found = super()._event_args_to_value(e)
        except (TypeError, ValueError):
            return None
        return found if found is None or math.isfinite(found) else None
