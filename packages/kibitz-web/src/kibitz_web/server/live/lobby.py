"""The lobby opens, seats, stores and ends all live matches of a server, and continues them after a restart."""

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from kibitz.core.errors import KibitzError, Refused, UnknownName, printable
from kibitz.core.match.watchers import watcher_labels
from kibitz.core.records import Record
from kibitz.core.registry import make_game
from kibitz_lab.store import Store
from kibitz_lab.store.accounts import hash_of
from kibitz_lab.store.live import LiveMatches, LiveRow, SeatRow
from kibitz_web.server.access.auth import Principal
from kibitz_web.server.access.guard import Limits
from kibitz_web.server.access.policy import AllowedSpec
from kibitz_web.server.live.archive import Archive, Journal
from kibitz_web.server.live.finished import FinishedMatches
from kibitz_web.server.live.insights import LiveModels
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.live.seats import Seat
from kibitz_web.server.live.setup import MatchSetup
from kibitz_web.server.live.storage import StoreWriter
from kibitz_web.server.workers.compute import Compute
from kibitz_web.server.workers.watching import checked_labels

log = logging.getLogger(__name__)
LONGEST_ANSWER = 2000
"""Longest answer of a person about their play, in characters."""
MOST_LABELS = 500
"""Number of games and models whose labels are remembered."""
CLOCK_PAUSE = 5.0
"""Seconds between writes of the clocks: a killed server gives a player back at most so much time."""


