"""Live matches: who sits, who is asked, who sees what, and what befalls those who do not answer."""

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from kibitz import play, replaying
from kibitz.core.errors import IllegalAction, Refused
from kibitz.core.records import Record, read_record
from kibitz.core.registry import entries, make_game
from kibitz_web.server.access.auth import Forbidden, Principal
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.live.seats import Update, Viewer
from kibitz_web.server.workers.compute import Compute, RunInlineIfFast
from live_matches import live, player, run, sit, spectator


async def first_legal(match: LiveMatch, number: int) -> list[Update]:
    """Play the first legal action as often as one is asked for; all that was seen from that seat."""
    seen, seat = [], match.seats[number]
    async for update in seat.updates():
        seen.append(update)
        if update.request is not None:
            assert seat.choose(update.view.legal_actions(number)[0])
    return seen


async def looking_on(match: LiveMatch) -> list[Update]:
    return [update async for update in spectator(match).updates()]


def test_agents_play_at_a_table_as_they_do_anywhere(tmp_path: Path) -> None:
    async def played() -> Record:
        table = live("kuhn", ["rock", "maniac", "solid"], seed=5, path=tmp_path / "kept.krec")
        table.start()
        return await table.over()

    record = run(played())
    assert record.without_times() == play("kuhn", ["rock", "maniac", "solid"], seed=5).without_times()
    assert read_record(tmp_path / "kept.krec") == record


def test_play_begins_when_the_last_seat_is_taken() -> None:
    async def played() -> Record:
        table = live("dilemma(rounds=3)", [None, None])
        assert sit(table, "ann", 1, person=True).player == 1
        assert (table.status, table.open_seats) == ("open", [0])
        assert sit(table, "bot").player == 0
        assert table.status == "playing"
        await asyncio.gather(first_legal(table, 0), first_legal(table, 1))
        return await table.over()

    record = run(played())
    assert record.header.agents == ("Participant(name='bot')", "Participant(name='ann', person=True)")
    assert [truth["name"] for truth in record.header.truths] == ["bot", "ann"]
    assert [entry.actions for entry in record.entries] == [("cooperate", "cooperate")] * 3
    assert len(list(replaying(record))) == 4


@pytest.mark.parametrize("name", [name for name in entries("game") if make_game(name).hidden])
def test_guests_and_onlookers_see_their_own_views_only(name: str) -> None:
    async def played() -> tuple[LiveMatch, list[list[Update]]]:
        game = make_game(name)
        table = live(name, [None] * game.players, max_plies=40, seed=7)
        for number in range(game.players):
            sit(table, f"guest {number}")
        seats = [first_legal(table, player) for player in range(game.players)]
        return table, list(await asyncio.gather(*seats, looking_on(table)))

    table, seen = run(played())
    for seat, updates in zip([*range(table.game.players), None], seen, strict=True):
        happened = [update for update in updates if update.transition is not None]
        assert [update.ply for update in happened] == list(range(1, len(table.events) + 1))
        for update in updates:
            assert update.view.key() == table.positions[update.ply].state.view(seat).key()
        for update, event in zip(happened, table.events, strict=True):
            assert update.transition is not None
            assert update.transition.actions == event.transition(seat).actions
        if seat is None:
            assert all(update.request is None for update in updates)
    assert all(updates[-1].ending is not None for updates in seen)


def test_nobody_learns_that_another_has_chosen_already() -> None:
    async def played() -> tuple[list[Update], list[Update]]:
        table = live("dilemma(rounds=2)", [None, None])
        for name in ("quick", "slow"):
            sit(table, name)
        spying = [asyncio.create_task(first_to_last(table, seat)) for seat in (1, None)]
        await until(lambda: table.seats[0].request is not None)
        before = [len(seen) for seen in (spies[1], spies[None])]
        table.seats[0].choose("defect")
        await asyncio.sleep(0.05)
        assert [len(seen) for seen in (spies[1], spies[None])] == before
        assert table.events == []
        table.seats[1].choose("cooperate")
        await until(lambda: len(table.events) == 1)
        await table.stop()
        await asyncio.gather(*spying)
        return spies[1], spies[None]

    spies: dict[int | None, list[Update]] = {1: [], None: []}

    async def first_to_last(table: LiveMatch, seat: int | None) -> None:
        viewer: Viewer = spectator(table) if seat is None else table.seats[seat]
        async for update in viewer.updates():
            spies[seat].append(update)

    for seen in run(played()):
        assert [update.transition is not None for update in seen].count(True) == 1


async def until(condition: Any) -> None:
    while not condition():
        await asyncio.sleep(0.005)


def test_the_servers_clock_decides() -> None:
    async def played() -> Record:
        table = live("dilemma(rounds=3)", [None, "tit_for_tat"], move_time=0.05)
        sit(table, "silent")
        return await table.over()

    record = run(played())
    faults = [fault for entry in record.entries for fault in entry.faults]
    assert [fault.kind for fault in faults] == ["late"] * 3
    assert record.ending is not None
    assert record.ending.forfeits == (0,)


def test_without_a_clock_patience_ends_some_day() -> None:
    async def played() -> Record:
        table = live("dilemma(rounds=1)", [None, "tit_for_tat"], patience=0.05)
        sit(table, "silent")
        return await table.over()

    assert run(played()).entries[0].faults[0].message == "no reply within 0.05 s"


