"""The sentences of a debrief: who won and why, what was true, what the kibitzer found out, which moves told it."""

from collections.abc import Callable

from kibitz.core.insight import UNKNOWN
from kibitz.core.wording import count_words, join_words, percent, shift_words
from kibitz_web.analysis.debrief_facts import Debrief, PlayerDebrief, TellingMove
from kibitz_web.parts.seat_names import capital_words, result_words

Name = Callable[[int], str]
"""The name of a player at the head of a sentence; `You` for the reader."""
Label = Callable[[str], str]
"""A label for people."""


def whom(name: str) -> str:
    """A name as an object."""
    return "you" if name == "You" else name


def whose(name: str) -> str:
    """A name as an owner."""
    return "your" if name == "You" else f"{name}'s"


def result_sentence(debrief: Debrief, name: Name) -> str:
    """Who won: `You won (You +1, S4 −1).`"""
    returns = debrief.ending.returns
    return f"{capital_words(result_words([name(player) for player in range(len(returns))], returns))}."


def cause_sentence(debrief: Debrief, name: Name, goal: str) -> str:
    """Why the match ended as it did: who gave up, or the last move and the goal."""
    ending, losers = debrief.ending, join_words([name(player) for player in debrief.ending.forfeits])
    if ending.reason == "max_plies":
        return f"The match was cut off after {ending.plies} moves."
    if losers or ending.reason == "resigned":
        return f"{losers or 'A player'} {'resigned' if ending.reason == 'resigned' else 'forfeited'}."
    if debrief.last is None:
        return f"The goal was: {goal}"
    who = name(debrief.last.player)
    made = "yours" if who == "You" else f"made by {who}"
    return f"The last move, {debrief.last.notation}, was {made}. The goal: {goal}"


def truth_sentence(each: PlayerDebrief, name: Name, label: Label) -> str:
    """What was true of a player: `White — strategy: s4.`"""
    truths = "; ".join(f"{what}: {label(value)}" for what, value in each.truths.items())
    owner = "your" if name(each.player) == "You" else "their"
    return f"{name(each.player)} — {truths or f'no secret; {owner} strategy is unknown'}."


def found_sentence(debrief: Debrief, each: PlayerDebrief, name: Name, label: Label) -> str:
    """When the model found a player out, or whom it took them for."""
    who, asked = name(each.player), f"{whose(name(each.player))} {debrief.question}"
    if not each.label:
        return "The kibitzer made no claim."
    if not each.known:
        last = percent(each.line[-1] if each.line else 0.0)
        if each.label == UNKNOWN:
            return f"In the end {whom(who)} {'were' if who == 'You' else 'was'} a stranger to the kibitzer ({last})."
        return f"In the end the kibitzer took {whom(who)} for {label(each.label)} ({last})."
    if each.named is None:
        return f"The kibitzer never found out {asked}."
    if each.named == 0:
        return f"The kibitzer guessed {asked} from the start."
    return f"The kibitzer named {asked} after move {each.named} of {debrief.ending.plies}, and never let go."


def shift_sentence(move: TellingMove, label: Label) -> str:
    """What a move told: `s4 21% → 44%`."""
    if abs(move.after - move.before) < 0.005:
        return "told almost nothing"
    return shift_words(label(move.label), move.before, move.after)


def readable_sentence(each: PlayerDebrief, name: Name) -> str:
    """How predictable a player was, in words."""
    who = name(each.player)
    choices = "your choices" if who == "You" else f"the choices of {who}"
    if not each.predicted:
        return f"No model predicted {choices}."
    seen = count_words(each.predicted, "choice", "choices")
    return f"{percent(each.guessed / each.predicted)} of {choices} were its first guess (of {seen})."
