"""Who may sit where: open seats, keys, invitations, a restart, and pages that are opened late or left open."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kibitz.core.errors import BadSpec, Refused
from kibitz_lab.store.accounts import check_name
from kibitz_web.pages.match import MatchPage
from kibitz_web.server.access.auth import LOCAL, Auth
from kibitz_web.server.live.lobby import Lobby
from kibitz_web.server.live.matches import LiveMatch
from kibitz_web.server.live.setup import MatchSetup, allowed_setup
from kibitz_web.visit import Visit
from live_matches import choose, finish_tasks, lobby_in, open_seated, player, run


def visit(lobby: Lobby, name: str) -> Visit:
    return Visit(SimpleNamespace(lobby=lobby), player(name, person=True), None, None)  # type: ignore[arg-type]


@pytest.mark.long
def test_people_and_bots_meet_in_one_match(tmp_path: Path) -> None:
    async def played() -> tuple[Lobby, LiveMatch]:
        lobby = lobby_in(tmp_path)
        ours = await lobby.open(MatchSetup("dilemma(rounds=1)", (None, None), public=(1,)), player("ann"))
        await lobby.sit_host(ours, player("ann", person=True))
        assert (ours.status, list(ours.seats), ours.open_seats) == ("open", [0], [1])
        assert not ours.setup.casual, "nobody takes a move back against a stranger"
        bot = await lobby.seek(player("bot"), "dilemma(rounds=1)")
        assert (bot.match, bot.player) == (ours, 1)
        theirs = (await lobby.seek(player("other"), "dilemma(rounds=1)")).match
        assert [match.number for match in lobby.live_matches()] == [1, 2]
        assert await lobby.watched_match(theirs.number) is theirs
        assert (await lobby.sit(theirs, player("ann", person=True))).player == 1
        with pytest.raises(Refused, match="taken"):
            await lobby.sit(theirs, player("late"))
        for match in (ours, theirs):
            await asyncio.gather(choose(match, 0, [1]), choose(match, 1, [0]))
            await match.over()
        await finish_tasks(lobby)
        await lobby.close()
        return lobby, theirs

    lobby, theirs = run(played())
    assert [result.names for result in lobby.archive.newest(10)] == [("other", "ann"), ("ann", "bot")]
    assert theirs.models is not None
    assert len(theirs.models.thoughts) == 2, "what bots have begun is watched as well"


def test_bots_that_seek_the_same_game_at_once_are_paired(tmp_path: Path) -> None:
    async def paired() -> None:
        lobby = lobby_in(tmp_path)
        for _ in range(3):
            seats = await asyncio.gather(*(lobby.seek(player(f"bot {number}"), "dilemma") for number in range(6)))
            assert sorted(seat.match.number - seats[0].match.number for seat in seats) == [0, 0, 1, 1, 2, 2]
            await asyncio.gather(*(lobby.discard(seat.match) for seat in seats[::2]))
        await lobby.close()

    run(paired())


def test_a_person_who_leaves_before_the_match_frees_the_seat_and_loses_the_key(tmp_path: Path) -> None:
    async def left() -> None:
        lobby = lobby_in(tmp_path)
        match = await lobby.open(MatchSetup("kuhn(players=2)", (None, None), public=(0, 1)), player("host"))
        first = await lobby.sit(match, player("first"))
        watching = asyncio.ensure_future(anext(first.updates(), None))
        forgotten = MatchPage(visit(lobby, "first"), match, first)
        await asyncio.sleep(0)
        assert forgotten.player == 0
        await lobby.leave(first)
        second, third = await lobby.sit(match, player("second")), await lobby.sit(match, player("third"))
        assert [each.player for each in (first, second, third)] == [None, 0, 1]
        with pytest.raises(Refused):
            match.seat(first.key, player("first"))
        assert (forgotten.seat, forgotten.player) == (None, None)
        assert await watching is None, "a seat that was given up shows nothing"
        await choose(match, 0, [])
        forgotten.choose(0)
        assert second.request is not None
        assert not second.participant.answer.done(), "nobody chooses for the person who has the seat now"
        await lobby.close()

    run(left())


def test_an_invitation_seats_one_person_once(tmp_path: Path) -> None:
    async def invited() -> None:
        lobby = lobby_in(tmp_path)
        match = await lobby.open(MatchSetup("kuhn", (None, None, "rock")), player("host"))
        host = await lobby.sit_host(match, player("host", person=True))
        assert (match.status, match.open_seats) == ("open", []), "nobody else takes the seat of the person invited"
        code = await lobby.invitation(match, 1)
        assert code == await lobby.invitation(match, 1)
        assert (match.invitation(0), match.invitation(2)) == (None, None)
        friend = await lobby.claim(match, str(code), player("friend", person=True))
        assert (friend.player, match.status) == (1, "playing")
        assert code not in (friend.key, host.key), "the person who sent the invitation does not know the key"
        assert match.invitation(1) is None
        for used in (code, "wrong", ""):
            with pytest.raises(Refused, match="used or unknown"):
                await lobby.claim(match, str(used), player("thief"))
        await lobby.close()

    run(invited())


def test_seats_clocks_and_invitations_outlive_the_server(tmp_path: Path) -> None:
    async def begun() -> tuple[str, str, int]:
        lobby = lobby_in(tmp_path)
        match = await open_seated(lobby, "dilemma(rounds=9)", (None, "random"), game_time=100.0)
        await choose(match, 0, [0, 1, 0])
        match.match.used[0] += 50.0
        await lobby.journal.write(lobby.live.clocks_change({match.number: match.used_seconds()}))
        waiting = await lobby.open(MatchSetup("pawns", (None, None)), player("host"))
        await lobby.sit_host(waiting, player("host"))
        code = await lobby.invitation(waiting, 1)
        gone = await lobby.open(MatchSetup("pawns", (None, None), public=(0, 1)), player("host"))
        await lobby.discard(gone)
        await asyncio.sleep(0.05)
        await lobby.close()
        return match.seats[0].key, str(code), gone.number

    async def resumed(key: str, code: str, gone: int) -> LiveMatch:
        lobby = lobby_in(tmp_path)
        await lobby.restore()
        assert sorted(lobby.matches) == [1, 2], "what was withdrawn does not come back"
        match, waiting = lobby.matches[1], lobby.matches[2]
        with pytest.raises(Refused):
            match.seat(key, player("thief"))
        seat = match.seat(key, player("host"))
        await choose(match, 0, [])
        assert seat.request is not None
        assert (len(match.events), [event.actions[0] for event in match.events]) == (3, [0, 1, 0])
        assert seat.request.bank <= 50.0, "the clock goes on where it was"
        assert waiting.status == "open"
        friend = await lobby.claim(waiting, code, player("friend"))
        assert (friend.player, waiting.status) == (1, "playing")
        fresh = await lobby.open(MatchSetup("pawns", (None, None), public=(0, 1)), player("host"))
        assert fresh.number == gone + 1, "a number is never given again"
        await choose(match, 0, [1] * 6)
        await match.over()
        await finish_tasks_of(lobby, match)
        await lobby.close()
        assert [result.index for result in lobby.archive.newest(10)] == [1]
        return match

    async def finish_tasks_of(lobby: Lobby, match: LiveMatch) -> None:
        while not lobby.archive.newest(10):
            await asyncio.sleep(0.01)

    record = run(resumed(*run(begun()))).record
    assert [entry.actions[0] for entry in record.entries] == ["cooperate", "defect", "cooperate"] + ["defect"] * 6
    assert [entry.ply for entry in record.entries] == list(range(9))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"move_time": float("nan")}, "seconds above 0"),
        ({"game_time": -1.0}, "seconds above 0"),
        ({"move_time": float("inf")}, "seconds above 0"),
        ({"seed": -1}, "a seed is"),
        ({"seed": 2**63}, "a seed is"),
        ({"models": [5]}, "named by text"),
        ({"models": [None]}, "named by text"),
    ],
)
def test_a_page_cannot_open_a_match_that_a_request_could_not(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises((Refused, BadSpec), match=words):
        allowed_setup("dilemma", ["random", "random"], **wrong)


def test_no_account_has_the_name_of_the_programs_of_an_open_server() -> None:
    with pytest.raises(BadSpec):
        check_name(LOCAL)


def test_a_server_that_begins_to_ask_for_accounts_goes_on_doing_so(tmp_path: Path) -> None:
    """The first account may be made while the store is asked whether there is one."""

    async def guarded() -> bool:
        lobby = lobby_in(tmp_path)
        auth = Auth(lobby.store, lobby.compute, lobby.writer)
        assert not auth.guarded

        def ask_too_early() -> bool:
            auth.guarded = True
            return False

        auth.accounts.any_ever = ask_too_early  # type: ignore[method-assign]
        await auth.lost_accounts([])
        return auth.guarded

    assert run(guarded())
