"""Insight: one structure for belief, prediction and reasons, worded in one place, carried by moments and records."""

from copy import deepcopy
from itertools import pairwise

import msgspec
import pytest

import kibitz
from kibitz.core.insight import (
    UNKNOWN,
    Claim,
    Explanation,
    MoveEvidence,
    Reason,
    explanation_of,
)
from kibitz.core.match.play import playing
from kibitz.core.records import record_from_bytes
from kibitz.core.records.replay import replaying
from kibitz.core.wording import remarks, sentence

BET, FOLD = Reason("bet", 2.0, 3), Reason("fold", -1.0, 5)
KNOWN = ("a", "b", "c", "d")
PRIOR = {**dict.fromkeys(KNOWN, 0.225), UNKNOWN: 0.1}


def watched(*likelihoods: dict[str, float], prior: dict[str, float] = PRIOR) -> tuple[dict[str, float], MoveEvidence]:
    """A belief after moves that each label makes this likely, and the evidence of the moves."""
    belief, evidence = prior, MoveEvidence()
    for ply, likely in enumerate(likelihoods):
        weighed = {label: share * likely.get(label, 0.02) for label, share in belief.items()}
        total = sum(weighed.values())
        after = {label: share / total for label, share in weighed.items()}
        evidence.add(ply, lambda ply=ply: f"move {ply}", belief, after)  # type: ignore[misc]
        belief = after
    return belief, evidence


@pytest.mark.parametrize(
    ("explanation", "verdict", "words"),
    [
        (Explanation(), "silent", "It says nothing of Ann."),
        (explanation_of(PRIOR), "nothing seen", "Nothing is known of Ann yet: no choice was seen."),
        (
            explanation_of({"a": 0.6, "b": 0.4}, recalled=3),
            "nothing seen",
            "No choice of Ann was seen yet; 3 earlier matches suggest a.",
        ),
        (
            explanation_of({"a": 0.6, "b": 0.4}, choices=1),
            "too early",
            "Too early to tell: Ann may play like a, but 1 choice is too few.",
        ),
        (
            explanation_of({"a": 0.7, "b": 0.3}, reasons=[FOLD, BET], choices=12),
            "undecided",
            "Ann may play like a; it cannot decide.",
        ),
        (
            explanation_of({UNKNOWN: 0.99, "a": 0.01}, choices=1),
            "too early",
            "Too early to tell: Ann's 1 choice fits none of the known strategies, but that may be chance.",
        ),
        (
            explanation_of({"a": 0.9, "b": 0.1}, reasons=[BET], choices=1),
            "likely",
            "Ann probably plays like a.",
        ),
        (
            explanation_of({"a": 0.9999, "b": 0.0001}, reasons=[BET, Reason("bet", 3.0, 7), FOLD], choices=30),
            "certain",
            "Ann plays like a.",
        ),
        (
            explanation_of({UNKNOWN: 0.93, "a": 0.07}, choices=9, habits=["likes pawns far apart", "rarely captures"]),
            "stranger",
            "Ann probably plays like none of the known strategies: it learns their habits instead.",
        ),
        (
            Explanation((Claim("gold", 1.0),), question="mission", known=True),
            "known",
            "Ann holds the mission 'gold'.",
        ),
        (
            explanation_of({"a": 1.0}, choices=1, question="plan", titles={"a": "an attack"}, exact=False, notes=["x"]),
            "certain",
            "Ann pursues an attack.; x; estimated from a sample",
        ),
    ],
)
def test_an_explanation_reads_as_a_sentence(explanation: Explanation, verdict: str, words: str) -> None:
    assert explanation.verdict == verdict
    assert "; ".join([sentence(explanation, "Ann"), *remarks(explanation)]) == words
    assert msgspec.json.decode(msgspec.json.encode(explanation), type=Explanation) == explanation


def test_labels_that_would_have_chosen_the_same_are_called_alike() -> None:
    both = {"a": 0.98, "b": 0.98, "d": 0.3}
    belief, evidence = watched(both, both)
    found = explanation_of(belief, evidence=evidence)
    assert (found.verdict, found.enough) == ("alike", False)
    assert [claim.label for claim in found.claims] == ["a", "b"]
    sure = msgspec.structs.replace(found, claims=(Claim("a", 0.48), Claim("b", 0.48)))
    doubtful = msgspec.structs.replace(found, claims=(Claim("a", 0.4), Claim("b", 0.4)))
    assert sentence(sure, "Ann") == "Ann probably plays like a or b: so far they would have done the same."
    assert sentence(doubtful, "Ann") == "Ann probably plays like a or b: so far they would have done the same."


