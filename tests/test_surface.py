"""What users see and scripts read stays as it is: listings, help, watched matches, searches; each kept in `golden/`.

`KIBITZ_UPDATE_GOLDEN=1` writes the files again; look at the difference before you keep it.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from kibitz.cli.main import commands, exit_code

GOLDEN = Path(__file__).parent / "golden" / "surface"
WATCHED = {
    "pennies": ["heads", "alternator", "--max-plies", "12"],
    "kuhn": ["rock", "maniac", "solid"],
    "dilemma": ["tit_for_tat", "pavlov", "--max-plies", "12"],
    "pawns": ["s4(depth=2)", "s2(depth=2)", "--max-plies", "10"],
    "right-turn": ["--max-plies", "8"],
    "trails": ["honest", "mute", "--model", "trails.types(strategies=(trails.honest, trails.mute))"],
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
    texts = [printed(capsys, *command, "--help") for command in ([], *([each] for each in commands()))]
    check_golden("help.txt", "\n".join(line.rstrip() for text in texts for line in text.splitlines()) + "\n")


@pytest.mark.parametrize("game", WATCHED)
def test_a_watched_match_is_recorded_as_before(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    record = printed(capsys, "watch", game, *WATCHED[game], "--seed", "7", "--json")
    lines = TIMES.sub("", record).replace('},{"', '},\n{"')
    rounded = re.sub(r"\d+\.\d{7,}(e-?\d+)?", lambda found: f"{float(found.group()):.6g}", lines)
    check_golden(f"watch-{game}.json", rounded)
