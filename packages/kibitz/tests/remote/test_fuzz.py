"""Whatever a program says over its pipe, the match goes on to its end, and the same program plays the next one."""

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kibitz import play
from kibitz.remote import messages
from kibitz.remote.program_agent import Process

PARROT = """
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "begin":
        lines = json.load(open(sys.argv[1]))
        print(json.dumps({"type": "ready"}), flush=True)
    elif message["type"] == "act" and lines:
        sys.stdout.buffer.write(lines.pop(0).encode("latin-1") + b"\\n")
        sys.stdout.flush()
"""
"""Says what stands in a file, a line each time it is to act."""
LINES = st.one_of(
    st.binary(max_size=60),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["action", "ready", "act", "resign", None])},
        optional={
            "seq": st.one_of(st.integers(0, 4), st.integers(), st.floats(), st.text(max_size=3)),
            "action": st.one_of(st.sampled_from(["cooperate", "defect"]), st.text(max_size=9), st.none()),
        },
    ).map(lambda message: json.dumps(message).encode()),
)


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(LINES)
@example(b"[" * 100_000)
def test_what_is_said_is_an_answer_or_one_clear_line(line: bytes) -> None:
    for reader, kinds in ((messages.read, messages.Answer), (messages.read_call, messages.Call)):
        words = ""
        try:
            assert isinstance(reader(line), kinds)
        except ValueError as error:
            words = str(error)
        assert not words or (words.startswith("said ") and "\n" not in words)


@pytest.fixture(scope="module")
def parrot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Process, Path]]:
    """A program that is kept for all matches, and what it reads."""
    folder = tmp_path_factory.mktemp("parrot")
    (folder / "bot.py").write_text(PARROT)
    command = shlex.join([sys.executable, "-I", "-S", str(folder / "bot.py"), str(folder / "lines")])
    agent = Process(command)
    yield agent, folder / "lines"
    agent.close()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(LINES, min_size=1, max_size=3))
def test_a_live_program_may_say_anything(parrot: tuple[Process, Path], lines: list[bytes]) -> None:
    agent, path = parrot
    path.write_bytes(msgspec.json.encode([line.decode("latin-1") for line in lines]))
    rounds = len(lines)
    record = play(f"dilemma(rounds={rounds})", [agent, "dilemma.grim"], move_time=0.1, strikes=rounds + 1)
    assert record.complete
    for entry in record.entries:
        assert len(entry.faults) <= 1
        assert entry.faults or entry.actions[0] in ("cooperate", "defect")
