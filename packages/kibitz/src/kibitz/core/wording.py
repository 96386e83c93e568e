"""Turns what models and agents say into English, for terminal and pages."""

from collections.abc import Callable, Sequence

from kibitz.core.insight import (
    CERTAIN,
    CLEAR_LEAD,
    UNKNOWN,
    Claim,
    Explanation,
    Intention,
    Prediction,
    Reason,
    SupposedPlayer,
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
MOST = 0.9999
"""The highest probability that is named; what is inferred is never certain beyond doubt."""
NEGLIGIBLE = 0.005
"""A claim with less than this is not named."""
LITTLE = 0.0005
"""A risk below this is called none."""
MOST_CLAIMS = 6
"""The most claims that are named one by one."""
Name = Callable[[str], str]
"""The name of a label for people."""


def sentence(explanation: Explanation, who: str, name: Name = str) -> str:
    """What a model believes of a player; *who* is their name, or `You`, and *name* shortens labels.

    >>> from kibitz.core.insight import explanation_of
    >>> sentence(explanation_of({"tit_for_tat": 0.8, "pavlov": 0.2}, choices=12), "You")
    'You probably play like tit_for_tat.'
    >>> sentence(explanation_of({"unknown": 0.8, "pavlov": 0.2}, choices=1), "You")
    'Too early to tell: your 1 choice fits none of the known strategies, but that may be chance.'
    >>> sentence(explanation_of({"tit_for_tat": 0.8, "pavlov": 0.2}, choices=0), "player 1")
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
        case "nothing seen" if explanation.recalled:
            earlier = count_words(explanation.recalled, "earlier match suggests", "earlier matches suggest")
            return f"No choice of {whom} was seen yet; {earlier} {claims}."
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
        case "alike" | "stranger":
            said = f"{verb} {claims}" if is_certain(explanation) else f"probably {verb} {claims}"
            habits = f"it learns {'your' if you else 'their'} habits instead"
            same = "so far they would have done the same"
            return f"{who} {said}: {same if explanation.verdict == 'alike' else habits}."
        case "likely":
            return f"{who} probably {verb} {claims}."
    return f"{who} {verb} {claims}."


def remarks(explanation: Explanation) -> list[str]:
    """What is to be said besides: the model's own remarks, and what its belief rests on."""
    found = list(explanation.notes)
    if explanation.verdict != "nothing seen":
        found += [] if explanation.exact else ["estimated from a sample"]
        if explanation.recalled:
            found.append(f"counting {count_words(explanation.recalled, 'earlier match', 'earlier matches')}")
    return found


def leading_share(explanation: Explanation) -> float | None:
    """How sure the model is of what the sentence claims; None if it claims nothing."""
    silent = explanation.verdict in ("silent", "nothing seen") or not explanation.claims
    if silent or is_odd(explanation) or knows_none(explanation):
        return None
    share = sum(claim.share for claim in explanation.claims)
    return min(1.0, share if known_rival(explanation) is None else 1.0 - share)


def sure_words(explanation: Explanation) -> str:
    """How sure, and after how much: `64 % sure after 12 choices`."""
    share = leading_share(explanation)
    if explanation.verdict == "known":
        return "known"
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


def percent(share: float) -> str:
    """A probability in words; only what is certain is 100 %.

    >>> percent(0.9999), percent(0.25)
    ('over 99%', '25%')
    """
    return "over 99%" if 0.995 <= share < 1.0 else f"{share:.0%}"


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


def intention_sentence(intention: Intention, player_name: Callable[[int], str], name: Name = str) -> str:
    """What an agent means to do, in words, to follow its player's name; *name* shortens labels.

    >>> intention_sentence(Intention("bet", 0.5, ("check", 0.2)), "player {}".format)
    "plays 'bet', worth 0.5 (next 'check', worth 0.2)"
    """
    words = [f"plays {intention.action!r}, worth {intention.value:.3g}"]
    if intention.mixture:
        drawn = [f"{claim.label!r} {percent(claim.share)}" for claim in intention.mixture[:MOST_CLAIMS]]
        words = [f"draws {join_words(drawn, 'or')}, worth {intention.value:.3g}"]
    elif intention.rival is not None:
        action, value = intention.rival
        words[0] += f" (next {action!r}, worth {value:.3g})"
    if len(intention.line) > 1:
        words.append(f"expects {', '.join(intention.line)}")
    words += [supposed_words(each, player_name(each.player), name) for each in intention.others]
    if intention.risked is not None:
        risky = intention.risked >= LITTLE
        words.append(f"risks {intention.risked:.2g} of the game's value" if risky else "risks nothing")
    return "; ".join(words)


def supposed_words(supposed: SupposedPlayer, who: str, name: Name) -> str:
    """Whom an agent takes a player for."""
    if not supposed.claims:
        return f"takes {who} for a good player"
    likely = [claim for claim in supposed.claims[:3] if claim.share >= NEGLIGIBLE] or supposed.claims[:1]
    claims = [f"{claim_name(claim, 'strategy', name)} ({percent(min(claim.share, MOST))})" for claim in likely]
    doubt = f", and for a good player otherwise ({percent(1.0 - supposed.trust)})" if supposed.trust < 1.0 else ""
    return f"takes {who} for {join_words(claims, 'or')}{doubt}"
