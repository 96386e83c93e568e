"""`kibitz doctor`: checks the installation and says how to mend it."""

import os
import shutil
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

import msgspec

from kibitz.cli.console import Table
from kibitz.cli.options import TableCommand
from kibitz.core.bridges import bridge_status
from kibitz.core.errors import KibitzError
from kibitz.core.kernels import jit_enabled
from kibitz.core.kernels.background import UNUSED_DAYS, shared_folder
from kibitz.core.registry import bridges
from kibitz.remote.confinement import USUAL, confinement_trouble, kept_bounds
from kibitz_lab.cli.options import Database
from kibitz_lab.store.schema import database_url, open_engine

EXTRAS = {"plots": "matplotlib", "postgres": "psycopg", "ray": "ray", "web": "kibitz-web"}


class Finding(msgspec.Struct, frozen=True):
    """The result of one check."""

    what: str
    ok: bool
    words: str


class DoctorCommand(TableCommand, frozen=True):
    """Check this installation: kernels, confinement of bots, the database, installed extras and bridges.

    Examples:
      kibitz doctor
      kibitz doctor --db postgresql://localhost/kibitz
    """

    db: Database = None

    def execute(self) -> None:
        found = [*_bots(), _kernels(), _database(self.db), *_packages(), *_bridges()]
        self.show(found, [Table.of(found, ("what", "", "how it is"))])


def _bots() -> Iterator[Finding]:
    words = f"{USUAL.memory:g} GiB, {USUAL.cpu:g} s of CPU, {USUAL.processes} processes, {USUAL.files} files"
    yield Finding("bots are limited", True, f"{words} each; no keys or tokens in their environment")
    trouble = confinement_trouble()
    seen = "they see their own folder and no network, and write to a small scratch"
    free = "they can use the network and their user's files, and a server refuses them"
    yield Finding("bots are confined", trouble is None, f"{trouble}: {free}" if trouble else seen)
    for bound, keeper in kept_bounds().items():
        yield Finding(f"bound of {bound}", True, keeper)
    for program in ("python3", "node", "sh"):
        path = shutil.which(program)
        yield Finding(f"sample bots in {program}", path is not None, path or "not on the PATH")


def _kernels() -> Finding:
    if not jit_enabled():
        return Finding("compiled kernels", False, "KIBITZ_NO_JIT is set: kernels run as plain Python")
    words, folder = "kernels are compiled when they are needed", shared_folder()
    if folder is None:
        return Finding("compiled kernels", True, f"{words} by every process: it can keep them nowhere")
    sizes = [each.stat().st_size for each in folder.glob("*.nb[ic]")]
    where = f"kept in {folder} ({sum(sizes) / 1e6:.0f} MB), and removed after {UNUSED_DAYS} days without use"
    return Finding("compiled kernels", True, f"{words}, {where}")


def _database(db: str | None) -> Finding:
    url = database_url(db)
    name = url.render_as_string(hide_password=True)
    if url.get_backend_name() == "sqlite" and not os.path.exists(url.database or ""):
        return Finding("database", True, f"{name} is created when something is stored")
    try:
        open_engine(url).dispose()
    except KibitzError as error:
        return Finding("database", False, str(error))
    return Finding("database", True, name)


def _packages() -> Iterator[Finding]:
    for extra, package in EXTRAS.items():
        try:
            yield Finding(f"extra {extra}", True, f"{package} {version(package)}")
        except PackageNotFoundError:
            yield Finding(f"extra {extra}", False, f"install it with: pip install 'kibitz[{extra}]'")


def _bridges() -> Iterator[Finding]:
    for bridge in bridges():
        status = bridge_status(bridge)
        yield Finding(f"bridge {bridge}", status.usable, status.words)
