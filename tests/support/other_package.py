"""Another package with entry points, as its users would install it, for tests."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
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


def installed_plugin(folder: Path, name: str, fields: str) -> AbstractContextManager[None]:
    """A package whose plugin has these *fields*, as arguments of `Plugin`."""
    text = f"from kibitz import NamedCommand, Plugin\n\nplugin = Plugin({fields})\n"
    (folder / f"{name}_plugin.py").write_text(text)
    return installed_package(folder, name, f"[kibitz.plugins]\n{name} = {name}_plugin:plugin\n")
