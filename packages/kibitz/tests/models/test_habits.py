"""Habits: what a player likes and avoids, against what chance would do."""

import pytest

from kibitz.core.match.play import playing
from kibitz.core.registry import make_game, make_model
from kibitz.models.habits import LEAST, NO_HABIT, Habits


def watched(game: str, agents: list[str], player: int, *, seed: int = 1) -> Habits:
    """The habits of a player after a match."""
    habits = Habits(make_game(game), player)
    for moment in playing(game, agents, seed=seed):
        if moment.event is not None:
            habits.observe(moment.event.transition(None))
    return habits


def test_a_player_who_always_does_one_thing_is_said_to() -> None:
    assert watched("dilemma(rounds=20)", ["defector", "random"], 0).words() == ["often plays defect"]


@pytest.mark.needs("lab")
def test_features_say_what_the_positions_after_their_moves_are_like() -> None:
    runner = watched("pawns", ["pawns.s3(depth=1)", "random"], 0)
    assert "heads for the other base" in runner.words()
    white = watched("pawns", ["random", "pawns.s3(depth=1)"], 1)
    assert "heads for the other base" in white.words(), "features are turned for the second player"


def test_chance_makes_few_habits() -> None:
    found = [watched("dilemma(rounds=40)", ["random", "random"], 0, seed=seed).words() for seed in range(20)]
    assert sum(words != [NO_HABIT] for words in found) <= 1


def test_what_a_player_does_after_what_others_did_is_a_habit() -> None:
    mirror = watched("dilemma(rounds=60)", ["tit_for_tat", "random"], 0)
    assert mirror.words() == ["often answers cooperate with cooperate", "often answers defect with defect"]
    both = watched("dilemma(rounds=60)", ["pavlov", "random"], 0).words()
    true = {
        "often plays cooperate after their own cooperate against cooperate",
        "often plays cooperate after their own defect against defect",
        "often plays defect after their own cooperate against defect",
        "often plays defect after their own defect against cooperate",
    }
    assert both
    assert set(both) <= true, "win, stay; lose, shift: neither player's action alone tells"


def test_moves_that_nobody_chose_are_no_habit_but_may_be_answered() -> None:
    habits = Habits(make_game("dilemma(rounds=20)"), 0)
    for moment in playing("dilemma(rounds=20)", ["defector", "defector"], opening=12, seed=3):
        if moment.event is not None:
            habits.observe(moment.event.transition(None))
    assert len(habits.waiting) == 8
    first = habits.waiting[0]
    assert first.own is not None
    assert first.other is not None


def test_few_choices_make_none() -> None:
    assert watched(f"dilemma(rounds={LEAST - 1})", ["defector", "defector"], 0).words() == []


def test_a_game_without_a_description_has_no_habits() -> None:
    class Bare(type(make_game("pennies"))):  # type: ignore[misc]
        """A game nobody registered."""

    habits = Habits(Bare(), 0)
    for moment in playing(Bare(lead=9), ["random", "random"], seed=2, max_plies=40):
        if moment.event is not None:
            habits.observe(moment.event.transition(None))
    assert len(habits.waiting) > 20
    assert habits.words() == []


@pytest.mark.needs("lab")
def test_a_filter_says_what_a_stranger_is_like() -> None:
    model = make_model("strategy_filter(depth=1)")
    spreading = "alphabeta(depth=1, weights=[0, 0, 100, 0, 0, 0])"
    for _ in playing("pawns", [spreading, "random"], models=[model], seed=3, max_plies=40):
        pass
    explanation = model.explain(0)
    assert explanation.verdict == "stranger"
    assert "spreads their pawns" in explanation.habits
    known = make_model("strategy_filter(depth=1)")
    for _ in playing("pawns", ["pawns.s3(depth=1)", "random"], models=[known], seed=3, max_plies=40):
        pass
    assert known.explain(0).habits == (), "a player who fits a strategy needs no other description"
