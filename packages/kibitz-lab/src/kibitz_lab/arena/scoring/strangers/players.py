"""The figures of one model on one player, over all their matches."""

from collections.abc import Mapping, Sequence
from math import log
from statistics import fmean, median

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from kibitz.core.insight import UNKNOWN
from kibitz_lab.arena.scoring.columns import FLOOR
from kibitz_lab.arena.scoring.strangers.matches import AS_NAMED, KNOWN, LEFT_OUT
from kibitz_lab.arena.scoring.strangers.watching import ModelAnswers, PlayerSheet
from kibitz_lab.arena.statistics import Estimate, mean_interval
from kibitz_lab.arena.statistics.intervals import Floats

NEAR = 0.1
"""A stranger whose mean total variation from a strategy is at most this counts as either."""
SLIPS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""Rates of random actions that a single strategy is given, the best of them in hindsight."""
EARLY = 20
"""Choices within which a random player should be noticed."""
NOTICED = 0.5
"""A stranger is noticed when the probability of `unknown` passes this and stays above it."""


class PlayerScores(msgspec.Struct, frozen=True):
    """One model on one player, at the first opening; None where the model gave no such answer."""

    name: str
    kind: str
    spec: str
    matches: int
    choices: int
    near: list[str]
    """The strategy within NEAR of the player, if there is one; for a known player the one that it follows."""
    uniform: float
    """The log loss of a uniform prediction."""
    log_loss: float | None
    gain: Estimate | None
    """The log loss less that of a uniform prediction, with its interval over matches; below 0 is better."""
    single: float | None
    """The log loss of the single strategy that predicts this player best, with the best slip."""
    single_name: str
    top_1: float | None
    top_3: float | None
    unknown: float | None
    """The mean probability of `unknown` at the end of a match."""
    noticed: float | None
    """The share of matches in which `unknown` passes one half and stays there."""
    noticed_after: float | None
    """The median number of choices until then, over those matches."""
    noticed_early: Estimate | None
    """The share of matches in which that happens within EARLY choices, with its interval."""


class Watched(msgspec.Struct, frozen=True):
    """A player's matches with the answers of one variant of a model."""

    kind: str
    sheets: list[PlayerSheet]
    answers: list[ModelAnswers]

    @property
    def left_out(self) -> str:
        """The strategy that is not among the hypotheses; empty if none was left out."""
        return self.sheets[0].spec if self.kind == LEFT_OUT else ""


def watched_players(sheets: Sequence[PlayerSheet], model: str, opening: int) -> list[Watched]:
    """The players at one opening: known ones, known ones whose strategy is left out, and strangers."""
    found: dict[tuple[str, str], Watched] = {}
    for sheet in sheets:
        if sheet.opening != opening or not sheet.options:
            continue
        for answers in sheet.answers:
            if answers.model == model and answers.variant in (AS_NAMED, LEFT_OUT):
                kind = LEFT_OUT if answers.variant == LEFT_OUT else sheet.kind
                held = found.setdefault((kind, sheet.name), Watched(kind, [], []))
                held.sheets.append(sheet)
                held.answers.append(answers)
    order = {KNOWN: 0, LEFT_OUT: 1}
    return sorted(found.values(), key=lambda each: order.get(each.kind, 2))


def near_labels(sheets: Sequence[PlayerSheet]) -> dict[str, dict[str, float]]:
    """For each player, the mean total variation from each strategy that it is compared with."""
    sums: dict[str, dict[str, float]] = {}
    counts: dict[str, int] = {}
    for sheet in sheets:
        if sheet.distances:
            own = sums.setdefault(sheet.name, {})
            counts[sheet.name] = counts.get(sheet.name, 0) + len(sheet.options)
            for label, distance in sheet.distances.items():
                own[label] = own.get(label, 0.0) + distance
    return {name: {label: each / counts[name] for label, each in own.items()} for name, own in sums.items()}


