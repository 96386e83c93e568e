"""Everything that people, programs and strangers can do with seats, in two worlds at once.

The worlds differ only in what one player of each match hides. After every step the machine checks that

- nobody but that player received a byte that differs: neither a card, nor a choice, nor a key, nor a code of another;
- every move was sent by the principal who holds the seat, and nobody else resigned for them;
- who was revoked receives nothing any more.
"""

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from kibitz.core.match.play import play
from kibitz.core.registry import make_game
from kibitz_web.server.live.setup import MatchSetup, check_setup
from paired_worlds import EVERYBODY, PEOPLE, PROGRAMS, Channel, Template, World, hiding_player, make_credential

Found = TypeVar("Found")
KUHN, DILEMMA = "kuhn(players=2)", "dilemma(rounds=2)"
GAMES = (KUHN, KUHN, DILEMMA)
ACTIONS = {KUHN: ("pass", "bet"), DILEMMA: ("cooperate", "defect")}
BUTTONS = ("Sit down", "Sit down", "Take the seat", "Take the seat", "Resign", "Tree")
PATHS = ("/api/matches", "/api/matches/{}", "/api/matches/{}/view", "/api/records/{}", "/api/me")
REFUSALS = ("401", "200", "requires a token", "You are not signed in")
numbers, any_choice = st.integers(0, 999), st.integers(0, 1)
everybody, players, people, programs = map(st.sampled_from, (EVERYBODY, (*PROGRAMS, *PEOPLE), PEOPLE, PROGRAMS))


class Hole(AssertionError):
    """Somebody received or did what they must not."""


def one_of(found: list[Found], number: int) -> Found | None:
    """One of a list by any number, the last ones most often; None if it is empty."""
    return found[-1 - number % min(len(found), 6)] if found else None


