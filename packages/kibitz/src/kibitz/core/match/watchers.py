"""The models that watch a match: fed every event, asked for beliefs and reasons, and dropped if they raise."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING

import msgspec

from kibitz.core.actions import Distribution
from kibitz.core.agent import Model
from kibitz.core.errors import BadSpec, KibitzError, error_text, short_repr
from kibitz.core.game import Game, State
from kibitz.core.insight import Belief, Beliefs, Explanation, Insight, Prediction
from kibitz.core.player_memory import Learned, Memory, is_learned
from kibitz.core.registry import make_model, spec_of
from kibitz.core.seeds import stream

if TYPE_CHECKING:
    from kibitz.core.match import Event, Match, Moment, Result

LIKELIEST = 3
"""Number of likeliest next actions kept of a prediction."""


class Watcher(msgspec.Struct):
    """A model and the seat it watches from; None is a spectator's."""

    model: Model
    seat: int | None = None
    label: str = ""
    error: str | None = None


WatcherLike = str | Model | Watcher
"""A Watcher, a Model (as a spectator), or text: `strategy_filter`, or `strategy_filter@1` from player 1's seat."""


class Watchers:
    """The models that watch one match. A model that raises is not asked again; its error goes into the record."""

    def __init__(self, game: Game, wanted: Iterable[WatcherLike], seed: int) -> None:
        self.game = game
        self.seated: list[Watcher] = []
        for number, each in enumerate(wanted):
            watcher = make_watcher(each, game)
            if any(watcher.model is other.model for other in self.seated):
                raise BadSpec(repr(watcher.model), "the same model object watches twice; make one for each")
            watcher.error = None
            watcher.label = free_label(watcher, [other.label for other in self.seated])
            self.seated.append(watcher)
            with errors_noted(watcher, but=KibitzError):  # it cannot watch this game
                watcher.model.begin(game, watcher.seat, stream(seed, "model", number))
        self.recalled: dict[str, list[int]] = {}
        """For each model by its label, how many earlier matches of each player it remembers."""
        self.memory: Memory | None = None
        """Where they keep what they learn; None: nowhere."""

    def see(self, match: "Match | None", moment: "Moment") -> None:
        """Watch an event, and add the beliefs to its moment."""
        if self.seated:
            if moment.event is not None:
                self.observe(moment.event)
            moment.watchers, moment.beliefs = self, self.beliefs()

    def end(self, match: "Match", result: "Result") -> None:
        """Keep what was learned, if it is to be kept."""
        if self.memory is not None:
            self.remember(self.memory)

    def recall(self, memory: Memory) -> None:
        """Let the models begin with what they learned of the players in earlier matches."""
        for watcher in self.seated:
            spec = str(spec_of(watcher.model))
            memories = [notes.models.get(spec) for notes in memory.players]
            self.recalled[watcher.label] = [0 if each is None else each.matches for each in memories]
            for player, each in enumerate(memories):
                if each is not None and watcher.error is None:
                    with errors_noted(watcher):
                        watcher.model.recall(player, dict(each.learned))

    def remember(self, memory: Memory) -> None:
        """Keep what the models learned of the players; of equal models, what the first did."""
        for player in range(self.game.players):
            learned: dict[str, Learned] = {}
            for watcher in [each for each in reversed(self.seated) if each.error is None]:
                with errors_noted(watcher):
                    found = watcher.model.remember(player)
                    if not is_learned(found):
                        raise ValueError(f"remember returns numbers of 0 or more by name, not {found!r}")
                    plain = {name: float(value) for name, value in found.items()}  # NumPy's numbers, too
                    learned |= {str(spec_of(watcher.model)): plain} if plain else {}
            memory.keep(player, learned)

    def observe(self, event: "Event") -> None:
        """Feed *event* to every model, as far as it may see it."""
        for number, watcher in enumerate(self.seated):
            if watcher.error is None:
                with errors_noted(watcher, f"ply {event.ply}: "):
                    watcher.model.observe(event.transition(watcher.seat, ("watcher", number)))

    def beliefs(self) -> Beliefs:
        """Every model's current belief about every player."""
        found: Beliefs = {}
        for watcher in self.seated:
            if watcher.error is None:
                with errors_noted(watcher):
                    players = range(self.game.players)
                    found[watcher.label] = [plain_belief(watcher.model.belief(player)) for player in players]
        return found

    def insights(self, state: State, beliefs: Beliefs) -> tuple[Insight, ...]:
        """Every model's *beliefs* now, predictions and reasons, with the match in *state*."""
        return tuple([self.insight(watcher, state, beliefs) for watcher in self.seated])

    def insight(self, watcher: Watcher, state: State, beliefs: Beliefs) -> Insight:
        """One model's insight now; a model that raises is not asked again, and its belief is taken back."""
        if watcher.error is None:
            with errors_noted(watcher):
                explanations = tuple(self.explanation(watcher, player) for player in range(self.game.players))
                predictions = self.predictions(watcher, state)
                return Insight(watcher.label, watcher.seat, tuple(beliefs[watcher.label]), predictions, explanations)
            beliefs.pop(watcher.label, None)
        return Insight(watcher.label, watcher.seat, error=watcher.error)

    def explanation(self, watcher: Watcher, player: int) -> Explanation:
        """A model's explanation, with the number of earlier matches that it remembers."""
        found = watcher.model.explain(player)
        if not isinstance(found, Explanation):
            raise TypeError("explain must return an Explanation")
        recalled = self.recalled.get(watcher.label, ())
        if player < len(recalled) and recalled[player]:
            return msgspec.structs.replace(found, recalled=recalled[player])
        return found

    def predictions(self, watcher: Watcher, state: State) -> dict[int, tuple[Prediction, ...]]:
        """A model's predictions for each player to move; empty if it makes none."""
        if "action" not in watcher.model.answers:
            return {}
        view, found = state.view(watcher.seat), {}
        for player in self.game.movers(state):
            expected = watcher.model.predict(view.clone(), player)
            if not isinstance(expected, Distribution):
                raise TypeError("predict must return a Distribution")
            found[player] = tuple(
                Prediction(action, probability, state.action_to_string(player, action))
                for action, probability in expected.top(LIKELIEST)
            )
        return found

    def errors(self) -> dict[str, str]:
        """The errors of the models that raised, by label."""
        return {watcher.label: watcher.error for watcher in self.seated if watcher.error is not None}


