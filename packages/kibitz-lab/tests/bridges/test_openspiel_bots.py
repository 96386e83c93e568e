"""Bots of OpenSpiel play as agents."""

import pytest

import kibitz
from kibitz.core.errors import Unsupported
from kibitz.core.registry import fitting_names, make_agent, make_game
from kibitz.testing import check_agent

pyspiel = pytest.importorskip("pyspiel")
REPEATED = "openspiel:repeated_game(stage_game=matrix_rps(),num_repetitions=40,recall=1)"


def test_bots_keep_the_contract_of_agents() -> None:
    for name, games in (
        ("mcts", ["openspiel:tic_tac_toe", "openspiel:python_tic_tac_toe"]),
        ("uniform_random", ["openspiel:kuhn_poker", "openspiel:matrix_rps"]),
    ):
        check_agent(f"openspiel_bot(name={name}, simulations=20)", games, plies=12)


def test_bots_are_listed_for_the_games_that_they_can_play() -> None:
    fitting = fitting_names("agent", make_game("openspiel:connect_four"))
    assert {"mcts", "openspiel_bot"} <= {*fitting}
    assert "roshambo" not in fitting
    assert "openspiel_bot" not in fitting_names("agent", make_game("pennies"))


def test_a_search_of_theirs_beats_random_play() -> None:
    returns = [
        kibitz.play("openspiel:connect_four", ["openspiel_bot(simulations=200)", "random"], seed=seed).ending.returns[0]
        for seed in range(5)
    ]
    assert sum(returns) >= 3


@pytest.mark.parametrize(
    ("game", "bot", "why"),
    [
        ("pennies", "openspiel_bot", "it plays games of OpenSpiel only"),
        ("openspiel:leduc_poker", "openspiel_bot", "name=ismcts"),
        ("openspiel:phantom_ttt", "openspiel_bot(name=ismcts)", "resamples"),
        ("openspiel:tic_tac_toe", "roshambo", "rock, paper or scissors"),
    ],
)
def test_a_bot_says_what_it_cannot_play(game: str, bot: str, why: str) -> None:
    with pytest.raises(Unsupported, match=why):
        kibitz.play(game, [bot, "random"])


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_all_43_roshambo_bots_play_and_repeat_themselves(step: int) -> None:
    names = pyspiel.roshambo_bot_names()
    assert len(names) == 43
    for one, other in zip(names[::step], names[1::step], strict=False):
        seats = [f"roshambo:{one}", f"roshambo:{other}"]
        first, second = (kibitz.play(REPEATED, seats, seed=3).without_times() for _ in range(2))
        assert first == second
        assert len(first.entries) == 40


def test_a_copy_of_a_roshambo_bot_throws_the_same() -> None:
    check_agent("roshambo(bot=iocainebot)", [REPEATED, "rps(goal=points, rounds=30)"], plies=30)
    agent = make_agent("roshambo:greenberg")
    record = kibitz.play("rps(goal=points, rounds=20)", [agent, "random"], seed=5)
    copied = agent.clone()
    assert copied.throws == agent.throws
    assert copied.throw(7) == agent.throw(7)
    assert len(record.entries) == len(agent.throws)


@pytest.mark.long
def test_a_player_who_knows_all_roshambo_bots_can_be_copied_and_repeats_itself() -> None:
    check_agent("roshambo_population(samples=1)", ["rps(goal=points, rounds=12)"], plies=12)
