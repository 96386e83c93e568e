import csv
from collections import OrderedDict
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kibitz import core
from kibitz.core.errors import BadDefinition, RunInUse
from kibitz.core.records import record_from_bytes
from kibitz.core.registry import house_agents
from kibitz_lab.arena.executors import Executor, make_executor
from kibitz_lab.arena.plan import Plan
from kibitz_lab.arena.runs import TournamentRun, open_run, run_summary, standings, write_csv
from kibitz_lab.arena.series import Certain, Series, played_series
from kibitz_lab.arena.tournament import Tournament
from kibitz_lab.store import MatchResult, Store
from kibitz_lab.store.claims import release

STRATEGIES = {name: name for name in ("tit_for_tat", "defector", "pavlov", "generous")}
SMALL = Tournament(games=("dilemma(rounds=5)",), agents=STRATEGIES, repeats=3)


def untimed(results: list[MatchResult]) -> list[MatchResult]:
    return [msgspec.structs.replace(result, seconds=()) for result in sorted(results, key=lambda each: each.index)]


def played(tournament: Tournament, database: Path | str, executor: str = "inline", **options: Any) -> TournamentRun:
    with Store(str(database)) as store, make_executor(executor, **options) as made:
        running = open_run(Plan.of(tournament), store)
        for _ in running.play_matches(made):
            pass
        return running


def everything(tournament: Tournament) -> list[Series]:
    return list(Plan.of(tournament).series())


@pytest.mark.long
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"series": 4},
        {"mirror": True},
        {"seats": "fixed"},
        {"format": "gauntlet", "champion": "pavlov"},
        {"format": "fields", "fields": (("pavlov", "defector"), ("pavlov", "pavlov"))},
        {"games": ("dilemma(rounds=5)", "pennies(lead=2)"), "agents": {"a": "random", "b": "random"}},
        {"games": ("kuhn",), "agents": {name: name for name in ("rock", "solid", "bluffer", "maniac")}, "seats": "all"},
    ],
)
def test_a_plan_numbers_matches_without_gaps_and_pairs_seeds_within_blocks(changes: dict[str, Any]) -> None:
    tournament = msgspec.structs.replace(SMALL, **changes)
    series = everything(tournament)
    assert [each.index for each in series] == list(range(len(series)))
    assert Plan.of(tournament).match_count == sum(len(each.seeds) for each in series)
    blocks = [list(group) for _, group in groupby(series, key=lambda each: each.block)]
    assert len({each.block for each in series}) == len(blocks)
    for block in blocks:
        assert len({each.seeds for each in block}) == 1
        assert len({tuple(sorted(each.names)) for each in block}) == 1
        assert len({each.names for each in block}) == len(block)
    assert len({block[0].seeds for block in blocks}) == len(blocks)


@pytest.mark.parametrize("changes", [{"shared": True}, {"seeds": (5, 2**64 - 1, 0)}])
def test_shared_seeds_make_one_block_of_all_fields(changes: dict[str, Any]) -> None:
    series = everything(msgspec.structs.replace(SMALL, **changes))
    assert [each.block for each in series] == [0] * 12 + [1] * 12 + [2] * 12
    assert all(len({each.seeds for each in series if each.block == block}) == 1 for block in range(3))
    assert len({each.seeds for each in series}) == 3


@pytest.mark.long
def test_every_executor_gives_the_same_matches(tmp_path: Path) -> None:
    inline = played(SMALL, tmp_path / "a.db")
    pooled = played(SMALL, tmp_path / "b.db", "pool", workers=2)
    assert len(inline.results) == inline.plan.match_count == 6 * 2 * 3
    assert untimed(inline.results) == untimed(pooled.results)
    with Store(str(tmp_path / "a.db")) as first, Store(str(tmp_path / "b.db")) as second:
        for index in range(inline.plan.match_count):
            mine, other = first.record(1, index), second.record(1, index)
            assert mine.without_times() == other.without_times()
        assert first.run(1).finished is not None


class Stopping(Executor):
    """Gives up after so many items, as a kill would."""

    def __init__(self, after: int) -> None:
        self.after = after

    def run_items(self, work: Any, items: Any) -> Any:
        for position, item in enumerate(items):
            if position >= self.after:
                raise KeyboardInterrupt
            yield position, work(item)


