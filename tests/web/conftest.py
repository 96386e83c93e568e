"""The web app in a thread of its own, and a real browser."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kibitz.web.background import BackgroundServer, serving

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run"]  # fmt: skip
PATIENCE = 90_000
"""Milliseconds a page may take on a busy machine."""


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BackgroundServer]:
    with serving(tmp_path_factory.mktemp("matches")) as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium here (on Debian: apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=chromium, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def new_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Makes pages that fail the test for any error of theirs, and for anything fetched from elsewhere."""
    contexts, wrong = [], []

    def made(**options: Any) -> Any:
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: None if "://127.0.0.1" in request.url else wrong.append(request.url))
        return page

    yield made
    for context in contexts:
        context.close()
    assert [each for each in wrong if not each.startswith(("data:", "blob:"))] == []
