"""What a hostile program can reach, take and leave behind: nothing of the host's, no more than its share, nothing."""

import json
import os
import shlex
import socket
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kibitz.core.errors import BotFailed
from kibitz.remote.confinement import NO_SANDBOX, Allowance, Sandbox, sandbox_trouble
from kibitz.remote.program import Program
from processes import alive, wait_for_exit

SMALL = Allowance(memory=0.25, processes=16)
START = """
import ctypes, errno, json, os, signal, socket, subprocess, sys, time

def tried(work):
    try:
        return work()
    except OSError as error:
        return errno.errorcode[error.errno or errno.EIO]

def read(path):
    return tried(lambda: open(path, errors="replace").read())

def listed(path):
    return tried(lambda: sorted(os.listdir(path)))

def say(value):
    print(json.dumps(value), flush=True)

"""
pytestmark = pytest.mark.system
BOTH = pytest.mark.parametrize("where", ["confined", "unconfined"])


@pytest.fixture(autouse=True)
def _confined(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are confined by the real bwrap, unless the test wants them without."""
    if "unconfined" in request.node.name:
        monkeypatch.setenv(NO_SANDBOX, "1")
        return
    monkeypatch.delenv(NO_SANDBOX, raising=False)
    if (trouble := sandbox_trouble()) is not None:
        pytest.skip(f"{trouble} (on Debian: apt-get install bubblewrap)")


def write_program(folder: Path, code: str, name: str = "bot.py") -> str:
    """The command of a Python program that runs *code*; its folder is one that every user may read."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    (folder / name).write_text(START + code)
    return shlex.join([sys.executable, "-I", "-S", str(folder / name)])


def hear_answer(program: Program, seconds: float = 30.0) -> Any:
    """What a program says next, or how it died."""
    try:
        line = program.hear(time.monotonic() + seconds)
    except BotFailed as error:
        return error.why
    assert line is not None, "it said nothing"
    return json.loads(line)


def answer_of(folder: Path, code: str, sandbox: Sandbox | None = None, allowance: Allowance = SMALL) -> Any:
    """What a program in *folder* that runs *code* says, or how it died."""
    program = Program(write_program(folder, code), allowance, sandbox)
    try:
        return hear_answer(program)
    finally:
        program.close(grace=0.0)


# What it can reach


def test_a_program_sees_its_own_folder_and_nothing_of_the_hosts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "hush")
    (tmp_path / "beside").write_text("secret")
    paths = ["/root", "/home", "/var", "/mnt", "/srv", "/sys", str(Path.home()), str(tmp_path.parent)]
    code = f"""
files = [read(path) for path in ("/etc/shadow", "/etc/passwd", {str(tmp_path / "beside")!r}, "/proc/1/environ")]
folders = [listed(path) for path in {paths!r}]
say({{"files": files, "folders": folders, "root": listed("/"), "own": listed(os.path.dirname(sys.argv[0]))}})
"""
    found = answer_of(tmp_path / "bot", code)
    assert isinstance(found, dict)
    assert found["own"] == ["bot.py"]
    needed = {Path(os.path.abspath(path)).parts[1] for path in (tmp_path, Path.cwd(), *interpreter_folders())}
    assert set(found["root"]) <= {
        "bin",
        "dev",
        "etc",
        "lib",
        "lib32",
        "lib64",
        "libx32",
        "proc",
        "sbin",
        "tmp",
        "usr",
        *needed,
    }
    *files, started = found["files"]
    assert set(files) == {"ENOENT"}
    assert "SECRET" not in started
    steps = {
        str(path): path
        for own in (tmp_path / "bot", Path.cwd() / "x", *interpreter_folders())
        for path in (own, *own.parents)
    }
    for path, names in zip(paths, found["folders"], strict=True):
        allowed = {Path(each).name for each in steps if str(Path(each).parent) == path}
        assert isinstance(names, str) or set(names) <= allowed, f"{path}: {names}"


def interpreter_folders() -> list[Path]:
    """Where this Python is installed."""
    return [Path(sys.prefix), Path(sys.base_prefix)]