def test_labels_that_erred_equally_often_at_different_moves_are_not_alike() -> None:
    belief, evidence = watched({"a": 0.9, "b": 0.1}, {"a": 0.1, "b": 0.9})
    assert belief["a"] == pytest.approx(belief["b"])
    found = explanation_of(belief, evidence=evidence)
    assert not found.alike
    assert found.verdict == "too early"
    assert "may play like a or b, but" in sentence(found, "Ann")


def test_moves_that_every_label_would_make_tell_nothing() -> None:
    belief, evidence = watched(*[dict.fromkeys(PRIOR, 1.0)] * 3)
    found = explanation_of(belief, evidence=evidence)
    assert not found.enough
    assert sentence(found, "Ann").endswith("everyone it knows would have done the same.")


def test_where_everyone_known_would_have_done_the_same_no_name_is_named() -> None:
    both = {"a": 0.5, "b": 0.5, UNKNOWN: 0.1}
    belief, evidence = watched(both, prior={"a": 0.45, "b": 0.45, UNKNOWN: 0.1})
    found = explanation_of(belief, evidence=evidence)
    assert (found.verdict, found.everyone) == ("alike", True)
    assert (
        sentence(found, "You")
        == "You probably play like one of the known strategies: so far they would have done the same."
    )
    belief, evidence = watched(both | {"c": 0.4}, prior={"a": 0.3, "b": 0.3, "c": 0.3, UNKNOWN: 0.1})
    assert not explanation_of(belief, evidence=evidence).everyone, "another known one would not have"


def test_what_was_known_before_the_match_tells_alike_labels_apart() -> None:
    both = {"a": 0.5, "b": 0.5}
    belief, evidence = watched(both, both, both, prior={"a": 0.6, "b": 0.3, UNKNOWN: 0.1})
    assert not explanation_of(belief, evidence=evidence).alike, "an earlier match told"


def test_one_choice_makes_no_strategy_certain() -> None:
    assert explanation_of({"a": 0.99, "b": 0.01}, choices=2).verdict == "likely"
    assert explanation_of({"a": 0.99, "b": 0.01}, choices=3).verdict == "certain"


def test_the_evidence_names_the_moves_that_told_most_and_which_way() -> None:
    evidence = MoveEvidence()
    beliefs = [{"a": 0.5, "b": 0.5}, {"a": 0.8, "b": 0.2}, {"a": 0.79, "b": 0.21}, {"a": 0.4, "b": 0.6}]
    for ply, (before, after) in enumerate(pairwise(beliefs)):
        evidence.add(ply, lambda ply=ply: f"move {ply}", before, after)  # type: ignore[misc]
    assert evidence.choices == 3
    assert [(reason.ply, reason.log_odds > 0.0) for reason in evidence.reasons(["a"])] == [
        (2, False),
        (0, True),
        (1, False),
    ]
    assert evidence.reasons(["a", "b"])[0].log_odds == pytest.approx(0.0), "together they were certain all the time"
    copied = deepcopy(evidence)
    for ply in range(100):
        evidence.add(ply, lambda: "again", beliefs[0], beliefs[1])
    assert len(evidence.moves) == MoveEvidence.MOST
    assert (copied.choices, len(copied.moves)) == (3, 3)


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
    assert b"insights" not in msgspec.json.Encoder().encode_lines(plain.entries)
    read = record_from_bytes(kept.to_bytes())
    assert [entry.beliefs for entry in read.entries] == [entry.beliefs for entry in plain.entries]
    live = [moment.insights() for moment in playing(*match, models=["strategy_filter"], seed=2)]
    assert [moment.insights() for moment in replaying(read)] == live
    assert [moment.insights()[0].beliefs for moment in replaying(plain)] == [each[0].beliefs for each in live]
    assert not replaying(plain).__next__().insights()[0].explanations
