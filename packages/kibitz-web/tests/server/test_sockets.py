"""Bots and spectators on sockets: what they are told, what they may say, and what comes of what they may not."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import Any

import msgspec
import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.websockets import WebSocketDisconnect

from kibitz.core.registry import entries, make_game
from kibitz.remote import messages
from kibitz_lab.store.accounts import Accounts
from kibitz_web.server.access.guard import Limits
from running_server import wait_until

House = Any
PLAY, WATCH = "ws://localhost/api/play", "ws://localhost/api/watch"


def opened(client: TestClient, game: str, *seats: str | None, **options: Any) -> int:
    answer = client.post("/api/matches", json={"game": game, "seats": list(seats), **options})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["number"])


BOTS: list["Bot"] = []


@pytest.fixture(autouse=True)
def _gone() -> Iterator[None]:
    yield
    BOTS.clear()


@contextmanager
def visiting(house: House, name: str = "ann") -> Iterator[TestClient]:
    """A client; all bots have left when it goes, also if a test fails."""
    with house.client(name) as client:
        try:
            yield client
        finally:
            for bot in BOTS:
                bot.leave()


class Bot:
    """A bot on a socket that notes all it hears."""

    def __init__(self, client: TestClient, **login: Any) -> None:
        BOTS.append(self)
        self.session = client.websocket_connect(PLAY)
        self.socket = self.session.__enter__()
        self.heard: list[dict[str, Any]] = []
        self.say(type="login", **login)
        self.welcome = self.hear()

    def say(self, **message: Any) -> None:
        self.socket.send_text(json.dumps(message))

    def hear(self) -> dict[str, Any]:
        found: dict[str, Any] = self.socket.receive_json()
        self.heard.append(found)
        return found

    def until(self, kind: str) -> dict[str, Any]:
        while (message := self.hear())["type"] != kind:
            pass
        return message

    def answer(self, act: dict[str, Any], number: int = 0) -> None:
        self.say(type="action", seq=act["seq"], action=act["legal"]["actions"][number])

    def play(self) -> dict[str, Any]:
        """Play the first action to the end; the last message."""
        while (message := self.hear())["type"] != "end":
            if message["type"] == "act":
                self.answer(message)
        return message

    def leave(self) -> None:
        """Hang up, once."""
        session, self.session = self.session, None
        if session is not None:
            with suppress(CancelledError):  # the client does not wait for the server to notice
                session.__exit__(None, None, None)


def seat_names(client: TestClient, number: int) -> list[str | None]:
    return [seat["name"] for seat in client.get(f"/api/matches/{number}").json()["seats"]]


def shown(socket: Any) -> list[dict[str, Any]]:
    """All that a spectator is shown of a match."""
    moments = [socket.receive_json()]
    while moments[-1]["returns"] is None:
        moments.append(socket.receive_json())
    return moments


def faults(house: House, number: int) -> list[Any]:
    record = house.lobby.find(number).record
    return [fault for entry in record.entries for fault in entry.faults]


def test_a_bot_plays_a_match_in_the_messages_of_every_transport(house: House) -> None:
    with visiting(house) as client:
        number = opened(client, "dilemma(rounds=3)", None, "tit_for_tat")
        bot = Bot(client, token=house.tokens["ann"], table=number)
        assert bot.welcome["name"] == "ann"
        assert (bot.welcome["table"], bot.welcome["player"]) == (number, 0)
        end = bot.play()
        begin, *acts = bot.heard[1:-1]
        assert begin["type"] == "begin"
        assert begin["game"] == "dilemma(rounds=3)"
        assert [act["seq"] for act in acts] == [1, 2, 3]
        assert acts[1]["events"] == [{"ply": 0, "movers": [0, 1], "actions": ["cooperate", "cooperate"]}]
        assert end["returns"] == [9.0, 9.0]
        bot.leave()
        assert house.over(client, number)["seats"][0] == {"player": 0, "name": "ann", "guest": True}


def test_bots_meet_in_the_lobby(house: House) -> None:
    with visiting(house) as client:
        first = Bot(client, token=house.tokens["ann"], game="pennies(lead=1)")
        waiting = {each["number"]: each["seats"] for each in client.get("/api/matches?status=open").json()}
        assert [seat["name"] for seat in waiting[first.welcome["table"]]] == ["ann", None]
        second = Bot(client, token=house.tokens["ben"], game="pennies(lead=1)")
        assert second.welcome["table"] == first.welcome["table"]
        assert [bot.until("begin")["player"] for bot in (first, second)] == [0, 1]
        first.say(type="resign")
        assert second.until("end")["returns"] == [-1.0, 1.0]
        first.leave()
        second.leave()


def test_a_bot_that_loses_its_connection_takes_up_the_thread(house: House) -> None:
    with visiting(house) as client:
        number = opened(client, "dilemma(rounds=4)", None, "tit_for_tat")
        bot = Bot(client, token=house.tokens["ann"], table=number)
        bot.answer(bot.until("act"))
        act = bot.until("act")
        bot.leave()
        again = Bot(client, token=house.tokens["ann"], resume=bot.welcome["resume"], heard=1)
        assert again.welcome == bot.welcome
        assert again.hear() == bot.heard[1]
        repeated = again.hear()
        assert {**repeated, "allowance": None} == {**act, "allowance": None}
        again.answer(repeated)
        third = again.until("act")
        again.leave()
        afresh = Bot(client, token=house.tokens["ann"], resume=bot.welcome["resume"])
        whole = afresh.until("act")
        assert whole["seq"] == third["seq"]
        assert [event["ply"] for event in whole["events"]] == [0, 1]
        afresh.answer(whole)
        afresh.play()
        afresh.leave()
        assert faults(house, number) == []


def test_a_second_connection_takes_the_place_of_the_first(house: House) -> None:
    with visiting(house) as client:
        number = opened(client, "dilemma(rounds=1)", None, "tit_for_tat")
        first = Bot(client, token=house.tokens["ann"], table=number)
        first.until("act")
        second = Bot(client, token=house.tokens["ann"], resume=first.welcome["resume"])
        assert "another connection" in first.hear()["error"]
        second.play()
        for bot in (first, second):
            bot.leave()


def test_a_seat_that_was_given_up_cannot_be_resumed(house: House) -> None:
    with visiting(house) as client:
        number = opened(client, "kuhn(players=2)", None, None)
        first = Bot(client, token=house.tokens["ann"], table=number, seat=0)
        first.say(type="resign")
        wait_until(lambda: seat_names(client, number) == [None, None])
        players = [Bot(client, token=house.tokens[name], table=number) for name in ("ben", "op")]
        assert [player.until("begin")["player"] for player in players] == [0, 1]
        back = Bot(client, token=house.tokens["ann"], resume=first.welcome["resume"])
        assert "no running match" in back.welcome.get("error", "")
        for bot in (first, back):
            with pytest.raises(WebSocketDisconnect):
                bot.hear()


def test_leaving_an_open_table_frees_no_seat_of_another_player(house: House) -> None:
    with visiting(house) as client:
        number = opened(client, "pawns", None, None)
        first = Bot(client, token=house.tokens["ann"], table=number, seat=0)
        first.say(type="resign")
        wait_until(lambda: seat_names(client, number) == [None, None])
        second = Bot(client, token=house.tokens["ben"], table=number, seat=0)
        first.say(type="resign")
        first.leave()
        time.sleep(0.05)
        assert seat_names(client, number) == ["ben", None]
        third = Bot(client, token=house.tokens["op"], table=number)
        assert [bot.until("begin")["player"] for bot in (second, third)] == [0, 1]


def test_the_clock_runs_while_nobody_is_there(house: House) -> None:
    with visiting(house) as client:
        number = opened(client, "dilemma(rounds=2)", None, "tit_for_tat", move_time=0.1)
        Bot(client, token=house.tokens["ann"], table=number).leave()
        assert house.over(client, number)["status"] == "finished"
        assert [fault.kind for fault in faults(house, number)] == ["late", "late"]


WRONGS = {
    "no JSON": ("hm", "JSON is malformed"),
    "no object": ("[1]", "Expected object"),
    "something unknown": ('{"type":"bribe"}', "Invalid value"),
    "an illegal action": ('{"type":"action","seq":1,"action":"surrender"}', "may not play 'surrender'"),
    "a number for an action": ('{"type":"action","seq":1,"action":1}', "Expected str"),
    "deep nesting": ("[" * 20_000, "said"),
}


@pytest.mark.parametrize("wrong", WRONGS)
def test_a_bot_that_says(house: House, wrong: str) -> None:
    text, words = WRONGS[wrong]
    with visiting(house) as client:
        number = opened(client, "dilemma(rounds=2)", None, "tit_for_tat")
        bot = Bot(client, token=house.tokens["ann"], table=number)
        bot.until("act")
        bot.socket.send_text(text)
        assert words in bot.until("error")["error"].replace("`", "")
        bot.play()
        bot.leave()
        assert len(faults(house, number)) == 1
        assert words in faults(house, number)[0].message.replace("`", "")


def test_answers_to_other_requests_are_dropped(house: House) -> None:
    with visiting(house) as client:
        number = opened(client, "dilemma(rounds=1)", None, "tit_for_tat")
        bot = Bot(client, token=house.tokens["ann"], table=number)
        act = bot.until("act")
        for seq in (act["seq"] - 1, act["seq"] + 1):
            bot.say(type="action", seq=seq, action="defect")
        bot.say(type="ready")
        bot.answer(act)
        bot.until("end")
        bot.leave()
        assert house.lobby.find(number).record.entries[0].actions[0] == "cooperate"


def test_a_flood_ends_the_connection_and_nothing_else(open_house: Callable[..., House]) -> None:
    house = open_house(limits=Limits(rate=5.0, burst=20.0))
    with visiting(house) as client:
        number = opened(client, "dilemma(rounds=1)", None, "tit_for_tat")
        bot = Bot(client, token=house.tokens["ann"], table=number)
        bot.until("act")
        for _ in range(100):  # on a busy machine some are forgotten meanwhile
            bot.say(type="ready")
        assert bot.until("error")["error"] == "too many messages"
        with pytest.raises(WebSocketDisconnect):
            bot.hear()
        bot.leave()
        wait_until(lambda: not house.lobby.find(number).live)
        assert faults(house, number)[0].message == "too many messages"


def test_a_message_that_is_too_long_ends_the_connection(house: House) -> None:
    with visiting(house) as client:
        number = opened(client, "dilemma(rounds=1)", None, "tit_for_tat")
        bot = Bot(client, token=house.tokens["ann"], table=number)
        bot.until("act")
        bot.socket.send_text("x" * 70_000)
        assert "at most 65,536 bytes" in bot.until("error")["error"]
        bot.leave()


@pytest.mark.parametrize(
    ("login", "words"),
    [
        ({"token": "guess", "game": "pawns"}, "requires a token"),
        ({"game": "pawns"}, "requires a token"),
        ({"resume": "guess"}, "requires a token"),
        ({"token": "ann", "resume": "guess"}, "no running match"),
        ({"token": "ann", "resume": "1.guess"}, "no running match"),
        ({"token": "ann"}, "name a table or a game"),
        ({"token": "ann", "table": 99}, "no table named '99'"),
        ({"token": "ann", "game": "trails(board='/etc/passwd')"}, "not files"),
        ({"token": "ann", "game": "chequers"}, "no game named"),
    ],
)
def test_who_is_not_let_in_is_told_why(house: House, login: dict[str, Any], words: str) -> None:
    if login.get("token") == "ann":
        login = {**login, "token": house.tokens["ann"]}
    with visiting(house) as client:
        bot = Bot(client, **login)
        assert words in bot.welcome["error"]
        with pytest.raises(WebSocketDisconnect):
            bot.hear()
        bot.leave()


def test_a_spectator_sees_a_match_from_its_first_event(house: House) -> None:
    with visiting(house) as client:
        number = opened(client, "kuhn", "rock", "maniac", "solid", seed=5)
        house.over(client, number)
        with client.websocket_connect(WATCH) as socket:
            socket.send_json({"type": "watch", "token": house.tokens["ben"], "table": number, "since": 0})
            seen = shown(socket)
            with pytest.raises(WebSocketDisconnect):
                socket.receive_json()
        assert [moment["ply"] for moment in seen if moment["event"]] == list(range(1, seen[-1]["ply"] + 1))
        assert [moment["event"]["actions"] for moment in seen[1:4]] == [[None]] * 3
        assert seen[-1]["returns"] == [4.0, -2.0, -2.0]


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in entries("game") if make_game(name).hidden])
def test_a_spy_on_every_route_never_holds_what_is_hidden(
    house: House, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever one player and a spectator are told, it is the same whatever the others hold."""
    game = make_game(name)
    monkeypatch.setattr(house.lobby, "limits", Limits(plies=30))
    with visiting(house, "op") as client, client.websocket_connect(WATCH) as watcher:
        number = opened(client, name, None, *["random"] * (game.players - 1))
        spy = Bot(client, token=house.tokens["ann"], table=number)
        watcher.send_json({"type": "watch", "token": house.tokens["ben"], "table": number, "since": 0})
        spy.until("begin")
        polled = [client.get(f"/api/matches/{number}/view").json(), client.get(f"/api/matches/{number}").json()]
        spy.play()
        moments = shown(watcher)
        table = house.lobby.find(number)
    for moment in [*moments, polled[0]]:
        assert moment.get("view", moment)["text"] == str(table.positions[moment["ply"]].state.view(None))
    told = []
    for message in spy.heard:
        told += message.get("events", ())
        if message["type"] == "act":
            assert message["view"]["text"] == str(table.positions[len(told)].state.view(0))
    assert [event["ply"] for event in told] == list(range(len(table.events)))
    for event, happened in zip(told, table.events, strict=True):
        assert event == msgspec.to_builtins(messages.event_message(happened.transition(0)))
    assert str(table.options.seed) not in json.dumps([spy.heard, moments, polled])


