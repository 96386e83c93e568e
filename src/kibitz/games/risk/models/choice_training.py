"""Trains `risk.choice`: how orders are chosen, from all orders of known missions, and how evidence scores cards.

Both are maximum likelihood, held to the parameters that training begins with: a large corpus overrules them, a small
one adapts them. Leaving out its games in turn finds how strongly a small one is held, and its evidence is weighed
by what the other games teach about orders, so that cards are not judged by orders that were learned by heart.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from scipy.optimize import minimize

from kibitz import core
from kibitz.core.abilities.trainer import Told, TrainedModel
from kibitz.core.errors import BadExamples
from kibitz.core.records import Record
from kibitz.core.registry import make_game
from kibitz.games.risk.models.arrays import Floats, Ints
from kibitz.games.risk.models.choice import RULED_OUT, Choice, card_features, choice_logs
from kibitz.games.risk.models.choice_parameters import ChoiceParameters, write_parameters
from kibitz.games.risk.models.decisions import Decision
from kibitz.games.risk.models.evidence import Evidence
from kibitz.games.risk.models.order_features import FREE
from kibitz.games.risk.models.orders import KINDS, Habits
from kibitz.games.risk.models.training_games import TrainingGame, training_game_of
from kibitz.learn.assignment import assignments

ENOUGH = 50_000
"""How many orders of each kind to learn from; where there are more, some are drawn."""
PULL, PULL_BLANK = 30.0, 1.0
"""How strongly weights of orders are held to those that training began with, and to 0 where those are blank."""
CARD_PULL, CARD_PULLS = 1.0, (0.1, 0.3, 1.0, 3.0)
"""The same for the weights of cards, by the number of games: of many, and those that few may choose from."""
FEW = 30
"""With fewer games, each is judged by what the others teach."""
ITERATIONS = 60


class LearnedChoice:
    """What was learned, to be stored in a file of its own (`core.abilities.trainer.ParameterFile`)."""

    def __init__(self, found: ChoiceParameters) -> None:
        self.found = found

    def reader(self, path: Path) -> Choice:
        """The model that reads the file."""
        return Choice(trained=str(path))

    def write(self, path: Path, made: dict[str, Any]) -> None:
        """Write the file, with how it was made."""
        write_parameters(msgspec.structs.replace(self.found, made=made), path)


def train(model: Choice, records: Sequence[Record], rng: core.Rng, told: Told) -> TrainedModel:
    """The parameters that *records* teach, beginning with those of the model."""
    for record in records[:1]:  # all are of one game
        model.check_training(make_game(record.header.game))
    lessons: list[TrainingGame] = []
    stopped = False
    try:
        for number, record in enumerate(records, 1):
            lesson = training_game_of(record)
            lessons += [lesson] if lesson is not None else []
            told(number, len(records) + 1, "reading")
    except KeyboardInterrupt:  # learn from what was read by then
        if not lessons:
            raise
        stopped = True
    found = fit_parameters(lessons, model.begun_with(), rng)
    told(len(records) + 1, len(records) + 1, "fitted")
    trained = Choice(joint=model.joint, rules_out=model.rules_out, adaptive=model.adaptive, wary=model.wary)
    trained.preset = found
    return TrainedModel(trained, learned=LearnedChoice(found), figures={"lessons": len(lessons)}, stopped=stopped)


def fit_parameters(lessons: Sequence[TrainingGame], begun_with: ChoiceParameters, rng: core.Rng) -> ChoiceParameters:
    """The parameters that training games teach."""
    if not any(lesson.decisions for lesson in lessons):
        raise BadExamples("training", "no record holds an order of a player whose mission is known")
    orders, free = fitted_choices(lessons, begun_with, rng)
    examples = examples_of(lessons, begun_with, (orders, free), rng)
    cards = fitted_cards(examples, np.array(begun_with.cards))
    return ChoiceParameters(orders.tolist(), free.tolist(), cards.tolist(), fitted_habits(lessons))


def fitted_choices(
    lessons: Sequence[TrainingGame], begun_with: ChoiceParameters, rng: core.Rng
) -> tuple[Floats, Floats]:
    """The weights of orders, with a mission and without any."""
    orders, free, _ = begun_with.arrays()
    for kind in range(len(KINDS)):
        chosen = sample_decisions(lessons, kind, rng)
        if chosen:
            orders[kind] = fitted_orders([(each.features[card], each.chosen) for each, card in chosen], orders[kind])
            free[kind] = fitted_orders([(each.features[0, :, FREE:], each.chosen) for each, _ in chosen], free[kind])
    return orders, free


def examples_of(
    lessons: Sequence[TrainingGame], begun_with: ChoiceParameters, learned: tuple[Floats, Floats], rng: core.Rng
) -> list["Examples"]:
    """The games as the weights of cards see them, by what was *learned* of orders; of few, by what the others teach."""
    if not 1 < len(lessons) < FEW:
        return [Examples.of(lesson, *learned) for lesson in lessons]
    return [
        Examples.of(lesson, *fitted_choices([*lessons[:number], *lessons[number + 1 :]], begun_with, rng))
        for number, lesson in enumerate(lessons)
    ]


def sample_decisions(lessons: Sequence[TrainingGame], kind: int, rng: core.Rng) -> list[tuple[Decision, int]]:
    """Decisions of one kind, each with the card of the player."""
    found = [
        (each, lesson.missions[each.player]) for lesson in lessons for each in lesson.decisions if each.kind == kind
    ]
    return [found[place] for place in sorted(rng.permutation(len(found))[:ENOUGH].tolist())]


def fitted_orders(chosen: Sequence[tuple[Floats, int]], begun_with: Floats) -> Floats:
    """The weights under which these choices are likeliest, each the features of all options and what was chosen."""
    options = np.concatenate([features for features, _ in chosen]).astype(np.float64)
    sizes = np.array([len(features) for features, _ in chosen])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    taken = starts + np.array([place for _, place in chosen])
    observed = options[taken].sum(axis=0)
    pull = PULL if begun_with.any() else PULL_BLANK

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = options @ weights
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        shares = np.exp(scores)
        totals = np.add.reduceat(shares, starts)
        moved = weights - begun_with
        expected = (shares / np.repeat(totals, sizes)) @ options
        cost = np.log(totals).sum() - scores[taken].sum() + pull * (moved**2).sum()
        return float(cost), expected - observed + 2.0 * pull * moved

    found = minimize(loss, begun_with, jac=True, method="L-BFGS-B", options={"maxiter": ITERATIONS})
    return np.asarray(found.x, np.float64)


class Examples(NamedTuple):
    """The moments of one game as the weights of cards see them."""

    features: Floats
    """Of moments by players by cards."""
    ruled_out: Floats
    missions: Ints

    @classmethod
    def of(cls, lesson: TrainingGame, orders: Floats, free: Floats) -> "Examples":
        """Follow a game again, weighing its decisions with these weights."""
        tally = Evidence(lesson.players, lesson.cards)
        found, done = [], 0
        for moment in lesson.moments:
            for decision in lesson.decisions[done : moment.decisions]:
                logs, without = choice_logs(decision, orders, free)
                tally.add(decision.player, decision.kind, logs, without)
            done = moment.decisions
            tally.turns = moment.turns
            found.append(card_features(moment.standing, tally))
        ruled_out = RULED_OUT * np.array([moment.ruled_out for moment in lesson.moments])
        return cls(np.array(found), ruled_out, np.array(lesson.missions))

    def scores(self, weights: Floats) -> Floats:
        """The score of every moment, player and card."""
        return np.asarray(self.features @ weights + self.ruled_out, np.float64)

    def loss(self, scores: Floats) -> float:
        """How surprising the true deal is with these scores, added up over all moments."""
        return float(assignments(scores)[1].sum() - self.of_truth(scores).sum())

    def of_truth(self, values: Floats) -> Floats:
        """What is true of *values* for every moment, player and card: of moments by players."""
        return np.asarray(values[:, np.arange(len(self.missions)), self.missions], np.float64)


def fitted_cards(examples: Sequence[Examples], begun_with: Floats, used: Floats | None = None) -> Floats:
    """The weights under which the true deals are likeliest, cards being distinct; *used* is 0 for those that stay 0."""
    kept = np.ones(len(begun_with)) if used is None else used
    return held_cards(examples, begun_with * kept, kept, chosen_pull(examples, begun_with * kept, kept))


def chosen_pull(examples: Sequence[Examples], begun_with: Floats, kept: Floats) -> float:
    """How strongly weights are held: with few games, so that the others predict each best."""
    if not 1 < len(examples) < FEW:
        return CARD_PULL

    def loss(pull: float) -> float:
        total = 0.0
        for number, example in enumerate(examples):
            others = [*examples[:number], *examples[number + 1 :]]
            total += example.loss(example.scores(held_cards(others, begun_with, kept, pull)))
        return total

    return min(CARD_PULLS, key=loss)


def held_cards(examples: Sequence[Examples], begun_with: Floats, kept: Floats, pull: float) -> Floats:
    """The weights of cards, held to those that training begins with; where *kept* is 0 they stay as they are."""
    if not examples:
        return begun_with
    every = np.concatenate([example.features.reshape(-1, len(begun_with)) for example in examples])
    spread = every.std(axis=0) + 1e-3
    told = sum(example.ruled_out.shape[0] * example.ruled_out.shape[1] for example in examples)
    start, strength = begun_with * spread, pull / len(examples)

    def loss(scaled: Floats) -> tuple[float, Floats]:
        cost, slope = 0.0, np.zeros(len(scaled))
        for example in examples:
            scores = example.scores(scaled / spread)
            shares, totals = assignments(scores)
            cost += totals.sum() - example.of_truth(scores).sum()
            slope += np.tensordot(shares, example.features, 3) - example.of_truth(example.features).sum(axis=(0, 1))
        moved = scaled - start
        held = strength * float((moved**2).sum())
        return cost / told + held, kept * (slope / spread / told + 2.0 * strength * moved)

    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": ITERATIONS})
    return np.asarray(found.x / spread, np.float64)


def fitted_habits(lessons: Sequence[TrainingGame]) -> Habits:
    """How often players did the usual thing, neither always nor never."""
    counts = np.sum([lesson.habits for lesson in lessons], axis=0) + 1.0
    rates = (counts[:, 0] / counts.sum(axis=1)).tolist()
    return Habits(end_attack=rates[0], stay=rates[1], plainly=rates[2])
