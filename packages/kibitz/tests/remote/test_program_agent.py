"""Programs play, and whatever they do wrong is a fault in the match and nothing worse."""

import gc
import os
import pickle
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from checkout import EXAMPLES
from kibitz import play
from kibitz.core.errors import BadSpec, Unsupported
from kibitz.core.match import Fault
from kibitz.core.records import Record
from kibitz.core.registry import entries, make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.core.specs import parse_spec
from kibitz.remote.confinement import INHERITED, NO_SANDBOX
from kibitz.remote.program_agent import Process
from processes import alive, wait_for_exit

BOTS = EXAMPLES / "bots"
PYTHON = [sys.executable, "-I", "-S"]
NODE = shutil.which("node")
SAMPLES = {
    "any_legal.py": shlex.join([*PYTHON, str(BOTS / "any_legal.py")]),
    "any_legal.sh": f"sh {BOTS / 'any_legal.sh'}",
}
if NODE:
    SAMPLES["any_legal.js"] = f"{NODE} {BOTS / 'any_legal.js'}"

FRAME = """
import json, os, signal, subprocess, sys, time

def say(**answer):
    print(json.dumps(answer), flush=True)

def log(words):
    with open("BESIDE.log", "a") as file:
        print(words, file=file)

def complain(words):
    print(words, file=sys.stderr, flush=True)

def choose(number=0):
    say(type="action", seq=seq, action=message["legal"]["actions"][number])

def ready():
    say(type="ready")

acts = 0
START
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "begin":
        BEGIN
    elif message["type"] == "act":
        acts, seq = acts + 1, message["seq"]
        ACT
    else:
        END
LAST
"""


class Writer:
    """Writes small bots, well-behaved but for the part that is given."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "bot.py"

    def __call__(self, *, act: str = "choose()", begin: str = "ready()", **parts: str) -> str:
        """The command that starts a bot which does *act* when it is to act, and so on."""
        code = FRAME.replace("BESIDE", str(self.path))
        for name, part in {"act": act, "begin": begin, "start": "", "end": "pass", "last": "", **parts}.items():
            indent = "" if name in ("start", "last") else 8 * " "
            code = code.replace(name.upper(), part.replace("\n", f"\n{indent}"))
        self.path.write_text(code, encoding="utf-8")
        return shlex.join([*PYTHON, str(self.path)])

    def log(self) -> list[str]:
        """What the bot has logged."""
        path = Path(f"{self.path}.log")
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


@pytest.fixture
def bot(tmp_path: Path) -> Writer:
    return Writer(tmp_path)


def children() -> set[int]:
    """The processes this one has started and not yet reaped."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it ended while we looked
            continue
        if int(words[1]) == os.getpid():
            found.add(int(stat.parent.name))
    return found


