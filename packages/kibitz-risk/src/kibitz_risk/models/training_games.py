"""Training games: games whose missions are known, reduced to their decisions and to the moments that are scored."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from kibitz.core.game import Game, Transition
from kibitz.core.records import Record
from kibitz.core.records.replay import replaying
from kibitz.core.seeds import stream
from kibitz_risk import phases
from kibitz_risk.game import State, turn_ended
from kibitz_risk.models.choice import BLANK, Choice
from kibitz_risk.models.decisions import Decision, order_of, place_of
from kibitz_risk.models.features import Floats

FRACTIONS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)
"""Fractions of a game's turn ends, single placements of the setup included: beliefs are scored at these moments."""


Each = TypeVar("Each")
Step = tuple[State, int, int, State]
"""The state before, the player who acted, the action, and the state after it."""
Point = tuple[int, State, Floats, NDArray[np.bool_], Floats | float]
"""The number of decisions so far, the state, the turns of every player, what is ruled out, and unchosen progress."""


def at_fractions(ends: Sequence[Each], fractions: Sequence[float] = FRACTIONS) -> list[Each]:
    """The item at each of some fractions of the turn ends, or of a player's decisions."""
    return [ends[max(1, round(share * len(ends))) - 1] for share in fractions]


class Progress(NamedTuple):
    """A moment: how many decisions lie before it, and what the board says."""

    decisions: int
    standing: Floats
    turns: Floats
    ruled_out: Floats


class TrainingGame(NamedTuple):
    """A game to learn from."""

    missions: tuple[int, ...]
    """The card of every player, by its number in the deck."""
    cards: int
    decisions: list[Decision]
    moments: list[Progress]
    """One for each of FRACTIONS."""
    habits: Floats
    """How often attacks and marches were ended and made, and orders were given plainly and otherwise."""

    @property
    def players(self) -> int:
        return len(self.missions)


def training_game_of(record: Record) -> TrainingGame | None:
    """The training game of a record; None where no turn was ended in it."""
    return training_game_from_steps(steps_of_record(record))


def steps_of_record(record: Record) -> Iterator[tuple[Step, bool]]:
    """The steps of a record, each with whether its player chose it."""
    for moment in replaying(record):
        if moment.event is not None:
            before, after = moment.event.before.state, moment.state
            assert isinstance(before, State)
            assert isinstance(after, State)
            yield (before, moment.event.player, moment.event.actions[0], after), bool(moment.event.choices())


def training_game_of_actions(game: Game, actions: Iterable[int]) -> TrainingGame | None:
    """The training game of a game by its actions, chance included."""
    return training_game_from_steps((step, True) for step in steps_of_game(game, actions))


def steps_of_game(game: Game, actions: Iterable[int]) -> Iterator[Step]:
    """The steps of a game."""
    state = game.new_initial_state()
    for action in actions:
        before, player = state, state.current_player()
        state = state.child(action)
        assert isinstance(before, State)
        assert isinstance(state, State)
        yield before, player, action, state


class DecisionRecorder(Choice):
    """Watches a game and writes down its decisions, where the model itself judges them."""

    def begin_recording(self, state: State) -> None:
        """Begin to watch with all cards open."""
        self.begin(state.game, None, stream(0, "lesson"))
        self.decisions: list[Decision] = []
        self.habits = np.zeros((3, 2))
        self.ends: list[Point] = []
        """When turns have ended."""

    def judge(self, decision: Decision) -> None:
        self.decisions.append(decision._replace(features=decision.features.astype(np.float32)))

    def step(self, before: State, player: int, action: int, after: State, *, chosen: bool) -> None:
        """Follow one step."""
        if player >= 0:
            self.own_choice = chosen
        if self.own_choice:
            self.notice(before, player, action)
        self.weigh(Transition(0, player, (action,), before, after), before, after)
        point = len(self.decisions), after, self.inferred.evidence.turns.copy(), self.ruled_out.copy(), self.unchosen
        if turn_ended(before, after):
            self.ends.append(point)

    def progress(self, point: Point) -> Progress:
        """What the board says at a point of the game."""
        count, state, turns, ruled_out, unchosen = point
        return Progress(count, self.standing(state) - unchosen, turns, ruled_out.astype(np.float64))

    def notice(self, before: State, player: int, action: int) -> None:
        """Count habits."""
        order = order_of(before, player)
        if order is None:
            return
        place = place_of(before, action)
        if order.kind in (phases.ATTACK, phases.FORTIFY):
            self.habits[int(order.kind == phases.FORTIFY), int(place is not None)] += 1.0
        if place is not None and order.kind != phases.SETUP:
            self.habits[2, int(action not in order.actions)] += 1.0


def training_game_from_steps(steps: Iterable[tuple[Step, bool]]) -> TrainingGame | None:
    """The training game of some steps from the beginning of a game, each with whether its player chose it."""
    student: DecisionRecorder | None = None
    for (before, player, action, after), chosen in steps:
        if student is None:
            student = DecisionRecorder(trained=BLANK)
            student.begin_recording(before)
        student.step(before, player, action, after, chosen=chosen)
    if student is None or not student.ends:
        return None
    moments = [student.progress(point) for point in at_fractions(student.ends)]
    return TrainingGame(
        tuple(student.seen.missions), student.atlas.missions, student.decisions, moments, student.habits
    )