@pytest.mark.long
@pytest.mark.parametrize("changes", [{}, {"series": 3}])
def test_a_run_that_was_stopped_goes_on_to_the_same_end(tmp_path: Path, changes: dict[str, Any]) -> None:
    tournament = msgspec.structs.replace(SMALL, **changes)
    whole = played(tournament, tmp_path / "whole.db")
    for after in (1, 7, 0, 10):
        with Store(str(tmp_path / "cut.db")) as store:
            running = open_run(Plan.of(tournament), store)
            stream = running.play_matches(Stopping(after))
            with pytest.raises(KeyboardInterrupt):
                list(stream)
            assert store.run(1).stored == len(running.results)
    resumed = played(tournament, tmp_path / "cut.db")
    assert resumed.run.run == 1
    assert untimed(resumed.results) == untimed(whole.results)
    assert run_summary(resumed).games[0].rows[0].name == run_summary(whole).games[0].rows[0].name


def test_a_run_that_another_plays_is_refused_and_not_played_twice(tmp_path: Path) -> None:
    whole = played(SMALL, tmp_path / "whole.db")
    with Store(str(tmp_path / "a.db")) as store, Store(str(tmp_path / "a.db")) as other:
        first, second = open_run(Plan.of(SMALL), store), open_run(Plan.of(SMALL), other)
        with make_executor("inline") as executor:
            playing = first.play_matches(executor)
            next(playing)
            with pytest.raises(RunInUse, match="run 1 is being played by process"):
                next(second.play_matches(Stopping(0)))
            assert [*playing]
            assert list(second.play_matches(Stopping(0))) == [], (
                "what the first has played meanwhile is not played again"
            )
        assert untimed(second.results) == untimed(whole.results)


def test_a_run_that_was_taken_away_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz_lab.store.claims.BEAT", 0.01)
    with Store(str(tmp_path / "a.db")) as store, make_executor("inline") as executor:
        running = open_run(Plan.of(msgspec.structs.replace(SMALL, repeats=3000)), store)
        playing = running.play_matches(executor)
        next(playing)
        release(store, 1)
        with pytest.raises(RunInUse, match="was taken from this process"):
            list(playing)
        assert 0 < store.run(1).stored == len(running.results) < running.plan.match_count


def test_a_game_that_is_not_zero_sum_is_ranked_by_what_it_pays(tmp_path: Path) -> None:
    field = {name: name for name in ("tit_for_tat", "defector", "grim", "pavlov")}
    running = played(msgspec.structs.replace(SMALL, agents=field, mirror=True), tmp_path / "a.db")
    with Store(str(tmp_path / "a.db")) as store:
        (found,) = run_summary(TournamentRun(store.run(1), store)).games
    assert not found.zero_sum
    assert found.rows[-1].name == "defector"
    assert found.rows[-1].won == max(row.won for row in found.rows)
    assert untimed(running.results)


class Learner(core.Agent):
    """Counts the matches it was begun for, and plays that number modulo 2."""

    matches = 0

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.matches += 1

    def act(self, view: core.State, clock: core.Clock) -> int:
        return self.matches % 2


def test_agents_keep_what_they_learned_within_a_series_and_not_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    def learner(spec: str, game: str) -> core.Agent:
        return Learner()

    monkeypatch.setattr("kibitz_lab.arena.series.make_agent", learner)
    series = Series(0, 0, "dilemma(rounds=1)", ("a", "b"), ("x", "x"), (1, 2, 3, 4))
    for _ in range(2):
        records = [record_from_bytes(each.record) for each in played_series(series)]
        assert [record.entries[0].actions[0] for record in records] == ["defect", "cooperate"] * 2


def test_an_opening_is_the_same_throughout_a_block_and_differs_between_blocks() -> None:
    tournament = Tournament(games=("pawns",), agents={"a": "pawns.s1", "b": "pawns.s2"}, repeats=4, opening=3)
    openings: dict[int, set[tuple[str, ...]]] = {}
    for series in everything(tournament):
        shortened = msgspec.structs.replace(series.options, max_plies=3)
        record = record_from_bytes(played_series(msgspec.structs.replace(series, options=shortened))[0].record)
        assert record.header.opening == 3
        openings.setdefault(series.block, set()).add(tuple(entry.actions[0] for entry in record.entries))
    assert all(len(found) == 1 for found in openings.values())
    assert len(set.union(*openings.values())) > 1


def test_standings_are_ordered_by_score_game_by_game(tmp_path: Path) -> None:
    two = msgspec.structs.replace(
        SMALL, games=("dilemma(rounds=5)", "pennies(lead=2)"), agents={"a": "random", "b": "random", "c": "random"}
    )
    found = standings(played(two, tmp_path / "a.db").results)
    assert [each.game for each in found] == ["dilemma(rounds=5)", "pennies(lead=2)"]
    for each in found:
        means = [row.score.mean for row in each.rows]
        assert means == sorted(means, reverse=True)
        assert sum(row.matches for row in each.rows) == 2 * 3 * 3 * 2


