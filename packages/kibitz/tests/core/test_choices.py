"""Tests that a match, its record and a resumed match say of every action whether its player chose it."""

from collections.abc import Sequence

import pytest

from kibitz import core, replaying
from kibitz.core.errors import BadRecord
from kibitz.core.game import Transition
from kibitz.core.match import Event, MatchOptions, Moment, Reply
from kibitz.core.match.play import RecordedMatch, play
from kibitz.core.records import Entry, Record, record_from_bytes

PAIR = ["random", "random"]


class Failing(core.Agent):
    """Plays the first legal action, but raises when it chooses or observes at some plies."""

    def __init__(self, acting: tuple[int, ...] = (), observing: tuple[int, ...] = ()) -> None:
        self.acting, self.observing = acting, observing

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.ply = 0

    def act(self, view: core.State, clock: core.Clock) -> int:
        if self.ply in self.acting:
            raise RuntimeError("no idea")
        return view.legal_actions(self.player)[0]

    def observe(self, transition: Transition) -> None:
        self.ply = transition.ply + 1
        if transition.ply in self.observing:
            raise RuntimeError("did not see it")


def happened(game: str, agents: Sequence[str | core.Agent], **options: object) -> tuple[list[Event], Record]:
    table = RecordedMatch(game, agents, MatchOptions(seed=3, **options))  # type: ignore[arg-type]
    return [moment.event for moment in table.moments() if moment.event is not None], table.record


def replayed(record: Record) -> list[tuple[bool, ...]]:
    return [moment.event.chosen for moment in replaying(record) if moment.event is not None]


def own(events: Sequence[Event], player: int) -> list[bool]:
    """Of each event in which *player* acted, whether they chose."""
    transitions = [event.transition(None) for event in events]
    return [each.chose(player) for each in transitions if player in each.movers]


@pytest.mark.needs("lab")
def test_opening_moves_are_not_chosen() -> None:
    events, record = happened("pawns", PAIR, opening=3, max_plies=6)
    assert [event.transition(0).chose(event.player) for event in events] == [False] * 3 + [True] * 3
    assert replayed(record) == [event.chosen for event in events]


def test_moves_at_once_are_chosen_player_by_player() -> None:
    events, record = happened("dilemma(rounds=5)", [Failing(acting=(2,)), "random"], opening=1)
    assert [event.chosen for event in events] == [(False, False), (), (False, True), (), ()]
    assert own(events, 0) == [False, True, False, True, True]
    assert own(events, 1) == [False, True, True, True, True]
    assert replayed(record) == [event.chosen for event in events]


def test_chance_chooses_nothing_and_does_not_count_as_an_opening_move() -> None:
    events, record = happened("kuhn", ["random"] * 3, opening=2)
    dealt = [event for event in events if event.player == core.CHANCE]
    assert dealt
    for event in dealt:
        assert event.chosen == ()
        assert event.choices() == []
        assert not any(event.transition(None).chose(player) for player in (core.CHANCE, 0, 1, 2))
    assert sum(not event.choices() for event in events if event.player != core.CHANCE) == 2
    assert replayed(record) == [event.chosen for event in events]


def test_nothing_after_a_forfeit_is_chosen() -> None:
    events, record = happened("dilemma(rounds=6)", [Failing(acting=(1, 3)), "random"], strikes=2)
    assert own(events, 0) == [True, False, True, False, False, False]
    assert all(own(events, 1))
    assert replayed(record) == [event.chosen for event in events]


def test_a_fault_after_a_choice_does_not_undo_the_choice() -> None:
    events, record = happened("dilemma(rounds=6)", [Failing(observing=(1,)), "random"])
    assert [fault.player for fault in record.entries[1].faults] == [0]
    assert all(own(events, 0))
    assert replayed(record) == [()] * 6
    again = record_from_bytes(record.to_bytes())
    assert replayed(again) == [()] * 6


def test_faults_that_forfeit_after_a_choice_count_from_the_next_event_on() -> None:
    events, record = happened("dilemma(rounds=5)", [Failing(observing=(0, 2)), "random"], strikes=2)
    assert own(events, 0) == [True, True, True, False, False]
    assert replayed(record) == [event.chosen for event in events]


def test_a_record_that_says_it_of_too_few_actions_is_refused() -> None:
    _, record = happened("dilemma(rounds=4)", [Failing(acting=(1,)), "random"])
    entry = record.entries[1]
    record.entries[1] = Entry(entry.ply, entry.player, entry.actions, faults=entry.faults, chosen=(True,))
    with pytest.raises(BadRecord, match="ply 1 says of 1 of 2 actions who chose them"):
        record_from_bytes(record.to_bytes())


@pytest.mark.needs("lab")
def test_given_events_are_not_chosen_and_opening_moves_come_after_them() -> None:
    first = play("pawns", PAIR, seed=1, max_plies=4)
    given = [entry.actions for entry in first.entries]
    events, record = happened("pawns", PAIR, given=given, opening=2, max_plies=8)
    assert [bool(event.choices()) for event in events] == [False] * 6 + [True] * 2
    assert replayed(record) == [event.chosen for event in events]


def test_a_player_who_resigns_while_asked_does_not_choose() -> None:
    table = RecordedMatch("kuhn", ["random"] * 3, MatchOptions(seed=1))
    steps = table.steps()
    step, events = next(steps), []
    try:
        while True:
            if isinstance(step, Moment):
                events += [step.event] if step.event is not None else []
                step = next(steps)
                continue
            if step[0].player == 1 and not table.has_forfeited(1):
                table.resign(1)
            step = steps.send([Reply(action=each.view.legal_actions(each.player)[0]) for each in step])
    except StopIteration:
        pass
    assert own(events, 1)
    assert not any(own(events, 1))
    assert replayed(table.record) == [event.chosen for event in events]


@pytest.mark.parametrize("cut", [1, 3, 4])
def test_a_resumed_match_says_the_same_of_its_past(cut: int) -> None:
    agents = [Failing(acting=(2,), observing=(3,)), "random"]
    options = MatchOptions(seed=3, opening=1, strikes=9)
    whole = RecordedMatch("dilemma(rounds=6)", agents, options)
    events = [moment.event for moment in whole.moments() if moment.event is not None]
    past = Record(whole.record.header, whole.record.entries[:cut])
    again = RecordedMatch("dilemma(rounds=6)", [Failing(), "random"], options, past=past)
    resumed = [moment.event for moment in again.moments() if moment.event is not None]
    assert [event.chosen for event in resumed[:cut]] == [event.chosen for event in events[:cut]]
    assert [event.chosen for event in resumed[cut:]] == [()] * (6 - cut)
    assert replayed(again.record) == [event.chosen for event in resumed]
