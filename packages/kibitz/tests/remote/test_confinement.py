"""Programs run within their bounds, see what they need, and are called by their names."""

import os
import shlex
import sys
from pathlib import Path

import pytest

from kibitz import play
from kibitz.core.errors import BadSpec, KibitzError, Refused, UnknownName
from kibitz.core.registry import make_agent
from kibitz.core.specs import parse_spec
from kibitz.remote import confinement
from kibitz.remote.command_lines import Redactor, allow_network, commands, needed_files, program_name
from kibitz.remote.confinement import NO_SANDBOX, Sandbox
from kibitz.remote.program_agent import Process, operator_programs, sealed_spec

BOT = """
import json, os, resource, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "begin":
        print(json.dumps({{"type": "ready", "name": str({name})}}), flush=True)
    elif message["type"] == "act":
        {act}
        print(json.dumps({{"type": "action", "seq": message["seq"], "action": "cooperate"}}), flush=True)
"""


def bot(folder: Path, name: str = "''", act: str = "pass") -> str:
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    path = folder / "bot.py"
    path.write_text(BOT.format(name=name, act=act))
    return shlex.join([sys.executable, "-I", "-S", str(path)])


def told(agent: Process) -> str:
    """What a bot says its name is."""
    record = play("dilemma(rounds=1)", [agent, "dilemma.grim"])
    agent.close()
    assert record.entries[0].faults == (), record.entries[0].faults
    return agent.said_name


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are confined by the real bwrap."""
    trouble = confinement.sandbox_trouble()
    if trouble is not None:
        pytest.skip(f"{trouble} (on Debian: apt-get install bubblewrap)")
    monkeypatch.delenv(NO_SANDBOX, raising=False)


# Bounds


def test_limits_hold_in_the_program(tmp_path: Path) -> None:
    limits = "[resource.getrlimit(k)[1] for k in (resource.RLIMIT_DATA, resource.RLIMIT_CPU, resource.RLIMIT_CORE)]"
    assert told(Process(bot(tmp_path, limits), memory=0.5, cpu=7)) == "[536870912, 7, 0]"


def test_an_operators_program_yields_to_the_server(tmp_path: Path) -> None:
    command = bot(tmp_path, "os.nice(0)")
    assert [told(Process(command, name=name)) for name in ("", "mine")] == [str(os.nice(0)), str(os.nice(0) + 10)]


# What a program sees


def test_a_script_brings_its_folder_and_its_interpreter(tmp_path: Path) -> None:
    own, environment, base = tmp_path / "own", tmp_path / "venv", tmp_path / "base"
    for folder in (own, environment / "bin", base / "bin", base / "lib" / "python3.99"):
        folder.mkdir(parents=True)
    (base / "bin" / "python3").touch()
    (environment / "bin" / "python3").symlink_to(base / "bin" / "python3")
    (environment / "pyvenv.cfg").write_text(f"home = {base / 'bin'}\n")
    script = own / "bot"
    script.write_text(f"#!{environment}/bin/python3\n")
    assert needed_files(["./bot"], own) == [base, own, environment]
    assert needed_files([f"{environment}/bin/python3", "-u", "bot"], own) == [base, own, environment]


def test_what_the_words_name_is_shown_and_nothing_beside_it(tmp_path: Path) -> None:
    own, data = tmp_path / "own", tmp_path / "data"
    for path in (own / "bot.py", data / "model", data / "secret"):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    words = ["sh", str(own / "bot.py"), f"--model={data / 'model'}", "--level", "3", "/etc/passwd", "/", "/dev/null"]
    assert needed_files(words, tmp_path) == [Path("/etc/passwd"), data / "model", own]


def test_a_home_is_not_shown_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "bot.sh").touch()
    assert needed_files(["sh", "bot.sh"], tmp_path) == [tmp_path / "bot.sh"]
    assert needed_files(["sh", "~"], tmp_path) == []


def test_hidden_files_are_left_out_wherever_they_lie(tmp_path: Path) -> None:
    names = (
        "bot.sh",
        "helper.sh",
        "data/model",
        "data/kibitz.db",
        "data/kibitz.db-wal",
        "matches/1.krec",
    )
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    hidden = [tmp_path / "matches", tmp_path / "data" / "kibitz.db"]
    assert needed_files(["sh", "bot.sh"], tmp_path, hidden) == [
        tmp_path / name for name in ("bot.sh", "data/model", "helper.sh")
    ]


@pytest.mark.usefixtures("sandbox")
def test_a_program_may_read_what_it_is_given_to_read(tmp_path: Path) -> None:
    book = tmp_path / "book"
    book.write_text("e4")
    command = bot(tmp_path / "bot", f"open({str(book)!r}).read()")
    with pytest.raises(AssertionError, match="No such file"):
        told(Process(command))
    assert told(Process(command, reads=(str(book),))) == "e4"
    with pytest.raises(BadSpec, match=r"there is no file or folder .*nothing to read"):
        told(Process(command, reads=(str(tmp_path / "nothing"),)))


@pytest.mark.long
@pytest.mark.usefixtures("sandbox")
def test_a_program_runs_wherever_kibitz_does(tmp_path: Path) -> None:
    command = bot(tmp_path / "bot", "os.getcwd()")
    for folder in ("/", "/usr/bin", "/tmp", "/dev", "/var/tmp", str(Path.home()), str(tmp_path)):
        assert told(Process(command, folder=folder)) == folder


@pytest.mark.usefixtures("sandbox")
def test_a_program_runs_in_the_folder_it_is_given(tmp_path: Path) -> None:
    bot(tmp_path / "bot", "os.getcwd()")
    agent = Process(f"{sys.executable} -I -S bot.py", folder=str(tmp_path / "bot"))
    assert told(agent) == str(tmp_path / "bot")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts programs as another user")
@pytest.mark.usefixtures("sandbox")
def test_root_says_which_files_a_program_may_not_read(tmp_path: Path) -> None:
    command = bot(tmp_path / "bot")
    (tmp_path / "bot").chmod(0o700)
    assert f"may not read {tmp_path / 'bot'} (chmod" in str(Process(command).trouble())
    assert told(Process(command)) == "", "it runs, unconfined"
    with pytest.raises(BadSpec, match="only confined programs may run here"):
        told(Process(command, confined=True))


# Where programs cannot be confined


def test_a_bwrap_that_does_not_work_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bin" / "bwrap"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho 'no permission' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv(NO_SANDBOX, raising=False)
    assert "no permission" in str(confinement.sandbox_trouble())
    assert told(Process(bot(tmp_path / "bot", "'free'"))) == "free"
    with pytest.raises(BadSpec, match=r"only confined programs may run here: .*no permission"):
        told(Process(bot(tmp_path / "bot"), confined=True))


def test_a_server_refuses_programs_that_cannot_be_confined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NO_SANDBOX, "1")
    agents = {"mine": f"cmd:{bot(tmp_path)}", "deep": "alphabeta(depth=6)"}
    with pytest.raises(Refused, match="the program mine cannot be confined: KIBITZ_NO_SANDBOX is set") as caught:
        operator_programs(agents, Sandbox(tmp_path, required=True))
    assert "--allow-unconfined" in str(caught.value)
    assert operator_programs(agents, Sandbox(tmp_path))["deep"] == "alphabeta(depth=6)"
    with pytest.raises(BadSpec, match=r"there is no file ./nothing"):
        operator_programs({"mine": "cmd:./nothing"}, Sandbox(tmp_path))


# Keys and the network


@pytest.mark.parametrize("unconfined", ["", "1"])
def test_a_program_gets_the_variables_that_are_named_and_no_others(
    unconfined: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NO_SANDBOX, unconfined)
    monkeypatch.setenv("FIRST_KEY", "first")
    monkeypatch.setenv("OTHER_KEY", "other")
    command = bot(tmp_path / "own", "[os.environ.get('FIRST_KEY', '')[::-1], 'OTHER_KEY' in os.environ]")
    assert told(Process(command, pass_env=("FIRST_KEY",))) == "['tsrif', False]"
    assert told(Process(command)) == "['', False]"


@pytest.mark.parametrize(
    ("name", "words"),
    [("NO_SUCH_KEY", "there is no environment variable NO_SUCH_KEY"), ("sk-abc123", "and not their values")],
)
def test_a_variable_that_is_not_set_is_one_line(name: str, words: str, tmp_path: Path) -> None:
    agent = Process(bot(tmp_path), pass_env=(name,))
    with pytest.raises(BadSpec, match=words) as caught:
        play("dilemma", [agent, "dilemma.grim"])
    assert "sk-abc123" not in str(caught.value)


@pytest.mark.parametrize(
    "spec",
    [
        "cmd:./bot sk-abc123 (",
        "process(command='./bot sk-abc123', start=-1)",
        "process(command='./bot sk-abc123', pass_env='KEY=sk-abc123')",
        "process(command='./bot', pass_env={'KEY': 'sk-abc123'})",
        "process(command='./bot', env={'KEY': 'sk-abc123'})",
        "process(command=['./bot', 'sk-abc123'])",
        "process(comand='./bot sk-abc123')",
        "process(command='./bot sk-abc123'",
        "strategy_filter(strategies=[process(command='./bot sk-abc123')])",
    ],
)
def test_an_error_in_a_spec_shows_no_key(spec: str) -> None:
    with pytest.raises(KibitzError) as caught:
        play("dilemma", [spec, "dilemma.grim"], models=[spec])
    assert "sk-abc123" not in f"{caught.value} {vars(caught.value)}"


def test_a_confined_program_has_a_network_only_if_its_operator_says_so(
    sandbox: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "networked", set())
    command = bot(tmp_path / "own", "[os.readlink('/proc/self/ns/net'), os.path.exists('/etc/hosts')]")
    ours = [os.readlink("/proc/self/ns/net"), Path("/etc/hosts").exists()]
    assert told(Process(command)) != str(ours)
    with pytest.raises(UnknownName, match=r"no program named 'bit\.py'; did you mean 'bot\.py'"):
        allow_network(["bit.py"])
    allow_network(["bot.py"])
    assert told(Process(command)) == str(ours)
    with pytest.raises(BadSpec, match="no parameter 'network'"):
        make_agent("process(command='true', network=True)")


def test_secrets_are_redacted_before_text_is_cut(tmp_path: Path) -> None:
    redactor = Redactor(
        {"KEY": "line-one\nline-two", "LEVEL": "3"}, ["--key=careless-key-1", "--level=3", "a.txt"], tmp_path
    )
    assert redactor.text("3 line-two, line-one\nline-two, careless-key-1, --level=3") == "3 $KEY, $KEY, ***, --level=3"
    command = bot(tmp_path, act="sys.exit('y' * 190 + sys.argv[1])")
    agent = Process(f"{command} careless-key-1")
    record = play("dilemma(rounds=2)", [agent, "dilemma.grim"])
    assert record.entries[0].faults[0].message.endswith("yyy***")


def test_a_program_that_has_changed_is_another(tmp_path: Path) -> None:
    command = bot(tmp_path)
    first = sealed_spec(f"cmd:{command}")
    assert sealed_spec(f"process(command={command!r})") == first
    assert sealed_spec(f"cmd:{command} 5") != first
    assert sealed_spec(f"process(command={command!r}, pass_env=['PATH'])") != first
    bot(tmp_path, act="print()")
    assert sealed_spec(f"cmd:{command}") != first
    assert sealed_spec("alphabeta(depth=6, other=[cmd])") == "alphabeta(depth=6, other=[cmd])"


def test_the_programs_in_a_list_of_an_operators_agent_are_confined_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NO_SANDBOX, "1")
    with pytest.raises(Refused, match="cannot be confined"):
        operator_programs({"two": "either(of=[process(command='true')])"}, Sandbox(tmp_path, required=True))


# Names


def test_an_operators_program_is_known_by_name_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NO_SANDBOX, "1")
    command = f"{bot(tmp_path, repr('I, Bot'), act='sys.exit(3)')} --key secret"
    place = Sandbox(tmp_path, hidden=(tmp_path / "matches",))
    agent = make_agent(operator_programs({"mine": f"cmd:{command}"}, place)["mine"])
    assert isinstance(agent, Process)
    assert (agent.command, agent.folder, agent.hidden) == (command, str(tmp_path), (str(tmp_path / "matches"),))
    assert repr(make_agent(repr(agent))) == repr(agent)
    assert operator_programs({"mine": f"cmd:{command}"}, place) == {"mine": repr(agent)}, "as after a restart"
    record = play("dilemma(rounds=2)", [agent, "dilemma.grim"])
    assert record.header.agents[0] == f"process(name='mine', hash='{agent.hash}')"
    assert str(parse_spec(record.header.agents[0])) == record.header.agents[0]
    assert (agent.public_name, record.header.truths[0]["name"]) == ("mine", "mine")
    written = record.to_bytes()
    assert record.entries[0].faults[0].message.startswith("bot 'mine' exited with status 3")
    for private in (b"secret", str(tmp_path).encode()):
        assert private not in record_text(written), "a record names neither arguments nor folders"


def record_text(written: bytes) -> bytes:
    """The text of a record."""
    import zstandard

    return zstandard.ZstdDecompressor().stream_reader(written, read_across_frames=True).read()


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("python3 -I bots/any.py --key secret", "any.py"),
        ("./bots/any.py --key secret", "any.py"),
        ("sh -c 'secret'", "sh"),
        ("no-such-program --key secret", "no-such-program"),
        ("'", "'"),
        ("", "program"),
    ],
)
def test_a_program_without_a_name_is_called_by_its_file(command: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "any.py").touch()
    assert program_name(command, tmp_path) == name
