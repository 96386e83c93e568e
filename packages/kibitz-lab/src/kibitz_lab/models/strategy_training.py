"""Fits the strategy filter's noise, drift, unknown and temper to records of players whose strategies are known.

What a strategy would have done does not depend on these parameters, so training replays every record once and then
runs the filter over a table of probabilities. Training sees hidden information: it judges players by what they
themselves saw, like an observer of all cards. Without hidden information that is the filter itself.

Training maximises the likelihood of the moves and of who made them: the product of the probabilities that the filter
gave to every chosen move, and to the true strategy at the end (`unknown` if it is none of the hypotheses). The temper,
how much one move says, is fitted apart: every player of a known strategy is also judged by a filter that does not know
that strategy, to which they are a stranger. The temper is the one with which both filters, at a prior of one half for
strangers, give the highest probability to who the player is, on average over all moments of all matches.
"""

from collections.abc import Callable, Iterator, Sequence
from math import log

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.insight import UNKNOWN
from kibitz.core.records import Record
from kibitz.core.records.replay import Replay
from kibitz.core.registry import make_game, spec_of
from kibitz.models.strangers import caution_of, new_stranger
from kibitz.models.strangers.stranger import CHANCE, RELEASED
from kibitz.models.strategy_filter import StrategyFilter
from kibitz.models.worlds import looking
from kibitz_lab.models.training import Told, TrainedModel

Floats = NDArray[np.float64]

PARAMETERS = ("noise", "drift", "unknown")
TEMPER = "temper"
SWEEPS = 4
"""Rounds over all parameters."""
COARSE, FINE = 9, 12
"""Values tried over the whole range, and steps of golden section around the best."""
GOLDEN = (5.0**0.5 - 1.0) / 2.0
CHI_SQUARE = 3.841
"""The 95 % quantile of the chi-squared distribution with one degree of freedom."""
SHYEST = 0.01
"""The least temper."""
NEAR = 0.1
"""A player stays known without their own strategy if another one gave their choices nearly the same probabilities."""
LEAST = 1e-4
"""The least probability of the truth that counts when the temper is fitted, so that no single match decides."""
DIGITS = 3


class Moves(msgspec.Struct):
    """All that the filter needs of one player in one match: a row per choice, a column per hypothesis."""

    likely: Floats
    """The probability with which each hypothesis would choose as the player did."""
    anything: Floats
    """The probability of the choice for a player who chooses at random."""
    strange: Floats
    """The probability of the choice for a stranger, as learned from the choices before it."""
    label: int
    """The number of the hypothesis that the player followed; the last means none of them."""
    left_out: "Moves | None" = None
    """The same without the hypothesis that the player followed."""


def train(model: StrategyFilter, records: Sequence[Record], rng: core.Rng, told: Told) -> TrainedModel:
    """The filter with maximum-likelihood parameters for the records."""
    games = {record.header.game: make_game(record.header.game) for record in records}
    strategies = {game: model.strategies or model.usual(made) for game, made in games.items()}
    for made in games.values():
        model.check_training(made)
    rows: list[Moves] = []
    total = len(records) + SWEEPS * len(PARAMETERS)
    stopped = False
    values = {name: float(getattr(model, name)) for name in PARAMETERS} | {TEMPER: 1.0}
    intervals: dict[str, tuple[float, float]] = {}
    try:
        for number, record in enumerate(records):
            rows += moves(record, games[record.header.game], strategies[record.header.game], model.depth)
            told(number + 1, total, "reading")
        table = Table(rows)
        for step in range(SWEEPS * len(PARAMETERS)):
            name = PARAMETERS[step % len(PARAMETERS)]
            values[name] = best(table.along(values, name), *table.range(name))
            told(len(records) + step + 1, total, f"log loss {table.loss(values) / table.decisions:.4f}")
        intervals = {name: interval(table, values, name) for name in PARAMETERS}
        mixed = Table([*rows, *(each.left_out for each in rows if each.left_out is not None)])
        if mixed.players > table.players:
            values[TEMPER] = best(mixed.identity_loss(values), SHYEST, 1.0)
    except KeyboardInterrupt:
        stopped = True
    values = {name: round_digits(value) for name, value in values.items()}
    found = StrategyFilter(**{**model.parameters(), **values})
    decisions = sum(len(each.anything) for each in rows)
    return TrainedModel(found, intervals, {"players": len(rows), "decisions": decisions}, stopped)


