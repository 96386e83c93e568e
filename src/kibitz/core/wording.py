"""Turns the explanations of models into English; the only place that does."""

from collections.abc import Callable, Sequence

import msgspec

from kibitz.core.insight import (
    CERTAIN,
    CLEAR_LEAD,
    UNKNOWN,
    Claim,
    Explanation,
    Reason,
    Verdict,
    few_choices,
)

VERBS = {
    "strategy": ("play like", "plays like"),
    "goal": ("pursue", "pursues"),
    "plan": ("pursue", "pursues"),
    "mission": ("hold the mission", "holds the mission"),
    "promise": ("keep", "keeps"),
}
"""The verb between a player and a claim about each question, after `may` and alone."""
OTHER_VERB = ("be", "is")
PLURALS = {"strategy": "strategies"}
QUESTIONS = {
    "strategy": "Who are you?",
    "type": "Who are you?",
    "goal": "What are you after?",
    "plan": "What are you after?",
    "mission": "What are you after?",
    "card": "What do you hold?",
    "promise": "Do you keep your word?",
    "action": "What comes next?",
}
"""The questions that models answer, as a kibitzer asks them."""
VERDICTS: dict[Verdict, str] = {
    "silent": "no claim",
    "known": "known",
    "nothing seen": "nothing seen yet",
    "too early": "too early to tell",
    "undecided": "not decided",
    "alike": "cannot be told apart",
    "stranger": "a stranger",
    "likely": "likely",
    "certain": "certain",
}
"""The verdicts as headings."""
MOST = 0.9999
"""The highest probability that is named; what is inferred is never certain beyond doubt."""
NEGLIGIBLE = 0.005
"""A claim with less than this is not named."""
MOST_CLAIMS = 6
"""The most claims that are named one by one."""
Name = Callable[[str], str]
"""The name of a label for people."""


def brief_sentence(explanation: Explanation, name: Name = str) -> str:
    """The sentence without the reasons and habits, for where they are shown beside it."""
    return sentence(msgspec.structs.replace(explanation, reasons=(), habits=()), name)


def sentence(explanation: Explanation, name: Name = str) -> str:
    """An explanation in words, to follow the player's name; *name* shortens labels.

    >>> from kibitz.core.insight import explanation_of
    >>> sentence(explanation_of({"tit_for_tat": 0.6, "pavlov": 0.4}, choices=1))
    'may play like tit_for_tat (60%; next pavlov at 40%), but 1 choice is too few to tell'
    """
    sampled = not explanation.exact and explanation.verdict != "nothing seen"
    notes = [*explanation.notes, *(["estimated from a sample"] if sampled else [])]
    if explanation.verdict == "silent" and notes:
        return "; ".join(notes)
    if explanation.recalled and explanation.verdict != "nothing seen":
        notes.append(f"counting {count_words(explanation.recalled, 'earlier match', 'earlier matches')}")
    words = MAKERS[explanation.verdict](explanation, name)
    return "; ".join([words, *notes])


def silent_words(explanation: Explanation, name: Name) -> str:
    return "has made no choice yet" if explanation.choices == 0 else "nothing is known yet"


def known_words(explanation: Explanation, name: Name) -> str:
    return f"{verbs_of(explanation)[1]} {claim_words(explanation, name)}: that is known"


def nothing_seen_words(explanation: Explanation, name: Name) -> str:
    if not explanation.recalled:
        return "has made no choice yet, so nothing is known"
    earlier = count_words(explanation.recalled, "earlier match suggests", "earlier matches suggest")
    return f"has made no choice yet; {earlier} {claim_words(explanation, name)} ({shares(explanation, name)})"


def doubtful_words(explanation: Explanation, name: Name) -> str:
    """The words for a belief without a clear lead."""
    seen, choices = explanation.choices, count_words(explanation.choices or 0, "choice", "choices")
    if explanation.alike and explanation.rival is None:
        every = f"every known {explanation.question}"
        return f"could be anyone: {every} fits {'the only choice' if seen == 1 else f'all {choices}'} equally well"
    if knows_none(explanation):
        return knows_none_words(explanation)
    if is_odd(explanation):
        fit = f"{'fits' if seen == 1 else 'together fit'} {claim_words(explanation, name)}"
        return f"made {choices} that {fit}; that may be chance"
    may, which = f"may {verbs_of(explanation)[0]}", ""
    told = f"{may} {claim_words(explanation, name)} ({shares(explanation, name)})"
    if (rival := known_rival(explanation)) is not None:
        known = f"one of the known {plural(explanation.question)}"
        likeliest = f"likeliest {claim_name(rival, explanation.question, name)} at {percent(rival.share)}"
        share = percent(1.0 - explanation.claims[0].share)
        told, which = f"{may} {known} ({share}; {likeliest})", " which"
    if seen is None:
        return told
    if explanation.verdict == "too early":
        return f"{told}, but {choices} {'is' if seen == 1 else 'are'} too few to tell{which}"
    weighed = "" if which else for_and_against(explanation.reasons)
    return f"{told}: {choices} have not decided{which or ' it'}{weighed}"


