"""Risk: games foreseen inside a kernel against those of the agents themselves, logs, and missions read from a game."""

import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from kibitz.core.game import Transition
from kibitz.core.kernels import machine_code
from kibitz.core.match.play import play, playing
from kibitz.core.records.replay import replaying
from kibitz.core.registry import make_game, make_model
from kibitz.core.seeds import kernel_stream, stream
from kibitz_lab.testing.benchmark import Bench
from kibitz_risk import phases
from kibitz_risk.domination_logs import follow, read_log
from kibitz_risk.game import State
from kibitz_risk.planning import knowledge_of
from kibitz_risk.simulation import play_missions

GAMES, PYTHON_GAMES, MOST = 2000, 12, 100_000
FILES = 8
CORPUS = "KIBITZ_CORPUS"
SIX = "risk(players=6, cards=fixed, missions=continents, board='dom-luca82')"
MODELS = {
    "explanations": ("risk.explanations", 1.0),
    "choice": ("risk.choice", 3.0),
}
"""Each with the most milliseconds that an event may take."""


def measure(bench: Bench) -> None:
    bench.ratio(
        "foreseen_vs_agents",
        lambda: foreseen_games(GAMES),
        lambda: agents_games(PYTHON_GAMES),
        least=50.0,
        unit="× matches of the agents themselves, games/s",
    )
    if os.environ.get(CORPUS):
        bench.figure("corpus_replay", [per_cpu_second(followed) for _ in range(bench.runs)], "games/CPU s")
    for name, (model, most) in MODELS.items():
        watched_events(model)
        took = [1e3 / per_cpu_second(lambda model=model: watched_events(model)) for _ in range(bench.runs)]
        bench.figure(f"{name}_per_event", took, "ms, six players", most=most)


def watched_events(model: str) -> float:
    """The events of a game of six, each with what is believed of all six after it."""
    watcher = make_model(model, "risk")
    watcher.begin(make_game(SIX), None, stream(0, "bench"))
    for transition in transitions():
        watcher.observe(transition)
        for player in range(6):
            watcher.belief(player)
    return float(len(transitions()))


@cache
def transitions() -> list[Transition]:
    moments = replaying(play(SIX, ["risk.mission"] * 6, seed=1))
    return [moment.event.transition(None) for moment in moments if moment.event is not None]


def per_cpu_second(work: Callable[[], float]) -> float:
    """Work per second of processor time, which a busy machine takes least from."""
    start = time.process_time()
    amount = work()
    return amount / (time.process_time() - start)


@cache
def after_the_setup() -> State:
    """A game of three at its first turn."""
    states = (moment.state for moment in playing("risk(players=3)", ["risk.mission(w=100)"] * 3, seed=0))
    found = next(each for each in states if isinstance(each, State) and each.phase == phases.PLACE)
    return found.clone()


def foreseen_games(times: int) -> float:
    """Games of three on their missions inside a kernel, from the first turn to the end."""
    start = after_the_setup()
    draws, lore, run = kernel_stream(1, "games"), knowledge_of(start.game), machine_code(play_missions)
    setting, row = start.game.setting.pack(), start.position.pack()
    for _ in range(times):
        run(setting, row.copy(), draws, MOST, lore, 100.0)
    return float(times)


def agents_games(times: int) -> float:
    """Matches of three such agents."""
    for seed in range(times):
        play("risk", ["risk.mission(w=100)"] * 3, seed=seed)
    return float(times)


def followed() -> float:
    """The games of some logs of the thesis's corpus, read and followed."""
    paths = sorted(Path(os.environ[CORPUS], "risk", "ai-w4").glob("*.log.gz"))[:FILES]
    return float(len([follow(logged) for path in paths for logged in read_log(path)]))