@pytest.fixture(autouse=True)
def _unconfined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots may write down what they hear, also where bwrap would keep them from it."""
    monkeypatch.setenv(NO_SANDBOX, "1")


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    before = children()
    yield
    gc.collect()
    assert children() <= before


def faults(record: Record) -> list[Fault]:
    assert record.ending is not None
    return [fault for entry in record.entries for fault in entry.faults] + list(record.ending.faults)


def played(agent: str | Process, rounds: int = 5, **options: object) -> Record:
    return play(f"dilemma(rounds={rounds})", [agent, "dilemma.tit_for_tat"], **options)  # type: ignore[arg-type]


# Playing


@pytest.mark.long
@pytest.mark.parametrize("game", [*entries("game"), "offers(pool=[30, 40, 50])", "offers(pool=[999999, 1, 9])"])
def test_the_sample_bots_play_every_game_without_a_fault(game: str) -> None:
    seats = make_game(game).players
    commands = [f"cmd:{command}" for command in SAMPLES.values()] * seats
    for seed in range(2):
        record = play(game, commands[seed : seed + seats], seed=seed, max_plies=200)
        assert faults(record) == []
        assert record.ending is not None
        assert record.ending.reason in ("terminal", "max_plies")


@pytest.mark.long
@pytest.mark.parametrize("name", SAMPLES)
def test_the_same_seed_gives_the_same_record_and_another_seed_another(name: str) -> None:
    agent = f"cmd:{SAMPLES[name]}"
    once, again, other = (play("dilemma(rounds=9)", [agent, "random"], seed=seed).without_times() for seed in (1, 1, 2))
    assert once == again
    assert once.entries != other.entries


def test_a_program_may_say_its_name_and_the_record_keeps_it() -> None:
    truths = play("pennies", [f"cmd:{SAMPLES['any_legal.py']}", "random"]).header.truths
    assert truths[0]["name"] == "any_legal.py"


def test_a_bot_is_told_what_its_player_may_see_and_nothing_else(bot: Writer) -> None:
    command = bot(act="log(line.strip())\nchoose()", begin="log(line.strip())\nready()", end="log(line.strip())")
    record = play("kuhn", ["random", f"cmd:{command}", "random"], seed=3)
    begin, *acts, end = [msgspec.json.decode(line) for line in bot.log()]
    told = {"type": "begin", "protocol": 1, "game": "kuhn", "player": 1, "players": 3, "seed": begin["seed"]}
    assert {name: begin[name] for name in told} == told
    assert begin["board"]["deck"] == ["J", "Q", "K", "A"]
    assert acts[0]["view"]["fields"]["cards"] == [None, acts[0]["secret"]["card"], None]
    assert acts[0]["legal"] == {"count": 2, "actions": ["pass", "bet"]}
    assert acts[0]["allowance"] is None
    asked = [act["seq"] for act in acts]
    assert asked == sorted(set(asked)), "the numbers of requests never repeat"
    cards = acts[0]["view"]["key"][0]
    assert (cards[0], cards[2]) == (-1, -1)
    assert cards[1] > 0
    events = [event for message in [*acts, end] for event in message["events"]]
    assert [event["ply"] for event in events] == list(range(len(record.entries)))
    for event, entry in zip(events, record.entries, strict=True):
        dealt_to_others = entry.player == -1 and entry.ply != 1
        assert event["movers"] == [entry.player]
        assert event["actions"] == [None if dealt_to_others else entry.actions[0]]
    assert record.ending is not None
    assert end["returns"] == record.ending.returns


def test_a_bot_is_told_its_time(bot: Writer) -> None:
    played(f"cmd:{bot(act='log(line.strip())' + chr(10) + 'choose()')}", move_time=5.0, game_time=30.0)
    act = msgspec.json.decode(bot.log()[-1])
    assert 4.0 < act["allowance"] <= 5.0
    assert 20.0 < act["bank"] < 30.0


def test_fields_nobody_knows_and_old_sequence_numbers_do_no_harm(bot: Writer) -> None:
    act = "\n".join(
        (
            "say(type='action', seq=seq - 1, action='defect')",
            "say(type='action', seq=seq + 1, action='defect')",
            "say(type='ready')",
            "say(type='action', seq=seq, action='cooperate', mood='good')",
        )
    )
    record = played(f"cmd:{bot(act=act)}")
    assert faults(record) == []
    assert [entry.actions[0] for entry in record.entries] == ["cooperate"] * 5


def test_a_flood_of_complaints_stops_nobody(bot: Writer) -> None:
    assert faults(played(f"cmd:{bot(act='complain(chr(120) * 1000000)' + chr(10) + 'choose()')}")) == []


def test_a_bot_sees_none_of_our_secrets(bot: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hush")
    monkeypatch.setenv("LC_NUMERIC", "C")
    played(f"cmd:{bot(start='log(chr(10).join(os.environ))')}")
    assert {"PATH", "LC_NUMERIC"} <= set(bot.log()) <= {*INHERITED, "LC_NUMERIC", "LC_CTYPE", "LC_ALL"}


# Failing

WRONGS = {
    "dies with a message": (
        "complain('first line')\ncomplain('no idea what to do')\nsys.exit(3)",
        "exited with status 3: no idea what to do",
    ),
    "dies of its own error": ("1 / 0", "exited with status 1: ZeroDivisionError: division by zero"),
    "goes without a word": ("os._exit(0)", "exited with status 0"),
    "is killed": ("os.kill(os.getpid(), signal.SIGSEGV)", "was killed by SIGSEGV"),
    "hangs up": ("os.close(1)\ntime.sleep(60)", "closed its input or output"),
    "never ends a line": ("while True: os.write(1, b'x' * 9999)", "more than 1 MB without the end of a line"),
    "ends a line too late": ("os.write(1, b' ' * 1200000 + b'\\n')", "more than 1 MB without the end of a line"),
    "says no JSON": ("print('cooperate', flush=True)", "said 'cooperate': JSON is malformed"),
    "says no text": ("os.write(1, b'\\xff\\xfe\\n')", "said "),
    "says another kind of JSON": ("print('[1]', flush=True)", "said '[1]': Expected object"),
    "says something unknown": ("say(type='resign')", "Invalid value 'resign'"),
    "says a number": ("say(type='action', seq=seq, action=1)", "Expected str, got int - at the answer.action"),
    "forgets the number": ("say(type='action', action='defect')", "missing required field seq"),
    "floods in lines": ("while True: print('hm')", "said 'hm': JSON is malformed"),
    "is illegal": (
        "say(type='action', seq=seq, action='surrender')",
        "chose 'surrender', which is illegal; legal is, say, cooperate, defect",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("wrong", WRONGS)
def test_a_bot_that(wrong: str, bot: Writer) -> None:
    act, words = WRONGS[wrong]
    command = bot(act=act)
    record = played(f"cmd:{command}")
    found = faults(record)
    assert [fault.kind for fault in found] == ["raised"] * 3
    assert found[0].message.startswith("bot 'bot.py' ")
    assert words in found[0].message.replace("`", "")
    assert "\n" not in found[0].message
    assert record.ending is not None
    assert record.ending.forfeits == (0,)
    assert [entry.actions[0] for entry in record.entries] == ["cooperate"] * 5


def test_a_mistake_costs_one_move_and_the_bot_plays_on(bot: Writer) -> None:
    record = played(f"cmd:{bot(act='say(type=7) if acts == 2 else choose(1)')}")
    assert [len(entry.faults) for entry in record.entries] == [0, 1, 0, 0, 0]
    assert [entry.actions[0] for entry in record.entries] == ["defect", "cooperate", "defect", "defect", "defect"]


def test_a_late_bot_is_late_and_its_answer_is_not_taken_for_the_next(bot: Writer) -> None:
    command = bot(act="time.sleep(0.7 * (acts == 1))\nchoose(acts == 1)")
    record = played(f"cmd:{command}", rounds=12, move_time=0.5, strikes=100)
    assert {fault.kind for fault in faults(record)} == {"late"}
    assert all(entry.actions[0] == "cooperate" for entry in record.entries)
    assert not all(entry.faults for entry in record.entries), "it is in time again"


def test_a_silent_bot_without_a_clock_is_given_up(bot: Writer) -> None:
    agent = Process(bot(act="time.sleep(60)"), move=0.3)
    begun = time.monotonic()
    record = played(agent)
    assert "gave no answer within 0.3 s" in faults(record)[0].message
    assert len(faults(record)) == 3
    assert time.monotonic() - begun < 50.0


@pytest.mark.long
@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"begin": "time.sleep(60)"}, "was not ready after 0.5 s"),
        ({"start": "sys.exit('no licence')"}, "exited with status 1: no licence"),
        ({"begin": "print('hello', flush=True)"}, "said 'hello'"),
        ({"begin": "while True: say(type='action', seq=0, action='defect')"}, "was not ready after 0.5 s"),
    ],
)
def test_a_bot_that_does_not_get_ready(parts: dict[str, str], words: str, bot: Writer) -> None:
    agent = Process(bot(**parts), start=0.5 if "ready" in words else 10.0)
    record = played(agent)
    assert len(faults(record)) == 3
    assert words in faults(record)[0].message


def test_a_bot_that_does_not_read_makes_nobody_wait(bot: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.games.dilemma.rules.State.__str__", lambda self: "x" * 600_000)
    command = bot(act="time.sleep(60)")
    record = played(f"cmd:{command}", rounds=6, move_time=0.2, strikes=100)
    kinds = [fault.kind for fault in faults(record)]
    assert kinds[:2] == ["late", "late"]
    assert kinds[-1] == "raised"
    assert faults(record)[-1].message.endswith("does not read its input")
    assert all(entry.seconds[0] < 50.0 for entry in record.entries)


# Staying, and going


def test_a_program_is_kept_for_further_matches(bot: Writer) -> None:
    agent = Process(bot(start="log(os.getpid())"))
    for seed in range(3):
        assert faults(played(agent, seed=seed)) == []
    assert len(bot.log()) == 1
    agent.close()
    assert not alive(int(bot.log()[0]))


def test_a_program_that_died_is_started_again_for_the_next_match(bot: Writer) -> None:
    agent = Process(bot(start="log(os.getpid())", act="sys.exit('tired') if acts == 4 else choose(1)"))
    for _ in range(2):
        record = played(agent)
        assert [len(entry.faults) for entry in record.entries] == [0, 0, 0, 1, 1]
        assert "tired" in faults(record)[1].message
    assert len(bot.log()) == 2


def test_a_late_answer_is_not_taken_in_the_next_match(bot: Writer) -> None:
    agent = Process(bot(act="time.sleep(0.6 * (acts == 1))\nchoose(acts == 1)"))
    assert faults(played(agent, rounds=1, move_time=0.2))[0].kind == "late"
    record = played(agent)
    assert faults(record) == []
    assert [entry.actions[0] for entry in record.entries] == ["cooperate"] * 5


STUBBORN = """
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
child = subprocess.Popen(["sh", "-c", "trap '' TERM HUP INT; while :; do sleep 1; done"])
log(os.getpid())
log(child.pid)
"""


def stubborn(bot: Writer) -> str:
    """A bot that ignores every hint to go, and starts another program that does."""
    return bot(start=STUBBORN, last="while True: time.sleep(1)")


def pids(bot: Writer) -> list[int]:
    return [int(line) for line in bot.log()]


def test_a_program_that_will_not_go_is_killed_with_all_it_started(bot: Writer) -> None:
    agent = Process(stubborn(bot))
    assert faults(played(agent)) == []
    assert [alive(pid) for pid in pids(bot)] == [True, True]
    agent.close()
    assert wait_for_exit(pids(bot))


def test_a_forgotten_agent_takes_its_program_along(bot: Writer) -> None:
    played(f"cmd:{bot(start='log(os.getpid())')}")
    gc.collect()
    assert not alive(pids(bot)[0])


def test_a_program_that_goes_by_itself_may_finish_what_it_does(bot: Writer) -> None:
    agent = Process(bot(last="time.sleep(0.1)\nlog('kept what I learned')"))
    played(agent)
    agent.close()
    assert bot.log() == ["kept what I learned"]


PARENT = """
import sys, time
from kibitz import play
from kibitz.remote.program_agent import Process

