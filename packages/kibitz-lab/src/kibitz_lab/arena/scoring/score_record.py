"""Scores one record: all models watch it, and every answer gets its mark. A pure function, run by executors."""

from collections.abc import Iterable
from time import perf_counter
from typing import Any

import msgspec
import numpy as np

from kibitz.core.actions import Distribution
from kibitz.core.agent import Model
from kibitz.core.errors import BadRecord, BadSpec, KibitzError, error_text
from kibitz.core.game import Game
from kibitz.core.match import Event, Position
from kibitz.core.match.watchers import Watcher, WatcherLike, Watchers, plain_belief
from kibitz.core.records import Record
from kibitz.core.records.replay import Replay
from kibitz_lab.arena.scoring.metrics import check, label_of, prediction_mark, uniform_mark
from kibitz_lab.arena.scoring.results import ACTION, UNIFORM, Ledger, Sheet
from kibitz_lab.arena.sources import SourceRecord, check_game, open_record


class Task(msgspec.Struct, frozen=True):
    """A record and the models that watch it."""

    kept: SourceRecord
    models: tuple[WatcherLike, ...]
    top: int
    wanted: str | None = None
    """The game to score, with any options if it names none; other records are refused."""
    game: Game | None = None
    """Needed for a game that is not registered."""


def score_record(task: Task) -> Sheet:
    """Let the models watch; an unusable record says why, and a model that raises is scored up to there."""
    kept = task.kept
    try:
        watching = RecordScorer(replay_of(task), task.models, task.top)
        watching.run()
    except BadRecord as error:
        return Sheet(kept.name, kept.unit, str(error))
    return watching.sheet(kept)


def replay_of(task: Task) -> Replay:
    """The record with its rules; raises BadRecord if it has none, or is of another game."""
    kept = task.kept
    record = open_record(kept)
    check_game(record, kept.name, task.wanted if task.game is None else task.game)
    try:
        return Replay(record, game=task.game, source=kept.name)
    except BadRecord:
        raise
    except KibitzError as error:  # an unknown game, or invalid options
        raise BadRecord(kept.name, str(error)) from None


def fresh(models: Iterable[WatcherLike]) -> list[WatcherLike]:
    """Copies of the models that have not watched anything yet."""
    found: list[WatcherLike] = []
    for each in models:
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, Watcher):
            found.append(Watcher(each.model.clone(), each.seat))
        else:
            found.append(each.clone())
    return found


