"""Bridges to other projects: which of their packages are installed, and how to install them."""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

import msgspec

from kibitz.core.errors import MissingPackage, UnknownName
from kibitz.core.registry import bridges
from kibitz.plugins import load_target


class BridgeStatus(msgspec.Struct, frozen=True):
    """A bridge: its package, the version that is installed (empty if none is), and whether that will do."""

    bridge: str
    package: str
    installed: str
    usable: bool

    @property
    def words(self) -> str:
        """How it is, and what to do if it cannot be used."""
        if self.usable:
            return f"{self.package} {self.installed}".strip() or "needs no package"
        least = bridges()[self.bridge].least
        found = f"{self.package} {self.installed} is older than {least}; " if self.installed else ""
        return f"{found}install it with: pip install 'kibitz[bridges]'"


class CatalogueEntry(msgspec.Struct, frozen=True):
    """A game of another package: its spec, its name in words, its kind, and why it cannot be played here, if so."""

    spec: str
    title: str
    kind: str
    refused: str = ""


def catalogue(bridge: str) -> list[CatalogueEntry]:
    """The games of a bridge."""
    bridge_status(bridge)
    if not bridges()[bridge].catalogue:
        known = tuple(name for name, each in bridges().items() if each.catalogue)
        raise UnknownName("list of games of the bridge", bridge, known)
    found: list[CatalogueEntry] = load_target(f"games of {bridge}", bridges()[bridge].catalogue)()
    return found


def bridge_status(bridge: str) -> BridgeStatus:
    """Whether the package of *bridge* is installed; nothing is imported."""
    if bridge not in bridges():
        raise UnknownName("bridge", bridge, tuple(bridges()))
    package = bridges()[bridge].package
    if not package:
        return BridgeStatus(bridge, "", "", True)
    try:
        installed = version(package)
    except PackageNotFoundError:
        return BridgeStatus(bridge, package, "", False)
    return BridgeStatus(bridge, package, installed, _numbers(installed) >= _numbers(bridges()[bridge].least))


def load_package(bridge: str, module: str) -> ModuleType:
    """A module of the package of *bridge*; raises MissingPackage if it is absent or too old."""
    status = bridge_status(bridge)
    if not status.usable:
        wanted = f"{status.package}>={bridges()[bridge].least}" if status.installed else status.package
        raise MissingPackage(wanted, "bridges")
    return import_module(module)


def _numbers(text: str) -> tuple[int, ...]:
    """The leading numbers of a version: 2.0.2rc1 is (2, 0)."""
    numbers = []
    for part in text.split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)