agent = Process(sys.argv[1])
play("dilemma(rounds=3)", [agent, "random"])
print("played", flush=True)
time.sleep(float(sys.argv[2]))
"""


@pytest.mark.long
def test_a_program_ends_with_the_interpreter(bot: Writer) -> None:
    subprocess.run([sys.executable, "-c", PARENT, stubborn(bot), "0"], check=True, capture_output=True)
    assert pids(bot)
    assert wait_for_exit(pids(bot))


def test_a_program_outlives_the_thread_that_started_it(bot: Writer) -> None:
    agent = Process(bot(start="log(os.getpid())"))
    thread = threading.Thread(target=played, args=(agent,))
    thread.start()
    thread.join()
    assert faults(played(agent)) == []
    assert len(bot.log()) == 1


FORKED = """
import os, sys
from kibitz import play
from kibitz.remote.program_agent import Process

agent = Process(sys.argv[1])
play("dilemma(rounds=3)", [agent, "random"])
if os.fork() == 0:
    play("dilemma(rounds=3)", [agent, "random"])
    del agent
    os._exit(0)
assert os.wait()[1] == 0
record = play("dilemma(rounds=3)", [agent, "random"])
assert not any(entry.faults for entry in record.entries)
"""


@pytest.mark.long
def test_a_fork_starts_a_program_of_its_own_and_leaves_ours_alone(bot: Writer) -> None:
    command = bot(start="log(os.getpid())")
    subprocess.run([sys.executable, "-c", FORKED, command], check=True, capture_output=True)
    assert len(bot.log()) == 2
    assert not any(map(alive, pids(bot)))


# Specs and copies


def test_a_command_line_is_a_spec() -> None:
    agent = make_agent("cmd: ./my-bot --name 'Big \"Blue\"' ")
    assert isinstance(agent, Process)
    assert agent.command == "./my-bot --name 'Big \"Blue\"'"
    assert parse_spec(repr(agent)).parameters == {"name": "my-bot", "hash": agent.hash}
    assert make_agent(repr(agent)).__getstate__()["command"] == agent.command
    assert repr(make_agent(repr(agent))) == repr(agent)
    assert make_agent("process(command='x', move=5)").__getstate__()["move"] == 5.0


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("", "the command line is empty"),
        ("  ", "the command line is empty"),
        ("''", "no program ''"),
        ("no-such-program-here --x", "no program 'no-such-program-here' on the PATH"),
        ("./no-such-file", "there is no file ./no-such-file"),
        (".", "no program '.' on the PATH"),
        ("./", "./ is a folder"),
        ("./plain.txt", "./plain.txt is not executable"),
        ("./no-interpreter", "it cannot be run: No such file"),
        ("./no-format", "it cannot be run: Exec format error"),
        ("sh 'unbalanced", "cannot be read: no closing quotation"),
        ("sh \0", "null byte"),
        ("sh " + 200_000 * "x", "it cannot be run: Argument list too long"),
    ],
)
def test_a_bad_command_line_is_one_line_before_the_match(
    command: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text, mode in (
        ("plain.txt", "hello", 0o644),
        ("no-interpreter", "#!/no/such/interpreter\n", 0o755),
        ("no-format", "\x01\x02\x03", 0o755),
    ):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(mode)
    path = tmp_path / "match.krec"
    with pytest.raises(BadSpec, match=words) as caught:
        played(Process(command), path=path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    assert not path.exists()


def test_no_shell_reads_the_command(bot: Writer, tmp_path: Path) -> None:
    assert faults(played(f"cmd:{bot()} ; touch {tmp_path / 'touched'} $(touch {tmp_path / 'touched'})")) == []
    assert not (tmp_path / "touched").exists()


@pytest.mark.long
def test_copies_have_programs_of_their_own(bot: Writer) -> None:
    agent = Process(bot(start="log(os.getpid())"))
    played(agent)
    for copied in (agent.clone(), pickle.loads(pickle.dumps(agent))):
        assert repr(copied) == repr(agent)
        assert faults(played(copied)) == []
    assert len(set(bot.log())) == 3


def test_a_match_in_progress_cannot_be_copied(bot: Writer) -> None:
    agent = Process(bot())
    agent.begin(make_game("dilemma"), 0, stream(1, "test"))
    with pytest.raises(Unsupported, match="cannot be copied during a match"):
        agent.clone()
