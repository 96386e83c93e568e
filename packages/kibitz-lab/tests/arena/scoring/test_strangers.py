"""Scores on strangers, on small games."""

from collections.abc import Iterator
from math import log
from pathlib import Path

import pytest

from kibitz.core.errors import BadSpec, Unsupported
from kibitz.core.registry import make_game
from kibitz_lab.arena.scoring.strangers import Player, bars_of, plan_matches, stranger_scores, watch_player
from kibitz_lab.arena.scoring.strangers.matches import (
    AS_NAMED,
    EVEN,
    KNOWN,
    LEFT_OUT,
    check_watchers,
)
from kibitz_lab.arena.scoring.strangers.players import single_losses, watched_players
from kibitz_lab.arena.scoring.strangers.summary import StrangerScores
from kibitz_lab.testing.strangers import players_of
from other_package import installed_plugin

GAME = "dilemma(rounds=6)"
LIBRARY = ("dilemma.defector", "dilemma.cooperator", "dilemma.grim")
FILTER = f"strategy_filter(strategies=[{', '.join(LIBRARY)}])"
ODD = Player("odd", "switcher(strategies=[dilemma.defector, dilemma.cooperator], every=1)", "switch", 1)
NOISY = Player("noisy", "noisy(strategy=dilemma.defector, rate=0.1)", "noise", 2)


@pytest.fixture(scope="module")
def scores() -> StrangerScores:
    plan = plan_matches(GAME, [FILTER], LIBRARY, [ODD, NOISY], matches=4, openings=(0, 2))
    return stranger_scores(plan, strangers="test")


@pytest.mark.long
def test_every_player_is_scored_and_known_ones_also_as_strangers(scores: StrangerScores) -> None:
    (model,) = scores.models
    assert [(each.name, each.kind) for each in model.players] == [
        *((name, KNOWN) for name in LIBRARY),
        *((f"without {name}", LEFT_OUT) for name in LIBRARY),
        ("odd", "switch"),
        ("noisy", "noise"),
    ]
    odd = model.players[-2]
    assert (odd.matches, odd.choices, odd.uniform) == (4, 24, pytest.approx(log(2)))
    assert model.players[-1].near == ["dilemma.defector"]
    defector, left_out = model.players[0], model.players[3]
    assert defector.log_loss is not None
    assert left_out.log_loss is not None
    assert defector.log_loss < log(2)
    assert defector.log_loss < left_out.log_loss
    assert defector.top_1 is not None
    assert defector.top_1 >= 5 / 6 - 1e-9  # the first choice is expected of the other two
    assert left_out.single_name != "dilemma.defector"


def test_the_strangers_are_half_of_the_mix(scores: StrangerScores) -> None:
    (model,) = scores.models
    counts = {opening: sum(each.events for each in found.bins) for opening, found in model.mixed.items()}
    known = {opening: sum(each.events for each in found.bins) for opening, found in model.known.items()}
    # 4 matches of 2 strangers, and 3 of each of 3 known players; before the first choice and after each.
    assert counts == {0: (8 + 9) * 7, 2: (8 + 9) * 5}
    assert known == {0: 9 * 7, 2: 9 * 5}


def test_moves_of_the_opening_are_not_scored() -> None:
    plan = plan_matches(GAME, [FILTER], LIBRARY, [ODD], matches=1, openings=(6,))
    sheets = [watch_player(task) for task in plan.tasks]
    assert all(not sheet.options and not answers.given for sheet in sheets for answers in sheet.answers)


def test_a_single_strategy_predicts_its_own_player_but_not_where_it_is_left_out() -> None:
    plan = plan_matches(GAME, [FILTER], LIBRARY, [ODD], matches=3, openings=(0,))
    sheets = [watch_player(task) for task in plan.tasks]
    assert {answers.variant for sheet in sheets for answers in sheet.answers} == {AS_NAMED, EVEN, LEFT_OUT}
    watched = {(each.kind, each.sheets[0].name): each for each in watched_players(sheets, FILTER, 0)}
    own = single_losses(watched[KNOWN, "dilemma.defector"])
    assert own["dilemma.defector", 0.02] == pytest.approx(-log(0.99))
    assert own["dilemma.cooperator", 0.5] == pytest.approx(-log(0.25))
    assert all(label != "dilemma.defector" for label, _ in single_losses(watched[LEFT_OUT, "dilemma.defector"]))


