"""Turns explanations and predictions into whole sentences about a player, or about `You`, for pages; the only place."""

from collections.abc import Sequence

from kibitz.core.insight import Explanation, Prediction
from kibitz.core.wording import (
    MOST,
    Name,
    claim_words,
    count_words,
    is_certain,
    is_odd,
    join_words,
    known_rival,
    knows_none,
    percent,
    plural,
    verbs_of,
)


def headline(explanation: Explanation, who: str, name: Name = str) -> str:
    """What a model believes of a player, in one sentence for people; *who* is their name, or `You`.

    >>> from kibitz.core.insight import explanation_of
    >>> headline(explanation_of({"tit_for_tat": 0.8, "pavlov": 0.2}, choices=12), "You")
    'You probably play like tit_for_tat.'
    >>> headline(explanation_of({"unknown": 0.8, "pavlov": 0.2}, choices=1), "You")
    'Too early to tell: your 1 choice fits none of the known strategies, but that may be chance.'
    >>> headline(explanation_of({"tit_for_tat": 0.8, "pavlov": 0.2}, choices=0), "player 1")
    'Nothing is known of player 1 yet: no choice was seen.'
    """
    you = who == "You"
    may, does = verbs_of(explanation)
    verb = ("are" if does == "is" else may) if you else does
    claims, choices = claim_words(explanation, name), explanation.choices
    seen = count_words(choices or 0, "choice", "choices")
    whom, whose = ("you", "your") if you else (who, f"{who}'s")
    match explanation.verdict:
        case "silent":
            return f"It says nothing of {whom}."
        case "nothing seen":
            return f"Nothing is known of {whom} yet: no choice was seen."
        case "too early" if explanation.alike and explanation.rival is None:
            return f"Nothing is known of {whom} yet: everyone it knows would have done the same."
        case "too early" | "stranger" if knows_none(explanation):
            return f"It knows no {plural(explanation.question)} here: it learns {whose} habits instead."
        case "too early" if is_odd(explanation):
            fits = "fits" if choices == 1 else "fit"
            return f"Too early to tell: {whose} {seen} {fits} {claims}, but that may be chance."
        case "too early" if known_rival(explanation) is not None:
            return f"Too early to tell which of the known {plural(explanation.question)} {whom} {verb}."
        case "too early":
            return (
                f"Too early to tell: {whom} may {may} {claims}, but {seen} {'is' if choices == 1 else 'are'} too few."
            )
        case "undecided" if known_rival(explanation) is not None:
            return f"{who} may {may} one of the known {plural(explanation.question)}; it cannot decide which."
        case "undecided":
            return f"{who} may {may} {claims}; it cannot decide."
        case "alike":
            said = f"{verb} {claims}" if is_certain(explanation) else f"probably {verb} {claims}"
            return f"{who} {said}: so far they would have done the same."
        case "stranger":
            said = f"{verb} {claims}" if is_certain(explanation) else f"probably {verb} {claims}"
            return f"{who} {said}: it learns {'your' if you else 'their'} habits instead."
        case "likely":
            return f"{who} probably {verb} {claims}."
    return f"{who} {verb} {claims}."


def leading_share(explanation: Explanation) -> float | None:
    """How sure the model is of what the headline claims; None if it claims nothing."""
    if explanation.verdict in ("silent", "nothing seen") or not explanation.claims:
        return None
    if is_odd(explanation) or knows_none(explanation):
        return None
    share = sum(claim.share for claim in explanation.claims)
    return min(1.0, share if known_rival(explanation) is None else 1.0 - share)


def sure_words(explanation: Explanation) -> str:
    """How sure, and after how much: `64 % sure after 12 choices`."""
    share = leading_share(explanation)
    if share is None:
        unsure = "too early to say" if is_odd(explanation) else "not known yet"
        return "" if knows_none(explanation) else unsure
    after = f" after {count_words(explanation.choices, 'choice', 'choices')}" if explanation.choices else ""
    return f"{percent(min(share, MOST))} {'sure' if explanation.enough else 'likely'}{after}"


def expectation_sentence(expected: Sequence[Prediction], who: str) -> str:
    """What a model expects a player to do next; *who* is their name, or `You`.

    >>> expectation_sentence([Prediction(1, 0.7, "bet"), Prediction(0, 0.3, "pass")], "You")
    'You will probably play bet (70%), else pass (30%).'
    """
    if not expected:
        return f"It expects nothing of {'you' if who == 'You' else who} now: others are to move."
    first, *others = expected
    rest = (
        f", else {join_words([f'{each.notation} ({percent(each.share)})' for each in others], 'or')}" if others else ""
    )
    sure = "will probably play" if first.share >= 0.5 else "may play"
    return f"{who} {sure} {first.notation} ({percent(first.share)}){rest}."
