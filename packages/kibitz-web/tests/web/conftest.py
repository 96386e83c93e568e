"""The web app in a thread of its own, and pages of a real browser; what tests of tables share becomes importable."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import PATIENCE
from kibitz_web.background_server import BackgroundServer, serving

sys.path.append(str(Path(__file__).parent))


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BackgroundServer]:
    with serving(tmp_path_factory.mktemp("matches")) as running:
        yield running


@pytest.fixture(scope="module")
def visitors(browser: Any) -> Iterator[list[Any]]:
    """The browsers of people who know nothing of each other. Tests share them, so that each loads our scripts once."""
    contexts: list[Any] = []
    yield contexts
    for context in contexts:
        context.close()


@pytest.fixture
def new_page(browser: Any, visitors: list[Any]) -> Iterator[Callable[..., Any]]:
    """Makes pages that fail the test for any error of theirs, and for anything fetched from elsewhere.

    Every page is another person's; one with options has a browser of its own.
    """
    pages, own, wrong = [], [], []

    def made(**options: Any) -> Any:
        if options:
            own.append(browser.new_context(**options))
            page = own[-1].new_page()
        else:
            if len(pages) == len(visitors):
                visitors.append(browser.new_context())
            page = visitors[len(pages)].new_page()
            pages.append(page)
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: None if "://127.0.0.1" in request.url else wrong.append(request.url))
        return page

    yield made
    for page in pages:
        page.evaluate("() => { try { localStorage.clear() } catch {} }")  # an empty page has none
        page.context.clear_cookies()
        page.close()
    for context in own:
        context.close()
    assert [each for each in wrong if not each.startswith(("data:", "blob:"))] == []
