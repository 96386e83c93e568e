"""Tables under one roof: records, taking back, runs, and who is told what."""

import asyncio
import threading
import time
from pathlib import Path

import pytest
from table_play import chosen, house_in, run

from kibitz import replaying
from kibitz.core.clocks import TimeControl
from kibitz.core.errors import BadSpec, Refused, UnknownName
from kibitz.core.insight import Explanation
from kibitz.core.records import Record
from kibitz.server.lobby import Limits, Lobby
from kibitz.store import Store
from kibitz.web.hints import advice
from kibitz.web.house import House, Setup, Sitting


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
        assert sitting.table.seat_of(sitting.keys[key]) == 0
        assert house.results() == [], "what is being played is not among the records"
        await chosen(sitting, 0, [1, 1])
        await asyncio.gather(*sitting.tasks)
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
        with pytest.raises(Refused, match="no clock"):
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
    assert [each.label for each in kibitzers.visible_insights(last, 0, [0, 1], all_seen=False)] == ["strategy_filter"]
    assert len(kibitzers.visible_insights(last, 1, [0, 1], all_seen=False)) == 2
    assert len(kibitzers.visible_insights(last, None, [0, 1], all_seen=True)) == 2
    (about_one,) = kibitzers.visible_insights(last, 0, [1], all_seen=False)
    assert about_one.beliefs[0] == {}
    assert about_one.beliefs[1]
    assert about_one.explanations[0] == Explanation()
    assert kibitzers.visible_insights(last + 5, 0, [0, 1], all_seen=True) == ()


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


def test_a_tournament_on_a_page_reaches_no_program_and_no_file(tmp_path: Path) -> None:
    async def tried() -> House:
        house = house_in(tmp_path)
        for game, agents, words in (
            ("dilemma", ["grim", "cmd:touch here"], "start a program"),
            ("dilemma", ["grim", "mine = process(command='touch here')"], "start a program"),
            ("dilemma", ["grim", "mcts(policy=process(command='x'))"], "start a program"),
            ("risk(map='/etc/passwd')", ["random", "random"], "not files"),
            ("dilemma(rounds=1000000000)", ["grim", "pavlov"], "may not exceed"),
        ):
            with pytest.raises(BadSpec, match=words):
                house.runs.begin_tournament(game, agents, 1)
        return house

    house = run(tried())
    assert (house.runs.going, len(house.runs.all())) == ({}, 1), "only the tables of the server are there"


def test_a_tournament_on_a_page_knows_the_operators_agents_and_limits(tmp_path: Path) -> None:
    async def begun() -> House:
        store = Store(str(tmp_path / "kibitz.db"))
        lobby = Lobby(store, tmp_path / "matches", agents={"ours": "random"}, limits=Limits(tournaments=1))
        house = House(lobby)
        number = house.runs.begin_tournament("dilemma(rounds=1)", ["ours", "grim"], 1)
        with pytest.raises(Refused, match="too many"):
            house.runs.begin_tournament("dilemma(rounds=2)", ["ours", "grim"], 1)
        await asyncio.gather(*house.runs.going.values())
        assert house.runs.status(f"run {number}") == ""
        assert {each.names for each in store.results(number)} == {("ours", "grim"), ("grim", "ours")}
        return house

    run(begun())


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
            permitted, legal = sitting.permitted_actions(view, 0), view.legal_actions(0)
            assert set(permitted) <= set(legal)
            assert not sitting.casual
            found.append(len(permitted) / len(legal))
            await sitting.table.stop()
        with pytest.raises(BadSpec, match="choose free play"):
            house.open(Setup("dilemma", (None, "pavlov"), experiment="constrained"))
        return found

    found = run(shares())
    assert 0.0 < min(found) < 1.0


def test_what_people_say_of_their_plan_is_kept_in_the_record(tmp_path: Path) -> None:
    async def played() -> tuple[House, Sitting]:
        house = house_in(tmp_path)
        sitting = house.open(Setup("dilemma(rounds=1)", (None, "pavlov"), seed=3, experiment="free"))
        with pytest.raises(Refused, match="over"):
            await sitting.debrief(0, {"plan": "none"})
        await chosen(sitting, 0, [1])
        await sitting.table.over()
        await sitting.debrief(0, {"plan": "be \x1bnice"})
        await house.lobby.close()
        return house, sitting

    house, sitting = run(played())
    record = house.record(str(sitting.number))
    assert record.ending is not None
    assert record.ending.debriefs == {0: {"plan": sitting.table.record.ending.debriefs[0]["plan"]}}
    assert "\x1b" not in record.ending.debriefs[0]["plan"]
    for _ in replaying(record):  # it is still the record of that match
        pass


def test_what_is_added_to_a_record_is_written_off_the_loop_and_in_order(tmp_path: Path) -> None:
    async def played() -> tuple[Record, list[int]]:
        house = house_in(tmp_path)
        store, threads = house.lobby.store, [threading.get_ident()]
        write, pauses = store.amend, iter([0.0, 0.2, 0.0])

        def amend(run: int, index: int, record: bytes) -> None:
            time.sleep(next(pauses))  # what is asked for later must win all the same
            threads.append(threading.get_ident())
            write(run, index, record)

        store.amend = amend  # type: ignore[method-assign]
        setup = Setup("dilemma(rounds=1)", (None, None), ("strategy_filter",), seed=3, experiment="free")
        sitting = house.open(setup)
        await asyncio.gather(chosen(sitting, 0, [1]), chosen(sitting, 1, [0]))
        await asyncio.gather(*sitting.tasks)
        told = [asyncio.ensure_future(sitting.debrief(player, {"plan": f"of {player}"})) for player in (0, 1)]
        await asyncio.sleep(0)
        await house.lobby.close()  # what is being written is waited for
        await asyncio.gather(*told)
        return house.record(str(sitting.number)), threads

    record, threads = run(played())
    assert record.ending is not None
    assert record.ending.debriefs == {0: {"plan": "of 0"}, 1: {"plan": "of 1"}}
    loop, *others = threads
    assert len(others) == 3, "the kibitzers' beliefs, and the answers of two people"
    assert loop not in others


def test_a_model_that_refuses_the_game_opens_no_table(tmp_path: Path) -> None:
    async def tried() -> House:
        house = house_in(tmp_path)
        with pytest.raises(BadSpec, match="after @ must be a player"):
            house.open(Setup("dilemma", ("pavlov", "grim"), ("strategy_filter@5",)))
        return house

    assert run(tried()).tables() == []
