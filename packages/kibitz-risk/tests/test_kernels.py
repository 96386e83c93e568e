"""Rules compiled and plain, and the games of the corpus."""

from pathlib import Path
from typing import Any

import pytest
from ring import OPTIONS, spec

from kibitz.core.kernels import jit_enabled, machine_code
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz.testing.walks import random_step
from kibitz_risk.domination_logs import follow, read_log
from kibitz_risk.game import State
from kibitz_risk.position import Position
from kibitz_risk.rules import has_won, play


@pytest.mark.skipif(not jit_enabled(), reason="compares plain and compiled rules")
@pytest.mark.parametrize("options", OPTIONS)
def test_compiled_rules_do_what_the_plain_ones_do(options: dict[str, Any]) -> None:
    game, rng = make_game(spec(**options)), stream(2, "rules")
    compiled = machine_code(play)
    state = game.new_initial_state()
    assert isinstance(state, State)
    setting, row = state.game.setting.pack(), state.position.pack()
    for _ in range(1000):
        if state.is_terminal():
            break
        (action,) = random_step(game, state, rng)
        assert compiled(setting, row, action) == state.phase
        assert Position.unpack(row) == state.position


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
        assert has_won(state.game.setting, state.position)
    assert rejected == 0
