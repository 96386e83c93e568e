"""The prisoner's dilemma: scores that can be counted on one's fingers."""

import pytest

from kibitz import core
from kibitz.core.match.play import play
from kibitz.testing import check_game, perft


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


@pytest.mark.long
def test_grim_never_forgives_and_generous_does() -> None:
    slip = "scripted(moves=['cooperate', 'defect'])"
    assert {e.actions[0] for e in play("dilemma(rounds=9)", ["grim", slip]).entries[2:]} == {"defect"}
    forgiving = [
        play("dilemma(rounds=3)", ["generous(mercy=0.3)", slip], seed=s).entries[2].actions[0] for s in range(400)
    ]
    assert forgiving.count("cooperate") / 400 == pytest.approx(0.3, abs=0.07)


def test_perft_is_unchanged() -> None:
    assert perft("dilemma", 4) == [1, 4, 16, 64, 256]


@pytest.mark.parametrize("options", ["noise=0.2, rounds=4", "payoffs=[2.5, -1, 4, 0.25], noise=1.0, rounds=3"])
def test_noise_and_payoffs_keep_the_game_contract(options: str) -> None:
    check_game(f"dilemma({options})", walks=4)


def test_payoffs_are_reward_sucker_temptation_and_punishment() -> None:
    game = "dilemma(rounds=10, payoffs=[2, -1, 4, 0.5])"
    assert play(game, ["cooperator", "cooperator"]).ending.returns == [20, 20]
    assert play(game, ["cooperator", "defector"]).ending.returns == [-10, 40]
    assert play(game, ["defector", "defector"]).ending.returns == [5, 5]


def test_noise_turns_choices_as_often_as_it_says() -> None:
    record = play("dilemma(rounds=2000, noise=0.1)", ["cooperator", "cooperator"], seed=1)
    done = [entry.actions[0] for entry in record.entries if entry.player == core.CHANCE]
    assert len(done) == 2000
    assert sum(each.count("defect") for each in done) / 4000 == pytest.approx(0.1, abs=0.02)


def test_players_answer_what_was_done_not_what_was_chosen() -> None:
    record = play("dilemma(rounds=200, noise=0.2)", ["tit_for_tat", "defector"], seed=2)
    chosen = [entry.actions[0] for entry in record.entries if entry.player == core.SIMULTANEOUS]
    done = [entry.actions[0].split(" and ")[1] for entry in record.entries if entry.player == core.CHANCE]
    assert chosen[1:] == done[:-1]
    assert "cooperate" in done
