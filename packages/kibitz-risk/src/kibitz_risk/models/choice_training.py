"""Trains `risk.choice`: how a population of players chooses orders, and how evidence scores cards.

All is maximum likelihood. Many games teach how players differ, too: each game's own weights are fitted, held to the
population, and the population follows from them (`population`). Few games only move what training begins with, as far
as leaving them out in turn shows that this helps, and their evidence is weighed by what the other games teach, so that
cards are not judged by orders that were learned by heart.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from scipy.optimize import minimize

from kibitz import core
from kibitz.core.errors import BadExamples
from kibitz.core.records import Record
from kibitz.core.registry import make_game
from kibitz_lab.learn.assignment import assignments
from kibitz_lab.models.training import Told, TrainedModel
from kibitz_risk.models.choice import RULED_OUT, Choice, ChoiceParameters, Inference, card_features, write_parameters
from kibitz_risk.models.decisions import Habits
from kibitz_risk.models.evidence import certainty_of
from kibitz_risk.models.features import Floats, Ints
from kibitz_risk.models.population import fitted_population, fitted_traits, fitted_ways, moved_population
from kibitz_risk.models.training_games import TrainingGame, training_game_of

CARD_PULL, CARD_PULLS = 1.0, (0.1, 0.3, 1.0, 3.0)
"""How strongly weights of cards are held to those that training began with: with many games, and with few any."""
FEW = 30
"""With fewer games, each is judged by what the others teach."""
ITERATIONS = 60


class LearnedChoice:
    """What was learned, to be stored in a file of its own (`kibitz_lab.models.training.ParameterFile`)."""

    def __init__(self, found: ChoiceParameters) -> None:
        self.found = found

    def reader(self, path: Path) -> Choice:
        """The model that reads the file."""
        return Choice(trained=str(path))

    def write(self, path: Path, made: dict[str, Any]) -> None:
        """Write the file, with how it was made."""
        write_parameters(msgspec.structs.replace(self.found, made=made), path)


def train(model: Choice, records: Sequence[Record], rng: core.Rng, told: Told) -> TrainedModel:
    """The parameters that *records* teach, beginning with those of the model; games may differ in players and maps."""
    for game in dict.fromkeys(record.header.game for record in records):
        model.check_training(make_game(game))
    lessons: list[TrainingGame] = []
    stopped, cut = False, 0
    try:
        for number, record in enumerate(records, 1):
            lesson = training_game_of(record)
            lessons += [lesson] if lesson is not None else []
            cut += record.ending is None or record.ending.reason != "terminal"
            told(number, len(records) + 1, "reading")
    except KeyboardInterrupt:  # learn from what was read by then
        if not lessons:
            raise
        stopped = True
    found = fit_parameters(lessons, model.begun_with(), rng)
    told(len(records) + 1, len(records) + 1, "fitted")
    trained = Choice(joint=model.joint, rules_out=model.rules_out, adaptive=model.adaptive)
    trained.preset = found
    figures = {"lessons": len(lessons), "cut": cut}
    notes = (f"{cut} of {len(records)} games were cut before their end, and count up to there",) if cut else ()
    return TrainedModel(trained, learned=LearnedChoice(found), figures=figures, stopped=stopped, notes=notes)


def fit_parameters(lessons: Sequence[TrainingGame], begun_with: ChoiceParameters, rng: core.Rng) -> ChoiceParameters:
    """The parameters that training games teach."""
    if not any(lesson.decisions for lesson in lessons):
        raise BadExamples("training", "no record holds an order of a player whose mission is known")
    learned = fitted_choices(lessons, begun_with, rng)
    examples = examples_of(lessons, begun_with, learned, rng)
    begun = np.array(begun_with.cards)
    cards = held_cards(examples, begun, chosen_pull(examples, begun))
    return msgspec.structs.replace(learned, cards=cards.tolist(), habits=fitted_habits(lessons))


def fitted_choices(lessons: Sequence[TrainingGame], begun_with: ChoiceParameters, rng: core.Rng) -> ChoiceParameters:
    """How players choose orders and how they differ; of few games, only the former."""
    if len(lessons) < FEW:
        return moved_population(lessons, begun_with)
    return fitted_traits(lessons, fitted_ways(lessons, fitted_population(lessons, begun_with, rng)), rng)


def examples_of(
    lessons: Sequence[TrainingGame], begun_with: ChoiceParameters, learned: ChoiceParameters, rng: core.Rng
) -> list["Examples"]:
    """The games as the weights of cards see them, by what was *learned* of orders; of few, by what the others teach."""
    if not 1 < len(lessons) < FEW:
        return [Examples.of(lesson, learned) for lesson in lessons]
    return [
        Examples.of(lesson, fitted_choices([*lessons[:number], *lessons[number + 1 :]], begun_with, rng))
        for number, lesson in enumerate(lessons)
    ]


class Examples(NamedTuple):
    """The moments of one game as the weights of cards see them."""

    features: Floats
    """Of moments by players by cards."""
    ruled_out: Floats
    missions: Ints

    @classmethod
    def of(cls, lesson: TrainingGame, learned: ChoiceParameters) -> "Examples":
        """Follow a game again, weighing its decisions with these parameters."""
        inferred = Inference(learned, lesson.players, lesson.cards)
        found, done = [], 0
        for moment in lesson.moments:
            for decision in lesson.decisions[done : moment.decisions]:
                inferred.weigh(decision)
            done = moment.decisions
            inferred.evidence.turns = moment.turns
            features, shown = card_features(moment.standing, inferred.evidence)
            found.append((certainty_of(shown, np.array(learned.certainty)) * features).astype(np.float32))
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


def chosen_pull(examples: Sequence[Examples], begun_with: Floats) -> float:
    """How strongly weights are held: with few games, so that the others predict each best."""
    if not 1 < len(examples) < FEW:
        return CARD_PULL

    def loss(pull: float) -> float:
        total = 0.0
        for number, example in enumerate(examples):
            others = [*examples[:number], *examples[number + 1 :]]
            total += example.loss(example.scores(held_cards(others, begun_with, pull)))
        return total

    return min(CARD_PULLS, key=loss)


def held_cards(examples: Sequence[Examples], begun_with: Floats, pull: float) -> Floats:
    """The weights under which the true deals are likeliest, held to those that training begins with."""
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
            cost += float(totals.sum() - example.of_truth(scores).sum())
            held_to = example.of_truth(example.features).sum(axis=(0, 1))
            slope += np.tensordot(shares, example.features, 3) - held_to
        moved = scaled - start
        held = strength * float((moved**2).sum())
        return cost / told + held, slope / spread / told + 2.0 * strength * moved

    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": ITERATIONS})
    return np.asarray(found.x / spread, np.float64)


def fitted_habits(lessons: Sequence[TrainingGame]) -> Habits:
    """How often players did the usual thing, neither always nor never."""
    counts = np.sum([lesson.habits for lesson in lessons], axis=0) + 1.0
    rates = (counts[:, 0] / counts.sum(axis=1)).tolist()
    return Habits(end_attack=rates[0], stay=rates[1], plainly=rates[2])
