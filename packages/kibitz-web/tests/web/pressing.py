"""How a person plays in a real browser: they press what they see, and wait until the page shows something else."""

import contextlib
import random
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api")

SOON = 2_000
"""Milliseconds a page may take to show what a press brought, before it is looked at again."""


SHOWN = """() => JSON.stringify([
    [...document.querySelectorAll('.picture [data-press]')].map((shape) => [shape.id, shape.dataset.press]),
    [...document.querySelectorAll('.choice')].map((button) => button.textContent),
    document.querySelectorAll('.moves li').length,
    document.querySelector('.more')?.textContent,
])"""
"""What a page offers now: shapes to press, buttons, and the moves made."""


def play_on(page: Any, rng: random.Random) -> None:
    """Press once any of what is offered, and wait until the page offers something else.

    Whoever presses the first thing again and again may go in circles for ever.
    """
    before = page.evaluate(SHOWN)
    chosen = page.locator('.picture [data-press="chosen"]').count()
    ways = (
        page.get_by_role("button", name="OK", exact=True),
        page.locator('.picture [data-press=""]' if chosen else ".picture [data-press]"),
        page.locator(".choice"),
        page.locator("[data-tap=done]:enabled"),
    )
    offered, count = next(((way, count) for way in ways if (count := way.count())), (None, 0))
    with contextlib.suppress(playwright.TimeoutError):  # the page went on by itself: the caller looks again
        if offered is not None:
            offered.nth(rng.randrange(count)).press("Enter", timeout=SOON)
        page.wait_for_function(f"old => ({SHOWN})() != old", arg=before, timeout=SOON)