@pytest.fixture
def client(house: House) -> Iterator[TestClient]:
    with visiting(house) as client:
        yield client


MESSAGES = st.one_of(
    st.text(max_size=200),
    st.binary(max_size=200),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["action", "ready", "login", "watch", "resign", "act", 7])},
        optional={
            "seq": st.one_of(st.integers(), st.text(max_size=3)),
            "action": st.one_of(st.text(max_size=9), st.none(), st.just("defect")),
            "table": st.integers(),
            "token": st.text(max_size=9),
            "resume": st.text(max_size=9),
            "since": st.integers(),
        },
    ).map(json.dumps),
)
"""What somebody may say who does not know the messages, or wants to do harm."""


def say(socket: Any, message: str | bytes) -> None:
    if isinstance(message, bytes):
        socket.send_bytes(message)
    else:
        socket.send_text(message.encode("utf-8", "replace").decode())


@pytest.mark.parametrize("door", [PLAY, WATCH])
def test_a_socket_that_never_logs_in_is_closed(client: TestClient, door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz_web.server.api.sockets.GREETING", 0.05)
    with client.websocket_connect(door) as socket:
        assert socket.receive_json() == {"type": "error", "error": "no login within 0.05 s"}


@pytest.mark.long
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(MESSAGES, st.sampled_from([PLAY, WATCH]))
def test_whoever_does_not_say_who_he_is_is_sent_away(client: TestClient, message: str | bytes, door: str) -> None:
    with client.websocket_connect(door) as socket:
        say(socket, message)
        assert socket.receive_json()["type"] == "error"
        with pytest.raises(WebSocketDisconnect) as gone:
            socket.receive_json()
    assert gone.value.code == 1008, "that is no mistake of ours"


@pytest.mark.long
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(MESSAGES, max_size=6))
def test_whatever_is_said_the_server_goes_on(house: House, client: TestClient, said: list[str | bytes]) -> None:
    number = opened(client, "dilemma(rounds=1)", None, "tit_for_tat")
    bot = Bot(client, token=house.tokens["ann"], table=number)
    for message in said:
        say(bot.socket, message)
    bot.leave()
    if client.get(f"/api/matches/{number}").json()["status"] == "playing":
        client.delete(f"/api/matches/{number}")
    assert house.over(client, number)["status"] in ("finished", "stopped")
    assert client.get("/api/me").json()["name"] == "ann"


