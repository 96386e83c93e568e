"""The bars of the benchmark: what a model should reach on strangers, and whether it does."""

from collections.abc import Iterator

import msgspec

from kibitz.core.specs import parse_spec
from kibitz_lab.arena.scoring.strangers.players import EARLY
from kibitz_lab.arena.scoring.strangers.summary import SURE, ModelOnStrangers, StrangerScores
from kibitz_lab.arena.statistics import Estimate

ENOUGH = 50
"""Choices that a stranger must make to count as the worst one."""
WORST, MIXED, KNOWN_ONLY, RIGHT, RANDOM = 0.05, 0.06, 0.05, 0.93, 0.9
KNOWN_BAR = "known only, opening"
RANDOM_GAMES = ("pawns",)
"""Games in which a uniformly random player differs enough from everyone else to be noticed early."""


class Bar(msgspec.Struct, frozen=True):
    """A figure that should be at least, or at most, some number."""

    game: str
    model: str
    what: str
    value: Estimate | None
    """None if the model gave no such answers."""
    limit: float
    most: bool = True
    """Whether the limit is the most that the figure should be; otherwise the least."""
    floor: float | None = None
    """Of a calibration error: what a calibrated model would show on average with as many answers, by chance alone."""

    @property
    def is_met(self) -> bool | None:
        """Whether the figure reaches the bar; None if it was not measured."""
        if self.value is None:
            return None
        return self.value.mean <= self.limit if self.most else self.value.mean >= self.limit

    @property
    def clear(self) -> bool:
        """Whether its interval lies on one side of the bar."""
        held = self.value
        return held is not None and held.is_finite() and not held.low <= self.limit <= held.high

    @property
    def limit_text(self) -> str:
        """The bar as text."""
        return f"{'<=' if self.most else '>='} {self.limit:g}"

    @property
    def floor_text(self) -> str:
        """The floor as text; empty where there is none."""
        return "" if self.floor is None else f"{self.floor:.3f}"


def bars_of(scores: StrangerScores) -> list[Bar]:
    """The bars of every model on one game."""
    return [bar for model in scores.models for bar in model_bars(scores, model)]


def model_bars(scores: StrangerScores, model: ModelOnStrangers) -> Iterator[Bar]:
    """The bars of one model."""
    game, name = scores.game, model.model
    yield Bar(game, name, "strangers: log loss - uniform", model.gain, 0.0)
    worst = [
        each for each in model.players if each.kind != "known" and each.choices >= ENOUGH and each.gain is not None
    ]
    if worst:
        least = max(worst, key=lambda each: each.gain.mean if each.gain is not None else 0.0)
        yield Bar(game, name, f"worst stranger: log loss - uniform ({least.name})", least.gain, WORST)
    yield Bar(game, name, "strangers: log loss - best single", model.single_gain, 0.0)
    for opening, found in model.mixed.items():
        yield Bar(game, name, f"half strangers, opening {opening}: ECE", found.error, MIXED, floor=found.floor)
    for opening, found in model.known.items():
        yield Bar(game, name, f"{KNOWN_BAR} {opening}: ECE", found.error, KNOWN_ONLY, floor=found.floor)
    yield Bar(game, name, f"half strangers: right where sure ({SURE:g})", model.sure, RIGHT, most=False)
    for each in model.players if game_name(scores) in RANDOM_GAMES else ():
        if each.spec == "random" and each.noticed_early is not None:
            yield Bar(game, name, f"random: noticed within {EARLY} choices", each.noticed_early, RANDOM, most=False)


def game_name(scores: StrangerScores) -> str:
    """The name of the game without its options."""
    return parse_spec(scores.game).name