def make_watcher(each: WatcherLike, game: Game) -> Watcher:
    """A Watcher from any of its forms."""
    if isinstance(each, Watcher):
        return each
    if isinstance(each, Model):
        return Watcher(each)
    if not isinstance(each, str):
        raise BadSpec(
            short_repr(each), "a watcher is a model, or text such as 'strategy_filter' or 'strategy_filter@0'"
        )
    text, at, seat = each.rpartition("@")
    if not at or seat.endswith((")", "]", "'", '"')):  # an @ inside a parameter
        text, at, seat = each, "", ""
    if at and seat not in map(str, range(game.players)):
        raise BadSpec(each, f"after @ must be a player from 0 to {game.players - 1}, not {short_repr(seat)}")
    return Watcher(make_model(text, spec_of(game).name), int(seat) if seat else None)


def free_label(watcher: Watcher, taken: Collection[str]) -> str:
    """The model's spec, with its seat, and a number if another has the same."""
    plain = str(spec_of(watcher.model)) + ("" if watcher.seat is None else f"@{watcher.seat}")
    label, count = plain, 1
    while label in taken:
        count += 1
        label = f"{plain}#{count}"
    return label


def watcher_labels(game: Game, wanted: Iterable[WatcherLike]) -> list[str]:
    """The labels of the models that watch a game, without beginning to watch, which may take long."""
    found: list[str] = []
    for each in wanted:
        found.append(free_label(make_watcher(each, game), found))
    return found


def plain_belief(belief: Mapping[str, float]) -> Belief:
    """A belief as the record holds it: labels are text, shares are finite floats."""
    plain = {label: float(probability) for label, probability in belief.items()}
    if not all(type(label) is str and isfinite(probability) for label, probability in plain.items()):
        raise ValueError(f"a belief maps text to finite shares, not {belief!r}")
    return plain


@contextmanager
def errors_noted(watcher: Watcher, where: str = "", but: type[Exception] | tuple[()] = ()) -> Iterator[None]:
    """Notes an error of a model, which must not end the match, *but* those of a kind."""
    try:
        yield
    except but:
        raise
    except Exception as error:
        watcher.error = where + error_text(error)
