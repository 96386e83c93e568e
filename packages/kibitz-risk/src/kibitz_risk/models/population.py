"""Fits how a population of players chooses orders, and how its players differ: the prior of the choice model."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from scipy.optimize import minimize

from kibitz import core
from kibitz_lab.learn.assignment import assignments, log_shares
from kibitz_risk.models.choice import ChoiceParameters, Inference
from kibitz_risk.models.decisions import KINDS
from kibitz_risk.models.evidence import LEVELS, STRENGTHS, WAYS
from kibitz_risk.models.features import ABOUT_MISSION, CAMPAIGNS, FEATURES, FREE, Floats, Ints
from kibitz_risk.models.training_games import TrainingGame

PULL, PULL_BLANK = 30.0, 1.0
"""How strongly few games are held to the weights that training began with, and to 0 where those are blank."""
ROUNDS = 2
"""How often the weights of games and those of the population follow from each other."""
LEAST_SPREAD = 0.2
"""The least spread of a weight, as no training games have all players there are."""
UNSEEN_LEVELS = 0.2
"""How much of the probability is spread evenly over all levels, as no training games have all players there are."""
PLANNED = 3.0
"""How much the plan of a campaigner counts, at first, in the way of those who follow it."""
WAY_ROUNDS = 2
"""How often the ways of following a card and the games that show them follow from each other."""
LEVEL_ROUNDS = 10
"""How often the players' levels and how likely each is follow from each other."""
SEARCHED = 60
"""How many games, drawn at random, decide about traits."""
ITERATIONS = 25
TRIED = {
    "alike": (0.3, 0.6, 0.8, 0.95),
    "strays": (0.02, 0.05, 0.15, 0.3),
    "trust": (0.2, 0.35, 0.5, 0.7, 1.0),
    "company": (0.2, 0.5, 0.8),
}
"""The values that are tried of each trait."""


class Orders(NamedTuple):
    """Decisions of one kind with the features of their true missions, the options of all of them in rows."""

    options: Floats
    starts: Ints
    sizes: Ints
    taken: Ints

    @classmethod
    def of(cls, lessons: Sequence[TrainingGame], kind: int) -> "Orders | None":
        """The decisions of some games; None if there are none."""
        found = [
            (each.features[lesson.missions[each.player]], each.chosen)
            for lesson in lessons
            for each in lesson.decisions
            if each.kind == kind
        ]
        if not found:
            return None
        sizes = np.array([len(features) for features, _ in found])
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        options = np.concatenate([features for features, _ in found]).astype(np.float64)
        return cls(options, starts, sizes, starts + np.array([chosen for _, chosen in found]))

    def cost(self, weights: Floats) -> tuple[float, Floats, Floats]:
        """How surprising the choices are with these weights, its slope, and how likely each option is."""
        scores = self.options @ weights
        scores -= np.repeat(np.maximum.reduceat(scores, self.starts), self.sizes)
        probabilities = np.exp(scores)
        totals = np.add.reduceat(probabilities, self.starts)
        probabilities /= np.repeat(totals, self.sizes)
        slope = probabilities @ self.options - self.options[self.taken].sum(axis=0)
        return float(np.log(totals).sum() - scores[self.taken].sum()), slope, probabilities

    def curvature(self, weights: Floats) -> Floats:
        """The second derivative of the cost, its diagonal."""
        _, _, probabilities = self.cost(weights)
        means = np.add.reduceat(self.options * probabilities[:, None], self.starts)
        return np.asarray((self.options**2 * probabilities[:, None]).sum(axis=0) - (means**2).sum(axis=0), np.float64)


def fitted_weights(orders: Orders, center: Floats, precision: Floats) -> Floats:
    """The weights under which choices are likeliest, held to a *center* as its *precision* says."""

    def loss(weights: Floats) -> tuple[float, Floats]:
        cost, slope, _ = orders.cost(weights)
        moved = weights - center
        return cost + 0.5 * float(precision @ moved**2), slope + precision * moved

    found = minimize(loss, center, jac=True, method="L-BFGS-B", options={"maxiter": ITERATIONS})
    return np.asarray(found.x, np.float64)