class RecordScorer:
    """One record being watched."""

    def __init__(self, replay: Replay, models: Iterable[WatcherLike], top: int) -> None:
        self.replay, self.record, self.game, self.top = replay, replay.record, replay.game, top
        self.watchers = Watchers(self.game, fresh(models), self.record.header.seed).seated
        self.labels: dict[str, int] = {}
        self.truths = self.record.header.truths
        self.observing: list[list[float]] = [[] for _ in self.watchers]
        asked = [(number, each) for number, watcher in enumerate(self.watchers) for each in questions(watcher.model)]
        self.ledgers = {key: Ledger() for key in dict.fromkeys(asked)}
        seats = [each.seat for each in self.watchers if ACTION in each.model.answers]
        self.predicted = [player for player in range(self.game.players) if any(seat != player for seat in seats)]
        if seats:
            self.ledgers[UNIFORM, ACTION] = Ledger()

    def run(self) -> None:
        """Show the record to the models, event by event."""
        for moment in self.replay.moments():
            event = moment.event
            if event is None:
                self.ask_who(0)
                continue
            entry = self.record.entries[event.ply]
            self.ask_what(event)
            self.tell(event)
            self.truths = self.truths if entry.truths is None else entry.truths
            self.ask_who(event.ply + 1)

    def ask_what(self, event: Event) -> None:
        """Ask every model for a prediction of each choice, before the event."""
        for player, action in self.choices(event):
            label = self.number(event.before.state.action_to_string(player, action))
            self.ask_action((event.ply, player, label), action, event.before)

    def choices(self, event: Event) -> list[tuple[int, int]]:
        """The players who chose, each with their action.

        An action that its player did not choose is a question about chance or the rules, not about the player.
        """
        return [(player, action) for player, action in event.choices() if player in self.predicted]

    def ask_action(self, place: tuple[int, int, int], action: int, position: Position) -> None:
        """Ask every model for one player's action."""
        player = place[1]
        options = len(position.view(None, ("uniform", 0)).legal_actions(player))
        self.ledgers[UNIFORM, ACTION].add_prediction(place, uniform_mark(max(options, 1), self.top))
        for number, watcher in self.able(ACTION, player):
            view = position.view(watcher.seat, ("watcher", number)).clone()
            try:
                start = perf_counter()
                expected = watcher.model.predict(view, player)
                seconds = perf_counter() - start
                if not isinstance(expected, Distribution):
                    raise TypeError("predict must return a Distribution")
                self.ledgers[number, ACTION].add_prediction(place, prediction_mark(expected, action, self.top), seconds)
            except Exception as error:
                watcher.error = f"ply {place[0]}: {error_text(error)}"

    def ask_who(self, seen: int) -> None:
        """Ask every model for its belief about each player whose truth is in the record."""
        for player, truths in enumerate(self.truths[: self.game.players]):
            for number, question in self.ledgers:
                truth = label_of(truths.get(question)) if question != ACTION else None
                if truth is None or self.watchers[number].seat == player or self.watchers[number].error is not None:
                    continue
                watcher, ledger = self.watchers[number], self.ledgers[number, question]
                try:
                    start = perf_counter()
                    belief = plain_belief(watcher.model.belief(player))
                    seconds = perf_counter() - start
                    check(belief.values() or (1.0,))
                except Exception as error:
                    watcher.error = f"after {seen} events: {error_text(error)}"
                    continue
                ledger.add_belief((seen, player, self.number(truth)), belief, seconds)

    def tell(self, event: Event) -> None:
        """Let every model observe the event."""
        for number, watcher in enumerate(self.watchers):
            if watcher.error is None:
                transition = event.transition(watcher.seat, ("watcher", number))
                try:
                    start = perf_counter()
                    watcher.model.observe(transition)
                    self.observing[number].append(perf_counter() - start)
                except Exception as error:
                    watcher.error = f"ply {event.ply}: {error_text(error)}"

    def able(self, question: str, player: int) -> list[tuple[int, Watcher]]:
        """The models that answer a question about a player, without those that raised."""
        return [
            (number, each)
            for number, each in enumerate(self.watchers)
            if each.error is None and each.seat != player and question in each.model.answers
        ]

    def number(self, label: str) -> int:
        return self.labels.setdefault(label, len(self.labels))

    def sheet(self, kept: SourceRecord) -> Sheet:
        """The results."""
        ending = self.record.ending
        return Sheet(
            kept.name,
            kept.unit,
            game=repr(self.game),
            events=len(self.record.entries),
            complete=self.record.complete,
            strategies=strategies_of(self.record),
            returns=tuple(ending.returns) if ending is not None else None,
            watchers=tuple(watcher.label for watcher in self.watchers),
            labels=list(self.labels),
            answers={key: ledger.answers() for key, ledger in self.ledgers.items()},
            microseconds={number: np.array(seconds) * 1e6 for number, seconds in enumerate(self.observing)},
            errors={number: each.error for number, each in enumerate(self.watchers) if each.error is not None},
        )


def questions(model: Model) -> tuple[str, ...]:
    """The questions that a model answers; raises BadSpec if there are none."""
    found: tuple[str, ...] = tuple(getattr(model, "answers", ()))
    if not found:
        raise BadSpec(repr(model), "it answers no question, so there is nothing to score it on")
    return found


def strategies_of(record: Record) -> tuple[str, ...]:
    """The strategies of the players, seat by seat."""
    truths: list[dict[str, Any]] = record.header.truths
    return tuple(
        str(truths[player].get("strategy", agent)) if player < len(truths) else agent
        for player, agent in enumerate(record.header.agents)
    )