def test_revoking_an_account_ends_its_sockets_seats_and_resume_at_once(new_house: House) -> None:
    with visiting(new_house, "op") as client:
        number = opened(client, "kuhn(players=2)", None, None)
        ann, ben = (Bot(client, token=new_house.tokens[name], table=number) for name in ("ann", "ben"))
        waiting = Bot(client, token=new_house.tokens["ann"], game="pawns")
        with client.websocket_connect(WATCH) as watcher:
            watcher.send_json({"type": "watch", "token": new_house.tokens["ann"], "table": number, "since": 0})
            watcher.receive_json()
            assert client.delete("/api/tokens/ann").status_code == 204
            said = watcher.receive_json()
            while said["type"] != "error":
                said = watcher.receive_json()
            assert said["error"] == "your access was revoked"
        for bot in (ann, waiting):
            assert bot.until("error")["error"] == "your access was revoked"
            with pytest.raises(WebSocketDisconnect):
                bot.hear()
        assert ben.until("end")["returns"][1] > 0.0, "the other wins"
        back = Bot(client, token=new_house.tokens["ann"], resume=ann.welcome["resume"])
        assert "requires a token" in back.welcome["error"]
        wait_until(lambda: seat_names(client, waiting.welcome["table"]) == [None, None])


def test_an_account_revoked_by_another_process_loses_its_socket(new_house: House, monkeypatch: Any) -> None:
    monkeypatch.setattr("kibitz_web.server.service.ACCOUNTS_PAUSE", 0.05)
    with visiting(new_house, "op") as client:
        number = opened(client, "dilemma(rounds=2)", None, "pavlov")
        ann = Bot(client, token=new_house.tokens["ann"], table=number)
        ann.until("act")
        Accounts(new_house.store).revoke("ann")  # not through the server
        assert ann.until("error")["error"] == "your access was revoked"
        assert new_house.over(client, number)["status"] == "finished"
        with new_house.client("ann") as revoked:
            wait_until(lambda: revoked.get("/api/me").status_code == 401)
