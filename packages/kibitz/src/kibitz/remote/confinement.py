"""Confines external programs: by bwrap to their own files, without network; by limits everywhere.

A confined program sees the system's programs and libraries, its own folder and its interpreter, all read-only, and
a small scratch. Where bwrap does not work, a program has the rights of its user: limits stop it from running wild.
"""

import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import msgspec

from kibitz.remote.command_lines import SYSTEM, absolute, find_executable, is_within, needed_files, outermost
from kibitz.remote.seccomp import system_call_filter

NO_SANDBOX = "KIBITZ_NO_SANDBOX"
"""An environment variable that turns the sandbox off."""
SCRATCH, SHARED = "/tmp", "/dev/shm"
SIZES = {SHARED: 16 << 20, SCRATCH: 48 << 20}
"""Bytes that a confined program may write; what it wrote is deleted with it."""
LARGEST_FILE = 1 << 28
"""Bytes of a file that an unconfined program may write."""
LIBRARIES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
"""Files outside the system's folders that programs need to start."""
NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/pki", "/etc/ca-certificates")
"""Files that programs need to use a network."""
PLACES = ("PATH", "HOME", "TMPDIR", "TMP", "TEMP")
INHERITED = (*PLACES, "LANG", "LANGUAGE", "TZ")
"""The environment variables that a program gets, with LC_*."""
NAMESPACES = ("--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try")
TOOLS = ("bwrap", "prlimit", "setpriv")


class Allowance(msgspec.Struct, frozen=True):
    """The bounds of a program and all that it starts, together."""

    memory: float = 4.0
    """GiB of memory."""
    cpu: float = 3600.0
    """Seconds of CPU."""
    processes: int = 64
    """Processes and threads."""
    files: int = 256
    """Open files of a process."""
    nice: int = 0
    """How much it yields to others where the cores do not suffice, up to 19."""


USUAL = Allowance()
"""The bounds of a program for which no others are named."""


class Launch(msgspec.Struct, frozen=True):
    """How a program is started: what is run with which environment, and why it is not confined, if it is not."""

    words: list[str]
    environment: dict[str, str]
    trouble: str | None = None
    filtered: int | None = None
    """An open file that holds the filter of system calls."""


class Sandbox(msgspec.Struct, frozen=True):
    """What a program finds: its working folder, what more it may read, and what it may not see wherever it lies;
    which environment variables, and whether a network.
    """

    folder: Path
    reads: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    required: bool = False
    """Whether the program may not run unconfined."""
    pass_env: tuple[str, ...] = ()
    network: bool = False

    def trouble(self, words: Sequence[str]) -> str | None:
        """Why the program of a command line cannot be confined; None if it can. Raises ValueError if it cannot run."""
        passed_environment(self.pass_env)
        return confinement_trouble() or reading_trouble(self.visible(words))

    def launch(self, words: Sequence[str], processes: int) -> Launch:
        """How to start the program of a command line, confined if that is possible; raises ValueError if it must be."""
        passed = passed_environment(self.pass_env)
        visible = self.visible(words) if confinement_trouble() is None else []
        trouble = confinement_trouble() or reading_trouble(visible)
        if trouble is None:
            filtered = filter_file()
            confined = self.command_line(words, processes, visible, filtered)
            return Launch(confined, confined_environment(visible) | passed, filtered=filtered)
        if self.required:
            raise ValueError(f"it cannot be confined, and only confined programs may run here: {trouble}")
        return Launch([str(find_executable(words[0], self.folder)), *words[1:]], plain_environment() | passed, trouble)

    def visible(self, words: Sequence[str]) -> list[Path]:
        """The files and folders that the program sees besides the system's."""
        named = [absolute(path, self.folder) for path in self.reads]
        for path in named:
            if not path.exists():
                raise ValueError(f"there is no file or folder {path} to read")
        return outermost([*needed_files(words, self.folder, [path.resolve() for path in self.hidden]), *named])

    def command_line(
        self, words: Sequence[str], processes: int, visible: Sequence[Path] = (), filtered: int | None = None
    ) -> list[str]:
        """The words that run *words* confined to *visible* files."""
        options = [tool("bwrap"), *NAMESPACES, "--die-with-parent", "--new-session"]
        if not self.network:
            options.append("--unshare-net")
        inner = [tool("prlimit"), f"--nproc={processes}:{processes}"]
        if os.geteuid() == 0:  # of root the system counts no processes; of a user that nobody else is, it does
            user = str((1 << 29) + secrets.randbelow(1 << 28))
            options += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
            inner += [tool("setpriv"), "--reuid", user, "--regid", user, "--clear-groups", "--inh-caps=-all"]
        else:
            options.append("--unshare-user")
        if filtered is not None:
            options += ["--seccomp", str(filtered)]
        options += [*system_mounts(NETWORK if self.network else ()), *scratch_mounts()]
        options += mounts(visible, self.folder)
        options += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(self.folder)]
        return [*options, "--", *inner, str(find_executable(words[0], self.folder)), *words[1:]]


