"""Tables under one roof: keys, records, taking back, and who is told what."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

from kibitz import replaying
from kibitz.core.clocks import TimeControl
from kibitz.core.errors import BadSpec, Refused, UnknownName
from kibitz.core.records import Record
from kibitz.server.guests import Guest
from kibitz.server.lobby import Lobby
from kibitz.store import Store
from kibitz.web.hints import advice
from kibitz.web.house import House, Setup, Sitting

Found = TypeVar("Found")


def run(work: Coroutine[Any, Any, Found]) -> Found:
    return asyncio.run(asyncio.wait_for(work, 60.0))


def house_in(folder: Path) -> House:
    """A house with a store of its own."""
    return House(Lobby(Store(str(folder / "kibitz.db")), folder / "matches"))


async def chosen(sitting: Sitting, seat: int, actions: list[int]) -> None:
    """Choose some actions on a seat, then look no further."""
    rest = list(actions)
    async for update in sitting.table.updates(seat, since=0):
        if update.request is not None and rest:
            sitting.table.guest(seat).choose(rest.pop(0))
        elif not rest and (update.request is not None or update.ending is not None):
            return


def test_what_kibitzers_believed_is_kept_in_the_record(tmp_path: Path) -> None:
    async def played() -> Record:
        house = house_in(tmp_path)
        sitting = house.open(Setup("dilemma(rounds=3)", ("grim", "pavlov"), ("strategy_filter",), seed=3))
        await asyncio.gather(*sitting.tasks)
        return house.record(str(sitting.number))

    record = run(played())
    assert record.header.models == ("strategy_filter",)
    believed = [record.header.beliefs, *(entry.beliefs for entry in record.entries)]
    assert believed == [moment.beliefs for moment in replaying(record, models=["strategy_filter"])]


def test_a_match_goes_on_from_another_and_only_own_moves_are_taken_back(tmp_path: Path) -> None:
    async def played() -> tuple[Sitting, Sitting]:
        house = house_in(tmp_path)
        given = (("cooperate", "defect"), ("defect", "defect"))
        sitting = house.open(Setup("dilemma(rounds=4)", (None, "pavlov"), seed=3, given=given))
        await chosen(sitting, 0, [0])
        again = house.taken_back(sitting, 0)
        await chosen(again, 0, [1, 1])
        await again.table.over()
        with pytest.raises(Refused, match="no move to take back"):
            house.taken_back(house.open(sitting.setup), 0)
        return sitting, again

    sitting, again = run(played())
    assert [entry.actions for entry in again.table.record.entries[:2]] == list(sitting.setup.given)
    assert [entry.actions[0] for entry in again.table.record.entries] == ["cooperate", "defect", "defect", "defect"]


def test_a_match_is_kept_and_its_key_opens_one_seat(tmp_path: Path) -> None:
    async def played() -> tuple[House, Sitting]:
        house = house_in(tmp_path)
        sitting = house.open(Setup("dilemma(rounds=2)", (None, "pavlov"), ("strategy_filter",), seed=3))
        (key,) = sitting.keys
        assert (sitting.seat(key), sitting.seat("wrong"), sitting.seat("")) == (0, None, None)
        assert house.results() == [], "what is being played is not among the records"
        await chosen(sitting, 0, [1, 1])
        await sitting.table.over()
        await house.lobby.close()
        return house, sitting

    house, sitting = run(played())
    (result,) = house.results()
    assert result.names == ("a person", "dilemma.pavlov")
    assert house.record(str(result.index)) == sitting.table.record
    assert house.record(f"{house.lobby.run.run}-{result.index}") == sitting.table.record
    assert list(house.lobby.folder.iterdir()) == []


def test_names_of_records_lead_nowhere_else(tmp_path: Path) -> None:
    house = house_in(tmp_path)
    for name in ("../secret", "nothing", "/etc/passwd", "", "-", "1-", "-1", "1-x", "²"):
        with pytest.raises(Refused, match="no record"):
            house.record(name)
    for name in ("1", "9-1"):
        with pytest.raises(UnknownName, match=r"no (match|run) named"):
            house.record(name)


def test_a_move_is_taken_back(tmp_path: Path) -> None:
    async def played() -> None:
        house = house_in(tmp_path)
        first = house.open(Setup("dilemma(rounds=5)", (None, "tit_for_tat"), seed=3))
        with pytest.raises(Refused, match="no move"):
            house.taken_back(first, 0)
        await chosen(first, 0, [0, 1, 1])
        again = house.taken_back(first, 0)
        await chosen(again, 0, [])
        while len(again.table.events) < 2:
            await asyncio.sleep(0.01)
        assert [event.actions for event in again.table.events] == [event.actions for event in first.table.events[:2]]
        timed = house.open(Setup("dilemma", (None, "pavlov"), time_control=TimeControl(move=9.0)))
        with pytest.raises(Refused, match="without a clock"):
            house.taken_back(timed, 0)
        await asyncio.gather(*first.tasks)
        assert first.table.status == "stopped", "nobody plays on where a move was taken back"
        assert first.table.path is not None
        assert not first.table.path.exists()
        await house.lobby.close()

    run(played())


def test_kibitzers_say_what_may_be_known(tmp_path: Path) -> None:
    async def played() -> Sitting:
        house = house_in(tmp_path)
        models = ("strategy_filter", "strategy_filter@1")
        sitting = house.open(Setup("kuhn(players=2)", ("rock", "maniac"), models, seed=3))
        await sitting.table.over()
        await asyncio.gather(*sitting.tasks)
        return sitting

    kibitzers = run(played()).kibitzers
    last = len(kibitzers.thoughts) - 1
    assert last == len(kibitzers.table.events)
    assert [each.label for each in kibitzers.seen(last, 0, [0, 1], all_seen=False)] == ["strategy_filter"]
    assert len(kibitzers.seen(last, 1, [0, 1], all_seen=False)) == 2
    assert len(kibitzers.seen(last, None, [0, 1], all_seen=True)) == 2
    (about_one,) = kibitzers.seen(last, 0, [1], all_seen=False)
    assert about_one.beliefs[0] == {}
    assert about_one.beliefs[1]
    assert about_one.words[0] == ""
    assert kibitzers.seen(last + 5, 0, [0, 1], all_seen=True) == ()


def test_a_hint_is_a_legal_move_and_draws_nothing_of_the_match(tmp_path: Path) -> None:
    async def played() -> str:
        house = house_in(tmp_path)
        sitting = house.open(Setup("kuhn(players=2)", (None, "rock"), seed=3))
        await chosen(sitting, 0, [])
        words = await advice(sitting.table, 0, house.solvable)
        view = sitting.table.positions[-1].state
        assert view.string_to_action(0, words) in view.legal_actions(0)
        await sitting.table.stop()
        return words

    assert run(played()) == run(played())


def test_a_page_starts_no_program(tmp_path: Path) -> None:
    async def opened(setup: Setup) -> None:
        house_in(tmp_path).open(setup)

    for setup in (
        Setup("dilemma", (None, "cmd:touch /tmp/x")),
        Setup("dilemma", (None, "pavlov"), ("strategy_filter(strategies=[process(command='x')])@0",)),
    ):
        with pytest.raises(BadSpec, match="start a program"):
            run(opened(setup))


def test_too_few_seats_are_refused(tmp_path: Path) -> None:
    async def opened() -> None:
        house_in(tmp_path).open(Setup("kuhn", (None, "rock")))

    with pytest.raises(BadSpec, match="3 players"):
        run(opened())


def test_in_constrained_play_only_what_serves_the_mission_is_permitted(tmp_path: Path) -> None:
    async def shares() -> list[float]:
        """Of the orders that are legal at first, how many are permitted, for some missions."""
        house, found = house_in(tmp_path), []
        for seed in range(4):
            setup = Setup("risk(players=3)", (None, "passive", "passive"), seed=seed, experiment="constrained")
            sitting = house.open(setup)
            await chosen(sitting, 0, [])
            view = sitting.table.positions[-1].state.view(0)
            permitted, legal = sitting.permitted(view, 0), view.legal_actions(0)
            assert set(permitted) <= set(legal)
            assert not sitting.casual
            found.append(len(permitted) / len(legal))
            await sitting.table.stop()
        with pytest.raises(BadSpec, match="play it freely"):
            house.open(Setup("dilemma", (None, "pavlov"), experiment="constrained"))
        return found

    found = run(shares())
    assert 0.0 < min(found) < 1.0


def test_what_people_say_of_their_plan_is_kept_in_the_record(tmp_path: Path) -> None:
    async def played() -> tuple[House, Sitting]:
        house = house_in(tmp_path)
        sitting = house.open(Setup("dilemma(rounds=1)", (None, "pavlov"), seed=3, experiment="free"))
        with pytest.raises(Refused, match="over"):
            sitting.debrief(0, {"plan": "none"})
        await chosen(sitting, 0, [1])
        await sitting.table.over()
        sitting.debrief(0, {"plan": "be \x1bnice"})
        await house.lobby.close()
        return house, sitting

    house, sitting = run(played())
    record = house.record(str(sitting.number))
    assert record.ending is not None
    assert record.ending.debriefs == {0: {"plan": sitting.table.record.ending.debriefs[0]["plan"]}}
    assert "\x1b" not in record.ending.debriefs[0]["plan"]
    for _ in replaying(record):  # it is still the record of that match
        pass


def test_people_and_bots_meet_at_one_table(tmp_path: Path) -> None:
    async def played() -> tuple[House, Sitting, Sitting]:
        house = house_in(tmp_path)
        wanted = Setup("dilemma(rounds=1)", (None, None), waiting=(1,))
        with pytest.raises(Refused, match="knows the dice"):
            house.open(msgspec.structs.replace(wanted, seed=3))
        ours = house.open(wanted)
        assert (ours.table.status, list(ours.keys.values())) == ("open", [0])
        assert not ours.casual, "nobody takes a move back against a stranger"
        bot = Guest("bot")
        assert house.lobby.seek(bot, "dilemma(rounds=1)") == (ours.table, 1)
        theirs_table, _ = house.lobby.seek(Guest("other"), "dilemma(rounds=1)")
        theirs = house.sitting(theirs_table.number)
        assert [table.number for table in house.tables()] == [1, 2]
        seat = theirs.sit()
        assert theirs.seat(next(iter(theirs.keys))) == seat == 1
        with pytest.raises(Refused, match="taken"):
            theirs.sit()
        for sitting in (ours, theirs):
            await asyncio.gather(chosen(sitting, 0, [1]), chosen(sitting, 1, [0]))
            await sitting.table.over()
        await house.lobby.close()
        return house, ours, theirs

    house, ours, theirs = run(played())
    assert [result.names for result in house.results()] == [("other", "a person"), ("a person", "bot")]
    assert house.sitting(ours.number) is ours
    assert len(theirs.kibitzers.thoughts) == 2, "what bots have begun is kibitzed as well"


def test_whoever_gets_up_before_the_match_frees_his_seat_and_loses_the_key(tmp_path: Path) -> None:
    async def left() -> Sitting:
        house = house_in(tmp_path)
        sitting = house.open(Setup("pawns", (None, None), waiting=(1,)))
        (key,) = sitting.keys
        sitting.leave(0)
        assert sitting.seat(key) is None
        await house.lobby.close()
        return sitting

    assert run(left()).table.open_seats == [0, 1]


def test_a_model_that_refuses_the_game_opens_no_table(tmp_path: Path) -> None:
    async def tried() -> House:
        house = house_in(tmp_path)
        with pytest.raises(BadSpec, match="after @ stands a player"):
            house.open(Setup("dilemma", ("pavlov", "grim"), ("strategy_filter@5",)))
        return house

    assert run(tried()).tables() == []