class SeatMachine(RuleBasedStateMachine):
    """Principals of two worlds, each of whom tries everything."""

    templates: ClassVar[list[Template]] = []
    folder: ClassVar[Path]
    most_visits: ClassVar[int] = 2
    most_restarts: ClassVar[int] = 0
    steps: ClassVar[int] = 0
    restarts: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp(dir=self.folder))
        self.worlds: list[World] = []
        for side in (0, 1):
            (self.place / str(side)).mkdir()
            self.worlds.append(World(side, self.place / str(side), self.templates[side]))
        self.visits_left, self.restarts_left, self.seeds_left = self.most_visits, self.most_restarts, 4
        self.revocations_left = 2
        self.games: dict[int, str] = {}
        self.hosts: dict[int, str] = {}
        self.holders: dict[tuple[int, int], str] = {}
        self.keys: list[tuple[str, int, tuple[str, ...]]] = []
        """Every key that was ever given: to whom, of which match, in each world."""
        self.codes: list[tuple[int, tuple[str, ...]]] = []
        self.revealed: set[int] = set()
        self.moving: set[tuple[int, int]] = set()
        """Seats whose holder has sent a move."""
        self.resigned: set[tuple[int, int]] = set()
        self.moves: dict[tuple[int, int], int] = {}
        self.revoked: set[str] = set()
        self.predictions: dict[int, list[str]] = {}

    def teardown(self) -> None:
        for world in self.worlds:
            world.end()
        shutil.rmtree(self.place, ignore_errors=True)

    # Steps

    def both(self, act: Callable[[World], Found]) -> list[Found]:
        """Do the same in both worlds, and let it have its effects."""
        found = []
        for world in self.worlds:
            world.act()
            found.append(act(world))
            world.settle()
        return found

    def step(self, actor: str, act: Callable[[World], Found], *, ends: str = "") -> list[Found]:
        """A step of *actor*, and all checks; *ends* is the principal whose access ends in it."""
        type(self).steps += 1
        found = self.both(act)
        self.note_matches(actor, ends)
        self.compare(ends)
        return found

    def note_matches(self, actor: str, ends: str) -> None:
        """Note which matches there are and who took or left a seat, and check whose moves were played."""
        first, second = self.worlds
        if sorted(first.lobby.matches) != sorted(second.lobby.matches):
            raise Hole("the worlds have different matches")
        for number, match in first.lobby.matches.items():
            other = second.lobby.matches[number]
            self.games.setdefault(number, repr(match.game))
            if sorted(match.seats) != sorted(other.seats):
                raise Hole(f"seats of match {number} depend on what is hidden")
            for player, seat in match.seats.items():
                if (number, player) not in self.holders:
                    if seat.principal.id != actor:
                        raise Hole(f"{actor} seated {seat.principal.id}")
                    self.holders[number, player] = actor
                    self.add_key(actor, number, (seat.key, other.seats[player].key))
            for player in [player for at, player in self.holders if at == number and player not in match.seats]:
                if self.holders.pop((number, player)) not in (actor, ends):
                    raise Hole(f"{actor} took a seat of match {number} from its holder")
            if number in self.hosts:
                for player, code in match.codes.items():
                    codes = (code, other.codes[player])
                    if (number, codes) not in self.codes:
                        self.codes.append((number, codes))
                        self.grant(self.hosts[number], codes)
            self.check_moves(number, ends)

    def check_moves(self, number: int, ends: str) -> None:
        """Check that those who hold the seats sent the moves, and that they resigned themselves."""
        for match in (world.lobby.matches[number] for world in self.worlds):
            if match.status == "failed":
                raise AssertionError(f"match {number} failed: {match.failure}")
        match = self.worlds[0].lobby.matches[number]
        if match.match is None:
            return
        for player in match.seats:
            at = number, player
            played = sum(player in event.movers for event in match.events)
            if played > self.moves.get(at, 0):
                if at not in self.moving and at not in self.resigned:
                    raise Hole(f"somebody moved for {self.holders[at]} in match {number}")
                self.moving.discard(at)
            self.moves[at] = played
            if match.match.has_forfeited(player) and at not in self.resigned and self.holders[at] != ends:
                raise Hole(f"somebody resigned for {self.holders[at]} in match {number}")
        if number in self.predictions and len(match.events) >= 2:
            dealt = [word for event in match.events[:2] for word in event.notations()]
            if dealt == self.predictions[number]:
                raise Hole(f"the host knows the cards of match {number}: {dealt}")
        # what was hidden is public when the cards are shown, or when both have chosen
        if match.status == "finished" or (self.games[number] == DILEMMA and match.events):
            self.revealed.add(number)

    def compare(self, ends: str) -> None:
        """Check that all received the same in both worlds, if they may not know what differs."""
        first, second = (world.channels for world in self.worlds)
        if len(first) != len(second):
            raise Hole("one world was asked more often")
        for ours, theirs in zip(first, second, strict=True):
            for world, channel in zip(self.worlds, (ours, theirs), strict=True):
                self.check_revoked(channel, ends)
                self.check_secrets(world, channel)
            news = [self.visible(world, channel) for world, channel in zip(self.worlds, (ours, theirs), strict=True)]
            if news[0] != news[1]:
                raise Hole(f"{ours.who} sees what others hide ({ours.what}): {differing_words(*news)}")
        for world in self.worlds:
            world.channels = [each for each in world.channels if each.open and (each.client or each.what[:4] == "/api")]

    def check_secrets(self, world: World, channel: Channel) -> None:
        """Check that nobody receives the key or the code of another, in a match whose cards they know either."""
        news = "".join(channel.received[channel.read :])
        for secrets in [keys for _, _, keys in self.keys] + [codes for _, codes in self.codes]:
            secret = secrets[world.side]
            if secret and secret in news and secret not in world.secrets[channel.who]:
                raise Hole(f"{channel.who} sees what others hide ({channel.what}): a key or a code")

    def check_revoked(self, channel: Channel, ends: str) -> None:
        """Check that who was revoked receives nothing on open channels, and on new ones nothing but a refusal."""
        news = channel.received[channel.read :]
        if channel.ended and news:
            raise Hole(f"{channel.who} was revoked and still receives ({channel.what}): {news}"[:600])
        if channel.who == ends:
            channel.ended = True
        elif channel.who in self.revoked and not all(any(word in text for word in REFUSALS) for text in news):
            raise Hole(f"{channel.who} was revoked and gets an answer ({channel.what}): {news}"[:600])

    def visible(self, world: World, channel: Channel) -> list[str]:
        """The news of a channel that must be the same in both worlds."""
        news = channel.news()
        if channel.match is not None:
            knows = self.holders.get((channel.match, hiding_player(channel.match))) == channel.who
            if channel.match in self.revealed or knows:
                return []
        if channel.what == "GET /api/matches" and news[0] == "200":
            news = [json.dumps([each for each in json.loads(news[1]) if each["number"] not in self.revealed])]
        return [world.normal(text, channel.who) for text in news]

    def grant(self, who: str, secrets: tuple[str, ...]) -> None:
        """Note that somebody may know a secret."""
        for world, secret in zip(self.worlds, secrets, strict=True):
            world.grant(who, secret)

    def add_key(self, who: str, number: int, keys: tuple[str, ...]) -> None:
        """Note the key of somebody's seat."""
        self.keys.append((who, number, keys))
        self.grant(who, keys)

    def live(self, number: int) -> int | None:
        """A match that is waiting or running."""
        return one_of([each for each, match in self.worlds[0].lobby.matches.items() if match.live], number)

    def is_waiting(self, number: int | None) -> bool:
        """Whether a match waits for players."""
        match = self.worlds[0].lobby.matches.get(number or 0)
        return match is not None and match.status == "open"

    def open_channels(self, who: str, kind: str) -> list[int]:
        """The indexes of open channels of a kind."""
        found = enumerate(self.worlds[0].channels)
        return [index for index, each in found if each.who == who and each.what == kind and each.open]

    # Opening matches, and taking seats

    @rule(who=players, game=st.sampled_from(GAMES))
    def open_match(self, who: str, game: str) -> None:
        body = {"game": game, "seats": [None, None]}
        self.step(who, lambda world: world.request(who, "POST", "/api/matches", body))

    @precondition(lambda self: self.seeds_left > 0)
    @rule(who=players, seed=numbers)
    def choose_seed(self, who: str, seed: int) -> None:
        self.seeds_left -= 1
        body = {"game": KUHN, "seats": [None, None], "seed": seed}
        answers = self.step(who, lambda world: world.request(who, "POST", "/api/matches", body))
        if answers[0].received[0] == "201":
            self.predictions[json.loads(answers[0].received[1])["number"]] = dealt_cards(seed)

    @rule(who=people, game=st.sampled_from(GAMES), public=st.booleans())
    def host_match(self, who: str, game: str, public: bool) -> None:
        if who in self.revoked:
            return
        setup = MatchSetup(game, (None, None), public=(1,) if public else ())

        def host(world: World) -> int:
            async def opened() -> int:
                principal = await world.service.auth.visitor(world.credentials[who])
                check_setup(setup, make_game(game))
                match = await world.lobby.open(setup, principal)
                await world.lobby.sit_host(match, principal)
                return match.number

            return world.loop.finish(opened())

        self.hosts[max(self.worlds[0].lobby.last, self.worlds[1].lobby.last) + 1] = who
        self.step(who, host)

    @rule(who=programs, number=numbers, seat=st.sampled_from((None, None, 0, 1)))
    def sit(self, who: str, number: int, seat: int | None) -> None:
        match = self.live(number)
        if match is None:
            self.find_something(who)
        else:
            self.log_in(who, {"table": match, "seat": seat})

    @rule(who=programs, game=st.sampled_from(GAMES))
    def seek(self, who: str, game: str) -> None:
        self.log_in(who, {"game": game})

    def find_something(self, who: str) -> None:
        """Take a step that is always possible, so that there is something to do in the next ones."""
        if who in PROGRAMS:
            self.log_in(who, {"game": GAMES[len(self.games) % 3]})
        else:
            self.step(who, lambda world: world.request(who, "GET", "/api/matches"))

    def log_in(self, who: str, wanted: dict[str, Any], keys: tuple[str, ...] = ("", ""), token: bool = True) -> None:
        def connect(world: World) -> Channel:
            said = {"type": "login", "token": world.credentials[who] if token else "", "name": who, **wanted}
            return world.connect(who, "/api/play", {**said, "resume": keys[world.side]})

        self.step(who, connect)

    @rule(who=programs, number=numbers, token=st.sampled_from((True, True, True, False)))
    def resume(self, who: str, number: int, token: bool) -> None:
        """Reconnect with one's own key, with an old one, or with another's."""
        found = one_of(self.keys, number)
        if found is None:
            self.find_something(who)
        else:
            _, match, keys = found
            self.grant(who, keys)
            self.log_in(who, {}, tuple(f"{match}.{key}" for key in keys), token)

    @rule(who=programs, number=numbers)
    def resume_own(self, who: str, number: int) -> None:
        own = [each for each in self.keys if each[0] == who]
        matches = self.worlds[0].lobby.matches
        left = [each for each in own if who not in (self.holders.get((each[1], player)) for player in (0, 1))]
        begun = [each for each in left if each[1] in matches and matches[each[1]].status == "playing"]
        found = one_of(begun if begun and number % 4 else own, number)
        if found is None:
            self.find_something(who)
        else:
            self.log_in(who, {}, tuple(f"{found[1]}.{key}" for key in found[2]))

    # Playing

    @rule(who=programs, number=numbers, choice=any_choice)
    def move(self, who: str, number: int, choice: int) -> None:
        index = one_of(self.open_channels(who, "/api/play"), number)
        if index is None:
            self.find_something(who)
        else:
            self.play(who, index, choice, send_action)

    @rule(who=people, number=numbers, choice=any_choice)
    def press_move(self, who: str, number: int, choice: int) -> None:
        index = one_of(self.open_channels(who, "page"), number)
        if index is None:
            self.find_something(who)
        else:
            self.play(who, index, choice, lambda world, channel, chosen, _: world.press_move(channel, chosen))

    def play(self, who: str, index: int, choice: int, send: Callable[[World, Channel, int, str], None]) -> None:
        number = self.worlds[0].channels[index].match
        if number is None or number not in self.games:
            return
        own = [player for player in (0, 1) if self.holders.get((number, player)) == who]
        game = self.games[number]
        for player in own:
            self.moving.add((number, player))
        # in a game of hidden choices, the player who hides theirs chooses otherwise in the other world
        hides = game == DILEMMA and hiding_player(number) in own

        def choose(world: World) -> None:
            chosen = choice ^ (hides and world.side == 1)
            send(world, world.channels[index], chosen, ACTIONS[game][chosen])

        self.step(who, choose)

    @rule(who=programs, number=numbers, resigns=st.booleans())
    def leave(self, who: str, number: int, resigns: bool) -> None:
        """Resign, or disconnect; most often before the match begins."""
        channels = self.open_channels(who, "/api/play")
        waiting = [index for index in channels if self.is_waiting(self.worlds[0].channels[index].match)]
        index = one_of(waiting or channels, number)
        if index is None:
            self.find_something(who)
            return
        if resigns:
            self.note_resignation(who, self.worlds[0].channels[index].match)

        def go(world: World) -> None:
            if resigns:
                world.channels[index].say(type="resign")
            else:
                world.channels[index].inbox.put_nowait({"type": "websocket.disconnect", "code": 1000})

        self.step(who, go)

    def note_resignation(self, who: str, number: int | None = None) -> None:
        for at, holder in self.holders.items():
            if holder == who and number in (None, at[0]):
                self.resigned.add(at)

    # Watching, reading, visiting

    @rule(who=everybody, number=numbers, path=st.sampled_from(PATHS))
    def read(self, who: str, number: int, path: str) -> None:
        match = self.live(number)
        if match is None and "{}" in path:
            self.find_something(who)
        else:
            self.step(who, lambda world: answer_about(world.request(who, "GET", path.format(match)), match, path))

    @rule(who=st.sampled_from((*PROGRAMS, "eve")), number=numbers, since=st.sampled_from((None, 0)))
    def watch(self, who: str, number: int, since: int | None) -> None:
        match = self.live(number)
        if match is None:
            self.find_something(who)
        else:
            said = {"type": "watch", "table": match, "since": since}
            self.step(
                who, lambda world: world.connect(who, "/api/watch", {**said, "token": world.credentials[who]}, match)
            )

    @precondition(lambda self: self.visits_left > 0)
    @rule(who=people, number=numbers, how=st.sampled_from(("own key", "own key", "any key", "invitation", "")))
    def visit(self, who: str, number: int, how: str) -> None:
        match, secrets = self.live(number), ("", "")
        if "key" in how:
            live = self.worlds[0].lobby.matches
            known = [key for key in self.keys if key[1] in live and (key[0] == who or how == "any key")]
            found = one_of([key for key in known if live[key[1]].status == "playing"] or known, number)
            if found is not None:
                _, match, secrets = found
        elif how:
            invited = one_of(self.codes, number)
            if invited is not None:
                match, secrets = invited
        if match is None or match not in self.worlds[0].lobby.matches:
            return
        self.visits_left -= 1
        self.grant(who, secrets)
        name = "invite" if how == "invitation" else "key"
        self.step(who, lambda world: world.visit(who, match, **({name: secrets[world.side]} if secrets[0] else {})))

    @rule(who=people, number=numbers, words=st.sampled_from(BUTTONS))
    def press(self, who: str, number: int, words: str) -> None:
        index = one_of(self.open_channels(who, "page"), number)
        if index is None:
            self.find_something(who)
        else:
            if words == "Resign":
                self.note_resignation(who, self.worlds[0].channels[index].match)
            self.step(who, lambda world: world.press(world.channels[index], words))

    # Ending things

    @rule(who=everybody, number=numbers)
    def stop(self, who: str, number: int) -> None:
        match = self.live(number)
        if match is None:
            self.find_something(who)
        else:
            self.step(who, lambda world: answer_about(world.request(who, "DELETE", f"/api/matches/{match}"), match))

    @precondition(lambda self: len(self.games) > 2 and not self.revoked and self.revocations_left > 0)
    @rule(who=players)
    def revoke(self, who: str) -> None:
        self.revocations_left -= 1
        self.note_resignation(who)
        self.revoked.add(who)
        self.step("op", lambda world: world.request("op", "DELETE", f"/api/tokens/{who}"), ends=who)

    @precondition(lambda self: self.revoked)
    @rule()
    def admit(self) -> None:
        """Give somebody who was revoked a new account of the same name."""
        who = min(self.revoked)
        for world in self.worlds:
            world.credentials[who] = make_credential(world.service.auth.accounts, who)
            world.grant(who, world.credentials[who])
            for channel in world.channels:
                channel.open = channel.open and channel.who != who
        self.revoked.discard(who)
        self.step(who, lambda world: None)

    @precondition(lambda self: self.restarts_left > 0 and self.games)
    @rule(kill=st.booleans())
    def restart(self, kill: bool) -> None:
        """Kill the server, or stop it; a new one goes on with its matches."""
        self.restarts_left -= 1
        type(self).restarts += 1

        def start_again(world: World) -> None:
            world.end(kill)
            world.start()

        self.moving.clear()  # what nobody knew yet is asked again
        self.step("op", start_again)


def send_action(world: World, channel: Channel, chosen: int, words: str) -> None:
    """Answer the last request on a socket."""
    asked = channel.last("act")
    channel.say(type="action", seq=asked["seq"] if asked else 1, action=words)


def answer_about(channel: Channel, match: int | None, path: str = "{}") -> None:
    """Note which match an answer is about."""
    channel.match = match if "{}" in path else None


def dealt_cards(seed: int) -> list[str]:
    """What chance deals with a seed: anyone can find that out with the same program."""
    return [word for entry in play(KUHN, ["kuhn.rock", "kuhn.rock"], seed=seed).entries[:2] for word in entry.actions]


def differing_words(ours: list[str], theirs: list[str]) -> str:
    """Where two lists of texts differ."""
    for one, other in zip([*ours, "(nothing)"], [*theirs, "(nothing)"], strict=False):
        if one != other:
            at = next((i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)
            return f"…{one[max(0, at - 60) : at + 60]}… or …{other[max(0, at - 60) : at + 60]}…"
    return ""
