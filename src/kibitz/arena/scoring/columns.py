"""The marks of many records as arrays: an entry per answer, and one per player and game for whole-game figures."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kibitz.arena.scoring.metrics import FIELD, LEVEL, Mark, set_marks, true_labels, uniform_mark
from kibitz.arena.scoring.results import ACTION, UNIFORM, Answers, Sheet
from kibitz.arena.statistics.estimates import Counts, Floats

FLOOR = 1e-6
"""The smallest probability in log loss; the report says how often it was needed."""
WON = ("won", "not won")
MOST = 20_000
"""Most units that are resampled singly; more are grouped, which changes no interval and saves memory."""


class Games:
    """All scored records, in order."""

    def __init__(self, sheets: Sequence[Sheet]) -> None:
        self.sheets = sheets
        units: dict[object, int] = {}
        own = ((sheet.unit,) if sheet.unit is not None else (None, number) for number, sheet in enumerate(sheets))
        self.unit = np.array([units.setdefault(key, len(units)) for key in own], dtype=np.int64)
        self.units = len(units)
        self.drawn = min(self.units, MOST)
        self.unit %= MOST
        self.players = max((len(sheet.strategies) for sheet in sheets), default=1)
        self.events = np.array([sheet.events for sheet in sheets], dtype=np.int64)
        self.strategies, self.strategy = self.per_seat([sheet.strategies for sheet in sheets])
        self.outcome = np.array(
            [
                [outcome(sheet.returns, player) for player in range(self.players)]  # -1 if unknown
                for sheet in sheets
            ],
            dtype=np.int64,
        ).reshape(-1, self.players)

    def per_seat(self, texts: Sequence[Sequence[str]]) -> tuple[list[str], Counts]:
        """Texts as numbers, a row per game and a column per seat; -1 if there is no such seat."""
        names = sorted({text for row in texts for text in row})
        number = {name: i for i, name in enumerate(names)}
        rows = [[number[text] for text in row] + [-1] * (self.players - len(row)) for row in texts]
        return names, np.array(rows, dtype=np.int64).reshape(-1, self.players)

    def questions(self) -> list[str]:
        """All questions, in the order of the models."""
        return list(dict.fromkeys(question for sheet in self.sheets for _, question in sheet.answers))

    def error_mask(self, model: int) -> NDArray[np.bool_]:
        """The games in which a model raised."""
        return np.array([model in sheet.errors for sheet in self.sheets], dtype=bool)


def outcome(returns: tuple[float, ...] | None, player: int) -> int:
    """0 for the player who earned strictly most, 1 for everyone else, -1 if unknown."""
    if returns is None or player >= len(returns):
        return -1
    return int(not all(returns[player] > other for seat, other in enumerate(returns) if seat != player))


class Question:
    """The answers of every model to one question."""

    def __init__(self, games: Games, question: str, top: int) -> None:
        self.games, self.question, self.top = games, question, top
        asked = dict.fromkeys(number for sheet in games.sheets for number, each in sheet.answers if each == question)
        self.models = sorted(number for number in asked if number != UNIFORM)
        self.labels: list[str] = []
        self.recode = self.label_codes()
        self.true = self.true_at_once()
        self.options = list(dict.fromkeys(each for own in self.true.values() for each in own))
        """All single labels that are true in some record."""
        self.known: dict[int, Columns] = {}

    def label_codes(self) -> list[Counts]:
        """For every sheet, the numbers of its labels here."""
        number: dict[str, int] = {}
        found = []
        for sheet in self.games.sheets:
            codes = np.full(len(sheet.labels), -1, dtype=np.int64)
            asked = [each.places[:, 2] for (_, question), each in sheet.answers.items() if question == self.question]
            for code in np.unique(np.concatenate(asked)).tolist() if asked else ():
                codes[code] = number.setdefault(sheet.labels[code], len(number))
            found.append(codes)
        self.labels = list(number)
        return found

    def true_at_once(self) -> dict[str, tuple[str, ...]]:
        """The meaning of each label: itself, or several that are true at once."""
        answers = (
            each for sheet in self.games.sheets for (_, name), each in sheet.answers.items() if name == self.question
        )
        named = {label for each in answers for label in each.labels}
        return {label: (label,) if self.question == ACTION else true_labels(label, named) for label in self.labels}

    def uniform_marks(self, labels: Counts) -> Floats:
        """The marks of the uniform baseline, for each of the true labels by number."""
        options = max(len(self.options), 1)
        counts = [len(self.true[self.labels[label]]) for label in labels.tolist()]
        return np.array([uniform_mark(options, self.top, count) for count in counts]).reshape(-1, len(FIELD))

    def model(self, number: int) -> "Columns":
        """The answers of one model; a missing answer counts as the uniform one."""
        if number in self.known:
            return self.known[number]
        columns = self.known[number] = self.answer_columns(number)
        silent = np.isnan(columns.marks[:, 0])
        columns.marks[silent] = self.uniform_marks(columns.label[silent])
        columns.silent = int(silent.sum())
        return columns

    def uniform(self) -> "Columns":
        """The answers of the uniform baseline, to all questions of any model."""
        if self.question == ACTION:
            return self.answer_columns(UNIFORM)
        every = [self.model(number) for number in self.models]
        _, first = np.unique(np.concatenate([each.key for each in every]), return_index=True)
        places = np.concatenate([each.places for each in every])[first]
        marks = self.uniform_marks(places[:, 3])
        trails = np.unique(places[:, 0] * self.games.players + places[:, 2])
        return Columns(self.games, UNIFORM, places, marks, dict.fromkeys(trails.tolist(), 0))

    def answer_columns(self, model: int) -> "Columns":
        """All answers of a model in order; nan for missing ones."""
        places, marks = [np.empty((0, 4), dtype=np.int64)], [np.empty((0, len(Mark._fields)))]
        changes: dict[int, int] = {}
        confusion: dict[str, dict[str, float]] = {}
        for game, (sheet, codes) in enumerate(zip(self.games.sheets, self.recode, strict=True)):
            found: Answers | None = sheet.answers.get((model, self.question))
            if found is not None and len(found.places):
                seen, player, label = found.places.T
                places.append(np.column_stack((np.full(len(seen), game), seen, player, codes[label])))
                truths = [sheet.labels[code] for code in label.tolist()]
                given = found.marks
                if self.question != ACTION:
                    true = [self.true[truth] for truth in truths]
                    given = set_marks(found.held, found.labels, true, self.options, self.top)
                    count_confusion(confusion, found.held, found.labels, truths)
                marks.append(given)
                changes |= {game * self.games.players + player: count for player, count in found.changes.items()}
        columns = Columns(self.games, model, np.concatenate(places), np.concatenate(marks), changes)
        columns.confusion = confusion
        return columns


def count_confusion(
    counts: dict[str, dict[str, float]], held: Floats, labels: Sequence[str], truths: Sequence[str]
) -> None:
    """Add the likeliest labels of beliefs to *counts*, by the true label."""
    known = np.where(np.isnan(held), -1.0, held) if len(labels) else np.empty((len(held), 0))
    leading = known >= known.max(axis=1, initial=0.0, keepdims=True) * (1.0 - LEVEL)
    leading &= known > 0.0
    shares = leading / np.maximum(leading.sum(axis=1, keepdims=True), 1)
    for truth in dict.fromkeys(truths):
        own = shares[[each == truth for each in truths]].sum(axis=0)
        row = counts.setdefault(truth, {})
        for label, share in zip(labels, own.tolist(), strict=True):
            if share:
                row[label] = row.get(label, 0.0) + share


class Columns:
    """The answers of one model to one question."""

    def __init__(self, games: Games, model: int, places: Counts, marks: Floats, changes: dict[int, int]) -> None:
        self.games, self.model, self.places, self.marks = games, model, places, marks
        self.game, self.seen, self.player, self.label = places.T
        self.unit = games.unit[self.game]
        self.changed = changes
        self.silent = 0
        self.confusion: dict[str, dict[str, float]] = {}
        """For every truth, how often each label was the likeliest; ties count by their share."""

    @cached_property
    def key(self) -> Counts:
        """A key of every answer: equal for two models exactly if both were asked the same."""
        longest = int(self.games.events.max(initial=0)) + 1
        key: Counts = (self.game * longest + self.seen) * self.games.players + self.player
        return key

    @property
    def first(self) -> Floats:
        return self.marks[:, FIELD["first"]]

    @property
    def among(self) -> Floats:
        return self.marks[:, FIELD["among"]]

    @property
    def brier(self) -> Floats:
        return self.marks[:, FIELD["brier"]]

    @property
    def confidence(self) -> Floats:
        return self.marks[:, FIELD["confidence"]]

    @property
    def best(self) -> Floats:
        return self.marks[:, FIELD["best"]]

    @property
    def spread(self) -> Floats:
        return self.marks[:, FIELD["spread"]]

    @property
    def rank(self) -> Floats:
        return self.marks[:, FIELD["rank"]]

    @property
    def harmonic(self) -> Floats:
        """The harmonic mean of precision and recall of the set of likeliest labels."""
        true = self.marks[:, FIELD["true"]]
        harmonic: Floats = 2.0 * self.best * true / (true + self.spread)
        return harmonic

    @property
    def loss(self) -> Floats:
        return -np.log(np.maximum(self.marks[:, 0], FLOOR))

    @property
    def floor_flags(self) -> Floats:
        return (self.marks[:, 0] < FLOOR).astype(np.float64)

    @property
    def fraction(self) -> Floats:
        """The fraction of the game seen before the answer."""
        fraction: Floats = self.seen / np.maximum(self.games.events[self.game], 1)
        return fraction

    @cached_property
    def trails(self) -> "PlayerAnswers":
        return PlayerAnswers(self)

    def groups(self, by: str) -> Counts:
        """The group number of every answer."""
        return self.label if by == "class" else player_groups(self.games, by, self.game, self.player)


class PlayerAnswers:
    """The answers about one player through one game, for all players and games: the base of whole-game figures."""

    def __init__(self, columns: Columns) -> None:
        games = columns.games
        self.games = games
        trail = columns.game * games.players + columns.player
        order = np.lexsort((columns.seen, trail))
        self.key, starts = np.unique(trail[order], return_index=True)
        ends = np.append(starts[1:], len(order))[: len(starts)]
        self.game, self.player = self.key // games.players, self.key % games.players
        self.unit = games.unit[self.game]
        self.label = columns.label[order][ends - 1]
        place = np.arange(len(order))
        wrong = np.where(columns.first[order] < 1.0, place, -1)
        last_wrong = np.maximum.reduceat(wrong, starts) if len(starts) else self.key
        broken = games.error_mask(columns.model)[self.game] if columns.model != UNIFORM else np.zeros(len(starts), bool)
        self.never = (last_wrong == ends - 1) | broken
        fraction = columns.fraction[order]
        at = np.where(last_wrong < 0, starts, np.minimum(last_wrong + 1, max(len(order) - 1, 0)))
        self.convergence = np.where(self.never, 1.0, fraction[at] if len(order) else 0.0)
        self.changes = np.array([columns.changed.get(int(key), 0) for key in self.key], dtype=np.float64)

    def groups(self, by: str) -> Counts:
        """The group number of every trail; its label is the one that was true at the end."""
        return self.label if by == "class" else player_groups(self.games, by, self.game, self.player)


def player_groups(games: Games, by: str, game: Counts, player: Counts) -> Counts:
    """The group of a player of a game."""
    if by == "player":
        return player
    found = games.strategy if by == "strategy" else games.outcome
    return found[game, player]