def moves(
    record: Record, game: core.Game, strategies: Sequence[core.Strategy], depth: int | None = None
) -> list[Moves]:
    """What every player of a match chose, and what every strategy, with search depth *depth*, would have done.

    What nobody chose is only seen: the strategies remember it.
    """
    labels = [str(spec_of(strategy)) for strategy in strategies]
    rng = np.random.default_rng(0)  # policies draw nothing
    copies = [[looking(strategy, depth).clone() for strategy in strategies] for _ in range(game.players)]
    for player, own in enumerate(copies):
        for copy in own:
            copy.begin(game, player, rng)
    truths = record.header.truths or [{} for _ in copies]
    true = [str(truth.get("strategy", UNKNOWN)) for truth in truths]
    followed = [labels.index(label) if label in labels else None for label in true]
    watched = [PlayerMoves(game, player, len(strategies), followed[player]) for player in range(game.players)]
    for moment in Replay(record, game=game).moments():
        event = moment.event
        if event is None:
            continue
        for player, action in event.choices():
            view = event.before.state.view(player)
            watched[player].add(view, action, [copy.policy(view) for copy in copies[player]])
        for player, own in enumerate(copies):
            seen = event.transition(player, ("trainer", player))
            for copy in own:
                copy.observe(seen)
            watched[player].observe(seen)
    return [each.moves() for each in watched if each.anything]


class PlayerMoves:
    """One player of a match: what they chose, and how likely that was by each strategy and by strangers."""

    def __init__(self, game: core.Game, player: int, strategies: int, followed: int | None) -> None:
        self.player, self.strategies, self.followed = player, strategies, followed
        self.strangers = [new_stranger(game, player, strategies)]
        if followed is not None and strategies > 1:
            self.strangers.append(new_stranger(game, player, strategies - 1))
        self.likely: list[list[float]] = []
        self.anything: list[float] = []
        self.strange: list[list[float]] = []

    def add(self, view: core.State, action: int, policies: list[core.Distribution]) -> None:
        """Take note of a choice, where the strategies would do this."""
        self.likely.append([policy.probability(action) for policy in policies])
        self.anything.append(1.0 / len(view.legal_actions(self.player)))
        others = [policy for number, policy in enumerate(policies) if number != self.followed]
        asked = zip(self.strangers, (policies, others), strict=False)
        self.strange.append([stranger.learn(view, action, known) for stranger, known in asked])

    def observe(self, transition: core.Transition) -> None:
        """Take note of an event."""
        for stranger in self.strangers:
            stranger.observe(transition)

    def moves(self) -> Moves:
        """All choices as arrays."""
        likely, anything, strange = np.array(self.likely), np.array(self.anything), np.array(self.strange)
        found = Moves(likely, anything, strange[:, 0], self.strategies if self.followed is None else self.followed)
        if len(self.strangers) > 1 and self.followed is not None:
            fewer = np.delete(likely, self.followed, axis=1)
            apart = np.abs(fewer - likely[:, [self.followed]]).mean(axis=0)
            if apart.min() < NEAR:
                return found
            found.left_out = Moves(fewer, anything, strange[:, 1], fewer.shape[1])
        return found


