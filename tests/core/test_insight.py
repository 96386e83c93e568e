"""Insight: one structure for belief, prediction and reasons, worded in one place, carried by moments and records."""

from itertools import pairwise

import pytest

import kibitz
from kibitz.core.insight import Claim, Explanation, Insight, MoveEvidence, Reason, explanation_of
from kibitz.core.match.play import playing
from kibitz.core.records import record_from_bytes
from kibitz.core.records.replay import replaying
from kibitz.core.wording import sentence

BET = Reason("bet", 2.0, 3)


@pytest.mark.parametrize(
    ("explanation", "words"),
    [
        (Explanation(), "nothing is known yet"),
        (explanation_of({"a": 0.5, "b": 0.5}), "undecided: a and b fit equally well (50% each)"),
        (explanation_of({"a": 0.9, "b": 0.1}), "plays like a (90%; next b at 10%), before any informative move"),
        (
            explanation_of({"a": 0.9, "b": 0.1}, reasons=[BET], choices=1),
            "plays like a (90%; next b at 10%), because of 'bet' at ply 3",
        ),
        (
            explanation_of({"a": 0.7, "b": 0.3}, reasons=[BET, Reason("fold", -1.0, 5)], choices=2),
            "plays like a (70%; next b at 30%), because of 'bet' at ply 3; against it speaks 'fold' at ply 5",
        ),
        (explanation_of({"unknown": 1.0}, choices=9), "plays like none of the known strategies (100%)"),
        (Explanation((Claim("gold", 1.0),), question="mission", known=True), "holds gold: that is known"),
        (
            explanation_of({"a": 1.0}, choices=1, question="plan", titles={"a": "an attack"}, exact=False, notes=["x"]),
            "pursues an attack (100%) (x; estimated from a sample)",
        ),
    ],
)
def test_an_explanation_reads_as_a_sentence(explanation: Explanation, words: str) -> None:
    assert sentence(explanation) == words


def test_the_evidence_names_the_moves_that_told_most_and_which_way() -> None:
    evidence = MoveEvidence()
    beliefs = [{"a": 0.5, "b": 0.5}, {"a": 0.8, "b": 0.2}, {"a": 0.79, "b": 0.21}, {"a": 0.4, "b": 0.6}]
    for ply, (before, after) in enumerate(pairwise(beliefs)):
        evidence.add(ply, lambda ply=ply: f"move {ply}", before, after)  # type: ignore[misc]
    assert evidence.choices == 3
    assert [(reason.ply, reason.log_odds > 0.0) for reason in evidence.reasons("a")] == [
        (2, False),
        (0, True),
        (1, False),
    ]
    for ply in range(100):
        evidence.add(ply, lambda: "again", beliefs[0], beliefs[1])
    assert len(evidence.moves) == MoveEvidence.MOST


def test_moments_carry_insight() -> None:
    last = None
    for moment in playing("dilemma(rounds=6)", ["defector", "pavlov"], models=["strategy_filter"], seed=2):
        last = moment.insights()
        assert [dict(each.beliefs[0]) for each in last] == [moment.beliefs["strategy_filter"][0]]
    assert last is not None
    (insight,) = last
    leader = insight.explanations[0].claims[0]
    assert leader.label == "dilemma.defector"
    assert leader.share == insight.beliefs[0][leader.label]
    assert {reason.what for reason in insight.explanations[0].reasons} == {"defect"}


def test_a_record_keeps_insight_where_it_is_asked_to_and_old_records_do_without() -> None:
    match = ("dilemma(rounds=4)", ["defector", "pavlov"])
    plain = kibitz.play(*match, models=["strategy_filter"], seed=2)
    kept = kibitz.play(*match, models=["strategy_filter"], seed=2, insights=True)
    assert b"insights" not in plain.tail()
    read = record_from_bytes(kept.to_bytes())
    assert [entry.beliefs for entry in read.entries] == [entry.beliefs for entry in plain.entries]
    live = [moment.insights() for moment in playing(*match, models=["strategy_filter"], seed=2)]
    assert [moment.insights() for moment in replaying(read)] == live
    assert [moment.insights()[0].beliefs for moment in replaying(plain)] == [each[0].beliefs for each in live]
    assert not replaying(plain).__next__().insights()[0].explanations


def test_insight_can_be_about_some_players_alone() -> None:
    insight = Insight("m", None, ({"a": 1.0}, {"b": 1.0}), {}, (Explanation(choices=1), Explanation(choices=2)))
    about = insight.about([1])
    assert about.beliefs == ({}, {"b": 1.0})
    assert [each.choices for each in about.explanations] == [0, 2]