def test_behind_secrets_a_single_strategy_knows_no_cards() -> None:
    rock = Player("calls", "kuhn.maniac(appetite=1.0)", "parameters", 1)
    plan = plan_matches("kuhn(players=2)", ["strategy_filter"], ["kuhn.rock"], [rock], matches=2, openings=(0,))
    first = [watch_player(task) for task in plan.tasks if task.player is rock and task.seat == 0]
    assert first[0].library["kuhn.rock"][0] == pytest.approx(1 / 3, abs=0.01)  # the best of three cards


@pytest.mark.long
def test_the_same_seed_gives_the_same_scores_and_another_does_not() -> None:
    def losses(seed: int) -> list[float | None]:
        plan = plan_matches("pennies", ["strategy_filter"], ["pennies.biased"], [NOISY_COIN], matches=1, seed=seed)
        return [each.log_loss for each in stranger_scores(plan).models[0].players]

    assert losses(1) == losses(1) != losses(2)


NOISY_COIN = Player("noisy", "noisy(strategy=pennies.heads, rate=0.5)", "noise", 2)


def test_an_opening_that_ends_the_game_is_not_scored_and_a_note_says_so() -> None:
    plan = plan_matches(GAME, [FILTER], LIBRARY, [ODD], matches=1, openings=(0, 6))
    found = stranger_scores(plan)
    assert [note for note in found.notes if "opening of 6" in note]
    assert not [bar.what for bar in bars_of(found) if "opening 6" in bar.what]
    assert [bar.what for bar in bars_of(found) if "opening 0" in bar.what]


def test_a_model_that_cannot_be_scored_is_refused_in_one_line() -> None:
    with pytest.raises(Unsupported, match="two players"):
        check_watchers(make_game("kuhn"), ["dbn"])
    with pytest.raises(BadSpec, match="every seat has a model"):
        plan_matches(GAME, [f"{FILTER}@0", f"{FILTER}@1"], LIBRARY, [ODD])
    with pytest.raises(BadSpec, match="at least one model"):
        plan_matches(GAME, [], LIBRARY, [ODD])


def test_a_model_watches_from_a_seat_where_the_player_does_not_sit() -> None:
    plan = plan_matches(GAME, [f"{FILTER}@0"], LIBRARY, [ODD], matches=3, openings=(0,))
    assert {task.seat for task in plan.tasks} == {1}
    assert all(answers.given for answers in watch_player(plan.tasks[0]).answers)


@pytest.fixture
def _oracle(tmp_path: Path) -> Iterator[None]:
    """The model `oracle`, registered as another package would."""
    with installed_plugin(tmp_path, "oracle", 'models={"oracle": "oracle_model:Oracle"}'):
        yield


@pytest.mark.usefixtures("_oracle")
@pytest.mark.parametrize("matches", [pytest.param(1, marks=pytest.mark.long), pytest.param(12, marks=pytest.mark.slow)])
def test_a_model_that_knows_every_stranger_is_calibrated_and_predicts_best(matches: int) -> None:
    known, strangers = players_of(make_game("dilemma"))
    oracle = f"oracle(strangers=[{', '.join(each.spec for each in strangers)}], strategies=[{', '.join(known)}])"
    players = [Player(each.name, each.spec, each.kind, each.seed) for each in strangers]
    game, openings = ("dilemma", (0, 2)) if matches > 1 else ("dilemma(rounds=8)", (2,))
    plan = plan_matches(game, [oracle], known, players, matches=matches, openings=openings)
    (model,) = stranger_scores(plan).models
    assert model.error == ""
    assert model.single_gain is not None
    assert model.single_gain.mean < 0.0
    assert model.sure is not None
    assert model.sure.mean >= 0.93
    for found in model.mixed.values():
        assert found.error is not None
        assert found.error.mean <= 0.06 if matches > 1 else found.error.low == 0.0