def moved_population(lessons: Sequence[TrainingGame], begun_with: ChoiceParameters) -> ChoiceParameters:
    """A population moved by few games; how players differ stays the same."""
    weights = np.array(begun_with.orders)
    for kind in range(len(KINDS)):
        orders = Orders.of(lessons, kind)
        if orders is not None:
            pull = PULL if weights[kind].any() else PULL_BLANK
            weights[kind] = fitted_weights(orders, weights[kind], np.full(len(FEATURES), 2.0 * pull))
    return msgspec.structs.replace(begun_with, orders=weights.tolist())


def fitted_population(lessons: Sequence[TrainingGame], begun_with: ChoiceParameters, rng: core.Rng) -> ChoiceParameters:
    """The means and spreads of weights over games: each game's own follow from them, and they from those.

    What follows from a mission is fitted with the weights of places that each game has by itself, so that habits of
    some games are not taken for what missions ask.
    """
    weights, spreads, _ = begun_with.arrays()
    for kind in range(len(KINDS)):
        games = [orders for lesson in lessons if (orders := Orders.of([lesson], kind)) is not None]
        for _ in range(ROUNDS if games else 0):
            weights[kind], spreads[kind] = population_step(games, weights[kind], spreads[kind])
    return msgspec.structs.replace(begun_with, orders=weights.tolist(), spreads=spreads.tolist())


def fitted_ways(lessons: Sequence[TrainingGame], learned: ChoiceParameters) -> ChoiceParameters:
    """The weights of every way of following a card, for each kind of order by itself."""
    orders, spreads, _ = learned.arrays()
    ways = np.stack([orders[:, :FREE]] * WAYS)
    for kind in range(len(KINDS)):
        decisions = (Orders.of([lesson], kind) for lesson in lessons)
        games = [GameOrders.of(each, orders[kind], spreads[kind]) for each in decisions if each is not None]
        if games:
            ways[:, kind] = shown_ways(games, orders[kind, :FREE])
    orders[:, :FREE] = ways[0]
    return msgspec.structs.replace(learned, orders=orders.tolist(), other_ways=ways[1:].tolist())


class GameOrders(NamedTuple):
    """The decisions of one kind in a game, and the weights of places that explain them."""

    orders: Orders
    places: Floats
    own_cost: float
    """How surprising the choices are with weights of missions of the game's own."""

    @classmethod
    def of(cls, orders: Orders, center: Floats, spread: Floats) -> "GameOrders":
        """The decisions of a game, and the weights that are fitted to it, held to those of the population."""
        own = fitted_weights(orders, center, np.concatenate([np.ones(FREE), 1.0 / spread**2]))
        return cls(orders, own[FREE:], orders.cost(own)[0])

    def cost(self, missions: Floats) -> tuple[float, Floats]:
        """How surprising the choices are with these weights of missions, and its slope."""
        cost, slope, _ = self.orders.cost(np.concatenate([missions, self.places]))
        return cost, slope[:FREE]

    def best(self, ways: Floats) -> tuple[float, int, float]:
        """The way and the strength that explain the game best: how surprising it then is, and both."""
        return min(
            (self.cost(strength * weights)[0], number, strength)
            for number, weights in enumerate(ways)
            for strength in STRENGTHS
        )

    def gap(self, ways: Floats) -> float:
        """How much worse than weights of its own the ways explain the game, for each decision."""
        return (self.best(ways)[0] - self.own_cost) / len(self.orders.sizes)