class Table:
    """All players' moves side by side, so that the filter runs over all of them at once."""

    def __init__(self, rows: Sequence[Moves]) -> None:
        rows = sorted(rows, key=lambda each: -len(each.anything))  # players with fewer moves come last
        self.players = len(rows)
        self.decisions = max(sum(len(each.anything) for each in rows), 1)
        longest = len(rows[0].anything)
        hypotheses = max(each.likely.shape[1] for each in rows)
        self.likely = np.zeros((longest, self.players, hypotheses))
        self.anything, self.strange = np.ones((longest, self.players)), np.ones((longest, self.players))
        self.known = np.zeros((self.players, hypotheses + 1))
        """1 for every hypothesis a player may have followed; the last column is for none of them."""
        self.label = np.zeros(self.players, dtype=np.int64)
        for number, each in enumerate(rows):
            count, width = each.likely.shape
            self.likely[:count, number, :width] = each.likely
            self.anything[:count, number], self.strange[:count, number] = each.anything, each.strange
            self.known[number, :width] = 1.0 / width
            self.label[number] = each.label if each.label < width else hypotheses
        self.lengths = np.array([len(each.anything) for each in rows])
        self.moving = [int((self.lengths > step).sum()) for step in range(longest)]

    def range(self, name: str) -> tuple[float, float]:
        """The range of a parameter: from what the data cannot tell from 0, to where the filter stops filtering."""
        return 0.5 / (self.players if name == "unknown" else self.decisions), 0.9 if name == "unknown" else 0.5

    def loss(self, values: dict[str, float], cautious: bool = False) -> float:
        """The negative log-likelihood of all chosen moves, and of who made them.

        If *cautious*, strangers and chance count as they do in the filter's predictions; that would not tell shares.
        """
        caution = caution_of(values["unknown"]) if cautious else 1.0
        chance = np.full(self.players, CHANCE if cautious and values["unknown"] > 0.0 else 0.0)
        loss, last = 0.0, self.known
        for step, held, likely, posterior in self.steps(values):
            expected, last = held.copy(), posterior
            expected[:, -1] *= caution
            trusted = (expected * likely).sum(axis=1) / expected.sum(axis=1)
            moving = len(held)
            even = (1.0 - RELEASED) * chance[:moving]  # as in `Trust`
            mixed = (1.0 - even) * trusted + even * self.anything[step, :moving]
            chance[:moving] = even * self.anything[step, :moving] / mixed
            loss -= float(np.log(mixed).sum())
        true = last[np.arange(self.players), self.label]
        return loss - float(np.log(np.maximum(true, 1e-300)).sum())

    def identity_loss(self, values: dict[str, float]) -> Callable[[float], float]:
        """As a function of the temper: how little the filter believed the truth, over all moments of all matches.

        Matches count alike, however long they are, and so do players who follow a known strategy and strangers.
        """
        known = self.label < self.known.shape[1] - 1
        weight = np.where(known, 1.0 / max(known.sum(), 1), 1.0 / max((~known).sum(), 1)) / self.lengths

        def loss(temper: float) -> float:
            found = 0.0
            for step, _, _, posterior in self.steps({**values, "unknown": 0.5, TEMPER: temper}):
                moving = np.arange(self.moving[step])
                true = posterior[moving, self.label[moving]]
                found -= float(weight[moving] @ np.log(np.maximum(true, LEAST)))
            return found

        return loss

    def steps(self, values: dict[str, float]) -> Iterator[tuple[int, Floats, Floats, Floats]]:
        """Run the filter: for each choice its number, the belief before it, the likelihoods, and all beliefs after."""
        noise, drift, temper = values["noise"], values["drift"], values[TEMPER]
        prior = self.known * (1.0 - values["unknown"])
        prior[:, -1] = values["unknown"]
        posterior = prior.copy()
        for step, count in enumerate(self.moving):
            slip, strange = noise * self.anything[step, :count, None], self.strange[step, :count, None]
            held = (1.0 - drift) * posterior[:count] + drift * prior[:count]
            likely = np.concatenate([(1.0 - noise) * self.likely[step, :count] + slip, strange], axis=1)
            weighed = held * (likely if temper == 1.0 else likely**temper)
            posterior[:count] = weighed / weighed.sum(axis=1, keepdims=True)
            yield step, held, likely, posterior

    def along(self, values: dict[str, float], name: str) -> Callable[[float], float]:
        """The loss as a function of one parameter, with the others fixed."""
        others = dict(values)
        return lambda value: self.loss({**others, name: value})


def best(loss: Callable[[float], float], low: float, high: float) -> float:
    """The minimum of *loss* between *low* and *high*: first on a coarse logarithmic grid, then by golden section."""
    grid = np.linspace(log(low), log(high), COARSE)
    losses = [loss(float(np.exp(place))) for place in grid]
    middle = int(np.argmin(losses))
    start, end = float(grid[max(middle - 1, 0)]), float(grid[min(middle + 1, COARSE - 1)])
    inner = [end - GOLDEN * (end - start), start + GOLDEN * (end - start)]
    values = [loss(float(np.exp(place))) for place in inner]
    for _ in range(FINE):
        if values[0] <= values[1]:
            end, inner[1], values[1] = inner[1], inner[0], values[0]
            inner[0] = end - GOLDEN * (end - start)
            values[0] = loss(float(np.exp(inner[0])))
        else:
            start, inner[0], values[0] = inner[0], inner[1], values[1]
            inner[1] = start + GOLDEN * (end - start)
            values[1] = loss(float(np.exp(inner[1])))
    found = [*zip(losses, grid.tolist(), strict=True), *zip(values, inner, strict=True)]
    return float(np.exp(min(found)[1]))


def interval(table: Table, values: dict[str, float], name: str) -> tuple[float, float]:
    """The values of one parameter, with the others fixed, that a likelihood ratio test does not reject."""
    low, high = table.range(name)
    allowed = table.loss(values) + CHI_SQUARE / 2.0

    loss = table.along(values, name)

    def fits(place: float) -> bool:
        return loss(float(np.exp(place))) <= allowed

    ends = []
    for limit in (log(low), log(high)):
        inside, outside = log(values[name]), limit
        if fits(limit):
            inside = limit
        else:
            for _ in range(FINE):
                middle = (inside + outside) / 2.0
                inside, outside = (middle, outside) if fits(middle) else (inside, middle)
        ends.append(round_digits(float(np.exp(inside))))
    return ends[0], ends[1]


def round_digits(value: float) -> float:
    """A value rounded to the digits worth writing."""
    return float(f"{value:.{DIGITS}g}")