def test_a_program_reads_neither_its_running_match_nor_the_database_beside_it(tmp_path: Path) -> None:
    own, matches, database = tmp_path / "bot", tmp_path / "bot" / "matches", tmp_path / "bot" / "kibitz.db"
    matches.mkdir(parents=True)
    (matches / "1.krec").write_text("all cards")
    for name in ("kibitz.db", "kibitz.db-wal"):
        (own / name).write_text("all results")
    code = 'say([read("matches/1.krec"), read("kibitz.db"), read("kibitz.db-wal"), listed("matches"), os.getcwd()])'
    found = answer_of(own, code, Sandbox(folder=own, hidden=(matches, database)))
    assert found == ["ENOENT"] * 4 + [str(own)]


def test_a_program_in_the_servers_folder_sees_only_itself(tmp_path: Path) -> None:
    (tmp_path / "1.krec").write_text("all cards")
    code = 'say([read("1.krec"), listed("."), os.path.basename(os.path.dirname(__file__))])'
    found = answer_of(tmp_path, code, Sandbox(folder=tmp_path, hidden=(tmp_path,)))
    assert found == ["ENOENT", ["bot.py"], tmp_path.name]


def test_a_program_writes_nowhere_but_in_its_scratch(tmp_path: Path) -> None:
    paths = [str(tmp_path / "bot" / "x"), "/x", "/etc/x", "/dev/x", "/usr/x", "/proc/sys/kernel/core_pattern"]
    code = f"say([tried(lambda: open(path, 'w').write('x')) for path in {[*paths, str(tmp_path / 'x'), '/tmp/x']!r}])"
    *refused, _, scratch = answer_of(tmp_path / "bot", code)
    assert scratch == 1
    assert set(refused) <= {"EROFS", "EACCES", "ENOENT", "EPERM"}
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "bot" / "bot.py"]


def test_a_program_is_nobody_and_can_become_nobody_else(tmp_path: Path) -> None:
    code = """
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
libc = ctypes.CDLL(None)
calls = [tried(lambda: os.setuid(0)), libc.unshare(0x10000000), libc.mount(b"x", b"/tmp", b"tmpfs", 0, 0)]
say([os.getuid(), status["CapEff"], status["NoNewPrivs"], os.environ.get("SECRET", ""), calls])
"""
    user, capabilities, locked, secret, calls = answer_of(tmp_path / "bot", code)
    assert user != 0
    assert int(capabilities, 16) == 0
    assert (locked, secret) == ("1", "")
    assert calls[0] in ("EPERM", "EINVAL")
    assert calls[1:] == [-1, -1]


def test_a_program_holds_its_three_pipes_and_no_file_of_ours(tmp_path: Path) -> None:
    with open(tmp_path / "ours", "w") as ours:
        os.set_inheritable(ours.fileno(), True)
        assert len(answer_of(tmp_path / "bot", 'say(listed("/proc/self/fd"))')) == 4, "one of them is the list"