def test_what_is_illegal_is_refused_and_may_be_chosen_anew() -> None:
    async def played() -> Record:
        table = live("dilemma(rounds=1)", [None, "tit_for_tat"])
        sit(table, "ann", person=True)
        ann = table.seats[0]
        assert not ann.choose("defect"), "nobody has asked yet"
        await until(lambda: ann.request is not None)
        for wrong in ("surrender", 7, -1):
            with pytest.raises(IllegalAction):
                ann.choose(wrong)
        assert ann.choose("defect")
        assert not ann.choose("cooperate"), "the first answer counts"
        return await table.over()

    record = run(played())
    assert record.entries[0].actions[0] == "defect"
    assert record.entries[0].faults == ()


@pytest.mark.parametrize("asked", [True, False])
def test_a_guest_may_resign_whether_it_is_his_turn_or_not(asked: bool) -> None:
    async def played() -> Record:
        table = live("pawns", [None, None])
        sit(table, "ann", person=True)
        sit(table, "ben", person=True)
        await until(lambda: table.seats[0].request is not None)
        table.seats[0 if asked else 1].leave()
        return await table.over()

    ending = run(played()).ending
    assert ending is not None
    assert (ending.reason, ending.forfeits) == ("resigned", (0 if asked else 1,))


def test_before_the_match_a_guest_may_leave_and_afterwards_that_is_resigning() -> None:
    async def played() -> Record:
        table, other = live("pawns", [None, "random"]), live("pawns", [None, None])
        for _ in range(2):
            ann = sit(other, "ann")
            ann.leave()
            assert other.open_seats == [0, 1]
        ben = sit(other, "ben")
        ann.leave()
        assert (other.seats, ben.revoked) == ({0: ben}, False), "who has no seat has nothing to leave"
        sit(table, "ann").leave()
        return await table.over()

    assert run(played()).complete


def test_a_seat_works_only_with_its_key_in_the_hands_of_its_holder() -> None:
    async def tried() -> None:
        match = live("kuhn(players=2)", [None, None])
        ann, ben = sit(match, "ann"), sit(match, "ben")
        assert match.seat(ann.key, player("ann")) is ann
        for key, name in ((ann.key, "ben"), (ben.key, "ann"), ("", "ann"), (ann.key[:-1], "ann"), ("guess", "ann")):
            with pytest.raises(Refused, match="unknown or belongs to somebody else"):
                match.seat(key, player(name))
        await until(lambda: ann.request is not None or ben.request is not None)
        mover = ann if ann.request is not None else ben
        match.revoke(mover.principal.id)
        assert (mover.player, mover.request, mover.choose(0)) == (None, None, False)
        with pytest.raises(Refused):
            match.seat(mover.key, mover.principal)
        assert [update async for update in mover.updates(since=0)] == [], "a revoked seat shows nothing"
        assert (await match.over()).ending.reason == "resigned"

    run(tried())


def test_a_spectator_has_no_seat_and_a_revoked_one_no_sight() -> None:
    async def tried() -> None:
        match = live("dilemma(rounds=2)", [None, "pavlov"])
        with pytest.raises(Forbidden, match="may only watch"):
            match.sit(Principal("eve", "eve", "spectator"))
        watching, seen = spectator(match), []

        async def look() -> None:
            async for update in watching.updates():
                seen.append(update)  # noqa: PERF401 (others look at it meanwhile)

        looking = asyncio.create_task(look())
        ann = sit(match, "ann")
        await until(lambda: ann.request is not None and seen)
        watching.revoke()
        await looking
        count = len(seen)
        ann.choose(0)
        await until(lambda: len(match.events) == 1)
        assert len(seen) == count
        await match.stop()

    run(tried())


def test_a_seat_is_taken_once() -> None:
    async def tried() -> None:
        table = live("pawns", [None, "random"])
        with pytest.raises(Refused, match="seat 1 is taken; open: 0"):
            sit(table, "ann", 1)
        sit(table, "ann")
        with pytest.raises(Refused, match="the table is taken"):
            sit(table, "ben")
        await table.stop()

    run(tried())


def test_a_table_that_is_stopped_leaves_a_prefix(tmp_path: Path) -> None:
    async def stopped() -> LiveMatch:
        table = live("pawns", [None, "random"], path=tmp_path / "cut.krec")
        sit(table, "ann")
        await until(lambda: table.seats[0].request is not None)
        await table.stop()
        return table

    assert run(stopped()).status == "stopped"
    assert not read_record(tmp_path / "cut.krec").complete


def test_a_table_that_is_stopped_before_its_first_step_is_over() -> None:
    async def stopped() -> LiveMatch:
        table = live("pawns", [None, "random"])
        sit(table, "ann")
        await table.stop()
        await table.over()
        return table

    assert run(stopped()).status == "stopped"


def test_what_takes_long_is_done_off_the_loop_and_what_is_short_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "perf_counter", time.thread_time)  # other programs make no work long

    def busy(seconds: float) -> int:
        end = time.thread_time() + seconds
        while time.thread_time() < end:
            pass
        return threading.get_ident()

    async def done() -> list[bool]:
        updates, here = RunInlineIfFast(Compute()), threading.get_ident()
        return [await updates.run(busy, seconds) == here for seconds in (0.0, 0.0, 0.01, 0.0, 0.0)]

    assert run(done()) == [False, True, True, False, True]
