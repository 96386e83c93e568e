"""What a move would tell, asked before it is made: the same as afterwards, and nothing about hidden cards."""

import pytest

from kibitz.core.game import CHANCE
from kibitz.core.match import Event, Position
from kibitz.core.match.play import play
from kibitz.core.match.watchers import Watchers
from kibitz.core.records.replay import Replay
from kibitz.core.registry import make_game
from kibitz_web.server.workers.what_if import insights_if


@pytest.mark.long
def test_the_models_would_believe_what_they_do_believe_afterwards() -> None:
    record = play("breakthrough(rows=5, columns=4)", ["breakthrough.wall", "breakthrough.runner"], seed=3)
    replay = Replay(record, models=["strategy_filter"])
    moments = replay.moments()
    next(moments)
    state = replay.game.new_initial_state()
    for ply in range(5):
        asked = insights_if(replay.watchers, Position(state, hidden=False), ply, state.current_player(), seed=0)
        player, moment = state.current_player(), next(moments)
        assert moment.event is not None
        played = state.action_to_string(player, moment.event.actions[0])
        (expected,) = [each.insights[0] for each in asked if each.notation == played]
        assert expected.beliefs[player] == moment.beliefs["strategy_filter"][player]
        state = moment.event.after.state


def test_the_answer_does_not_depend_on_cards_that_the_player_cannot_see() -> None:
    game, found = make_game("kuhn(players=2)"), []
    for other in (0, 2):
        watchers, position = (
            Watchers(game, ["strategy_filter"], seed=1),
            Position(game.new_initial_state(), hidden=True),
        )
        for ply, card in enumerate((1, other)):
            dealt = (sorted(game.deck)[card],)
            after = position.after(dealt)
            watchers.observe(Event(ply, CHANCE, (CHANCE,), dealt, position, after))
            position = after
        found.append(insights_if(watchers, position, 2, 0, seed=4))
    assert len(found[0]) == 2
    assert found[0] == found[1]
