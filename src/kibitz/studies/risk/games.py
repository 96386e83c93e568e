"""Games to read missions from: those of a corpus, and how any model sees a game at the moments that are marked."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.errors import BadDefinition
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.games.risk.domination.following import follow
from kibitz.games.risk.domination.log import read_log
from kibitz.games.risk.events import Teller
from kibitz.games.risk.models.lessons import Lesson, Step, at_fractions, lesson_of_actions, played
from kibitz.games.risk.rules import Risk, State

Floats = NDArray[np.float64]
Played = tuple[Risk, tuple[int, ...]]
"""A game and its actions, chance included."""
LOGS = ("*.log.gz", "*.log")


def sets_of(corpus: str) -> list[str]:
    """The folders of a corpus that hold logs, by name; the corpus itself may be one, called `.`."""
    if not corpus:
        return []
    folder = Path(corpus)
    if not folder.is_dir():
        raise BadDefinition("risk", f"corpus: there is no folder {corpus}")
    found = [each.name for each in sorted(folder.iterdir()) if each.is_dir() and logs_in(each)]
    found += ["."] if logs_in(folder) else []
    if not found:
        raise BadDefinition("risk", f"corpus: neither {corpus} nor a folder in it holds logs ({', '.join(LOGS)})")
    return found


def logs_in(folder: Path) -> list[Path]:
    """The logs of a folder."""
    return sorted(path for pattern in LOGS for path in folder.glob(pattern))


def distinct_games(folder: Path, most: int | None = None) -> Iterator[Played]:
    """Every game of a folder's logs once, however many logs repeat it, as far as missions are dealt and it was won."""
    seen: set[tuple[str, ...]] = set()
    for path in logs_in(folder):
        for logged in read_log(path):
            if logged.identity not in seen and (most is None or len(seen) < most):
                seen.add(logged.identity)
                followed = follow(logged)
                game = make_game(followed.game)
                assert isinstance(game, Risk)
                if game.mission_deck and followed.winner is not None:
                    yield game, followed.actions


def lessons_in(games: Iterable[Played]) -> list[Lesson]:
    """The lessons of some games."""
    found = (lesson_of_actions(game, actions) for game, actions in games)
    return [lesson for lesson in found if lesson is not None]


def watching(model: core.Model, game: Risk, actions: Sequence[int]) -> Iterator[Step]:
    """The steps of a game, each after a model outside of the game has seen it."""
    model.begin(game, None, stream(0, "study"))
    for ply, (before, player, action, after) in enumerate(played(game, actions)):
        seen = before.seen_action(None, player, action)
        model.observe(core.Transition(ply, player, (seen,), before.view(None), after.view(None)))
        yield before, player, action, after


def believed(model: core.Model, game: Risk, actions: Sequence[int]) -> Floats:
    """What a model believes at the moments that are marked: moments by players by cards."""
    names = [game.map.mission_name(mission) for mission in game.mission_deck]
    found = []
    for before, _, _, after in watching(model, game, actions):
        if Teller.turn_ended(before, after):
            beliefs = [model.belief(each) for each in range(game.players)]
            found.append([[belief.get(name, 0.0) for name in names] for belief in beliefs])
    return np.array(at_fractions(found))


def ending(game: Risk, actions: Sequence[int]) -> State:
    """The last state of a game."""
    state = game.new_initial_state()
    for action in actions:
        state.apply_action(action)
    assert isinstance(state, State)
    return state
