"""Who may sit where: open seats, keys, invitations, and pages that are opened late or left open."""

import asyncio
from pathlib import Path

import msgspec
import pytest
from table_play import chosen, house_in, run

from kibitz.core.errors import Refused
from kibitz.core.match import Event
from kibitz.server.participants import Participant
from kibitz.web.house import House, Setup, Sitting
from kibitz.web.table_page import MatchPage


def test_people_and_bots_meet_at_one_table(tmp_path: Path) -> None:
    async def played() -> tuple[House, Sitting, Sitting]:
        house = house_in(tmp_path)
        wanted = Setup("dilemma(rounds=1)", (None, None), waiting=(1,))
        with pytest.raises(Refused, match="knows the dice"):
            house.open(msgspec.structs.replace(wanted, seed=3))
        ours = house.open(wanted)
        assert (ours.table.status, list(ours.keys.values())) == ("open", [ours.table.guest(0)])
        assert not ours.casual, "nobody takes a move back against a stranger"
        bot = Participant("bot")
        assert house.lobby.seek(bot, "dilemma(rounds=1)") == (ours.table, 1)
        theirs_table, _ = house.lobby.seek(Participant("other"), "dilemma(rounds=1)")
        theirs = house.sitting(theirs_table.number)
        assert [table.number for table in house.tables()] == [1, 2]
        person = theirs.sit()
        assert theirs.table.seat_of(person) == 1
        assert list(theirs.keys.values()) == [person]
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
        (person,) = sitting.keys.values()
        sitting.leave(person)
        assert sitting.keys == {}
        await house.lobby.close()
        return sitting

    assert run(left()).table.open_seats == [0, 1]


def test_a_page_left_open_is_no_key_to_the_next_persons_seat(tmp_path: Path) -> None:
    async def played() -> None:
        house = house_in(tmp_path)
        sitting = house.open(Setup("kuhn(players=2)", (None, None), waiting=(0, 1)))
        first = sitting.sit()
        forgotten = MatchPage(house, sitting, first)
        watching = asyncio.ensure_future(anext(sitting.table.updates(first)))
        await asyncio.sleep(0)
        assert forgotten.seat == 0
        sitting.leave(first)
        second, third = sitting.sit(), sitting.sit()
        assert [sitting.table.seat_of(each) for each in (first, second, third)] == [None, 0, 1]
        assert forgotten.seat is None
        seen = await watching
        assert seen.view.key() == sitting.table.positions[seen.ply].state.view(None).key()
        await chosen(sitting, 0, [])
        forgotten.choose(0)
        assert second.request is not None
        assert not second.answer.done(), "nobody chooses for the person who has the seat now"
        await house.lobby.close()

    run(played())


def test_an_invitation_seats_one_person_once(tmp_path: Path) -> None:
    async def invited() -> None:
        house = house_in(tmp_path)
        sitting = house.open(Setup("kuhn", (None, None, "rock"), seed=3))
        assert list(sitting.keys.values()) == [sitting.host] == [sitting.table.guest(0)]
        (invite,) = sitting.invites
        assert sitting.invitation(1) == f"/table/{sitting.number}?invite={invite}"
        assert (sitting.invitation(0), sitting.invitation(2)) == (None, None)
        person = sitting.claim(invite)
        assert sitting.table.seat_of(person) == 1
        assert sitting.address(person) != sitting.address(sitting.host)
        assert invite not in sitting.address(person), "the person who sent the invitation does not know the key"
        assert sitting.invitation(1) is None
        for used in (invite, "wrong", ""):
            with pytest.raises(Refused, match="used or unknown"):
                sitting.claim(used)
        await house.lobby.close()

    run(invited())


def test_a_page_opened_during_a_match_loses_no_move(tmp_path: Path) -> None:
    class Noting(MatchPage):
        """Notes which events it lists at first, and from where on it looks for more."""

        def tell(self, event: Event) -> None:
            self.listed = event.ply + 1

        async def listen(self) -> None:
            pass

        async def watch(self, since: int | None) -> None:
            self.since = since

    async def opened() -> Noting:
        house = house_in(tmp_path)
        sitting = house.open(Setup("dilemma(rounds=5)", (None, "pavlov"), seed=3))
        await chosen(sitting, 0, [0, 0, 0])
        page = Noting(house, sitting, sitting.host)
        await page.follow()
        await house.lobby.close()
        return page

    page = run(opened())
    assert page.since == page.listed == 3
