"""The scores of all models on the strangers of one game: by player, over all players, and how sure they were."""

from collections.abc import Callable, Sequence
from statistics import fmean

import msgspec
import numpy as np

from kibitz_lab.arena.executors import Executor, make_executor
from kibitz_lab.arena.scoring.calibration import Calibration, calibration
from kibitz_lab.arena.scoring.resampling import Resampling
from kibitz_lab.arena.scoring.strangers.matches import AS_NAMED, EVEN, KNOWN, MatchPlan
from kibitz_lab.arena.scoring.strangers.players import (
    PlayerScores,
    Watched,
    accepted_labels,
    near_labels,
    player_scores,
    single_losses,
    watched_players,
)
from kibitz_lab.arena.scoring.strangers.watching import ModelAnswers, PlayerSheet, watch_player
from kibitz_lab.arena.statistics import Estimate
from kibitz_lab.arena.statistics.intervals import Floats

SURE, LEVEL = 0.95, 0.95
"""The confidence from which answers count as sure, and the level of all intervals."""


class ModelOnStrangers(msgspec.Struct, frozen=True):
    """One model on all players. Means over strangers weigh every player alike; their intervals are over players."""

    model: str
    players: list[PlayerScores]
    log_loss: Estimate | None
    """The mean over strangers."""
    uniform: Estimate | None
    gain: Estimate | None
    """Log loss less that of a uniform prediction."""
    single_gain: Estimate | None
    """Log loss less that of the single strategy that is best for all strangers together."""
    single_name: str
    single_slip: float | None
    """That strategy, and its slip, both chosen in hindsight."""
    mixed: dict[int, Calibration]
    """The calibration of identity by opening: known and strangers half and half, prior of `unknown` one half.

    An opening after which the players have no choice left is not in it.
    """
    known: dict[int, Calibration]
    """The same of known players only, with the model as it was named."""
    sure: Estimate | None
    """How often answers with a confidence of at least SURE are right, in the mix, over all openings."""
    error: str = ""
    """The first error that the model raised."""


class StrangerScores(msgspec.Struct, frozen=True):
    """The scores of all models on one game."""

    game: str
    strangers: str
    """The name of the set."""
    matches: int
    openings: list[int]
    known: list[str]
    models: list[ModelOnStrangers]
    faults: dict[str, int]
    """The players who made faults, with their number."""
    notes: list[str]
    level: float


