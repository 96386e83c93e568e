"""The lobby: matches are opened, stored, taken back and restored, and models watch them."""

import asyncio
import threading
import time
from pathlib import Path

import pytest

from kibitz import replaying
from kibitz.core.errors import BadSpec, Refused, UnknownName
from kibitz.core.insight import Explanation
from kibitz.core.records import Record
from kibitz_lab.store import Store
from kibitz_web.analysis.hints import advice
from kibitz_web.choices import Choices
from kibitz_web.server.access.guard import Limits
from kibitz_web.server.live.lobby import Lobby
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.live.setup import allowed_setup
from kibitz_web.server.tournaments import Tournaments
from live_matches import choose, finish_tasks, lobby_in, open_seated, run


def test_what_kibitzers_believed_is_kept_in_the_record(tmp_path: Path) -> None:
    async def played() -> Record:
        lobby = lobby_in(tmp_path)
        options = {"models": ("strategy_filter",), "seed": 3, "opening": 2}
        match = await open_seated(lobby, "dilemma(rounds=4)", ("grim", "pavlov"), **options)
        await finish_tasks(lobby)
        return lobby.archive.record(str(match.number))

    record = run(played())
    assert record.header.models == ("strategy_filter",)
    believed = [record.header.beliefs, *(entry.beliefs for entry in record.entries)]
    assert believed == [moment.beliefs for moment in replaying(record, models=["strategy_filter"])]
    assert record.insights(len(record.entries))[0].explanations[0].verdict not in ("silent", "nothing seen")
    prior, first, second, third, _ = believed
    assert prior == first == second != third, "nobody chose the opening"


def test_a_match_goes_on_from_another_and_only_own_moves_are_taken_back(tmp_path: Path) -> None:
    async def played() -> tuple[LiveMatch, LiveMatch]:
        lobby = lobby_in(tmp_path)
        given = (("cooperate", "defect"), ("defect", "defect"))
        match = await open_seated(lobby, "dilemma(rounds=4)", (None, "pavlov"), seed=3, given=given)
        await choose(match, 0, [0])
        again = (await lobby.take_back(match.seats[0])).match
        await choose(again, 0, [1, 1])
        await again.over()
        fresh = await open_seated(lobby, "dilemma(rounds=4)", (None, "pavlov"), seed=3, given=given)
        with pytest.raises(Refused, match="no move to take back"):
            await lobby.take_back(fresh.seats[0])
        return match, again

    match, again = run(played())
    assert [entry.actions for entry in again.record.entries[:2]] == list(match.setup.given)
    assert [entry.actions[0] for entry in again.record.entries] == ["cooperate", "defect", "defect", "defect"]


def test_names_of_records_lead_nowhere_else(tmp_path: Path) -> None:
    lobby = lobby_in(tmp_path)
    for name in ("../secret", "nothing", "/etc/passwd", "", "-", "1-", "-1", "1-x", "²"):
        with pytest.raises(Refused, match="no record"):
            lobby.archive.record(name)
    for name in ("1", "9-1"):
        with pytest.raises(UnknownName, match=r"no (match|run) named"):
            lobby.archive.record(name)


def test_a_move_is_taken_back(tmp_path: Path) -> None:
    async def played() -> None:
        lobby = lobby_in(tmp_path)
        first = await open_seated(lobby, "dilemma(rounds=5)", (None, "tit_for_tat"), seed=3)
        with pytest.raises(Refused, match="no move"):
            await lobby.take_back(first.seats[0])
        await choose(first, 0, [0, 1, 1])
        again = (await lobby.take_back(first.seats[0])).match
        await choose(again, 0, [])
        while len(again.events) < 2:
            await asyncio.sleep(0.01)
        assert [event.actions for event in again.events] == [event.actions for event in first.events[:2]]
        timed = await open_seated(lobby, "dilemma", (None, "pavlov"), move_time=9.0)
        with pytest.raises(Refused, match="no clock"):
            await lobby.take_back(timed.seats[0])
        assert first.status == "stopped", "nobody plays on where a move was taken back"
        assert first.path is not None
        assert not first.path.exists()
        await lobby.close()

    run(played())


def test_kibitzers_say_what_may_be_known(tmp_path: Path) -> None:
    async def played() -> LiveMatch:
        lobby = lobby_in(tmp_path)
        models = ("strategy_filter", "strategy_filter@1")
        match = await open_seated(lobby, "kuhn(players=2)", ("rock", "maniac"), models=models, seed=3)
        await match.over()
        await finish_tasks(lobby)
        return match

    match = run(played())
    kibitzers = match.models
    assert kibitzers is not None
    last = len(kibitzers.thoughts) - 1
    assert last == len(match.events)
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
        lobby = lobby_in(tmp_path)
        match = await open_seated(lobby, "kuhn(players=2)", (None, "rock"), seed=3)
        await choose(match, 0, [])
        words = await advice(match, 0, Choices(lobby.compute))
        view = match.positions[-1].state
        assert view.string_to_action(0, words) in view.legal_actions(0)
        await match.stop()
        return words

    assert run(played()) == run(played())