def alike_words(explanation: Explanation, name: Name) -> str:
    """The words for claims that nothing tells apart."""
    whose = "both" if len(explanation.claims) == 2 else "all"
    choices = "the only choice" if explanation.choices == 1 else f"the {explanation.choices} choices"
    why = f"{whose} fit {choices} equally well, so nothing tells them apart yet"
    said = f"{verbs_of(explanation)[1]} {claim_words(explanation, name)} ({shares(explanation, name)})"
    return f"{said if is_certain(explanation) else f'probably {said}'}: {why}"


def stranger_words(explanation: Explanation, name: Name) -> str:
    """The words for a player who fits none of the labels, and what they are like."""
    habits = f"; this player {join_words(explanation.habits)}" if explanation.habits else ""
    if knows_none(explanation):
        return knows_none_words(explanation) + habits
    said = f"{verbs_of(explanation)[1]} {claim_words(explanation, name)} ({shares(explanation, name)})"
    words = said if is_certain(explanation) else f"probably {said}"
    return words + because(explanation.reasons) + habits


def knows_none_words(explanation: Explanation) -> str:
    """The words of a model that has no labels to choose from."""
    return f"cannot be compared with others: no {plural(explanation.question)} are known here"


def likely_words(explanation: Explanation, name: Name) -> str:
    seen, few = explanation.choices or 0, few_choices(explanation)
    only = f"; only {count_words(seen, 'choice was', 'choices were')} seen" if few else ""
    return f"probably {certain_words(explanation, name)}{only}"


def certain_words(explanation: Explanation, name: Name) -> str:
    said = f"{verbs_of(explanation)[1]} {claim_words(explanation, name)} ({shares(explanation, name)})"
    return said + because(explanation.reasons)


MAKERS: dict[Verdict, Callable[[Explanation, Name], str]] = {
    "silent": silent_words,
    "known": known_words,
    "nothing seen": nothing_seen_words,
    "too early": doubtful_words,
    "undecided": doubtful_words,
    "alike": alike_words,
    "stranger": stranger_words,
    "likely": likely_words,
    "certain": certain_words,
}


def question_words(question: str) -> str:
    """A question that models answer, as a kibitzer asks it.

    >>> question_words("goal"), question_words("favourite")
    ('What are you after?', 'Which favourite?')
    """
    return QUESTIONS.get(question, f"Which {question}?")


def is_odd(explanation: Explanation) -> bool:
    """Whether a player made a choice or two that fit no label, which proves nothing."""
    leads = explanation.claims[:1]
    return explanation.verdict == "too early" and explanation.margin >= CLEAR_LEAD and leads[0].label == UNKNOWN


def is_certain(explanation: Explanation) -> bool:
    """Whether the leading claim is as good as certain, or that one of those that lead together is true."""
    return sum(claim.share for claim in explanation.claims) >= CERTAIN and not few_choices(explanation)


def known_rival(explanation: Explanation) -> Claim | None:
    """The likeliest label, if `unknown` leads only because many labels share the rest, which is likelier."""
    labels = [claim.label for claim in explanation.claims]
    return explanation.rival if labels == [UNKNOWN] and explanation.claims[0].share < 0.5 else None


def knows_none(explanation: Explanation) -> bool:
    """Whether a model has nothing to choose from: then it is sure of nothing, although it claims no label."""
    labels = [claim.label for claim in explanation.claims]
    return labels == [UNKNOWN] and explanation.rival is None and explanation.claims[0].share == 1.0


def shift_words(label: str, before: float, after: float) -> str:
    """How a belief changed: `s4 21% → 44%`."""
    return f"{label} {percent(min(before, MOST))} → {percent(min(after, MOST))}"


def evidence_words(explanation: Explanation) -> str:
    """The verdict, how much was seen, and the lead, as a heading."""
    words = [VERDICTS[explanation.verdict]]
    if explanation.choices and explanation.verdict != "known":
        words.append(count_words(explanation.choices, "choice", "choices"))
    if explanation.choices != 0 and explanation.claims and explanation.verdict != "known":
        led = len(explanation.claims) == 1 and explanation.margin >= 0.01
        words += [f"lead {percent(min(explanation.margin, MOST))}"] if led else []
    return ", ".join(words)


def verbs_of(explanation: Explanation) -> tuple[str, str]:
    """The verb between a player and a claim, after `may` and alone."""
    if explanation.question == "mission" and len(explanation.claims) > MOST_CLAIMS:
        return "hold", "holds"  # one of so many missions
    return VERBS.get(explanation.question, OTHER_VERB)


