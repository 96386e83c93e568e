"""Risk: whole games and whole logs inside kernels, against the same in plain Python, and missions read from a game."""

import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from kibitz.core.kernels.random import Draws
from kibitz.core.match.play import play
from kibitz.core.records.replay import replaying
from kibitz.core.registry import make_game, make_model
from kibitz.core.seeds import kernel_stream, stream
from kibitz.core.transition import Transition
from kibitz.games.risk import fast
from kibitz.games.risk.domination.export import log_text
from kibitz.games.risk.domination.follower import follow
from kibitz.games.risk.domination.kernels import follow_fast
from kibitz.games.risk.domination.log import LoggedGame, read_log
from kibitz.games.risk.foresight import play_missions
from kibitz.games.risk.kernels.mission_player import knowledge_of
from kibitz.games.risk.kernels.playouts import played_out, playouts
from kibitz.games.risk.rules import State
from kibitz.testing.benchmark import Bench

GAMES, PYTHON_GAMES, MOST = 2000, 12, 100_000
FILES, OWN_LOGS = 8, 6
CORPUS = "KIBITZ_CORPUS"
SIX = "risk(players=6, cards=fixed, missions=continents, board='dom-luca82')"
TWIN = "× our Python twin, games/s"
MODELS = {
    "explanations": ("risk.explanations", 1.0),
    "choice": ("risk.choice", 3.0),
    "wary_choice": ("risk.choice(wary=True)", 3.0),
}
"""Each with the most milliseconds that an event may take."""


def measure(bench: Bench) -> None:
    for players, least in ((3, 5000.0), (6, None)):
        kernel_games(players, 10)
        rates = [per_cpu_second(lambda players=players: kernel_games(players, GAMES)) for _ in range(bench.runs)]
        bench.figure(f"playouts_{players}_players", rates, "games/CPU s", least=least)
    bench.ratio(
        "playouts_vs_python",
        lambda: kernel_games(3, GAMES),
        lambda: python_games(PYTHON_GAMES),
        least=50.0,
        unit=TWIN,
    )
    bench.ratio(
        "foreseen_vs_agents",
        lambda: foreseen_games(GAMES),
        lambda: agents_games(PYTHON_GAMES),
        least=50.0,
        unit="× matches of the agents themselves, games/s",
    )
    folder = os.environ.get(CORPUS)
    name = "corpus_replay" if folder else "own_log_replay"
    replayed(read_again())
    bench.figure(
        name, [per_cpu_second(lambda: replayed(read_again())) for _ in range(bench.runs)], "games/CPU s", least=50.0
    )
    bench.ratio(
        "replay_vs_python", lambda: replayed(logs()), lambda: followed(logs()), least=1.0, unit="× our Python twin"
    )
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


def kernel_games(players: int, times: int) -> float:
    """Games of raiders inside a kernel, from the deal to the end."""
    game, start = started(players)
    wins = np.zeros(players, np.int64)
    playouts(game.words, start.numbers, kernel_stream(1, "games"), times, MOST, wins)
    assert wins.sum() == times
    return float(times)


@cache
def started(players: int) -> tuple[fast.Risk, fast.State]:
    game = make_game(f"risk(players={players})")
    assert isinstance(game, fast.Risk)
    return game, game.new_initial_state()


def python_games(times: int) -> float:
    """The same games on the reference."""
    draws = Draws(kernel_stream(1, "games"))
    for _ in range(times):
        state = make_game("risk", fast=False).new_initial_state()
        assert isinstance(state, State)
        played_out(state, draws, MOST)
    return float(times)


def foreseen_games(times: int) -> float:
    """Games of three on their missions inside a kernel, from the deal to the end."""
    game, start = started(3)
    draws, lore = kernel_stream(1, "games"), knowledge_of(game)
    for _ in range(times):
        play_missions(game.words, start.numbers.copy(), draws, MOST, *lore, 100.0)
    return float(times)


def agents_games(times: int) -> float:
    """Matches of three such agents."""
    for seed in range(times):
        play("risk", ["risk.mission(w=100)"] * 3, seed=seed)
    return float(times)


def replayed(games: list[LoggedGame]) -> float:
    for logged in games:
        follow_fast(logged)
    return float(len(games))


def followed(games: list[LoggedGame]) -> float:
    for logged in games:
        follow(logged)
    return float(len(games))


@cache
def logs() -> list[LoggedGame]:
    return read_again()


def read_again() -> list[LoggedGame]:
    """The games of some logs: of the thesis's corpus where there is one, else of our own agents."""
    return [logged for path in paths() for logged in read_log(path)]


@cache
def paths() -> tuple[Path, ...]:
    folder = os.environ.get(CORPUS)
    if folder:
        return tuple(sorted(Path(folder, "risk", "ai-w4").glob("*.log.gz"))[:FILES])
    made = Path(KEPT.name)
    for seed in range(OWN_LOGS):
        Path(made, f"{seed}.log").write_text(log_text(play(SIX, ["risk.mission"] * 6, seed=seed)))
    return tuple(sorted(made.glob("*.log")))


KEPT = TemporaryDirectory()
