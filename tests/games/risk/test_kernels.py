"""Kernels beside their references, and the games of the corpus."""

from pathlib import Path
from typing import Any

import pytest
from ring import OPTIONS, spec

from kibitz.core.kernels import jit_enabled
from kibitz.core.registry import make_game
from kibitz.games.risk.domination.follower import follow
from kibitz.games.risk.domination.log import read_log
from kibitz.games.risk.rules import State
from kibitz.games.risk.rules.winning import has_won
from kibitz.testing.lockstep import check_lockstep

pytestmark = pytest.mark.skipif(not jit_enabled(), reason="compares kernels with their references")


@pytest.mark.long
@pytest.mark.parametrize("options", OPTIONS)
def test_both_states_play_in_lockstep(options: dict[str, Any]) -> None:
    check_lockstep(spec(**options), walks=3, plies=500)


@pytest.mark.long
@pytest.mark.parametrize(
    ("part", "games", "rejected"), [("free", 10, 7), ("constrained", 7, 0), ("ai-w4", 98, 0), ("ai-w100", 112, 0)]
)
def test_corpus_games_are_won_by_who_has_done_what_his_card_asks(
    corpus: Path, part: str, games: int, rejected: int
) -> None:
    paths = sorted((corpus / "risk" / part).glob("*.log.gz"))
    distinct = {logged.identity: logged for path in paths for logged in read_log(path)}
    assert len(distinct) == games
    for logged in distinct.values():
        found = follow(logged)
        rejected -= len(found.rejected)
        assert found.winner is not None
        state = make_game(found.game).new_initial_state()
        for action in found.actions:
            state.apply_action(action)
        assert isinstance(state, State)
        assert has_won(state)
    assert rejected == 0
