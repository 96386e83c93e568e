"""Debriefs: the truth, when it was found, the moves that told it, and how predictable players were."""

from itertools import pairwise

import msgspec
import pytest

from kibitz.core.insight import Insight, MoveEvidence, Prediction, explanation_of
from kibitz.core.match.play import play
from kibitz.core.registry import make_game
from kibitz_web.analysis.debrief_facts import Debrief, debrief_of
from kibitz_web.analysis.debrief_sentences import readable_sentence

GAME = "dilemma(rounds=4)"


def insight(share: float, guess: str) -> tuple[Insight, ...]:
    """A model that believes in the defector by so much, and guesses the next choice."""
    beliefs = ({"dilemma.defector": share, "dilemma.grim": 1.0 - share}, {"dilemma.grim": 1.0})
    top = (Prediction(0, 0.7, guess), Prediction(1, 0.3, "nothing"))
    return (Insight("model", None, beliefs, {0: top, 1: top}),)


def test_a_debrief_says_what_was_true_when_it_was_found_and_what_told_it() -> None:
    record = play(GAME, ["dilemma.defector", "dilemma.grim"], seed=1)
    thoughts = [
        insight(*each) for each in ((0.5, "defect"), (0.4, "cooperate"), (0.8, "defect"), (0.7, "defect"), (0.9, ""))
    ]
    found = debrief_of(make_game(GAME), record, thoughts, "strategy", 0)
    own, other = found.players
    assert own.truths == {"strategy": "dilemma.defector"}
    assert (own.known, own.label, own.named) == (True, "dilemma.defector", 4)
    assert own.line == (0.5, 0.4, 0.8, 0.7, 0.9)
    assert (own.predicted, own.guessed) == (4, 3)
    assert readable_sentence(own, lambda _: "You") == "75% of your choices were its first guess (of 4 choices)."
    assert [move.choice.ply for move in found.moves] == [1, 3, 0], "the strongest first, then what spoke against it"
    assert other.named == 0
    assert found.ending is record.ending


def debrief_of_curve(*curve: float) -> Debrief:
    """The debrief of a defector in whom a model believed so much at the start and after every move."""
    game = f"dilemma(rounds={len(curve) - 1})"
    record = play(game, ["dilemma.defector", "dilemma.grim"], seed=1)
    return debrief_of(make_game(game), record, [insight(share, "defect") for share in curve], "strategy", 0)


@pytest.mark.parametrize(
    ("curve", "told"),
    [
        ((0.1, 0.97, 0.999, 0.9999, 0.999999, 0.99999999), [0, 1]),  # the jump, not the way to certainty
        ((0.5, 0.6, 0.8, 0.81, 0.95), [3, 1, 0]),
        ((1e-9, 1e-6, 1e-3, 0.05, 0.6), [3, 2]),  # what is settled tells nothing
        ((0.5, 0.9, 0.3, 0.6), [0, 2, 1]),  # what spoke against it comes last
    ],
)
def test_panel_and_debrief_name_the_moves_at_which_the_belief_jumps(curve: tuple[float, ...], told: list[int]) -> None:
    found = debrief_of_curve(*curve)
    assert [move.choice.ply for move in found.moves][: len(told)] == told
    evidence = MoveEvidence()
    for ply, (before, after) in enumerate(pairwise({"a": share, "b": 1.0 - share} for share in curve)):
        evidence.add(ply, lambda: "defect", before, after)
    panel = explanation_of({"a": curve[-1], "b": 1.0 - curve[-1]}, evidence=evidence).reasons
    by_panel = {reason.ply: reason.log_odds for reason in panel if reason.log_odds > 0.0}
    by_debrief = {move.choice.ply: move.evidence for move in found.moves if move.evidence > 0.0}
    assert list(by_panel) == list(by_debrief)
    assert list(by_panel.values()) == pytest.approx(list(by_debrief.values()))


@pytest.mark.parametrize(
    ("curve", "named"),
    [((0.2, 0.8, 0.9), 1), ((0.2, 0.8, 0.56), None), ((0.2, 0.56, 0.9, 0.8), 2), ((0.9, 0.95), 0)],
)
def test_a_label_is_named_once_the_evidence_is_enough_for_good(curve: tuple[float, ...], named: int | None) -> None:
    assert debrief_of_curve(*curve).players[0].named == named


def test_a_persons_strategy_is_their_own_and_their_card_is_told() -> None:
    record = play("kuhn(players=2)", ["kuhn.rock", "kuhn.solid"], seed=1)
    person = {"name": "a person", "person": True, "strategy": "Participant(name='a person')"}
    entries = [
        msgspec.structs.replace(entry, truths=entry.truths and [{**entry.truths[0], **person}, entry.truths[1]])
        for entry in record.entries
    ]
    record.entries = entries
    found = debrief_of(make_game("kuhn(players=2)"), record, [(Insight("model"),)] * (len(entries) + 1), "strategy")
    assert list(found.players[0].truths) == ["card"]
    assert set(found.players[1].truths) == {"card", "strategy"}
