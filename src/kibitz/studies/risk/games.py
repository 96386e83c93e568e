"""The games of a corpus, and what any model believes at the moments of a game that are judged."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.errors import BadDefinition
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.games.risk.domination.logs import follow, read_log
from kibitz.games.risk.events import EventExtractor
from kibitz.games.risk.game import Risk, State
from kibitz.games.risk.models.training_games import (
    Step,
    TrainingGame,
    at_fractions,
    steps_of_game,
    training_game_of_actions,
)

Floats = NDArray[np.float64]
Played = tuple[Risk, tuple[int, ...]]
"""A game and its actions, chance included."""


class Beliefs(NamedTuple):
    """The beliefs about all players, each an array of moments by players by cards."""

    by_turns: Floats
    """At FRACTIONS of the game's turn ends."""
    at_ending: Floats
    """Before the last event and after it."""


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
    """Every distinct game in a folder's logs, if it has missions and a winner."""
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


def lessons_in(games: Iterable[Played]) -> list[TrainingGame]:
    """The lessons of some games."""
    found = (training_game_of_actions(game, actions) for game, actions in games)
    return [lesson for lesson in found if lesson is not None]


def watching(models: Iterable[core.Model], game: Risk, actions: Sequence[int]) -> Iterator[Step]:
    """The steps of a game, each after some spectator models have seen it."""
    watchers = list(models)
    for model in watchers:
        model.begin(game, None, stream(0, "study"))
    for ply, (before, player, action, after) in enumerate(steps_of_game(game, actions)):
        seen = before.seen_action(None, player, action)
        transition = core.Transition(ply, player, (seen,), before.view(None), after.view(None))
        for model in watchers:
            model.observe(transition)
        yield before, player, action, after


def beliefs_of_models(models: Mapping[str, core.Model], game: Risk, actions: Sequence[int]) -> dict[str, Beliefs]:
    """What models believe at the judged moments."""
    names = [game.map.mission_name(mission) for mission in game.mission_deck]
    ends: dict[str, list[list[list[float]]]] = {name: [] for name in models}
    endings: dict[str, list[list[list[float]]]] = {name: [] for name in models}

    def mission_shares(model: core.Model, player: int) -> list[float]:
        belief = model.belief(player)
        return [belief.get(name, 0.0) for name in names]

    for left, (before, _, _, after) in zip(
        range(len(actions))[::-1], watching(models.values(), game, actions), strict=True
    ):
        moments = [ends] * EventExtractor.turn_ended(before, after) + [endings] * (left < 2)
        for name, model in models.items():
            for each in moments:
                each[name].append([mission_shares(model, seat) for seat in range(game.players)])
    return {name: Beliefs(np.array(at_fractions(ends[name])), np.array(endings[name])) for name in models}


def ending(game: Risk, actions: Sequence[int]) -> State:
    """The last state of a game."""
    state = game.new_initial_state()
    for action in actions:
        state.apply_action(action)
    assert isinstance(state, State)
    return state
