"""The prisoner's dilemma: scores that can be counted on one's fingers."""

import pytest

from kibitz import core
from kibitz.core.match.play import play
from kibitz.core.registry import house_agents, make_agent, make_game
from kibitz.core.seeds import stream
from kibitz.testing import perft


@pytest.mark.parametrize(
    ("one", "other", "scores"),
    [
        ("tit_for_tat", "defector", [199, 204]),
        ("tit_for_tat", "cooperator", [600, 600]),
        ("grim", "tit_for_tat", [600, 600]),
        ("pavlov", "defector", [100, 600]),
        ("defector", "cooperator", [1000, 0]),
        ("two_tats", "defector", [198, 208]),
        ("pavlov", "pavlov", [600, 600]),
    ],
)
def test_scores_over_two_hundred_rounds(one: str, other: str, scores: list[float]) -> None:
    assert play("dilemma(rounds=200)", [one, other]).ending.returns == scores


def test_grim_never_forgives_and_generous_does() -> None:
    slip = "scripted(moves=['cooperate', 'defect'])"
    assert {e.actions[0] for e in play("dilemma(rounds=9)", ["grim", slip]).entries[2:]} == {"defect"}
    forgiving = [
        play("dilemma(rounds=3)", ["generous(mercy=0.3)", slip], seed=s).entries[2].actions[0] for s in range(400)
    ]
    assert forgiving.count("cooperate") / 400 == pytest.approx(0.3, abs=0.07)


@pytest.mark.parametrize("defections", [0, 1, 2])
@pytest.mark.parametrize("name", house_agents("dilemma"))
def test_agents_draw_as_their_policy_is_drawn(name: str, defections: int) -> None:
    agent, game = make_agent(name), make_game("dilemma")
    view = game.new_initial_state()
    agent.begin(game, 0, stream(1, "act"))
    for ply in range(defections):
        agent.observe(core.Transition(ply, core.SIMULTANEOUS, (0, 1), view, view))
    drawn = [agent.act(view, core.Clock()) for _ in range(50)]
    again = stream(1, "act")
    assert drawn == [agent.policy(view).sample(again) for _ in range(50)]


def test_perft_is_unchanged() -> None:
    assert perft("dilemma", 4) == [1, 4, 16, 64, 256]