def test_what_refuses_to_play_is_named(tmp_path: Path) -> None:
    foreign = Tournament(games=("dilemma(rounds=5)",), agents={"a": "kuhn.rock", "b": "random"})
    with pytest.raises(core.KibitzError, match=r"kuhn\.rock cannot take part in dilemma.*belongs to another game"):
        played(foreign, tmp_path / "a.db")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"games": ()}, "games: name at least one game"),
        ({"games": ("dilemma", "dilemma")}, "games: 'dilemma' is named twice"),
        ({"agents": {}}, "agents: name at least one agent"),
        ({"agents": {"a": "random"}}, "agents: 1 agents for the 2 seats"),
        ({"agents": {"a": "random", "b": "rnadom"}}, r"agents\.b: no agent named 'rnadom'; did you mean 'random'"),
        ({"agents": {"a": "random", "b": "human"}}, r"agents\.b: a person answers"),
        ({"format": "gauntlet"}, "champion: a gauntlet needs one"),
        ({"champion": "pavlov"}, "champion: it goes with format 'gauntlet'"),
        ({"format": "fields"}, "fields: name at least one"),
        ({"fields": (("pavlov", "defector"),)}, "fields: it goes with format 'fields'"),
        ({"format": "fields", "fields": (("pavlov",),)}, "names 1 agents; .* seats 2"),
        ({"format": "fields", "fields": (("pavlov", "defector"), ("defector", "pavlov"))}, "is given twice"),
        ({"format": "gauntlet", "champion": "pavlov", "mirror": True}, "mirror: it goes with format 'round-robin'"),
        ({"seed": 1, "seeds": (2,)}, "give either seed or seeds"),
        ({"seeds": (2**64,)}, "seeds: a seed is a whole number"),
        ({"models": ("strategy_filter@7",)}, "models: .*a player from 0 to 1"),
    ],
)
def test_a_mistake_is_named_with_its_key(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(BadDefinition, match=words) as caught:
        Plan.of(msgspec.structs.replace(SMALL, **changes), "cup.toml")
    assert str(caught.value).startswith("cup.toml: ")


def test_more_matches_than_can_be_played_are_refused_at_once() -> None:
    many = {f"agent{number}": "random" for number in range(2000)}
    with pytest.raises(BadDefinition, match="up to 19,990,000,000 matches"):
        Plan.of(msgspec.structs.replace(SMALL, agents=many, repeats=5000))
    with pytest.raises(BadDefinition, match="at most 10,000,000 can be played"):
        Plan.of(Tournament(games=("kuhn(players=6)",), agents=many))


SEARCHERS = ("alphabeta(depth=1, noise=none)", "alphabeta(depth=2, noise=none)", "alphabeta(depth=1)", "random")


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "agents"),
    [
        ("dilemma(rounds=12)", (*house_agents("dilemma"), "random")),
        ("pennies(lead=3)", (*house_agents("pennies"), "random")),
        ("pawns", SEARCHERS),
        ("kuhn", house_agents("kuhn")),
    ],
)
def test_a_remembered_match_is_the_one_that_would_have_been_played(game: str, agents: Sequence[str]) -> None:
    named = {name: name for name in agents}
    tournament = Tournament(games=(game,), agents=named, repeats=2, max_plies=20, series=2)
    remembered: Certain = OrderedDict()
    for series in everything(tournament):
        copied, fresh = played_series(series, remembered), played_series(series, OrderedDict())
        for one, other in zip(copied, fresh, strict=True):
            assert untimed([one.result]) == untimed([other.result])
            records = [record_from_bytes(each.record).without_times() for each in (one, other)]
            assert records[0] == records[1]
    assert not any("random" in str(key) for key in remembered)
    assert bool(remembered) == (game != "kuhn")


def test_a_spreadsheet_takes_no_name_for_a_formula(tmp_path: Path) -> None:
    results = [
        MatchResult(
            index=0, series=0, block=0, game="dilemma", seed=1, names=("=HYPERLINK(1)", "@x"), returns=(-3.5, 1.0),
            plies=1, reason="terminal", seconds=(0.5, 0.5), strikes=(0, 0), forfeits=(),
        )
    ]  # fmt: skip
    write_csv(results, tmp_path / "a.csv")
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text().splitlines()))
    assert [row["name"] for row in rows] == ["'=HYPERLINK(1)", "'@x"]
    assert [row["returned"] for row in rows] == ["-3.5", "1.0"]
