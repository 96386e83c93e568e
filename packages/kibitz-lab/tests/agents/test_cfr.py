"""The agent `cfr`, files of strategies, and responses found by playing."""

from pathlib import Path

import pytest

from kibitz import core, make_agent, make_game
from kibitz.core.errors import BadPolicy, Unsupported
from kibitz.core.seeds import stream
from kibitz_lab.agents.cfr import Cfr
from kibitz_lab.extensive import (
    build_table,
    exploitability,
    policy_of,
    solve_cfr,
    write_profile,
)

KUHN = "kuhn(players=2)"


def test_it_plays_what_cfr_found() -> None:
    table = build_table(KUHN)
    found = solve_cfr(table, iterations=50).profile
    played = [policy_of(table, player, Cfr(iterations=50)) for player in (0, 1)]
    for one, other in zip(found, played, strict=True):
        assert one.shares == pytest.approx(other.shares, abs=1e-12)


def test_a_file_is_played_as_it_was_written(tmp_path: Path) -> None:
    table, file = build_table(KUHN), tmp_path / "kuhn.json"
    found = solve_cfr(table, iterations=200)
    write_profile(file, table, found.profile, "cfr", found.exploitability)
    played = [policy_of(table, player, Cfr(file=str(file))) for player in (0, 1)]
    assert exploitability(table, played) == pytest.approx(found.exploitability, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("deal Q, ?", "deal Q, !"), "does not say how to play after 'deal Q, ?'"),
        (('"pass": 1.0', '"pass": 0.4'), "do not add up to 1"),
        (("kuhn(players=2)", "kuhn"), "it is of kuhn, not kuhn(players=2)"),
        (("kibitz strategies", "other"), "format 'other'"),
        (('"game"', "game"), "holds no file of strategies"),
    ],
)
def test_a_damaged_file_is_refused_in_a_line(tmp_path: Path, change: tuple[str, str], why: str) -> None:
    table, file = build_table(KUHN), tmp_path / "kuhn.json"
    rock = [policy_of(table, player, make_agent("kuhn.rock")) for player in (0, 1)]
    write_profile(file, table, rock)
    assert change[0] in file.read_text()
    file.write_text(file.read_text().replace(*change))
    with pytest.raises(BadPolicy) as error:
        Cfr(file=str(file)).begin(make_game(KUHN), 0, stream(0, "x"))
    assert why in str(error.value)


@pytest.mark.parametrize(("game", "why"), [("breakthrough", "everyone sees everything"), ("risk", "histories")])
def test_games_it_cannot_play_are_said_so(game: str, why: str) -> None:
    with pytest.raises(Unsupported, match=why):
        Cfr().begin(make_game(game), 0, stream(0, "x"))


def test_it_plays_at_random_where_a_match_left_the_table() -> None:
    agent = Cfr()
    agent.begin(make_game(KUHN), 0, stream(0, "x"))
    state = make_game("kuhn").new_initial_state()
    agent.observe(core.Transition(0, core.CHANCE, (3,), state.view(0), state.child(3).view(0)))
    view = make_game(KUHN).new_initial_state().child(4).child(5).view(0)
    assert [agent.policy(view).probability(action) for action in (0, 1)] == [0.5, 0.5]
