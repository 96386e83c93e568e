"""Agents against a field of opponents, in both seats: who earned what."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.arena.tournament import Tournament
from kibitz.core.registry import make_game
from kibitz.store import MatchResult

SCORES = (-80.0, 220.0)
"""The range of points of a game on the boards of the thesis."""
By = Literal["opponent", "block"]
GAINS = (SCORES[0] - SCORES[1], SCORES[1] - SCORES[0])


class Meeting(NamedTuple):
    """One game of an agent with one of the field."""

    board: str
    agent: str
    opponent: str
    own: float
    other: float
    block: int
    """Games on the same seed are one."""


def game_on(board: str) -> str:
    """The game on a board, as results name it."""
    return repr(make_game(f"trails(board={board})"))


def against_field(
    agents: Mapping[str, str], field: Sequence[str], boards: Sequence[str], repeats: int, seed: int
) -> Tournament:
    """Every agent with every opponent of the field, in both seats; all meet on the same seeds."""
    return Tournament(
        games=tuple(map(game_on, boards)),
        agents={**{name: name for name in field}, **agents},
        format="fields",
        fields=tuple((agent, opponent) for agent in agents for opponent in field),
        repeats=repeats,
        shared=True,
        seed=seed,
    )


def meetings(results: Sequence[MatchResult], agents: Sequence[str], boards: Sequence[str]) -> Iterator[Meeting]:
    """The games from the agents' side."""
    named = {game_on(board): board for board in boards}
    for result in results:
        own = 0 if result.names[0] in agents else 1
        returns = result.returns[own], result.returns[1 - own]
        yield Meeting(named[result.game], result.names[own], result.names[1 - own], *returns, result.block)


def own_mean(games: Sequence[Meeting], by: By = "opponent") -> Estimate:
    """The mean earnings.

    The interval is for another field of similar opponents, or, by *block*, for other games with the same ones.
    """
    return mean_interval([game.own for game in games], [getattr(game, by) for game in games], bounds=SCORES)


def other_mean(games: Sequence[Meeting]) -> Estimate:
    """What the opponents earned."""
    return mean_interval([game.other for game in games], [game.opponent for game in games], bounds=SCORES)


def lead(games: Sequence[Meeting], first: str, second: str, *, of_others: bool = False) -> Estimate:
    """The lead of the first agent, or of its opponents, over the second, opponent by opponent."""
    sums: dict[str, dict[str, list[float]]] = {}
    for game in games:
        scores = sums.setdefault(game.opponent, {}).setdefault(game.agent, [])
        scores.append(game.other if of_others else game.own)
    pairs = [each for each in sums.values() if first in each and second in each]
    means = [sum(each[first]) / len(each[first]) - sum(each[second]) / len(each[second]) for each in pairs]
    return mean_interval(means, bounds=GAINS)