def stranger_scores(
    plan: MatchPlan,
    *,
    strangers: str = "named",
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> StrangerScores:
    """Play and watch all matches of a plan, and sum up."""
    sheets = (executor or make_executor("inline")).results(watch_player, plan.tasks, progress)
    return scores_of_sheets(plan, sheets, strangers=strangers)


def scores_of_sheets(plan: MatchPlan, sheets: Sequence[PlayerSheet], *, strangers: str = "named") -> StrangerScores:
    """The scores from the sheets of all matches."""
    faults: dict[str, int] = {}
    for sheet in sheets:
        if sheet.faults:
            faults[sheet.name] = faults.get(sheet.name, 0) + sheet.faults
    return StrangerScores(
        plan.game,
        strangers,
        len(sheets),
        list(plan.openings),
        list(plan.known),
        [ModelSummary(plan, sheets, model).scores() for model in plan.models],
        faults,
        [*plan.notes, *missed_openings(plan, sheets)],
        LEVEL,
    )


class ModelSummary:
    """Sums up one model."""

    def __init__(self, plan: MatchPlan, sheets: Sequence[PlayerSheet], model: str) -> None:
        self.plan, self.sheets, self.model = plan, sheets, model
        self.distances = near_labels(sheets)
        self.drawn: dict[int, Resampling] = {}

    def scores(self) -> ModelOnStrangers:
        """Everything about the model."""
        watched = watched_players(self.sheets, self.model, self.plan.openings[0])
        players = [player_scores(each, self.distances.get(each.sheets[0].name, {})) for each in watched]
        strangers = [place for place, each in enumerate(players) if each.kind != KNOWN and each.log_loss is not None]
        losses = np.array([players[place].log_loss for place in strangers], dtype=np.float64)
        uniform = np.array([players[place].uniform for place in strangers])
        single, name, slip = best_single([watched[place] for place in strangers], uniform)
        openings = [each for each in self.plan.openings if each in reached_openings(self.sheets)]
        errors = [each.error for sheet in self.sheets for each in sheet.answers if each.model == self.model]
        return ModelOnStrangers(
            self.model,
            players,
            self.mean_over_players(losses),
            self.mean_over_players(uniform),
            self.mean_over_players(losses - uniform),
            None if single is None else self.mean_over_players(losses - single),
            name,
            slip,
            {opening: self.calibration(opening, EVEN) for opening in openings},
            {opening: self.calibration(opening, AS_NAMED, known=True) for opening in openings},
            self.sure(),
            next(filter(None, errors), ""),
        )

    def mean_over_players(self, values: Floats) -> Estimate | None:
        """A mean with its interval over players."""
        places = np.arange(len(values), dtype=np.int64)
        return self.resampling(len(values)).estimates([(values, None)], places)[0][0]

    def resampling(self, units: int) -> Resampling:
        """The draws of so many matches or players."""
        return self.drawn.setdefault(units, Resampling(max(units, 1), level=LEVEL))

    def answers(self, opening: int | None, variant: str, *, known: bool = False) -> tuple[Floats, Floats, Floats]:
        """Whether each answer about identity was right, its confidence, and its match."""
        right: list[float] = []
        sure: list[float] = []
        units: list[int] = []
        for number, sheet in enumerate(self.sheets):
            if (opening is not None and sheet.opening != opening) or (known and sheet.kind != KNOWN):
                continue
            accepted = accepted_labels(sheet.kind, sheet.spec, self.distances.get(sheet.name, {}))
            held = variant_answers(sheet, self.model, variant)
            for leaders, confidence in zip(held.leaders, held.confidence, strict=True) if held is not None else ():
                right.append(sum(label in accepted for label in leaders) / max(len(leaders), 1))
                sure.append(confidence)
                units.append(number)
        return np.array(right), np.array(sure), np.array(units, dtype=np.int64)

    def calibration(self, opening: int, variant: str, *, known: bool = False) -> Calibration:
        """The calibration of identity at one opening."""
        right, sure, units = self.answers(opening, variant, known=known)
        matches, places = np.unique(units, return_inverse=True)
        return calibration(right, sure, places, self.resampling(len(matches)))

    def sure(self) -> Estimate | None:
        """How often confident answers are right."""
        right, sure, units = self.answers(None, EVEN)
        chosen = sure >= SURE
        matches, places = np.unique(units[chosen], return_inverse=True)
        found = self.resampling(len(matches)).estimates([(right[chosen], (0.0, 1.0))], places)[0][0]
        return found if len(matches) else None


def reached_openings(sheets: Sequence[PlayerSheet]) -> set[int]:
    """The openings after which a player has a choice left in some match."""
    return {sheet.opening for sheet in sheets if sheet.options}


def missed_openings(plan: MatchPlan, sheets: Sequence[PlayerSheet]) -> list[str]:
    """A note about each opening after which nobody has a choice left."""
    missed = [opening for opening in plan.openings if opening not in reached_openings(sheets)]
    return [f"after an opening of {opening} moves no player has a choice left: it is not scored" for opening in missed]


def variant_answers(sheet: PlayerSheet, model: str, variant: str) -> ModelAnswers | None:
    """The answers of a variant; those of the model as it was named if it has no such variant."""
    held = {each.variant: each for each in sheet.answers if each.model == model}
    return held.get(variant, held.get(AS_NAMED))


def best_single(strangers: Sequence[Watched], uniform: Floats) -> tuple[Floats | None, str, float | None]:
    """The log losses of the one strategy, with one slip, that predicts all strangers best on average.

    Where that strategy is the one left out, the uniform prediction takes its place.
    """
    singles = [single_losses(each) for each in strangers]
    choices = list(dict.fromkeys(choice for each in singles for choice in each))
    if not choices:
        return None, "", None
    rows = {
        choice: [each.get(choice, plain) for each, plain in zip(singles, uniform.tolist(), strict=True)]
        for choice in choices
    }
    best = min(choices, key=lambda choice: fmean(rows[choice]))
    return np.array(rows[best]), best[0], best[1]
