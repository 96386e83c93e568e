"""Turns the explanations of models into English; the only place that does."""

from collections.abc import Sequence

from kibitz.core.insight import UNKNOWN, Claim, Explanation, Reason

VERBS = {"strategy": "plays like", "goal": "pursues", "mission": "holds", "type": "is", "plan": "pursues"}
MOST_REASONS = 3
CLEAR = 0.4
"""Smallest log-odds of a reason that is named."""


def sentence(explanation: Explanation) -> str:
    """An explanation in words, to follow the player's name."""
    claims = explanation.claims
    if not claims:
        words = "nothing is known yet"
    elif explanation.known:
        words = f"{verb_of(explanation)} {claims[0].name}: that is known"
    elif len(claims) > 1:
        words = (
            f"undecided: {join_words([claim.name for claim in claims])} fit equally well ({claims[0].share:.0%} each)"
        )
    else:
        words = f"{verb_of(explanation)} {name_of(claims[0])} ({shares(explanation)}){because(explanation.reasons)}"
        if explanation.choices == 0 and not explanation.reasons:
            words += ", before any informative move"
    notes = [*explanation.notes, *([] if explanation.exact else ["estimated from a sample"])]
    return f"{words} ({'; '.join(notes)})" if notes else words


def verb_of(explanation: Explanation) -> str:
    """The verb between a player and a claim."""
    return VERBS.get(explanation.question, "is")


def name_of(claim: Claim) -> str:
    """A claim as part of a sentence."""
    return "none of the known strategies" if claim.label == UNKNOWN else claim.name


def shares(explanation: Explanation) -> str:
    """The probabilities of the leading claim and of the next one."""
    leader, rival = explanation.claims[0], explanation.rival
    next_ = f"; next {rival.name} at {rival.share:.0%}" if rival is not None and rival.share >= 0.005 else ""
    return f"{leader.share:.0%}{next_}"


def because(reasons: Sequence[Reason]) -> str:
    """The strongest reasons for and against the claim."""
    clear = sorted((each for each in reasons if abs(each.log_odds) >= CLEAR), key=lambda each: -abs(each.log_odds))
    spoken = [each for each in clear[:MOST_REASONS] if each.log_odds > 0.0]
    against = [each for each in clear[:MOST_REASONS] if each.log_odds < 0.0]
    words = f", because of {join_words([reason_words(each) for each in spoken])}" if spoken else ""
    return words + (f"; against it speaks {join_words([reason_words(each) for each in against])}" if against else "")


def reason_words(reason: Reason) -> str:
    """A reason with its ply."""
    return reason.what if reason.ply is None else f"{reason.what!r} at ply {reason.ply}"


def join_words(words: Sequence[str]) -> str:
    """A list in a sentence.

    >>> join_words(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