def accepted_labels(kind: str, spec: str, distances: Mapping[str, float]) -> set[str]:
    """The labels that are right for a player: its strategy, or `unknown` and the nearest strategy if it is near.

    Only the nearest one counts: early in a match a belief is spread over all strategies that fit, and each of them has
    a small probability of being right.
    """
    if kind == KNOWN:
        return {spec}
    nearest = min(distances, key=lambda label: distances[label], default=None)
    return {UNKNOWN} if nearest is None or distances[nearest] > NEAR else {UNKNOWN, nearest}


def losses(given: ArrayLike) -> Floats:
    """The log loss of each probability."""
    found: Floats = -np.log(np.maximum(np.asarray(given, dtype=np.float64), FLOOR))
    return found


def single_losses(watched: Watched) -> dict[tuple[str, float], float]:
    """The mean log loss of every strategy with every slip; a strategy that is left out has none."""
    labels = [label for label in watched.sheets[0].library if label != watched.left_out]
    options = np.array([count for sheet in watched.sheets for count in sheet.options], dtype=np.float64)
    found = {}
    for label in labels:
        shares = np.array([share for sheet in watched.sheets for share in sheet.library.get(label, ())])
        if len(shares) == len(options):
            for slip in SLIPS:
                found[label, slip] = float(losses((1.0 - slip) * shares + slip / options).mean())
    return found


def player_scores(watched: Watched, distances: Mapping[str, float]) -> PlayerScores:
    """The figures of one player."""
    first = watched.sheets[0]
    rivals = {label: each for label, each in distances.items() if watched.kind == KNOWN or label != watched.left_out}
    near = accepted_labels(watched.kind, first.spec, rivals) - {UNKNOWN}
    options = [count for sheet in watched.sheets for count in sheet.options]
    gains, blocks = gain_by_choice(watched)
    given = [share for answers in watched.answers for share in answers.given]
    firsts = [share for answers in watched.answers for share in answers.first]
    tops = [share for answers in watched.answers for share in answers.top]
    ends = [answers.unknown[-1] for answers in watched.answers if answers.unknown]
    times = [noticed_at(answers.unknown) for answers in watched.answers if answers.unknown]
    seen = [time for time in times if time is not None]
    singles = single_losses(watched)
    best = min(singles, key=lambda each: singles[each], default=None)
    return PlayerScores(
        first.name if watched.kind != LEFT_OUT else f"without {first.name}",
        watched.kind,
        first.spec,
        len(watched.sheets),
        len(options),
        sorted(near),
        fmean(map(log, options)),
        float(losses(given).mean()) if given else None,
        mean_interval(gains, blocks) if len(gains) else None,
        None if best is None else singles[best],
        "" if best is None else best[0],
        fmean(firsts) if firsts else None,
        fmean(tops) if tops else None,
        fmean(ends) if ends else None,
        len(seen) / len(times) if times else None,
        median(seen) if seen else None,
        mean_interval([float(time is not None and time <= EARLY) for time in times], bounds=(0.0, 1.0))
        if times
        else None,
    )


def gain_by_choice(watched: Watched) -> tuple[Floats, list[int]]:
    """The log loss less the uniform one at every choice, and the match of each."""
    parts, blocks = [np.empty(0)], []
    for number, (sheet, answers) in enumerate(zip(watched.sheets, watched.answers, strict=True)):
        many = len(answers.given)
        parts.append(losses(answers.given) - np.log(np.array(sheet.options[:many], dtype=np.float64)))
        blocks += [number] * many
    return np.concatenate(parts), blocks


def noticed_at(unknown: Sequence[float]) -> int | None:
    """The number of choices after which `unknown` stays above one half; None if it does not.

    >>> noticed_at([0.1, 0.6, 0.4, 0.7, 0.8])
    3
    """
    place = len(unknown)
    while place > 0 and unknown[place - 1] > NOTICED:
        place -= 1
    return place if place < len(unknown) else None
