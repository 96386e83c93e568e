"""Replays a record, checks that every state is reproduced, and lets any model watch."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from kibitz.core.errors import IllegalAction, ReplayMismatch
from kibitz.core.game import CHANCE, Game, State, digest
from kibitz.core.match import Event, Position, forfeit_returns, given_action
from kibitz.core.match.choices import Choices
from kibitz.core.match.recorded import Moment
from kibitz.core.match.watchers import WatcherLike, Watchers
from kibitz.core.memory import Memory
from kibitz.core.records import Ending, Entry, Record, mover_name
from kibitz.core.registry import make_game


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


class Replay:
    """A record to be replayed, with other models watching; they may begin with a memory, to which nothing is added."""

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
        self.record, self.source = record, source
        self.game = make_game(record.header.game) if game is None else game
        if self.game.players != len(record.header.agents):
            raise ReplayMismatch(source, f"{len(record.header.agents)} agents, but {self.game.players} players")
        self.watchers = Watchers(self.game, models, record.header.seed)
        if memory is not None:
            agents = record.header.agents
            self.watchers.recall(Memory(memory, self.game, names or ("",) * len(agents), agents))

    def moments(self) -> Iterator[Moment]:
        """The position before the first event, then every event."""
        position = Position(self.game.new_initial_state(), self.game.hidden)
        self.check(position.state, self.record.header.hash, "at the start")
        choices = self.new_choices()
        watched = bool(self.watchers.seated)
        beliefs = self.watchers.beliefs() if watched else self.record.header.beliefs
        watchers = self.watchers if watched else None
        yield Moment(position.state, None, beliefs, self.record, watchers)
        for entry in self.record.entries:
            event = self.event(entry, position, choices)
            position = event.after
            self.check(position.state, entry.hash, f"after ply {entry.ply}")
            self.watchers.observe(event)
            beliefs = self.watchers.beliefs() if watched else entry.beliefs
            yield Moment(position.state, event, beliefs, self.record, watchers)
        if self.record.ending is not None:
            self.check_ending(position.state, self.record.ending)

    def new_choices(self) -> Choices:
        """Says which actions were chosen, from the first event on."""
        header = self.record.header
        counts = {"given": header.given, "opening": header.opening, "strikes": header.strikes}
        return Choices(self.game.players, **counts)

    def watched_record(self) -> Record:
        """The record with the beliefs of these models, replayed to the end."""
        beliefs = [moment.beliefs for moment in self.moments()]
        found = Record(self.record.header, self.record.entries, self.record.ending)
        if self.watchers.seated:
            recalled = self.watchers.recalled or msgspec.UNSET
            found.header = msgspec.structs.replace(found.header, recalled=recalled)
        found.watch([watcher.label for watcher in self.watchers.seated] or self.record.header.models, beliefs)
        return found

    def event(self, entry: Entry, before: Position, choices: Choices) -> Event:
        """The event that *entry* describes; *choices* has seen those before it."""
        state = before.state
        mover = state.current_player()
        if mover != entry.player:
            found, expected = mover_name(entry.player), mover_name(mover)
            raise self.mismatch(f"ply {entry.ply} is a move of {found}, but {expected} is to move")
        movers = self.game.movers(state) or (CHANCE,)
        actions = tuple(self.action(state, *pair, entry.ply) for pair in zip(movers, entry.actions, strict=True))
        chosen = choices.of(movers, entry)
        lists = entry.seconds, entry.faults, chosen
        return Event(entry.ply, mover, movers, actions, before, before.after(actions), *lists)

    def action(self, state: State, player: int, notation: str, ply: int) -> int:
        """The legal action of a notation."""
        try:
            return given_action(state, player, notation)
        except IllegalAction as error:
            raise self.mismatch(f"ply {ply}: {error}") from None

    def check(self, state: State, expected: str | None, where: str) -> None:
        if expected is not None and digest(state) != expected:
            raise self.mismatch(f"the state {where} is not the recorded one; the rules or the file changed")

    def check_ending(self, state: State, ending: Ending) -> None:
        self.check(state, ending.hash, "at the end")
        terminal, most = state.is_terminal(), self.record.header.max_plies
        shown = {
            "terminal": terminal,
            "max_plies": not terminal and ending.plies >= most,
            "resigned": not terminal and self.one_team_left(ending.forfeits),
        }
        if not shown.get(ending.reason):
            raise self.mismatch(f"the record says it ended by {ending.reason!r}, which the last state does not show")
        earned = state.returns() if terminal else self.game.infinite_play(state)
        expected = forfeit_returns(self.game, earned, ending.forfeits)
        if ending.returns != expected:
            raise self.mismatch(f"the record says the returns are {ending.returns}, the rules {expected}")

    def one_team_left(self, forfeits: Sequence[int]) -> bool:
        """Whether all teams but one have resigned."""
        return sum(not all(player in forfeits for player in team) for team in self.game.teams) <= 1

    def mismatch(self, why: str) -> ReplayMismatch:
        return ReplayMismatch(self.source, why)
