"""What users see and scripts read stays as it is: listings, help, watched matches, searches; each kept in `golden/`.

`KIBITZ_UPDATE_GOLDEN=1` writes the files again; look at the difference before you keep it.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from kibitz import core
from kibitz.cli.commands import COMMANDS
from kibitz.cli.main import exit_code
from kibitz.core.clocks import Clock
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.testing.walks import random_step

GOLDEN = Path(__file__).parent / "golden" / "surface"
WATCHED = {
    "pennies": ["heads", "alternator", "--max-plies", "12"],
    "kuhn": ["rock", "maniac", "solid"],
    "dilemma": ["tit_for_tat", "pavlov", "--max-plies", "12"],
    "pawns": ["s4(depth=2)", "s2(depth=2)", "--max-plies", "10"],
    "right-turn": ["--max-plies", "8"],
    "trails": ["honest", "mute", "--model", "trails.types(strategies=(trails.honest, trails.mute))"],
}
SEARCHED = {
    "alphabeta": ("pawns", "alphabeta(depth=4)", 200),
    "asymmetric": ("pawns", "asymmetric(depth=3)", 60),
    "breakthrough": ("breakthrough", "alphabeta(depth=3)", 60),
}
TIMES = re.compile(r'"(seconds|started|kibitz|version)":("[^"]*"|\[[^\]]*\]|[-0-9.e]+),?')


def check_golden(name: str, now: str) -> None:
    path = GOLDEN / name
    if os.environ.get("KIBITZ_UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(now, encoding="utf-8")
    assert now == path.read_text(encoding="utf-8"), f"{name} has changed"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert exit_code(arguments) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("listing", ["games", "agents", "models"])
def test_what_is_registered_is_listed_as_before(listing: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[dict[str, Any]] = json.loads(printed(capsys, listing, "--json"))
    check_golden(f"{listing}.json", "\n".join(json.dumps(row) for row in rows) + "\n")


@pytest.mark.long
def test_every_command_explains_itself_as_before(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("TERMINAL_WIDTH", "110")
    texts = [printed(capsys, *command, "--help") for command in ([], *([each] for each in COMMANDS))]
    check_golden("help.txt", "\n".join(line.rstrip() for text in texts for line in text.splitlines()) + "\n")


@pytest.mark.parametrize("game", WATCHED)
def test_a_watched_match_is_recorded_as_before(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    record = printed(capsys, "watch", game, *WATCHED[game], "--seed", "7", "--json")
    lines = TIMES.sub("", record).replace('},{"', '},\n{"')
    rounded = re.sub(r"\d+\.\d{7,}(e-?\d+)?", lambda found: f"{float(found.group()):.6g}", lines)
    check_golden(f"watch-{game}.json", rounded)


@pytest.mark.long
@pytest.mark.parametrize("name", SEARCHED)
def test_searches_choose_and_count_as_before(name: str) -> None:
    game_name, spec, count = SEARCHED[name]
    game = make_game(game_name)
    rng, lines = stream(5, "positions"), []
    while len(lines) < count:
        state = game.new_initial_state()
        for _ in range(int(rng.integers(2, 14))):
            if not state.is_terminal():
                random_step(game, state, rng)
        if len(movers := game.movers(state)) == 1:
            agent = make_agent(spec, game_name)
            agent.begin(game, movers[0], stream(1, "agent"))
            action = agent.act(state.view(movers[0]), Clock(None))
            lines.append(f"{core.digest(state)} {state.action_to_string(movers[0], action)} {agent.searched}")
    check_golden(f"search-{name}.txt", "\n".join(lines) + "\n")
