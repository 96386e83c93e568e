"""Replays a record, checks that every state is reproduced, and lets any model watch."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from kibitz.core.errors import IllegalAction, ReplayMismatch
from kibitz.core.game import Game, State, digest
from kibitz.core.match import Event, Match, Moment, forfeit_returns, given_action
from kibitz.core.match.loop import Turn
from kibitz.core.match.watchers import WatcherLike, Watchers
from kibitz.core.player_memory import Memory
from kibitz.core.records import Record, mover_name
from kibitz.core.registry import kit_of, make_game

if TYPE_CHECKING:
    from kibitz.core.kit.numbers import Measure


def replaying(
    record: Record, *, models: Sequence[WatcherLike] = (), game: Game | None = None, source: object = "record"
) -> Iterator[Moment]:
    """The moments of a record. With *models*, their beliefs replace the recorded ones.

    *game* is needed only for a game that is not registered. Raises ReplayMismatch if the rules do not reproduce it.

    >>> from kibitz import play, replaying
    >>> record = play("dilemma(rounds=2)", ["dilemma.grim", "dilemma.defector"], seed=1)
    >>> [str(moment.state) for moment in replaying(record)][-1]
    'round 2 of 2, points 1 : 6'
    """
    return Replay(record, models=models, game=game, source=source).moments()


class Replay(Match):
    """A match whose actions come from a record, with other models watching; it is played once.

    They may begin with a memory, to which nothing is added.
    """

    def __init__(
        self,
        record: Record,
        *,
        models: Sequence[WatcherLike] = (),
        game: Game | None = None,
        source: object = "record",
        memory: Path | str | None = None,
        names: Sequence[str] = (),
    ) -> None:
        self.record, self.source, header = record, source, record.header
        made = make_game(header.game) if game is None else game
        if made.players != len(header.agents):
            raise ReplayMismatch(source, f"{len(header.agents)} agents, but {made.players} players")
        self.watchers = Watchers(made, models, header.seed)
        if memory is not None:
            self.watchers.recall(Memory(memory, made, names or ("",) * made.players, header.agents))
        super().__init__(made, observers=[self.watchers] if self.watchers.seated else [])
        self.max_plies = self.fixed = len(record.entries)

    def moments(self) -> Iterator[Moment]:
        """The position before the first event, then every event."""
        return cast("Iterator[Moment]", self.steps())

    def show(self, event: Event | None) -> Moment:
        """The moment after an event; its state must be the recorded one."""
        entry = None if event is None else self.record.entries[event.ply]
        where = "at the start" if entry is None else f"after ply {entry.ply}"
        self.check(self.record.header.hash if entry is None else entry.hash, where)
        moment = super().show(event)
        moment.record = self.record
        if not self.watchers.seated:
            moment.beliefs = self.record.header.beliefs if entry is None else entry.beliefs
        return moment

    def unasked_turn(self, state: State, movers: tuple[int, ...]) -> Turn:
        """The turn that the record holds."""
        entry = self.record.entries[self.ply]
        self.check_mover(state)
        actions = [self.action(state, *pair) for pair in zip(movers, entry.actions, strict=True)]
        return actions, entry.seconds, entry.faults, entry.chosen

    def action(self, state: State, player: int, notation: str) -> int:
        """The legal action of a notation."""
        try:
            return given_action(state, player, notation)
        except IllegalAction as error:
            raise self.mismatch(f"ply {self.ply}: {error}") from None

    def watched_record(self) -> Record:
        """The record with the beliefs of these models, replayed to the end."""
        beliefs = [moment.beliefs for moment in self.moments()]
        found = Record(self.record.header, self.record.entries, self.record.ending)
        if self.watchers.seated:
            recalled = self.watchers.recalled or msgspec.UNSET
            found.header = msgspec.structs.replace(found.header, recalled=recalled)
        found.watch([watcher.label for watcher in self.watchers.seated] or self.record.header.models, beliefs)
        return found

    def check(self, expected: str | None, where: str) -> None:
        """Raise ReplayMismatch if the state now has another hash."""
        if expected is not None and digest(self.position.state) != expected:
            raise self.mismatch(f"the state {where} is not the recorded one; the rules or the file changed")

    def check_mover(self, state: State) -> None:
        """Raise ReplayMismatch if the next line is a move of somebody else."""
        entry, mover = self.record.entries[self.ply], state.current_player()
        if mover != entry.player:
            found, expected = mover_name(entry.player), mover_name(mover)
            raise self.mismatch(f"ply {entry.ply} is a move of {found}, but {expected} is to move")

    def end(self) -> None:
        """Raise ReplayMismatch unless the record ends as the rules do."""
        ending, state = self.record.ending, self.position.state
        if self.ply < len(self.record.entries):  # the game is over too early
            self.check_mover(state)
        if ending is None:
            return
        self.check(ending.hash, "at the end")
        terminal, most = state.is_terminal(), self.record.header.max_plies
        teams_left = sum(not all(player in ending.forfeits for player in team) for team in self.game.teams)
        shown = {
            "terminal": terminal,
            "max_plies": not terminal and ending.plies >= most,
            "resigned": not terminal and teams_left <= 1,
        }
        if not shown.get(ending.reason):
            raise self.mismatch(f"the record says it ended by {ending.reason!r}, which the last state does not show")
        earned = state.returns() if terminal else self.game.infinite_play(state)
        expected = forfeit_returns(self.game, earned, ending.forfeits)
        if ending.returns != expected:
            raise self.mismatch(f"the record says the returns are {ending.returns}, the rules {expected}")

    def mismatch(self, why: str) -> ReplayMismatch:
        return ReplayMismatch(self.source, why)


def measures_of(record: Record) -> "Sequence[Measure]":
    """What the game measures of a match that is over; nothing if it measures nothing, or the match was cut off.

    A record that was written while playing holds them; for others the match is replayed.
    """
    if record.ending is not None and record.ending.measures is not msgspec.UNSET:
        return record.ending.measures
    game = make_game(record.header.game)
    measures = kit_of(game).measures
    if record.ending is None or measures is None:
        return ()
    events = (moment.event.transition(None) for moment in replaying(record) if moment.event is not None)
    return measures(game, events, record.ending.returns)