def shown_ways(games: Sequence[GameOrders], usual: Floats) -> Floats:
    """The ways of following a card that games show: each shows the one that explains it best, at some strength.

    At first each shows the *usual* one or follows the plan of a campaigner, by the weight of its card. Then those that
    the ways so far explain worst, compared with weights of their own, show a new one, until there are WAYS.
    """
    planned = PLANNED * np.array([[float(name == feature) for name in ABOUT_MISSION] for feature in CAMPAIGNS])
    ways = np.concatenate([usual[None], planned])
    while len(ways) < WAYS:
        best = [game.best(ways) for game in games]
        shown, strengths = (np.array([each[place] for each in best]) for place in (1, 2))
        worst = np.argsort([game.gap(ways) for game in games])
        shown[worst[-max(1, len(games) // (len(ways) + 1)) :]] = len(ways)
        ways = np.concatenate([ways, usual[None]])
        for _ in range(WAY_ROUNDS):
            for way in range(len(ways)):
                some = [games[each] for each in np.flatnonzero(shown == way).tolist()]
                ways[way] = way_weights(some, strengths[shown == way], ways[way])
            best = [game.best(ways) for game in games]
            shown, strengths = (np.array([each[place] for each in best]) for place in (1, 2))
    return ways


def way_weights(games: Sequence[GameOrders], strengths: Floats, begun_with: Floats) -> Floats:
    """What follows from a mission in some games, each with its own weights of places and its strength."""
    if not games:
        return begun_with

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, slope = PULL_BLANK * float((weights**2).sum()), 2.0 * PULL_BLANK * weights
        for game, strength in zip(games, strengths, strict=True):
            cost, more = game.cost(strength * weights)
            total, slope = total + cost, slope + strength * more
        return total, slope

    found = minimize(loss, begun_with, jac=True, method="L-BFGS-B", options={"maxiter": ITERATIONS})
    return np.asarray(found.x, np.float64)


def population_step(games: Sequence[Orders], center: Floats, spread: Floats) -> tuple[Floats, Floats]:
    """One round: the weights of each game, and the population that follows from them."""
    about_mission = np.arange(len(center)) < FREE
    precision = np.where(about_mission, 1e6, 0.0)
    precision[FREE:] = 1.0 / spread**2
    own = np.array([fitted_weights(each, center, precision) for each in games])
    unsure = np.array([1.0 / (each.curvature(found) + precision) for each, found in zip(games, own, strict=True)])
    mean = own.mean(axis=0)
    spread = np.sqrt(((own - mean) ** 2 + unsure).mean(axis=0))[FREE:]
    places = [GameOrders(orders, weights[FREE:], 0.0) for orders, weights in zip(games, own, strict=True)]
    mean[:FREE] = way_weights(places, np.ones(len(games)), own[0, :FREE])
    return mean, np.maximum(spread, LEAST_SPREAD)


def fitted_traits(lessons: Sequence[TrainingGame], learned: ChoiceParameters, rng: core.Rng) -> ChoiceParameters:
    """The traits with which the decisions and cards of some of the games are likeliest, found one after the other."""
    chosen = [lessons[number] for number in sorted(rng.permutation(len(lessons))[:SEARCHED].tolist())]
    found = with_traits(learned, levels=fitted_levels(chosen, learned))
    for name, values in TRIED.items():
        trials = {value: trial_loss(chosen, with_traits(found, **{name: value})) for value in values}
        place = 0 if name in ("alike", "strays") else 1  # traits of choices are judged by decisions, all else by cards
        found = with_traits(found, **{name: min(values, key=lambda value: trials[value][place])})
    return found


def with_traits(learned: ChoiceParameters, **traits: object) -> ChoiceParameters:
    """Parameters with other traits."""
    return msgspec.structs.replace(learned, traits=msgspec.structs.replace(learned.traits, **traits))


def fitted_levels(lessons: Sequence[TrainingGame], learned: ChoiceParameters) -> tuple[tuple[float, ...], ...]:
    """How likely each level is, by the kind of order, over the players of some games, who follow the card they hold."""
    logs = []
    for lesson in lessons:
        inferred = Inference(learned, lesson.players, lesson.cards)
        for decision in lesson.decisions:
            inferred.weigh(decision)
        logs += [inferred.evidence.logs[player, :, card] for player, card in enumerate(lesson.missions)]
    likelihoods, probabilities = np.array(logs), np.array(learned.traits.levels)
    for _ in range(LEVEL_ROUNDS):
        posterior = np.exp(log_shares(likelihoods + np.log(probabilities)))
        probabilities = (1.0 - UNSEEN_LEVELS) * posterior.mean(axis=0) + UNSEEN_LEVELS / len(LEVELS)
    return tuple(map(tuple, probabilities.tolist()))


def trial_loss(lessons: Sequence[TrainingGame], learned: ChoiceParameters) -> tuple[float, float]:
    """How surprising decisions are, and the true deals by the evidence alone."""
    surprise, loss = 0.0, 0.0
    for lesson in lessons:
        inferred, done = Inference(learned, lesson.players, lesson.cards), 0
        for moment in lesson.moments[:: len(lesson.moments) // 4]:
            for decision in lesson.decisions[done : moment.decisions]:
                surprise -= float(np.log(inferred.weigh(decision)[1]))
            done = moment.decisions
            scores = inferred.evidence.features()[0][None, :, :, 0]
            truth = scores[0, np.arange(lesson.players), list(lesson.missions)].sum()
            loss += float(assignments(scores)[1].sum() - truth)
    return surprise, loss
