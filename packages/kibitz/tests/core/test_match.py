"""The match loop: every kind of node, clocks, faults and forfeits."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from kibitz import core, replaying
from kibitz.core.agent import Clock
from kibitz.core.errors import BadSeed, BadSpec, IllegalAction, MatchStopped, ReplayMismatch
from kibitz.core.match import Match, MatchOptions, Moment, Reply, drawn_outcome, forfeit_returns
from kibitz.core.match.play import RecordedMatch, play, playing
from kibitz.core.records import Record, read_record
from kibitz.core.registry import make_agent, make_game


class Noting(core.Agent):
    """Plays the default action and writes down everything it is told."""

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.told: list[core.Transition] = []
        self.ended: Sequence[float] | None = None

    def act(self, view: core.State, clock: core.Clock) -> int:
        return view.default_action(self.player)

    def observe(self, transition: core.Transition) -> None:
        self.told.append(transition)

    def end(self, returns: Sequence[float]) -> None:
        self.ended = returns


class Mute(Exception):
    """Cannot even say what is wrong."""

    def __str__(self) -> str:
        raise RuntimeError("\ud800")


class Odd:
    """Neither a number nor anything that can be shown."""

    def __index__(self) -> int:
        raise ValueError("guess")

    def __repr__(self) -> str:
        raise RuntimeError("no")


WRONG = {"illegal": 99, "none": None, "text": "defect", "float": 1.0, "bool": True, "huge": 10**5000, "odd": Odd()}


class Failing(Noting):
    """Fails in one particular way."""

    def __init__(self, way: str = "raise") -> None:
        self.way = way

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        if self.way == "begin":
            raise RuntimeError("not today")

    def act(self, view: core.State, clock: core.Clock) -> int:
        if self.way == "raise":
            raise RuntimeError("no idea\nwhat to do")
        if self.way == "exit":
            raise SystemExit(7)
        if self.way == "stop":
            raise MatchStopped("I want to go home")
        if self.way == "mute":
            raise Mute
        return WRONG.get(self.way, 0)  # type: ignore[return-value]

    def observe(self, transition: core.Transition) -> None:
        super().observe(transition)
        if self.way == "observe":
            raise RuntimeError("I did not want to know")

    def end(self, returns: Sequence[float]) -> None:
        if self.way == "end":
            raise RuntimeError("unfair")


def test_everyone_is_told_every_event_own_chance_and_simultaneous_included() -> None:
    for game in ("dilemma(rounds=5)", "kuhn", "offers"):
        agents = [Noting() for _ in range(make_game(game).players)]
        record = play(game, agents, seed=4)
        for agent in agents:
            assert [told.ply for told in agent.told] == list(range(len(record.entries)))
            assert agent.ended == tuple(record.ending.returns)


def test_a_hidden_card_is_told_to_its_holder_only() -> None:
    agents = [Noting() for _ in range(3)]
    play("kuhn", agents, seed=1)
    for player, agent in enumerate(agents):
        deals = [told.actions[0] for told in agent.told[:3]]
        assert [card is not None for card in deals] == [seat == player for seat in range(3)]


def test_a_view_stepped_by_an_agent_leaves_the_match_alone() -> None:
    class Meddling(Noting):
        def act(self, view: core.State, clock: core.Clock) -> int:
            view.apply_actions((1, 1))
            return 0

        def observe(self, transition: core.Transition) -> None:
            transition.after.__dict__.clear()

    record = play("dilemma(rounds=6)", [Meddling(), "tit_for_tat"], models=["strategy_filter"])
    assert record.ending.returns == [18.0, 18.0]
    assert record.ending.model_errors == {}


def test_a_clock_set_back_helps_nobody() -> None:
    class Cheating(Noting):
        def act(self, view: core.State, clock: core.Clock) -> int:
            clock.started = float("nan")
            return 0

    record = play("dilemma(rounds=3)", [Cheating(), Noting()], move_time=0.5, now=Ticking(1.0))
    assert record.ending.strikes == (3, 3)


@pytest.mark.parametrize("truth", [{"type": object()}, None, {"type": float}])
def test_a_truth_that_cannot_be_written_is_a_fault_of_its_agent(truth: object) -> None:
    class Vague(Noting):
        def truth(self) -> dict[str, object]:
            return truth  # type: ignore[return-value]

    record = play("dilemma(rounds=1)", [Vague(), Noting()])
    assert record.entries[0].faults[0].player == 0
    assert record.header.truths[0] == {"strategy": "Vague"}


def test_a_truth_that_changes_is_kept_in_an_open_game_too() -> None:
    class Turning(Noting):
        def truth(self) -> dict[str, object]:
            return {"type": "late" if getattr(self, "told", None) else "early", "strategy": "liar"}

    record = play("dilemma(rounds=2)", [Turning(), Noting()])
    assert record.header.truths[0] == {"type": "early", "strategy": "Turning"}
    assert record.entries[0].truths[0]["type"] == "late"


@pytest.mark.parametrize("belief", [{"a": float("nan")}, {"a": None}, {1: 1.0}, {"a": 10**400}, None])
def test_a_belief_that_cannot_be_kept_ends_the_watching(belief: object, tmp_path: Path) -> None:
    class Vague(core.Model):
        answers = ("type",)

        def observe(self, transition: core.Transition) -> None: ...

        def belief(self, player: int) -> dict[str, float]:
            return belief  # type: ignore[return-value]

    record = play("dilemma(rounds=2)", ["random", "random"], models=[Vague()], path=tmp_path / "match.krec")
    assert "Vague" in record.ending.model_errors
    assert read_record(tmp_path / "match.krec") == record


@pytest.mark.parametrize(
    "options",
    [{"max_plies": 2.5}, {"max_plies": True}, {"strikes": 0}, {"strikes": "x"}, {"move_time": -1}],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(BadSpec):
        play("dilemma", ["random", "random"], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("way", ["raise", "exit", "stop", "mute", "observe", *WRONG])
def test_a_failing_agent_gets_the_default_and_forfeits_after_three_strikes(way: str) -> None:
    record = play("dilemma(rounds=10)", [Failing(way), Noting()])
    assert record.ending.strikes == (3, 0)
    assert record.ending.forfeits == (0,)
    assert record.ending.plies == 10
    assert record.ending.returns[0] == make_game("dilemma(rounds=10)").utility[0]
    assert {entry.actions[0] for entry in record.entries} == {"cooperate"}
    faults = [fault for entry in record.entries for fault in entry.faults]
    assert [fault.player for fault in faults] == [0, 0, 0]
    assert all("\n" not in fault.message for fault in faults)


def test_strikes_can_be_many_and_a_single_fault_forfeits_nothing() -> None:
    record = play("dilemma(rounds=10)", [Failing("raise"), Noting()], strikes=11)
    assert record.ending.strikes == (10, 0)
    assert record.ending.forfeits == ()
    assert play("dilemma(rounds=1)", [Failing("end"), Noting()]).ending.strikes == (1, 0)
    assert play("dilemma(rounds=2)", [Failing("begin"), Noting()]).entries[0].faults[0].kind == "raised"


def test_in_a_zero_sum_game_the_others_gain_what_the_forfeiter_loses() -> None:
    record = play("pennies", [Failing("raise"), Noting()], strikes=1)
    assert record.ending.returns == [-1.0, 1.0]
    kuhn = make_game("kuhn")
    assert forfeit_returns(kuhn, [4.0, -2.0, -2.0], [0]) == [-2.0, 1.0, 1.0]
    assert forfeit_returns(kuhn, [4.0, -2.0, -2.0], []) == [4.0, -2.0, -2.0]
    assert forfeit_returns(kuhn, [4.0, -2.0, -2.0], [0, 1, 2]) == [0.0, 0.0, 0.0]


class Ticking:
    """A false clock: every reading is a step later."""

    def __init__(self, step: float) -> None:
        self.step, self.time = step, 0.0

    def __call__(self) -> float:
        self.time += self.step
        return self.time


def test_a_slow_agent_is_late_by_the_clock_per_move() -> None:
    slow = play("dilemma(rounds=5)", [Noting(), Noting()], move_time=0.5, now=Ticking(1.0))
    assert slow.ending.forfeits == (0, 1)
    assert slow.entries[0].faults[0].kind == "late"
    quick = play("dilemma(rounds=5)", [Noting(), Noting()], move_time=1.5, now=Ticking(1.0))
    assert quick.ending.strikes == (0, 0)


def test_the_clock_per_game_runs_down() -> None:
    record = play("dilemma(rounds=9)", [Noting(), Noting()], game_time=4.5, now=Ticking(1.0))
    assert [bool(entry.faults) for entry in record.entries] == [False] * 4 + [True] * 3 + [False] * 2
    assert record.entries[0].seconds == (1.0, 1.0)


def test_an_agent_sees_how_long_it_has() -> None:
    class Asking(Noting):
        def act(self, view: core.State, clock: core.Clock) -> int:
            allowances.append((clock.allowance, clock.remaining()))
            return 0

    allowances: list[tuple[float | None, float]] = []
    play("dilemma(rounds=3)", [Asking(), Noting()], move_time=3.0, game_time=5.0, now=Ticking(1.0))
    assert [allowance for allowance, _ in allowances] == [3.0, 3.0, 1.0]
    assert all(left < 3.0 for _, left in allowances)
    assert Clock().remaining() == float("inf")


def test_endless_play_ends_with_the_payoff_of_infinite_play() -> None:
    sheets = ["scripted(moves=['heads', 'tails'])", "scripted(moves=['heads', 'heads'])"]
    record = play("pennies(lead=9)", sheets, max_plies=2)
    assert (record.ending.reason, record.ending.returns) == ("max_plies", [0.0, 0.0])
    endless = play("pennies(lead=500)", ["alternator", "pennies.biased(heads=0.5)"], seed=1)
    assert endless.ending.plies == 1000


def test_chance_does_not_depend_on_who_plays() -> None:
    deals = {
        tuple(e.actions for e in play("kuhn", ["kuhn.rock"] * 2 + [who], seed=5).entries[:3])
        for who in ("random", "maniac")
    }
    assert len(deals) == 1


def test_the_same_spec_and_seed_give_the_same_record() -> None:
    records = [play("kuhn", ["random"] * 3, models=["strategy_filter"], seed=s).without_times() for s in (3, 3, 4)]
    assert records[0] == records[1] != records[2]


def test_the_loop_is_driven_by_hand() -> None:
    match = Match(make_game("dilemma(rounds=1)"))
    steps = match.steps()
    start, requests = next(steps), next(steps)
    assert isinstance(start, Moment)
    assert isinstance(requests, tuple)
    assert [request.player for request in requests] == [0, 1]
    moment = steps.send([Reply(action=1), Reply(action=0)])
    assert isinstance(moment, Moment)
    assert moment.event is not None
    assert moment.event.notations() == ["defect", "cooperate"]
    assert list(steps) == []
    assert match.result().returns == (5.0, 0.0)


class Leaving(Noting):
    """A person who has had enough."""

    interactive = True

    def act(self, view: core.State, clock: core.Clock) -> int:
        raise MatchStopped("enough")


def test_a_person_who_stops_is_no_fault() -> None:
    moments = playing("dilemma", [Leaving(), Noting()])
    next(moments)
    with pytest.raises(MatchStopped):
        next(moments)


def test_wrong_tables_are_refused_before_the_match() -> None:
    with pytest.raises(BadSpec, match="it has 2 players, you named 1"):
        play("dilemma", ["random"])
    agent = make_agent("random")
    with pytest.raises(BadSpec, match="two seats"):
        play("dilemma", [agent, agent])
    for seed in (-1, 10**5000, 1.5, "x", None, True, 2**64):
        with pytest.raises(BadSeed):
            play("dilemma", ["random", "random"], seed=seed)  # type: ignore[arg-type]


def test_a_draw_falls_on_the_outcome_it_should() -> None:
    state = make_game("offers").new_initial_state()
    assert [drawn_outcome(state, draw) for draw in (0.0, 0.32, 0.34, 0.67, 0.999999999999999999)] == [0, 0, 1, 2, 2]


def test_a_broken_watcher_is_let_go_and_the_match_goes_on() -> None:
    class Fragile(core.Model):
        """Breaks at ply 2."""

        answers = ("action",)

        def observe(self, transition: core.Transition) -> None:
            if transition.ply == 2:
                raise ZeroDivisionError("oops")

    table = RecordedMatch(
        "dilemma(rounds=5)", ["random", "random"], MatchOptions(models=[Fragile(), "strategy_filter"])
    )
    moments = list(table.moments())
    assert table.record.ending.model_errors == {"Fragile": "ply 2: ZeroDivisionError: oops"}
    assert "Fragile" not in moments[-1].beliefs
    assert moments[-1].beliefs["strategy_filter"]


def test_two_watchers_of_one_kind_are_told_apart() -> None:
    table = RecordedMatch(
        "kuhn", ["random"] * 3, MatchOptions(models=["strategy_filter", "strategy_filter@1", "strategy_filter"])
    )
    labels = [watcher.label for watcher in table.watchers.seated]
    assert labels == ["strategy_filter", "strategy_filter@1", "strategy_filter#2"]
    for wrong in ("strategy_filter@3", "strategy_filter@x", "strategy_filter@", "strategy_filter@" + "9" * 5000, 5):
        with pytest.raises(BadSpec):
            RecordedMatch("kuhn", ["random"] * 3, MatchOptions(models=[wrong]))  # type: ignore[list-item]


# Giving up


@pytest.mark.needs("lab")
def test_a_player_who_resigns_ends_a_match_of_two_and_earns_the_least() -> None:
    table = RecordedMatch("pawns", ["random", "random"], MatchOptions(seed=3))
    moments = table.moments()
    for _ in range(4):
        next(moments)
    table.resign(1)
    assert list(moments) == []
    ending = table.record.ending
    assert ending is not None
    assert (ending.reason, ending.returns, ending.forfeits, ending.plies) == ("resigned", [1.0, -1.0], (1,), 3)
    assert [fault.kind for fault in ending.faults] == ["resigned"]
    assert [moment.state.key() for moment in replaying(table.record)][-1] == table.position.state.key()


@pytest.mark.needs("lab")
def test_what_was_asked_when_somebody_resigns_is_not_played() -> None:
    table = RecordedMatch("pawns", ["random", "random"])
    steps = table.steps()
    next(steps)
    asked = next(steps)
    assert isinstance(asked, tuple)
    table.resign(0)
    with pytest.raises(StopIteration):
        steps.send([Reply(action=asked[0].view.legal_actions()[0])])
    assert table.record.entries == []
    assert table.record.complete


def test_the_others_play_on_where_more_than_one_is_left() -> None:
    table = RecordedMatch("kuhn", ["maniac", "maniac", "maniac"], MatchOptions(seed=1))
    moments = table.moments()
    for _ in range(4):
        next(moments)
    table.resign(2)
    list(moments)
    assert table.record.ending is not None
    assert (table.record.ending.reason, table.record.ending.forfeits) == ("terminal", (2,))
    events = [moment.event for moment in replaying(table.record) if moment.event is not None]
    assert 2 not in {player for event in events for player, _ in event.choices()}


@pytest.mark.parametrize("game", ["kuhn", "dilemma(rounds=5)", pytest.param("risk", marks=pytest.mark.needs("risk"))])
def test_a_match_begins_as_another_one_did(game: str) -> None:
    agents = ["random"] * make_game(game).players
    first = play(game, agents, seed=3, max_plies=60)
    ply = min(4, len(first.entries) - 1)
    given = [entry.actions for entry in first.entries[:ply]]
    second = play(game, agents, seed=4, max_plies=60, given=given)
    assert second.header.given == ply
    assert [entry.actions for entry in second.entries[:ply]] == given
    assert second.entries[ply:] != first.entries[ply:]
    events = [moment.event for moment in replaying(second) if moment.event is not None]
    assert not any(event.choices() for event in events[:ply]), "what was given is nobody's choice"
    assert any(event.choices() for event in events[ply:])


@pytest.mark.needs("lab")
def test_what_cannot_be_given_is_refused() -> None:
    with pytest.raises(IllegalAction, match="may not play 'a1-a9'"):
        play("breakthrough", ["random", "random"], given=[["a1-a9"]])
    with pytest.raises(IllegalAction, match="may not play 'a2-a3'"):
        play("breakthrough", ["random", "random"], given=[["a2-a3"], ["a2-a3"]])


@pytest.mark.needs("lab")
def test_a_record_that_only_says_somebody_resigned_is_not_believed() -> None:
    record = play("pawns", ["random", "random"], max_plies=5)
    assert record.ending is not None
    record.ending = msgspec.structs.replace(record.ending, reason="resigned")
    with pytest.raises(ReplayMismatch, match="ended by 'resigned'"):
        list(replaying(record))


# Resuming


@pytest.mark.parametrize(
    ("game", "agents", "options"),
    [
        ("kuhn", ["random"] * 3, {}),
        pytest.param("pawns", ["random", "random"], {"opening": 4}, marks=pytest.mark.needs("lab")),
        ("dilemma(rounds=12)", ["random", "random"], {"move_time": 5.0, "game_time": 60.0}),
        pytest.param("risk(players=3)", ["random"] * 3, {"max_plies": 80}, marks=pytest.mark.needs("risk")),
    ],
)
def test_a_match_goes_on_from_any_prefix_of_its_record(game, agents, options, tmp_path):
    whole = play(game, agents, seed=5, path=tmp_path / "whole.krec", **options)
    for cut in {0, 1, len(whole.entries) // 2, len(whole.entries)}:
        path = tmp_path / f"{cut}.krec"
        past = Record(whole.header, whole.entries[:cut])
        path.write_bytes(past.to_bytes())
        match = RecordedMatch(game, agents, MatchOptions(seed=5, **options), past=past)
        for _ in match.moments(path):
            pass
        assert match.record.entries[:cut] == whole.entries[:cut]
        assert match.record.complete
        assert read_record(path) == match.record
        assert [moment.state for moment in replaying(match.record)]  # the rules reproduce it
        chance = [entry.actions for entry in whole.entries if entry.player == core.CHANCE]
        again = [entry.actions for entry in match.record.entries if entry.player == core.CHANCE]
        if game == "kuhn":
            assert again[: len(chance)] == chance  # the seed deals the same cards


def test_a_resumed_match_keeps_clocks_strikes_and_resignations():
    class Slow(core.Agent):
        def act(self, view, clock):
            raise RuntimeError("no idea")

    options = MatchOptions(seed=1, strikes=4, game_time=1000.0)
    first = RecordedMatch("dilemma(rounds=9)", [Slow(), "random"], options)
    moments = first.moments()
    for _ in range(4):
        next(moments)
    second = RecordedMatch("dilemma(rounds=9)", ["random", "random"], options, past=first.record)
    going = second.moments()
    for _ in range(4):
        next(going)
    assert second.struck == first.struck == [3, 0]
    assert second.used == pytest.approx(first.used)