class Lobby:
    """All live matches of a server. *agents* are the operator's own, by name."""

    def __init__(
        self,
        store: Store,
        folder: Path,
        *,
        compute: Compute | None = None,
        agents: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.store, self.archive, self.live = store, Archive(store, folder), LiveMatches(store)
        self.compute, self.agents, self.limits = compute or Compute(), dict(agents or {}), limits or Limits()
        self.writer = StoreWriter()
        self.journal = Journal(self.live, self.writer)
        self.matches: dict[int, LiveMatch] = {}
        self.finished = FinishedMatches(self.matches, self.limits.kept, self.limits.kept_whole)
        self.last = max(self.archive.last_number(), self.live.last_number())
        """The highest number of a match."""
        self.labels: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        """For games and models that can watch them, the labels of the models."""
        self.tasks: set[asyncio.Task[None]] = set()
        self.amending, self.seeking = asyncio.Lock(), asyncio.Lock()
        self.clock_task: asyncio.Task[None] | None = None
        self.closing = False

    # Opening and finding matches

    async def open(self, setup: MatchSetup, owner: Principal) -> LiveMatch:
        """Open a match; without seats to take it starts at once."""
        self.check_room(owner)
        self.compute.turns.set_unlimited(owner.id, unlimited=owner.role == "operator")
        self.last = number = self.last + 1
        await self.compute.run_io(self.archive.check_room)
        match = await self.compute.run_for(owner.id, self.make_match, setup, number, owner.id)
        await self.add_models(match, setup.models or ())
        await self.journal.write(self.live.opening_change(number, owner.id, msgspec.json.encode(setup).decode()))
        self.add(match)
        match.start()
        return match

    def make_match(self, setup: MatchSetup, number: int, owner: str, **past: Any) -> LiveMatch:
        """A match that is not begun."""
        most = min(setup.max_plies or make_game(setup.game).max_plies, self.limits.plies)
        path, compute = self.archive.path(number), self.compute
        return LiveMatch(setup, number=number, owner=owner, compute=compute, path=path, max_plies=most, **past)

    def add(self, match: LiveMatch) -> None:
        """Add a match; at its end it is stored."""
        self.matches[match.number] = match
        self.start_task(self.store_match(match))
        if match.models is not None:
            self.start_task(self.follow_models(match, match.models))

    async def add_models(self, match: LiveMatch, models: Sequence[str]) -> None:
        """Let models watch a match that has none; raises what a model raises that cannot."""
        if match.models is None and models:
            labels = await self.checked_labels(match, tuple(models))
            match.models = LiveModels(match, models, labels)

    async def checked_labels(self, match: LiveMatch, models: tuple[str, ...]) -> list[str]:
        """The labels of models that can watch a match; a worker finds that out, once for each game."""
        key = repr(match.game), models
        if key not in self.labels:
            work = self.compute.run_cpu(checked_labels, match.game, models, payer=match.owner, match=match.work)
            found = await work
            if len(self.labels) >= MOST_LABELS:
                self.labels.clear()
            self.labels[key] = found
        return self.labels[key]

    async def watched_match(self, number: int) -> LiveMatch:
        """The live match with this number, watched by the game's usual model if its owner chose none.

        Whether the model can watch is not waited for: it may have to compile something first.
        """
        match = self.find(number)
        if match.models is None and match.setup.models is None:
            models = (match.game.usual_model,)
            labels = await self.compute.run_io(watcher_labels, match.game, models)
            if match.models is None:
                match.models = LiveModels(match, models, labels)
                self.start_task(self.follow_models(match, match.models))
        return match

    async def follow_models(self, match: LiveMatch, models: LiveModels) -> None:
        """Let the models follow a match, and add their beliefs to its record."""
        await models.follow()
        if match.status == "finished":
            models.add_to(match.record)
            await self.amend(match.number, match.record)

    def start_task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start *work*, which is waited for when the server closes."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    def check_room(self, owner: Principal) -> None:
        """Raise Refused if the lobby or the owner has too many matches."""
        owner.check_may_play()
        live = [match for match in self.matches.values() if match.live]
        own = sum(match.owner == owner.id for match in live)
        if len(live) >= self.limits.tables or own >= self.limits.tables_each:
            raise Refused("too many matches are open; try again when some have finished")

    def find(self, number: int) -> LiveMatch:
        """The live match with this number."""
        if number not in self.matches:
            live = [str(each) for each, match in self.matches.items() if match.live]
            raise UnknownName("table", str(number), live, "(finished matches are among the records)")
        return self.matches[number]

    def live_matches(self) -> list[LiveMatch]:
        """The matches that are waiting or running."""
        return [match for match in self.matches.values() if match.live]

    # Seats

    async def sit(self, match: LiveMatch, principal: Principal, player: int | None = None) -> Seat:
        """Seat a principal in a match; the seat outlives a restart of the server."""
        with match.waiting():
            return await self.stored_seat(match.sit(principal, player))

    async def sit_host(self, match: LiveMatch, principal: Principal) -> Seat | None:
        """Seat the person who opened a match, if it has a seat for them."""
        with match.waiting():
            seat = match.sit_host(principal)
            return None if seat is None else await self.stored_seat(seat)

    async def claim(self, match: LiveMatch, code: str, principal: Principal) -> Seat:
        """Seat a person who was invited."""
        with match.waiting():
            return await self.stored_seat(match.claim(code, principal), code)

    async def stored_seat(self, seat: Seat, code: str = "") -> Seat:
        """The seat, when it is stored; if that fails, it and its invitation are free again."""
        match = seat.match
        try:
            await self.save_seats(match, repeat=False)
        except KibitzError:
            seat.leave()
            if code:
                match.invites[seat.number], match.codes[seat.number] = hash_of(code), code
            raise
        return seat

    async def invitation(self, match: LiveMatch, player: int) -> str | None:
        """The code for an invited person; None if the seat needs none."""
        known = player in match.codes
        code = match.invitation(player)
        if code is not None and not known:
            await self.save_seats(match)
        return code

    async def leave(self, seat: Seat) -> None:
        """Give a seat up: before the match begins it becomes open again, afterwards this is resigning."""
        seat.leave()
        await self.save_seats(seat.match)

    async def seek(self, principal: Principal, game: AllowedSpec) -> Seat:
        """Seat a principal in an open match of *game*, or open a new one for them to wait in."""
        wanted = await self.compute.run_for(principal.id, make_game, game)
        async with self.seeking:  # who seeks the same at once finds this match
            for match in self.matches.values():
                others = {each.name for each in match.participants()}
                if match.open_seats and repr(match.game) == repr(wanted) and principal.name not in others:
                    return await self.sit(match, principal)
            setup = MatchSetup(game, (None,) * wanted.players, public=tuple(range(wanted.players)))
            return await self.sit(await self.open(setup, principal), principal)

    async def save_seats(self, match: LiveMatch, *, repeat: bool = True) -> None:
        """Store who sits in a match, and who is invited."""
        taken = [
            SeatRow(
                player,
                seat.participant.name,
                seat.principal.id,
                seat.principal.person,
                seat.key_hash,
                player in match.resigned,
            )
            for player, seat in match.seats.items()
        ]
        invited = [SeatRow(player, "", "", True, code) for player, code in match.invites.items() if code]
        await self.journal.write(self.live.seats_change(match.number, [*taken, *invited]), repeat=repeat)

    def principals(self) -> list[Principal]:
        """All who have a seat in a live match."""
        return [seat.principal for match in self.live_matches() for seat in match.seats.values()]

    async def revoke(self, account: str) -> None:
        """End every right of an account in every match."""
        for match in self.live_matches():
            match.revoke(account)
            await self.save_seats(match)

    # After a restart

    async def restore(self) -> None:
        """Go on with the matches of the last server, and store those that had finished."""
        rows = {row.number: row for row in await self.compute.run_io(self.live.all)}
        for number in sorted({*rows, *await self.compute.run_io(self.archive.files)}):
            try:
                await self.restore_match(number, rows.get(number))
            except (KibitzError, msgspec.MsgspecError, OSError) as error:
                log.error("match %d cannot go on: %s", number, error)
        self.clock_task = self.start_task(self.save_clocks())

    async def restore_match(self, number: int, row: LiveRow | None) -> None:
        """Go on with one match: its record has the events, the row has the seats and clocks."""
        past = await self.compute.run_blocking(self.archive.read_past, number)
        if past is not None and past.complete:
            await self.writer.write(self.archive.add, number, past)
            await self.journal.write(self.live.ending_change(number), repeat=True)
            return
        if row is None:
            log.warning("match %d has a file and no seats in the database: it cannot go on", number)
            return
        setup = msgspec.json.decode(row.setup, type=MatchSetup)
        make = partial(self.make_match, past=past, clocks=row.clocks)
        match = await self.compute.run_blocking(make, setup, row.number, row.owner)
        for each in row.seats:
            if each.resigned:
                match.restore_resignation(each.seat)
            if each.account:
                principal = Principal(each.account, each.name, "player", person=each.person)
                match.take_seat(each.seat, principal, each.name, each.key_hash or "")
                match.host = match.host or (principal if each.account == row.owner else None)
            else:
                match.invites[each.seat] = each.key_hash or ""
        await self.add_models(match, setup.models or ())
        self.add(match)
        match.start()

    async def save_clocks(self) -> None:
        """Store the clocks of running matches now and then, so that a killed server gives nobody their time back."""
        while not self.closing:
            await asyncio.sleep(CLOCK_PAUSE)
            timed = [match for match in self.live_matches() if match.match is not None and match.match.timed]
            if timed:
                with suppress(KibitzError):  # the next ones will do
                    await self.journal.write(self.live.clocks_change({m.number: m.used_seconds() for m in timed}))

    # The end of matches

    async def store_match(self, match: LiveMatch) -> None:
        """Wait for the end of a match, and store it."""
        await match.ended.wait()
        if self.closing and match.status == "stopped":
            return  # it goes on when the server is started again
        try:
            if match.status == "finished":
                await self.writer.write_until_done(self.archive.add, match.number, match.record)
                log.info("match stored", extra={"fields": {"match": match.number, "game": repr(match.game)}})
            await self.journal.write(self.live.ending_change(match.number), repeat=True)
        except KibitzError as error:  # its file stays, and is recovered at the next start
            log.error("match %d could not be stored: %s", match.number, error)
        self.finished.add(match)

    async def amend(self, number: int, record: Record) -> None:
        """Store a finished match again: people may have commented on it afterwards.

        Writes happen in the order of the calls; a client that disconnects, or a server that closes, interrupts none.
        """
        await asyncio.shield(self.start_task(self.write_in_turn(number, record)))

    async def write_in_turn(self, number: int, record: Record) -> None:
        """Write a record after the ones queued before it."""
        async with self.amending:
            await self.writer.write_until_done(self.archive.replace, number, record)

    async def debrief(self, seat: Seat, answers: Mapping[str, str]) -> None:
        """Add a person's answers about their play to the record of a finished match."""
        record = seat.match.record
        if record.ending is None:
            raise Refused("the questions come when the match is over")
        kept = {question: printable(answer)[:LONGEST_ANSWER] for question, answer in answers.items()}
        before = record.ending.debriefs or {}
        record.ending = msgspec.structs.replace(record.ending, debriefs={**before, seat.number: kept})
        await self.amend(seat.match.number, record)

    async def take_back(self, seat: Seat) -> Seat:
        """The seat in a new match, in which everything up to the last choice of this one is played again.

        With the same seed, all other players repeat their moves.
        """
        match = seat.match
        if not match.setup.casual:
            raise Refused("you can take back moves only if you are the only person and there is no clock")
        chosen = [
            action
            for event in match.events[len(match.setup.given) :]
            for player, action in event.choices()
            if player == seat.number
        ]
        if not chosen:
            raise Refused("there is no move to take back")
        setup = msgspec.structs.replace(match.setup, seed=match.options.seed)
        again = await self.open(setup, seat.principal)
        new_seat = await self.sit_host(again, seat.principal)
        assert new_seat is not None, "a casual match has a seat for its host"
        self.start_task(play_actions(new_seat, chosen[:-1]))
        await self.discard(match)
        return new_seat

    async def discard(self, match: LiveMatch) -> None:
        """Stop a match and delete it, unless the database takes no changes now."""
        if match.live:
            await self.journal.write(self.live.ending_change(match.number))
        await match.stop()
        if match.status != "finished":  # its file is deleted when it is stored
            await self.compute.run_io(self.archive.delete_file, match.number)

    async def close(self) -> None:
        """Stop the running matches, which go on when a server is started again, and store the finished ones."""
        self.closing = True
        for match in list(self.matches.values()):
            await match.stop()
        if self.clock_task is not None:
            self.clock_task.cancel()
        self.writer.close()
        while self.tasks:
            for failure in await asyncio.gather(*self.tasks, return_exceptions=True):
                # the caller sees errors that no match reports
                if isinstance(failure, Exception) and not isinstance(failure, KibitzError):
                    raise failure
        await self.journal.close()
        await self.compute.run_blocking(self.compute.close)


async def play_actions(seat: Seat, actions: Sequence[int]) -> None:
    """Choose *actions* on a seat, one for each request."""
    rest = list(actions)
    async for update in seat.updates(since=0):
        if not rest:
            return
        if update.request is not None:
            seat.choose(rest.pop(0))
