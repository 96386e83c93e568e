"""Which games and bots of OpenSpiel a request to a server may name: none that reads a file or ends the process."""

import subprocess
import sys
from functools import lru_cache
from typing import Any

from kibitz.core.errors import BadSpec
from kibitz.core.specs import Spec, parse_spec
from kibitz_lab.bridges.openspiel.loading import check_text

SECONDS, MEMORY = 20, 4 << 30
"""What a trial of a game may take: seconds, and bytes of memory."""
LARGEST = 10_000
"""The largest number in the parameters of a game."""
FILES = ("efg_game", "nfg_game")
"""Games that read files."""
TRIAL = """
import os, resource, sys
from kibitz.core.registry import make_game
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
os.nice(10)
game = make_game(sys.argv[1])
from kibitz.core.match.play import play
play(game, ["random"] * game.players, max_plies=200)
"""


def check_game_request(spec: Spec, text: str) -> None:
    """Raise BadSpec unless the game is safe to load.

    OpenSpiel checks few parameters, and some that it does not check end the process. A game with parameters is
    therefore played once in a process of its own, with limits, before the server loads it.
    """
    name = spec.parameters.get("game", "tic_tac_toe")
    name = str(name)
    check_text(name)
    inner = parse_spec(name)
    _check_values(inner, text)
    if inner.name in FILES:
        raise BadSpec(text, "a request cannot read a file")
    if inner.parameters:
        why = trial(str(Spec("openspiel", {"game": name})))
        if why:
            raise BadSpec(text, why)


def _check_values(value: Any, text: str) -> None:
    match value:
        case Spec():
            for each in value.parameters.values():
                _check_values(each, text)
        case str():
            if any(letter in value for letter in "/\\.~"):
                raise BadSpec(text, "a request cannot read a file")
        case int() | float() if abs(value) > LARGEST:
            raise BadSpec(text, f"numbers in the parameters of a game may not exceed {LARGEST:,} here")


@lru_cache(maxsize=1000)
def trial(spec: str) -> str:
    """What goes wrong if a game is loaded and played once in a process of its own; empty if nothing does."""
    code = TRIAL.format(memory=MEMORY, seconds=SECONDS)
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, spec], capture_output=True, text=True, timeout=3 * SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return "it takes too long to play"
    if done.returncode == 0:
        return ""
    last = (done.stderr.strip().splitlines() or [""])[-1]
    return f"it cannot be played: {last or f'the process ended with {done.returncode}'}"
