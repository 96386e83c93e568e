"""Watches one match of a player: what each model predicts and believes at every choice. A pure function."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import msgspec

from kibitz.arena.scoring.metrics import check, leading, prediction_mark
from kibitz.arena.scoring.strangers.library import Library
from kibitz.arena.scoring.strangers.matches import PlayerTask
from kibitz.core.actions import Distribution
from kibitz.core.insight import UNKNOWN
from kibitz.core.match import Event
from kibitz.core.match.play import play
from kibitz.core.match.watchers import Watcher, Watchers, error_text, plain_belief
from kibitz.core.records.replay import Replay

TOP = 3


class ModelAnswers(msgspec.Struct):
    """The answers of one variant of a model in one match: predictions before each choice, beliefs around them."""

    model: str
    variant: str
    given: list[float] = []
    """The probability of the action chosen."""
    first: list[float] = []
    """How often it is the likeliest, 1 or 0; ties count by their share."""
    top: list[float] = []
    leaders: list[list[str]] = []
    """The likeliest labels before the first choice and after each one; several if they are tied."""
    confidence: list[float] = []
    unknown: list[float] = []
    """The probability of `unknown`, at the same times."""
    error: str = ""


class PlayerSheet(msgspec.Struct):
    """One match of one player."""

    name: str
    kind: str
    spec: str
    opening: int
    seed: int
    options: list[int]
    """The number of legal actions at each choice."""
    library: dict[str, list[float]]
    """The probability that each strategy of the library gives the action chosen."""
    distances: dict[str, float]
    """The sum over choices of the total variation between the player and each strategy; empty if it has no policy."""
    answers: list[ModelAnswers]
    faults: int = 0
    """Number of faults of the player."""


class Asked(NamedTuple):
    """A watcher and its answers so far."""

    watcher: Watcher
    answers: ModelAnswers


def watch_player(task: PlayerTask) -> PlayerSheet:
    """Play the match and let the models watch it; a model that raises is scored up to there."""
    return PlayerWatch(task).sheet()


class PlayerWatch:
    """One match being watched."""

    def __init__(self, task: PlayerTask) -> None:
        self.task = task
        self.record = play(task.game, task.agents, seed=task.seed, opening=task.opening, max_plies=task.max_plies)
        self.replay = Replay(self.record)
        game = self.replay.game
        watchers = Watchers(game, [spec for _, _, spec in task.models], task.seed).seated
        self.asked = [
            Asked(watcher, ModelAnswers(model, variant, error=watcher.error or ""))
            for watcher, (model, variant, _) in zip(watchers, task.models, strict=True)
        ]
        self.library = Library(game, task.seat, task.player.spec, task.library, task.seed) if task.library else None
        self.options: list[int] = []
        self.shares: dict[str, list[float]] = {}
        self.distances: dict[str, float] = {}

    def sheet(self) -> PlayerSheet:
        """All answers."""
        seat = self.task.seat
        for moment in self.replay.moments():
            event = moment.event
            if event is None:
                continue
            action = dict(event.choices()).get(seat)
            chose = action is not None and len(event.before.view(seat, seat).legal_actions(seat)) > 1
            if chose and action is not None:
                self.ask_what(event, action)
            for number, each in enumerate(self.asked):
                self.attempt(each, event.ply, partial(observe, each, number, event))
            if self.library is not None:
                self.library.observe(event)
            if chose:
                self.ask_who(event.ply)
        faults = sum(fault.player == seat for entry in self.record.entries for fault in entry.faults)
        player = self.task.player
        return PlayerSheet(
            player.name,
            player.kind,
            player.spec,
            self.task.opening,
            self.task.seed,
            self.options,
            self.shares,
            self.distances,
            [each.answers for each in self.asked],
            faults,
        )

    def ask_what(self, event: Event, action: int) -> None:
        """Ask for a prediction of a choice, and compare the choice with the library."""
        if not self.options:
            self.ask_who(event.ply)
        seat = self.task.seat
        self.options.append(max(len(event.before.view(None, ("uniform", 0)).legal_actions(seat)), 1))
        for number, each in enumerate(self.asked):
            if "action" in each.watcher.model.answers:
                self.attempt(each, event.ply, partial(ask_action, each, number, event, seat, action))
        if self.library is not None:
            shares, apart = self.library.compare(event, action)
            for label, share in shares.items():
                self.shares.setdefault(label, []).append(share)
            for label, distance in apart.items():
                self.distances[label] = self.distances.get(label, 0.0) + distance

    def ask_who(self, ply: int) -> None:
        """Ask every model that tells strategies apart for its belief."""
        for each in self.asked:
            if "strategy" in each.watcher.model.answers:
                self.attempt(each, ply, partial(ask_strategy, each, self.task.seat))

    def attempt(self, each: Asked, ply: int, call: Callable[[], None]) -> None:
        """Ask a model; one that raises is not asked again."""
        if each.watcher.error is None:
            try:
                call()
            except Exception as error:  # a model may fail in any way
                each.watcher.error = each.answers.error = f"ply {ply}: {error_text(error)}"


def observe(each: Asked, number: int, event: Event) -> None:
    each.watcher.model.observe(event.transition(each.watcher.seat, ("watcher", number)))


def ask_action(each: Asked, number: int, event: Event, seat: int, action: int) -> None:
    """Enter the marks of a prediction."""
    view = event.before.view(each.watcher.seat, ("watcher", number)).clone()
    expected = each.watcher.model.predict(view, seat)
    if not isinstance(expected, Distribution):
        raise TypeError("predict must return a Distribution")
    mark = prediction_mark(expected, action, TOP)
    each.answers.given.append(mark.probability)
    each.answers.first.append(mark.first)
    each.answers.top.append(mark.among)


def ask_strategy(each: Asked, seat: int) -> None:
    """Enter a belief; an empty one leads nowhere, with confidence 0."""
    belief = plain_belief(each.watcher.model.belief(seat))
    check(belief.values() or (1.0,))
    each.answers.leaders.append(leading(belief) if belief else [])
    each.answers.confidence.append(max(belief.values(), default=0.0))
    each.answers.unknown.append(belief.get(UNKNOWN, 0.0))
