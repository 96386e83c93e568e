"""What NiceGUI does again and again for every element of a page, done once; and elements that go when they are deleted.

Without it, what a deleted element leaves is freed only by the garbage collector, which stops the server for more than
a second when a class has looked at pages for a minute.
"""

import asyncio
from collections.abc import Callable, Iterable
from copy import deepcopy
from functools import cache, lru_cache
from types import BuiltinMethodType, MethodType, ModuleType
from typing import Any

from nicegui import Client, helpers, ui
from nicegui.props import Props

MOST_PROPS = 4096
"""Texts of properties of which the meaning is kept."""
ENDING = 5.0
"""Seconds in which what still runs for a deleted page has ended."""


@cache
def lower_page_costs() -> None:
    """Change NiceGUI in this process, once."""
    remember_signatures()
    remember_props()
    free_deleted_elements()


def remember_signatures() -> None:
    """Look at the signature of a method once, and not for every element: that took most of NiceGUI's time."""
    look, known = helpers.expects_arguments, dict[Any, bool]()

    def expects_arguments(func: Callable[..., Any]) -> bool:
        if isinstance(func, MethodType):
            method: Any = func.__func__
        elif isinstance(func, BuiltinMethodType) and not isinstance(func.__self__, ModuleType):
            method = type(func.__self__), func.__name__
        else:
            return look(func)
        if method not in known:
            known[method] = look(func)
        return known[method]

    helpers.expects_arguments = expects_arguments


def remember_props() -> None:
    """Parse a text of properties once; parsing a quoted one leaves work for the garbage collector."""
    known = lru_cache(MOST_PROPS)(Props.parse)

    def parse(text: str | None) -> dict[str, Any]:
        return {key: deepcopy(value) for key, value in known(text).items()}

    changed: Any = Props
    changed.parse = staticmethod(parse)


def free_deleted_elements() -> None:
    """Break the circles of references in elements that are deleted, and in pages that are."""
    remove_elements, delete = Client.remove_elements, Client.delete

    def remove_and_free(client: Client, elements: Iterable[ui.element]) -> None:
        removed = list(elements)
        remove_elements(client, removed)
        for element in removed:
            for watched in (element._props, element._classes, element._style):
                watched._change_handlers.clear()  # each is watched by a method of its own

    def delete_and_free(client: Client) -> None:
        try:
            delete(client)
        finally:
            client.delete_handlers.clear()

    changed: Any = Client
    changed.remove_elements, changed.delete = remove_and_free, delete_and_free


def free_with_page(part: object) -> None:
    """Let an object of the current page go soon after the page, though its own parts refer to it."""
    loop = asyncio.get_running_loop()
    ui.context.client.on_delete(lambda: loop.call_later(ENDING, vars(part).clear))
