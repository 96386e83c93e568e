"""The plan library of Risk, and PHATT over it."""

import pytest

import kibitz
from kibitz.core.errors import Unsupported
from kibitz.core.registry import make_game
from kibitz_lab.plans.formats.text_form import parse_text
from kibitz_risk.game import Risk
from kibitz_risk.plan_library import library_text, plans

SIX = "risk(players=6, missions=continents, cards=fixed, board='dom-luca82')"


@pytest.mark.parametrize("game", [SIX, "risk(players=3)"])
def test_every_mission_is_a_goal_and_its_rules_add_up(game: str) -> None:
    made = make_game(game)
    assert isinstance(made, Risk)
    library = parse_text(library_text(made.map, made.mission_deck, made.players, player=1), "risk")
    assert list(library.goals) == [made.map.mission_name(mission) for mission in made.mission_deck]
    for goal in library.goals:
        assert sum(rule.probability for rule in library.rules if rule.head == goal) == pytest.approx(1.0)


def test_players_are_expected_to_attack_others_and_never_themselves() -> None:
    made = make_game("risk(players=3)")
    assert isinstance(made, Risk)
    for player in range(3):
        library = parse_text(library_text(made.map, made.mission_deck, made.players, player), "risk")
        victims = {action.split()[2] for action in library.actions if action.startswith("attack")}
        assert victims == {str(other) for other in range(3) if other != player}


@pytest.mark.long
def test_players_who_follow_no_card_are_never_certain_to_hold_one() -> None:
    for seed in range(3):
        *_, last = kibitz.playing("risk(players=3)", ["heuristic"] * 3, models=["plans"], seed=seed)
        for explanation in last.insights()[0].explanations:
            assert explanation.verdict in ("undecided", "likely")
            assert explanation.claims[0].share < 0.9


def test_there_are_no_plans_without_missions() -> None:
    assert plans(make_game("risk(mode=domination)")) is None
    with pytest.raises(Unsupported, match="no plans with these options"):
        kibitz.play("risk(mode=domination)", ["random"] * 3, models=["plans"], max_plies=5)


@pytest.mark.long
def test_phatt_recognises_constrained_players() -> None:
    hits = players = 0
    for seed in range(1):
        record = kibitz.play(SIX, ["constrained"] * 6, models=["plans"], seed=seed)
        assert record.ending is not None
        assert not record.ending.model_errors
        truths = next(entry.truths for entry in reversed(record.entries) if entry.truths)
        for belief, truth in zip(record.entries[-2].beliefs["plans"], truths, strict=True):
            hits += max(belief, key=belief.__getitem__) == truth["goal"]
            players += 1
    assert hits / players > 0.5  # a random card is right one time in six