def test_a_program_has_no_network(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = f"say(tried(lambda: str(socket.create_connection({server.getsockname()!r}, 5))))"
        assert answer_of(tmp_path / "bot", code) in ("ECONNREFUSED", "ENETUNREACH", "EPERM")


def test_a_program_cannot_kill_its_parents(tmp_path: Path) -> None:
    code = f"say([tried(lambda: os.kill(pid, 9)) for pid in ({os.getpid()}, {os.getppid()})] + [os.getppid()])"
    *kills, parent = answer_of(tmp_path / "bot", code)
    assert set(kills) <= {"ESRCH", "EPERM"}
    assert parent in (0, 1)


# What it can take


def test_a_confined_program_has_no_more_processes_than_it_may(tmp_path: Path) -> None:
    code = """
made = 0
for _ in range(1000):
    child = tried(os.fork)
    if child == 0:
        time.sleep(60)
    made += isinstance(child, int)
say(made)
"""
    made = answer_of(tmp_path / "bot", code)
    assert isinstance(made, int)
    assert 8 <= made <= SMALL.processes


def test_an_unconfined_program_that_forks_without_end_is_killed_with_its_children(tmp_path: Path) -> None:
    log = tmp_path / "pids"
    code = f"""
for _ in range(1000):
    child = tried(os.fork)
    if child == 0:
        time.sleep(60)
    with open({str(log)!r}, "a") as file:
        print(child if isinstance(child, int) else 0, file=file)
time.sleep(60)
"""
    said = str(answer_of(tmp_path / "bot", code))
    pids = [int(line) for line in log.read_text().split()]
    if os.geteuid() == 0:  # the kernel counts no processes of root
        assert "started more than 16 processes" in said
    assert wait_for_exit([pid for pid in pids if pid])


@BOTH
def test_a_program_and_its_children_share_one_bound_of_memory(where: str, tmp_path: Path) -> None:
    code = """
for _ in range(8):
    if os.fork() == 0:
        eaten = [bytearray(b"x") * (1 << 27)]
        time.sleep(60)
time.sleep(20)
say("ate it all")
"""
    assert "used more than 0.25 GiB of memory" in str(answer_of(tmp_path / "bot", code))


@pytest.mark.parametrize("where", ["confined", pytest.param("unconfined", marks=pytest.mark.slow)])
def test_a_program_and_its_children_share_one_bound_of_time(where: str, tmp_path: Path) -> None:
    code = """
while True:
    if os.fork() == 0:
        end = time.process_time() + 0.3
        while time.process_time() < end: pass
        os._exit(0)
    os.wait()
"""
    said = answer_of(tmp_path / "bot", code, allowance=Allowance(cpu=1.0))
    assert "used more than 1 s of CPU" in str(said)


def test_scratch_is_small(tmp_path: Path) -> None:
    code = """
def fill(folder):
    size = 0
    for number in range(100):
        found = tried(lambda: open(f"{folder}/{number}", "wb").write(bytes(1 << 22)))
        if found != 1 << 22:
            return [size, found]
        size += found
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
say([fill(folder) for folder in ("/tmp", "/dev/shm")])
"""
    (size, why), (shared, _) = answer_of(tmp_path / "bot", code)
    assert why == "ENOSPC"
    assert 0 < size + shared <= 64 << 20


def test_no_memory_hides_where_it_is_not_counted(tmp_path: Path) -> None:
    code = """
libc = ctypes.CDLL(None, use_errno=True)
say([tried(lambda: os.memfd_create("x")), libc.shmget(0, 1 << 20, 0o1600), libc.syscall(425, 8, 0)])
"""
    assert answer_of(tmp_path / "bot", code) == ["EPERM", -1, -1]


# What it can leave behind


@BOTH
def test_no_child_outlives_its_program(where: str, tmp_path: Path) -> None:
    mark = f"600.{os.getpid()}{time.monotonic_ns() % 1000000}"
    code = f"""
for _ in range(2):
    words = "trap '' TERM HUP INT; (setsid sleep {mark} &) ; exec sleep {mark}"
    subprocess.Popen(["sh", "-c", words], start_new_session=True)
say("started")
sys.stdin.read()
"""
    program = Program(write_program(tmp_path / "bot", code), SMALL)
    assert hear_answer(program) == "started"
    end = time.monotonic() + 60.0
    while len(sleepers := pids_of(mark)) < 4:
        assert time.monotonic() < end, "they never sleep"
        time.sleep(0.05)
    program.close()
    assert not any(map(alive, sleepers))


def test_children_of_an_unconfined_program_that_died_are_killed_too(tmp_path: Path) -> None:
    mark = f"600.{os.getpid()}{time.monotonic_ns() % 1000000}"
    code = f'subprocess.Popen(["sleep", "{mark}"], start_new_session=True); say(1); sys.exit(3)'
    program = Program(write_program(tmp_path / "bot", code), SMALL)
    assert hear_answer(program) == 1
    assert hear_answer(program) == "exited with status 3"
    assert wait_for_exit(pids_of(mark))


def pids_of(mark: str) -> list[int]:
    """The processes with a word in their command lines."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark in path.read_bytes().decode(errors="replace").split("\0"):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found
