"""The marks of many records as arrays: an entry per answer, and one per player and game for whole-game figures."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from kibitz_lab.arena.scoring.metrics import Mark, belief_marks, true_labels, uniform_mark
from kibitz_lab.arena.scoring.results import ACTION, UNIFORM, Sheet
from kibitz_lab.arena.statistics.intervals import Counts, Floats

FLOOR = 1e-6
"""The smallest probability in log loss; the report says how often it was needed."""
WON = ("won", "not won")
MOST = 10_000
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

    def groups(self, by: str, game: Counts, player: Counts) -> Counts:
        """The group of each player of a game."""
        if by == "player":
            return player
        return (self.strategy if by == "strategy" else self.outcome)[game, player]

    def questions(self) -> list[str]:
        """All questions, in the order of the models."""
        return list(dict.fromkeys(question for sheet in self.sheets for _, question in sheet.answers))


def outcome(returns: tuple[float, ...] | None, player: int) -> int:
    """0 for the player who earned strictly most, 1 for everyone else, -1 if unknown."""
    if returns is None or player >= len(returns):
        return -1
    return int(not all(returns[player] > other for seat, other in enumerate(returns) if seat != player))


class Question:
    """The answers of every model to one question."""

    def __init__(self, games: Games, question: str, top: int) -> None:
        self.games, self.question, self.top = games, question, top
        own = [[each for (_, name), each in sheet.answers.items() if name == question] for sheet in games.sheets]
        self.number: dict[str, int] = {}
        """The labels that are true in some record, each with its number."""
        for sheet, found in zip(games.sheets, own, strict=True):
            for code in sorted({code for each in found for code in each.places[:, 2].tolist()}):
                self.number.setdefault(sheet.labels[code], len(self.number))
        self.labels = list(self.number)
        named = {label for found in own for each in found for label in each.labels}
        self.true = [(label,) if question == ACTION else true_labels(label, named) for label in self.labels]
        """The meaning of each label: itself, or several that are true at once."""
        self.options = list(dict.fromkeys(label for true in self.true for label in true))
        """All single labels that are true in some record."""
        asked = {number for sheet in games.sheets for number, name in sheet.answers if name == question}
        self.models = {number: self.answers(number) for number in sorted(asked - {UNIFORM})}

    def uniform(self) -> "Columns":
        """The answers of the uniform baseline, to all questions of any model."""
        if self.question == ACTION:
            return self.answers(UNIFORM)
        every = list(self.models.values())
        _, first = np.unique(np.concatenate([each.key for each in every]), return_index=True)
        places = np.concatenate([each.places for each in every])[first]
        return Columns(self.games, UNIFORM, places, self.uniform_marks(places[:, 3]), {})

    def uniform_marks(self, labels: Counts) -> Floats:
        """The marks of the uniform baseline, for each of the true labels by number."""
        options = max(len(self.options), 1)
        marks = [uniform_mark(options, self.top, len(self.true[label])) for label in labels.tolist()]
        return np.array(marks).reshape(-1, len(Mark._fields))

    def answers(self, model: int) -> "Columns":
        """All answers of a model in order; a missing answer counts as the uniform one."""
        places, marks = [np.empty((0, 4), dtype=np.int64)], [np.empty((0, len(Mark._fields)))]
        changes: dict[int, int] = {}
        for game, sheet in enumerate(self.games.sheets):
            found = sheet.answers.get((model, self.question))
            if found is None or not len(found.places):
                continue
            seen, player, label = found.places.T
            codes = np.array([self.number[sheet.labels[code]] for code in label.tolist()])
            places.append(np.column_stack((np.full(len(seen), game), seen, player, codes)))
            given = found.marks
            if self.question != ACTION:
                true = [self.true[code] for code in codes.tolist()]
                given = belief_marks(found.held, found.labels, true, self.options, self.top)
            marks.append(given)
            changes |= {game * self.games.players + player: count for player, count in found.changes.items()}
        asked, given = np.concatenate(places), np.concatenate(marks)
        silent = np.isnan(given[:, 0])
        given[silent] = self.uniform_marks(asked[silent, 3])
        return Columns(self.games, model, asked, given, changes, int(silent.sum()))


class Columns:
    """The answers of one model to one question."""

    def __init__(
        self, games: Games, model: int, places: Counts, marks: Floats, changes: dict[int, int], silent: int = 0
    ) -> None:
        self.games, self.model, self.places, self.changed, self.silent = games, model, places, changes, silent
        self.game, self.seen, self.player, self.label = places.T
        self.probability, self.first, self.among, self.brier, self.confidence = marks.T
        self.loss: Floats = -np.log(np.maximum(self.probability, FLOOR))
        self.unit = games.unit[self.game]
        self.fraction: Floats = self.seen / np.maximum(games.events[self.game], 1)
        """The fraction of the game seen before the answer."""

    @cached_property
    def key(self) -> Counts:
        """A key of every answer: equal for two models exactly if both were asked the same."""
        longest = int(self.games.events.max(initial=0)) + 1
        key: Counts = (self.game * longest + self.seen) * self.games.players + self.player
        return key

    @cached_property
    def trails(self) -> "PlayerAnswers":
        return PlayerAnswers(self)

    def groups(self, by: str) -> Counts:
        """The group number of every answer."""
        return self.label if by == "class" else self.games.groups(by, self.game, self.player)


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
        broken = np.array([columns.model in sheet.errors for sheet in games.sheets], dtype=bool)[self.game]
        self.never = (last_wrong == ends - 1) | broken
        fraction = columns.fraction[order]
        at = np.where(last_wrong < 0, starts, np.minimum(last_wrong + 1, max(len(order) - 1, 0)))
        self.convergence = np.where(self.never, 1.0, fraction[at] if len(order) else 0.0)
        self.changes = np.array([columns.changed.get(int(key), 0) for key in self.key], dtype=np.float64)

    def groups(self, by: str) -> Counts:
        """The group number of every trail; its label is the one that was true at the end."""
        return self.label if by == "class" else self.games.groups(by, self.game, self.player)
