"""Another package with entry points, as its users would install it, for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kibitz.core import registry


@contextmanager
def installed_package(folder: Path, name: str, entry_points: str) -> Iterator[None]:
    """A package in *folder* that is installed meanwhile, for this process and those it starts."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        registry.forget()
        yield
    registry.forget()