def test_a_request_starts_no_program_and_deals_no_cards() -> None:
    for seats, models in (
        ((None, "cmd:touch /tmp/x"), ()),
        ((None, "pavlov"), ("strategy_filter(strategies=[process(command='x')])@0",)),
    ):
        with pytest.raises(BadSpec, match="start a program"):
            allowed_setup("dilemma", seats, models=models)
    with pytest.raises(BadSpec, match="3 players"):
        allowed_setup("kuhn", (None, "rock"))
    with pytest.raises(BadSpec, match="choose free play"):
        allowed_setup("dilemma", (None, "pavlov"), experiment="constrained")
    allowed_setup("kuhn", (None, "rock", "rock"), seed=3, given=(("1",),))
    for seats, public in (((None, None, "rock"), ()), ((None, None, "rock"), (1,)), ((None, "rock", "rock"), (0,))):
        with pytest.raises(Refused, match="knows the dice"):
            allowed_setup("kuhn", seats, public=public, seed=3)
        with pytest.raises(Refused, match="shows hidden cards"):
            allowed_setup("kuhn", seats, public=public, given=(("1",),))


def test_a_tournament_on_a_page_reaches_no_program_and_no_file(tmp_path: Path) -> None:
    async def tried() -> Tournaments:
        tournaments = Tournaments(Store(str(tmp_path / "kibitz.db")))
        for game, agents, words in (
            ("dilemma", ["grim", "cmd:touch here"], "start a program"),
            ("dilemma", ["grim", "mine = process(command='touch here')"], "start a program"),
            ("dilemma", ["grim", "mcts(policy=process(command='x'))"], "start a program"),
            ("risk(map='/etc/passwd')", ["random", "random"], "not files"),
            ("dilemma(rounds=1000000000)", ["grim", "pavlov"], "may not exceed"),
        ):
            with pytest.raises(BadSpec, match=words):
                await tournaments.start_round_robin(game, agents, 1)
        return tournaments

    tournaments = run(tried())
    assert (tournaments.tasks, tournaments.runs()) == ({}, [])


def test_a_tournament_on_a_page_knows_the_operators_agents_and_limits(tmp_path: Path) -> None:
    async def begun() -> None:
        store = Store(str(tmp_path / "kibitz.db"))
        tournaments = Tournaments(store, {"ours": "random"}, workers=0, limits=Limits(tournaments=1))
        run = await tournaments.start_round_robin("dilemma(rounds=1)", ["ours", "grim"], 1)
        with pytest.raises(Refused, match="too many"):
            await tournaments.start_round_robin("dilemma(rounds=2)", ["ours", "grim"], 1)
        await asyncio.gather(*tournaments.tasks.values())
        assert tournaments.status(run.run) == ""
        assert {each.names for each in store.results(run.run)} == {("ours", "grim"), ("grim", "ours")}

    run(begun())


def test_in_constrained_play_only_what_serves_the_mission_is_permitted(tmp_path: Path) -> None:
    async def shares() -> list[float]:
        """Of the orders that are legal at first, how many are permitted, for some missions."""
        lobby, found = lobby_in(tmp_path), []
        for seed in range(4):
            seats = (None, "passive", "passive")
            match = await open_seated(lobby, "risk(players=3)", seats, seed=seed, experiment="constrained")
            await choose(match, 0, [])
            view = match.positions[-1].state.view(0)
            permitted, legal = match.permitted_actions(view, 0), view.legal_actions(0)
            assert set(permitted) <= set(legal)
            assert not match.setup.casual
            found.append(len(permitted) / len(legal))
            await match.stop()
        return found

    found = run(shares())
    assert 0.0 < min(found) < 1.0


def test_what_people_say_of_their_plan_is_kept_in_the_record(tmp_path: Path) -> None:
    async def played() -> tuple[Lobby, LiveMatch]:
        lobby = lobby_in(tmp_path)
        match = await open_seated(lobby, "dilemma(rounds=1)", (None, "pavlov"), seed=3, experiment="free")
        with pytest.raises(Refused, match="over"):
            await lobby.debrief(match.seats[0], {"plan": "none"})
        await choose(match, 0, [1])
        await match.over()
        await lobby.debrief(match.seats[0], {"plan": "be \x1bnice"})
        await lobby.close()
        return lobby, match

    lobby, match = run(played())
    record = lobby.archive.record(str(match.number))
    assert record.ending is not None
    assert record.ending.debriefs == {0: {"plan": match.record.ending.debriefs[0]["plan"]}}
    assert "\x1b" not in record.ending.debriefs[0]["plan"]
    for _ in replaying(record):  # it is still the record of that match
        pass


def test_what_is_added_to_a_record_is_written_off_the_loop_and_in_order(tmp_path: Path) -> None:
    async def played() -> tuple[Record, list[int]]:
        lobby = lobby_in(tmp_path)
        store, threads = lobby.store, [threading.get_ident()]
        write, pauses = store.amend, iter([0.0, 0.2, 0.0])

        def amend(run: int, index: int, record: bytes) -> None:
            time.sleep(next(pauses))  # what is asked for later must win all the same
            threads.append(threading.get_ident())
            write(run, index, record)

        store.amend = amend  # type: ignore[method-assign]
        models = ("strategy_filter",)
        match = await open_seated(lobby, "dilemma(rounds=1)", (None, None), models=models, experiment="free")
        await asyncio.gather(choose(match, 0, [1]), choose(match, 1, [0]))
        await finish_tasks(lobby)
        told = [asyncio.ensure_future(lobby.debrief(match.seats[n], {"plan": f"of {n}"})) for n in (0, 1)]
        await asyncio.sleep(0)
        await lobby.close()  # what is being written is waited for
        await asyncio.gather(*told)
        return lobby.archive.record(str(match.number)), threads

    record, threads = run(played())
    assert record.ending is not None
    assert record.ending.debriefs == {0: {"plan": "of 0"}, 1: {"plan": "of 1"}}
    loop, *others = threads
    assert len(others) == 3, "the kibitzers' beliefs, and the answers of two people"
    assert loop not in others
