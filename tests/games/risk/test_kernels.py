"""Kernels beside their references: states, whole games, whole logs."""

from pathlib import Path
from typing import Any

import pytest
from ring import OPTIONS, RING, spec

import kibitz
from kibitz.core.errors import BadRecord
from kibitz.core.kernels import jit_enabled
from kibitz.core.kernels.random import Draws
from kibitz.core.registry import make_game
from kibitz.core.seeds import kernel_stream, stream
from kibitz.games.risk import fast
from kibitz.games.risk.domination.export import log_text
from kibitz.games.risk.domination.follower import follow
from kibitz.games.risk.domination.kernels import follow_fast
from kibitz.games.risk.domination.log import read_log
from kibitz.games.risk.kernels.layout import counts_at
from kibitz.games.risk.kernels.playing import is_legal
from kibitz.games.risk.kernels.playouts import played_out, playout
from kibitz.games.risk.packing import state_words
from kibitz.games.risk.rules import State
from kibitz.games.risk.rules.winning import has_won
from kibitz.testing.lockstep import check_lockstep
from kibitz.testing.walks import random_step

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="compares kernels with their references")


def states(options: dict[str, Any], seed: int, plies: int = 700) -> Any:
    """A random game twice, on the reference and on the kernels."""
    reference, quick = make_game(spec(**options), fast=False), make_game(spec(**options))
    slow, fast_state, rng = reference.new_initial_state(), quick.new_initial_state(), stream(seed, "walk")
    for _ in range(plies):
        yield slow, fast_state
        if slow.is_terminal():
            return
        fast_state.step(random_step(reference, slow, rng))


@pytest.mark.long
@pytest.mark.parametrize("options", OPTIONS)
def test_both_states_play_in_lockstep(options: dict[str, Any]) -> None:
    check_lockstep(spec(**options), walks=3, plies=500)


@pytest.mark.parametrize("options", OPTIONS[:4])
def test_views_and_counts_are_the_same(options: dict[str, Any]) -> None:
    for number, (slow, quick) in enumerate(states(options, seed=3)):
        assert isinstance(slow, State)
        assert isinstance(quick, fast.State)
        assert state_words(slow).tolist()[:11] == quick.numbers.tolist()[:11]
        counted = counts_at(quick.game.words)
        assert state_words(slow)[counted:].tolist() == quick.numbers[counted:].tolist()
        if number % 7 == 0:
            for seat in (0, 1, None):
                one, other = slow.view(seat), quick.view(seat)
                assert list(one.legal_actions()) == list(other.legal_actions())
                rngs = stream(number, "complete"), stream(number, "complete")
                assert one.complete(rngs[0]).key() == other.complete(rngs[1]).key()


@pytest.mark.parametrize("options", OPTIONS)
def test_whether_an_action_is_legal_is_known_without_a_list(options: dict[str, Any]) -> None:
    for number, (slow, quick) in enumerate(states(options, seed=5, plies=500)):
        if number % 5:
            continue
        current = slow.current_player()
        legal = [action for action, _ in slow.chance_outcomes()] if current == -1 else list(slow.legal_actions())
        near = {*legal, *(action + step for action in legal for step in (-1, 1)), -1, 0, 1, 2, 3, 7, 50, 1 << 40}
        for action in sorted(near):
            found = is_legal(quick.game.words, quick.numbers, action)
            assert found == (action in legal), (slow.headline(), action)


@pytest.mark.parametrize("options", [{}, *OPTIONS])
def test_games_of_raiders_are_the_same_both_ways(options: dict[str, Any]) -> None:
    text = spec(**options) if options else "risk"
    words = kernel_stream(2, "raiders")
    draws = Draws(words.copy())
    for _ in range(2 if not options else 8):
        slow, quick = make_game(text, fast=False).new_initial_state(), make_game(text).new_initial_state()
        assert isinstance(slow, State)
        assert isinstance(quick, fast.State)
        plies = playout(quick.game.words, quick.numbers, words, 3000)
        assert played_out(slow, draws, 3000) == plies
        assert quick.key() == slow.key()
        assert [int(word) for word in words] == draws.words


def test_logs_are_followed_alike(tmp_path: Path) -> None:
    for each in (RING, RING.with_suffix(".cards")):
        (tmp_path / each.name).write_text(each.read_text())
    path = tmp_path / "game.log"
    for seed in range(4):
        record = kibitz.play(spec(players=2, cards="fixed"), ["random"] * 2, seed=seed, max_plies=700)
        noisy = log_text(record).replace("CARD", "host#1 roll 7\nhost#1 trade 1 2 3\nhost#1 attack 1 2\nCARD", 9)
        path.write_text(noisy)
        (logged,) = read_log(path)
        one, other = follow(logged, "all"), follow_fast(logged, "all")
        assert (one.winner, [each.line for each in one.rejected]) == (other.winner, list(other.rejected))
        assert one.rejected
        state = make_game(one.game, fast=False).new_initial_state()
        for action in one.actions:
            state.apply_action(action)
        assert state.key() == other.state.key()
    odd = ("host#1 MISSION 7 7 1", "host#1 PLACEALL 1 1 1", "host#1 roll 1 1", "host#1 trade 1 1", "host#1 PLAYER 9")
    path.write_text(noisy.replace("CARD", "\n".join([*odd, "CARD"]), 9))
    (logged,) = read_log(path)
    slow, quick = follow(logged, "all"), follow_fast(logged, "all")
    assert [each.line for each in slow.rejected] == list(quick.rejected)
    assert len(quick.rejected) > len(other.rejected)
    path.write_text(noisy.replace("DICE 3 ", "DICE 2 ", 1))
    for way in (follow, follow_fast):
        with pytest.raises(BadRecord, match="where this cannot be"):
            way(read_log(path)[0], "all")


@pytest.mark.long
@pytest.mark.parametrize(("part", "games"), [("free", 10), ("constrained", 7), ("ai-w4", 98), ("ai-w100", 112)])
def test_corpus_games_are_won_by_who_has_done_what_his_card_asks(corpus: Path, part: str, games: int) -> None:
    paths = sorted((corpus / "risk" / part).glob("*.log.gz"))
    distinct = {logged.identity: logged for path in paths for logged in read_log(path)}
    assert len(distinct) == games
    for logged in distinct.values():
        found = follow_fast(logged)
        assert found.winner is not None
        assert has_won(found.state)
        assert part == "free" or not found.rejected
