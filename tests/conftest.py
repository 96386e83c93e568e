"""Settings that all tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None, max_examples=60)
settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of game corpora made by others; tests that need it are skipped where there is none."""
    folder = os.environ.get("KIBITZ_CORPUS")
    if not folder:
        pytest.skip("KIBITZ_CORPUS names no folder of corpora")
    return Path(folder)