def claim_words(explanation: Explanation, name: Name) -> str:
    """The leading claims as part of a sentence."""
    if explanation.everyone:
        return f"one of the known {plural(explanation.question)}"
    named = [claim for claim in explanation.claims if claim.label != UNKNOWN]
    names = [claim_name(claim, explanation.question, name) for claim in named]
    if len(names) > MOST_CLAIMS:
        names = [f"one of {len(names)} {plural(explanation.question)}"]
    if len(named) < len(explanation.claims):
        names.append(f"none of the known {plural(explanation.question)}")
    return join_words(names, "or")


def plural(question: str) -> str:
    """What a question asks for, of several."""
    return PLURALS.get(question, f"{question}s")


def claim_name(claim: Claim, question: str, name: Name) -> str:
    """A claim as part of a sentence."""
    if claim.label == UNKNOWN:
        return f"none of the known {plural(question)}"
    words = claim.title or name(claim.label)
    return repr(words) if question == "mission" else words


def shares(explanation: Explanation, name: Name) -> str:
    """The probabilities of the leading claims and of the next one."""
    leaders, rival = explanation.claims, explanation.rival
    if explanation.everyone:
        share = sum(claim.share for claim in leaders)
        none = f"; none of them at {percent(1.0 - share)}" if 1.0 - share >= NEGLIGIBLE else ""
        return percent(min(share, MOST)) + none
    level = all(claim.share - leaders[-1].share < 0.01 for claim in leaders)
    told = [percent(min(claim.share, MOST)) for claim in leaders]
    words = join_words(told) if not level else told[0] + (" each" if len(leaders) > 1 else "")
    if rival is not None and rival.share >= NEGLIGIBLE:
        if len(leaders) > 1 and level and percent(rival.share) == told[-1]:
            return f"{words}, closely followed by {claim_name(rival, explanation.question, name)}"
        rank = "" if rival.label == UNKNOWN else "next "
        words += f"; {rank}{claim_name(rival, explanation.question, name)} at {percent(rival.share)}"
    return words


def percent(share: float) -> str:
    """A probability in words; only what is certain is 100 %.

    >>> percent(0.9999), percent(0.25)
    ('over 99%', '25%')
    """
    return "over 99%" if 0.995 <= share < 1.0 else f"{share:.0%}"


def because(reasons: Sequence[Reason]) -> str:
    """The clear reasons for and against the claim."""
    spoken, against = clear_reasons(reasons)
    words = f", because of {join_words(reason_words(spoken))}" if spoken else ""
    verb = "speaks" if len(against) == 1 else "speak"
    return words + (f"; {join_words(reason_words(against))} {verb} against it" if against else "")


def for_and_against(reasons: Sequence[Reason]) -> str:
    """The clear reasons for and against a claim that is not decided."""
    parts: list[str] = []
    for side, found in zip(("for", "against"), clear_reasons(reasons), strict=True):
        if found:
            verb = "" if parts else " speaks" if len(found) == 1 else " speak"
            parts.append(f"{join_words(reason_words(found))}{verb} {side} it")
    return f"; {', '.join(parts)}" if parts else ""


def clear_reasons(reasons: Sequence[Reason]) -> tuple[list[Reason], list[Reason]]:
    """The clear reasons for a claim, and those against it."""
    clear = [each for each in reasons if each.clear]
    return [each for each in clear if each.log_odds > 0.0], [each for each in clear if each.log_odds < 0.0]


def reason_words(reasons: Sequence[Reason], *, as_listed: bool = False) -> list[str]:
    """Reasons with their plies; the same move is named once. *as_listed*: with their numbers in a list, from 1."""
    plies: dict[str, list[int]] = {}
    for each in reasons:
        plies.setdefault(each.what, []).extend([] if each.ply is None else [each.ply])
    if as_listed:
        return [f"{what} ({join_words([str(ply + 1) for ply in sorted(at)])})" for what, at in plies.items()]
    return [plies_words(what, sorted(at)) for what, at in plies.items()]


def plies_words(what: str, plies: Sequence[int]) -> str:
    """A move with its plies, or a habit without any.

    >>> plies_words("defect", [0, 4])
    "'defect' at plies 0 and 4"
    """
    if not plies:
        return what
    return f"{what!r} at {'ply' if len(plies) == 1 else 'plies'} {join_words([str(ply) for ply in plies])}"


def count_words(count: int, one: str, many: str) -> str:
    """A count with its noun."""
    return f"{count} {one if count == 1 else many}"


def join_words(words: Sequence[str], link: str = "and") -> str:
    """A list in a sentence.

    >>> join_words(["a", "b", "c"])
    'a, b and c'
    """
    return f" {link} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
