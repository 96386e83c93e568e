"""Kernels beside their references, and the games of the corpus."""

from pathlib import Path
from typing import Any

import pytest
from ring import OPTIONS, spec

from kibitz.core.kernels import jit_enabled
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.games.risk import fast
from kibitz.games.risk.domination.follower import follow
from kibitz.games.risk.domination.log import read_log
from kibitz.games.risk.kernels.layout import counts_at
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


@pytest.mark.long
@pytest.mark.parametrize(("part", "games"), [("free", 10), ("constrained", 7), ("ai-w4", 98), ("ai-w100", 112)])
def test_corpus_games_are_won_by_who_has_done_what_his_card_asks(corpus: Path, part: str, games: int) -> None:
    paths = sorted((corpus / "risk" / part).glob("*.log.gz"))
    distinct = {logged.identity: logged for path in paths for logged in read_log(path)}
    assert len(distinct) == games
    for logged in distinct.values():
        found = follow(logged)
        assert found.winner is not None
        state = make_game(found.game).new_initial_state()
        for action in found.actions:
            state.apply_action(action)
        assert isinstance(state, State)
        assert has_won(state)
        assert part == "free" or not found.rejected
