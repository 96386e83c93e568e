"""Plain plies are those of the loop: the same records, times, faults and observations, and no vain copies."""

from itertools import count
from typing import Any

import pytest

from kibitz import core
from kibitz.core.errors import MatchStopped
from kibitz.core.match import Match, MatchOptions
from kibitz.core.match.recorded import RecordedMatch
from kibitz.core.records import record_from_bytes
from kibitz.core.registry import make_game

WAYS = ("raise", "exit", "stop", "illegal", "none", "bool", "observe", "begin", "end", "never")
GAMES = ("dilemma(rounds=6)", "pawns", "bear-brawl", "cops", "soccer")


class Noting(core.Agent):
    """Plays at random, fails *way* at every third event, and writes down what it is told."""

    def __init__(self, way: str = "never") -> None:
        self.way = way

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.told: list[Any] = []
        self.fail("begin")

    def fail(self, way: str) -> None:
        if self.way == way and len(self.told) % 3 == 2 * (way == "observe"):
            raise RuntimeError(f"{way}\nfailed")

    def act(self, view: core.State, clock: core.Clock) -> int:
        legal = view.legal_actions(self.player)
        drawn = legal[int(self.rng.integers(len(legal)))]
        if len(self.told) % 3:
            return drawn
        self.fail("raise")
        if self.way in ("exit", "stop"):
            raise SystemExit(3) if self.way == "exit" else MatchStopped("home")
        return {"illegal": 10**6, "none": None, "bool": True}.get(self.way, drawn)  # type: ignore[return-value]

    def observe(self, transition: core.Transition) -> None:
        seen = transition.ply, transition.actions, transition.chosen, transition.before.key(), transition.after.key()
        self.told.append(seen)
        self.fail("observe")

    def end(self, returns: Any) -> None:
        self.told.clear()
        self.fail("end")


class Counting(Noting):
    """Only counts events, without looking at a position."""

    @core.ignores_view
    def observe(self, transition: core.Transition) -> None:
        self.told.append((transition.ply, transition.actions, transition.chosen))
        self.fail("observe")


class Peeping(core.Agent):
    """Says that it looks at nothing, and looks."""

    def act(self, view: core.State, clock: core.Clock) -> int:
        return 0

    @core.ignores_view
    def observe(self, transition: core.Transition) -> None:
        assert transition.after is not None


def table_of(game: str, agents: list[core.Agent], **options: Any) -> RecordedMatch:
    ticks = count()
    return RecordedMatch(game, agents, MatchOptions(seed=3, **options), now=lambda: float(next(ticks) ** 1.5 // 1))


def played(table: RecordedMatch) -> tuple[Any, ...]:
    """All that one can see of a match: the record, the times, and what the agents were told before the end."""
    told: list[Any] = []
    for agent in table.agents:
        end = agent.end
        agent.end = lambda returns, agent=agent, end=end: (told.append(list(agent.told)), end(returns))  # type: ignore
    record = record_from_bytes(table.play_packed().to_bytes())
    return record.entries, record.ending, table.match.used, table.match.struck, told


@pytest.mark.parametrize("kinds", [(Noting, Noting), (Counting, Counting), (Noting, Counting)])
@pytest.mark.parametrize("game", GAMES)
def test_plain_plies_are_those_of_the_loop(
    game: str, kinds: tuple[type[Noting], type[Noting]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for way in WAYS:
        tables = [table_of(game, [kinds[0](way), kinds[1]("never")], strikes=2, max_plies=40) for _ in range(2)]
        assert tables[0].is_plain(None)
        found = played(tables[0])
        with monkeypatch.context() as patch:
            patch.setattr(RecordedMatch, "is_plain", lambda *_: False)
            assert played(tables[1]) == found, way


def test_positions_are_copied_only_for_those_who_look() -> None:
    game = make_game("dilemma(rounds=6)")
    kind = type(game.new_initial_state())
    copies = []

    class Copied(kind):  # type: ignore[misc, valid-type]
        def clone(self) -> Any:
            copies.append(self.played)
            return Copied(self.game, self.played, self.points, self.chosen)

    game.new_initial_state = lambda: Copied(game)  # type: ignore[method-assign]
    RecordedMatch(game, ["tit_for_tat", "pavlov"]).play_packed()
    assert copies == [0]


def test_an_agent_that_looks_against_its_word_is_at_fault() -> None:
    played = RecordedMatch("dilemma(rounds=6)", [Peeping(), "pavlov"]).play_packed()
    record = record_from_bytes(played.to_bytes())
    assert record.ending is not None
    assert record.ending.forfeits == (0,)
    assert "looks at a view" in record.entries[0].faults[0].message


def test_the_loop_goes_on_from_a_later_ply() -> None:
    match = Match(make_game("dilemma(rounds=6)"), MatchOptions(max_plies=4))
    assert next(match.steps(3))[0].ply == 3  # type: ignore[index]
