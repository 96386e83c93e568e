"""Ratings: Plackett and Luce's model by openskill, over the matches in the order of their index.

They count who came first, second … in a match, so they rank agents by returns only if matches pay for nothing else
(`pays_for_order`). They are for many agents who have not all met, and for matchmaking; they treat every match as
independent, so their error is too small if matches share blocks. For "is A better than B" there is `head_to_head`.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias

import msgspec

from kibitz.arena.statistics.intervals import check
from kibitz.arena.statistics.quantiles import NORMAL
from kibitz.arena.statistics.table import Results, result_columns
from kibitz.core.errors import KibitzError
from kibitz.core.registry import make_game
from kibitz.store.results import MatchResult

Teams: TypeAlias = tuple[tuple[int, ...], ...]


class Rating(msgspec.Struct, frozen=True):
    """Strength *mu*, its uncertainty *sigma*, and the *ordinal*: a lower bound of three sigma."""

    mu: float
    sigma: float
    ordinal: float
    low: float
    high: float
    """The interval of mu."""
    matches: int


def pays_for_order(results: Results) -> bool:
    """Whether every match paid the same for the same order of its players: as for wins and losses, not for pots."""
    paid: dict[tuple[int, ...], list[float]] = {}
    for result in result_columns(results).results:
        earned = sorted((round(score, 9) for score in result.returns), reverse=True)
        order = tuple(map(earned.index, earned))
        if not any(score != score for score in earned) and paid.setdefault(order, earned) != earned:
            return False
    return True


def ratings(results: Results, *, level: float = 0.95) -> dict[str, Rating]:
    """The rating of every agent, best ordinal first. Equal returns are ties; teams are rated as teams.

    An agent in several seats of one match gets the mean of their ratings; a match of an agent only against itself, or
    with a return that is not a number, changes nothing.
    """
    from openskill.models import PlackettLuce

    check(level, None)
    table = result_columns(results)
    model = PlackettLuce()
    known = {name: model.rating() for name in table.names}
    counts = dict.fromkeys(table.names, 0)
    for result in table.results:
        names = result.names
        if len(set(names)) < 2 or any(score != score for score in result.returns):
            continue
        held = [known[name] for name in names]
        if len(set(names)) < len(names):  # one rating in two seats must not be changed twice
            held = [model.rating(mu=rating.mu, sigma=rating.sigma) for rating in held]
        rated = rate_teams(model, held, result, teams_of(result.game, len(names)))
        seats: dict[str, list[int]] = {}
        for seat, name in enumerate(names):
            seats.setdefault(name, []).append(seat)
        for name, places in seats.items():
            known[name].mu = sum(rated[seat].mu for seat in places) / len(places)
            known[name].sigma = sum(rated[seat].sigma for seat in places) / len(places)
            counts[name] += 1
    wide = NORMAL.inv_cdf((1.0 + level) / 2.0)
    rows = {
        name: Rating(
            mu=rating.mu,
            sigma=rating.sigma,
            ordinal=rating.mu - 3.0 * rating.sigma,
            low=rating.mu - wide * rating.sigma,
            high=rating.mu + wide * rating.sigma,
            matches=counts[name],
        )
        for name, rating in known.items()
    }
    return dict(sorted(rows.items(), key=lambda row: (-row[1].ordinal, row[0])))


def rate_teams(model: Any, held: Sequence[Any], result: MatchResult, teams: Teams) -> list[Any]:
    """The ratings of all seats after a match of *teams*, in the order of the seats."""
    sides = [[held[seat] for seat in team] for team in teams]
    rated = model.rate(sides, scores=[result.returns[team[0]] for team in teams])
    by_seat = {
        seat: rating for team, side in zip(teams, rated, strict=True) for seat, rating in zip(team, side, strict=True)
    }
    return [by_seat[seat] for seat in range(len(held))]


@cache
def teams_of(game: str, players: int) -> Teams:
    """The teams of a game by its spec; everyone is alone in an unknown game."""
    try:
        return make_game(game).teams
    except KibitzError:
        return tuple((player,) for player in range(players))
