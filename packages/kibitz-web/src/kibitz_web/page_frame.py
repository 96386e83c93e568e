"""What all pages share: the frame, the light and dark colours, and the script."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from html import escape
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import msgspec
from nicegui import Client, app, background_tasks, ui

from kibitz.core import drawing
from kibitz.core.errors import KibitzError
from kibitz_web.server.access.auth import PERSON, Principal
from kibitz_web.server.live.storage import public_words

Found = TypeVar("Found")
STATIC = Path(__file__).parent / "static"
PLACES = {"Play": "/", "Records": "/records", "Tournaments": "/tournaments"}
ADMIN = {"Admin": "/admin"}
LATER = "More can be chosen here soon: kernels are compiled, which takes up to a minute the first time."
SENDING = 0.3
"""Seconds in which the last message to a page is sent."""


def serve_static(base: str = "") -> None:
    """Serve the script and the style sheet to all pages; *base* is the path in front of theirs."""
    app.add_static_files("/kibitz-static", STATIC)
    for name in ("kibitz", "board", "pages"):
        ui.add_head_html(f'<link rel="stylesheet" href="{base}/kibitz-static/{name}.css">', shared=True)
        ui.add_head_html(f'<script src="{base}/kibitz-static/{name}.js"></script>', shared=True)
    ui.add_head_html(f"<style>{_colours()}{drawing.dark_style('body.body--dark .picture')}</style>", shared=True)


def _colours() -> str:
    """The players' colours as CSS variables, for light and dark mode."""
    by_day, by_night = (
        "".join(f"--{name}:{colour};" for name, colour in palette.items() if name != "none")
        for palette in (drawing.PALETTE, drawing.DARK)
    )
    return f":root{{{by_day}}}body.body--dark{{{by_night}}}"


@contextmanager
def frame(title: str, visitor: Principal | None = None) -> Iterator[None]:
    """A page: the navigation and the content."""
    ui.page_title(f"{title} · kibitz")
    with ui.header(fixed=False).classes("bar-top"):
        ui.link("kibitz", "/").classes("brand")
        with ui.element("nav").props('aria-label="pages"'):
            for words, address in (
                PLACES | (ADMIN if visitor is not None and visitor.role == "operator" else {})
            ).items():
                ui.link(words, address)
        if visitor is not None and visitor.name != PERSON:
            sign_out_form(visitor)
        ui.button("◐").props('no-caps flat dense aria-label="light or dark"').on("click", js_handler="kibitz.turn")
    with ui.element("div").classes("page"):
        yield


def sign_out_form(visitor: Principal) -> None:
    """The name of a person with an account, and a button that signs their browser out."""
    action = f"{server_address()}/sign-out"
    words = f'{escape(visitor.name)} <button class="sign-out">sign out</button>'
    ui.html(f'<form method="post" action="{escape(action)}">{words}</form>', sanitize=False)


def server_address() -> str:
    """Where the visitor of the current page reaches the server."""
    return str(ui.context.client.request.base_url).rstrip("/")


def button(words: str, action: Any, label: str = "") -> ui.button:
    """A plain button; *label* is what it does, for screen readers."""

    def act() -> Awaitable[None] | None:
        found = action()
        unfinished = isinstance(found, Awaitable) and not isinstance(found, ui.element)  # to await a dialog opens it
        return finish_on_page(ui.context.client, found) if unfinished else None

    made = ui.button(words, on_click=act).props("no-caps outline dense")
    return made.props(f'aria-label="{words}: {label}"') if label else made


def plain_button(words: str, action: Any, classes: str = "plain-button") -> ui.element:
    """A button in our own look."""
    with ui.element("button").classes(classes).props('type="button"') as made:
        ui.label(words)
    return made.on("click", action)


async def finish_on_page(client: Client, work: Awaitable[object]) -> None:
    """Do what a button is for, on its page: until that is done, the button itself may be taken away."""
    try:
        with client:
            await work
    except RuntimeError:
        if not client.is_deleted:  # otherwise there is nobody to show anything to
            raise


def notify_error(words: str) -> None:
    """Show what went wrong for some seconds."""
    ui.notify(words, type="negative")


@contextmanager
def errors_shown(show: Callable[[str], object] = notify_error) -> Iterator[None]:
    """Show an error, and go on behind the block."""
    try:
        yield
    except KibitzError as error:
        show(public_words(error))


def heading(words: str, level: int = 2) -> None:
    """A heading inside a page."""
    ui.html(escape(words), sanitize=False, tag=f"h{level}")


def call(element: ui.element, name: str, *arguments: object) -> None:
    """Call a function of the script on an element, in the browser that shows it.

    Calls made together are sent and run together, so that no one can press a shape that is about to go.
    """
    calls = _waiting.setdefault(element.client, [])
    if not calls:
        asyncio.get_running_loop().call_soon(_send, element.client)
    calls.append((name, element.html_id, *arguments))


_waiting: WeakKeyDictionary[Client, list[tuple[object, ...]]] = WeakKeyDictionary()


def _send(client: Client) -> None:
    calls = _waiting.pop(client)
    client.run_javascript(f"kibitz.all({msgspec.json.encode(calls).decode()})")


def whole_number(value: Any, default: int = 0) -> int:
    """The number in an entry, which a browser may fill with anything; *default* if it is empty or no number."""
    finite = isinstance(value, (int, float)) and isfinite(value)
    return int(value) if finite else default


class Line:
    """A line of text that the script changes, which takes fewer bytes than an update of its element."""

    def __init__(self, classes: str, props: str = "", text: str = "") -> None:
        self.element, self.text = ui.label(text).classes(classes).props(props), text

    def say(self, text: str) -> None:
        """Set the text."""
        if text != self.text:
            self.text = text
            call(self.element, "words", text)


def keep_doing(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine for the current page until the visitor leaves it."""
    client = ui.context.client
    if client.is_deleted:  # its script never asked for more
        work.close()
        return
    task = background_tasks.create(work)
    client.on_delete(task.cancel)


def show_later(find: Callable[[], Awaitable[object]], show: Callable[[], object]) -> None:
    """Say that more can be chosen soon, and show it when it is found."""
    ui.label(LATER).classes("quiet").props('role="status"')
    client = ui.context.client

    async def wait() -> None:
        with suppress(KibitzError):  # what there is can be chosen
            await find()
            with client:
                show()

    keep_doing(wait())


async def while_viewed(work: Coroutine[Any, Any, Found]) -> Found:
    """The result of *work*, which is cancelled when the visitor leaves the page."""
    task = asyncio.ensure_future(work)
    with suppress(RuntimeError):  # a task of `keep_doing` belongs to no page, and is cancelled itself
        ui.context.client.on_delete(task.cancel)
    return await task


def close_page(client: Client) -> None:
    """Send a visitor away. From now on the page shows nothing and takes no events, also if the browser stays on it."""
    for handler in client.delete_handlers:
        client.safe_invoke(handler)
    client.delete_handlers.clear()
    client.remove_all_elements()
    client.open("/")
    background_tasks.create(delete_soon(client))


async def delete_soon(client: Client) -> None:
    """Delete a page when its last message is sent."""
    await asyncio.sleep(SENDING)
    delete_page(client)


def delete_page(client: Client) -> None:
    """Delete a page now; NiceGUI may have planned to do so when its browser left, and would fail then."""
    for task in client._delete_tasks.values():
        task.cancel()
    client._delete_tasks.clear()
    if not client.is_deleted:
        client.delete()