def reading_trouble(visible: Iterable[Path]) -> str | None:
    """Why a program that root starts cannot read its files; None if it can."""
    for path in visible if os.geteuid() == 0 else ():
        needed = 0o5 if path.is_dir() else 0o4
        if path.stat().st_mode & needed != needed:
            return f"root starts programs as nobody, who may not read {path} (chmod -R o+rX {path})"
    return None


def system_mounts(more: Sequence[str] = ()) -> list[str]:
    """Options that show the system's programs and libraries, and *more* files."""
    options = ["--perms", "0755", "--dir", "/etc"]
    for path in SYSTEM:
        if path.is_symlink():
            options += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            options += ["--ro-bind", str(path), str(path)]
    for name in (*LIBRARIES, *more):
        options += ["--ro-bind-try", name, name]
    return options


def scratch_mounts() -> list[str]:
    """Options that make an own /proc and /dev, and scratch of bounded size."""
    options = ["--proc", "/proc", "--dev", "/dev"]
    for name, size in SIZES.items():
        options += ["--size", str(size), "--perms", "1777", "--tmpfs", name]
    return options


def mounts(visible: Iterable[Path], folder: Path) -> list[str]:
    """Options that show files and folders where they are and nothing beside them, and make the working folder."""
    options, there = [], [*SYSTEM, Path("/etc"), Path(SCRATCH)]
    for path in (*visible, folder):
        for parent in reversed(path.parents):
            if parent != Path("/") and parent not in there:
                options += ["--perms", "0755", "--dir", str(parent)]
                there.append(parent)
        if path is not folder:
            options += ["--ro-bind", str(path), str(path)]
            there.append(path)
        elif path not in there and not is_within(path, (*SYSTEM, *visible)):
            options += ["--perms", "0755", "--dir", str(path)]
    return options


def confined_environment(visible: Sequence[Path]) -> dict[str, str]:
    """The environment of a confined program: of the PATH what it can see, and its scratch as home."""
    paths = [path for path in os.get_exec_path() if is_within(Path(path), (*SYSTEM, *visible))]
    here = {"PATH": os.pathsep.join(paths or ["/usr/bin", "/bin"]), "HOME": SCRATCH, "TMPDIR": SCRATCH}
    return {name: value for name, value in plain_environment().items() if name not in PLACES} | here


def plain_environment() -> dict[str, str]:
    """The environment of an unconfined program: no keys, tokens or passwords."""
    return {name: value for name, value in os.environ.items() if name in INHERITED or name.startswith("LC_")}


def passed_environment(names: Iterable[str]) -> dict[str, str]:
    """The environment variables of these names; raises ValueError if one is not set. Never names a value."""
    found = {}
    for name in names:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise ValueError("pass_env lists the names of environment variables and not their values: OPENAI_API_KEY")
        if name not in os.environ:
            raise ValueError(f"pass_env: there is no environment variable {name}; set it where kibitz is started")
        found[name] = os.environ[name]
    return found


def tool(name: str) -> str:
    """Where a program of the system is."""
    return shutil.which(name) or name


def confinement_trouble() -> str | None:
    """Why programs are not confined here; None if they are."""
    return f"{NO_SANDBOX} is set" if os.environ.get(NO_SANDBOX) else sandbox_trouble()


def sandbox_trouble() -> str | None:
    """Why programs cannot be confined here; None if they can."""
    missing = [name for name in TOOLS if shutil.which(name) is None]
    return f"{missing[0]} is not installed" if missing else _trouble(str(shutil.which("bwrap")))


@cache
def _trouble(path: str) -> str | None:
    try:
        words = Sandbox(Path(SCRATCH)).command_line(["true"], 16)
        tried = subprocess.run(["env", "-i", *words], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{path} does not run: {error}"
    said = tried.stderr.decode(errors="replace").strip().splitlines()
    return None if tried.returncode == 0 else f"{path} does not work here: {said[-1] if said else tried.returncode}"


def kept_bounds() -> dict[str, str]:
    """Which bounds of a program and all it starts hold here, and who keeps them."""
    confined = confinement_trouble() is None
    watched = "kibitz looks four times a second, and kills"
    counted = confined or os.geteuid() != 0
    found = {
        "memory": f"the system for each process; for all {watched}",
        "CPU": f"the system for each process; for all {watched}",
        "processes": "the system" if counted else f"the system counts none of root's; {watched}",
    }
    return {**found, "scratch": "the system"} if confined else found


def filter_file() -> int | None:
    """An open file with the filter of system calls; None if there is none for this kind of machine."""
    content = system_call_filter()
    if content is None:
        return None
    reading, writing = os.pipe()
    os.write(writing, content)
    os.close(writing)
    return reading
