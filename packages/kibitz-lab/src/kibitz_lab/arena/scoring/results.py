"""The scores of one record: every answer with its place and mark, as arrays that processes exchange."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.insight import Belief
from kibitz_lab.arena.scoring.metrics import Mark, leading

ACTION = "action"
"""The question that `predict` answers; every other one is `belief`'s."""
UNIFORM = -1
"""The number of the baseline, for which all legal actions are equally likely."""


class Answers(msgspec.Struct):
    """The marks of one model's answers to one question, answer by answer."""

    places: NDArray[np.int64]
    """Events seen before, player, and index of the true label in the sheet."""
    marks: NDArray[np.float64]
    """As in `Mark`. Beliefs have none yet: their marks depend on the truths of other records."""
    labels: list[str]
    held: NDArray[np.float64]
    """Beliefs, a column for each of the labels, nan if it is not named."""
    changes: dict[int, int]
    """Changes of the leading label, by player."""
    microseconds: NDArray[np.float64]


class Sheet(msgspec.Struct):
    """Everything that scoring needs from one record."""

    name: str
    unit: str | int | None
    refused: str | None = None
    """Why the record could not be used."""
    game: str = ""
    events: int = 0
    complete: bool = False
    strategies: tuple[str, ...] = ()
    returns: tuple[float, ...] | None = None
    watchers: tuple[str, ...] = ()
    """The labels of the models."""
    labels: list[str] = []
    answers: dict[tuple[int, str], Answers] = {}
    """By the model's number and the question; -1 is the uniform baseline."""
    microseconds: dict[int, NDArray[np.float64]] = {}
    """Time that each model took to observe."""
    errors: dict[int, str] = {}


class Ledger:
    """Collects answers."""

    def __init__(self) -> None:
        self.places: list[tuple[int, int, int]] = []
        self.marks: list[Mark] = []
        self.beliefs: list[Belief] = []
        self.seconds: list[float] = []
        self.lead: dict[int, str] = {}
        self.changes: dict[int, int] = {}

    def add_prediction(self, place: tuple[int, int, int], mark: Mark, seconds: float = 0.0) -> None:
        """Enter the mark of a prediction."""
        self.places.append(place)
        self.marks.append(mark)
        self.seconds.append(seconds)

    def add_belief(self, place: tuple[int, int, int], belief: Belief, seconds: float) -> None:
        """Enter a belief, and count a change of the leading label; a label still tied for the lead has not changed."""
        self.places.append(place)
        self.beliefs.append(belief)
        self.seconds.append(seconds)
        player = place[1]
        held = self.lead.get(player)
        self.changes.setdefault(player, 0)
        if belief and held not in (best := leading(belief)):
            self.lead[player] = best[0]
            self.changes[player] += held is not None

    def answers(self) -> Answers:
        """All of them as arrays."""
        labels = list(dict.fromkeys(label for belief in self.beliefs for label in belief))
        return Answers(
            np.array(self.places, dtype=np.int64).reshape(-1, 3),
            np.array(self.marks, dtype=np.float64).reshape(-1, len(Mark._fields)),
            labels,
            np.array([[each.get(label, np.nan) for label in labels] for each in self.beliefs], dtype=np.float64),
            self.changes,
            np.array(self.seconds) * 1e6,
        )
