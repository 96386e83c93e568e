"""Turns the debrief of a match into English."""

from collections.abc import Callable

from kibitz.core.insight import UNKNOWN
from kibitz.core.records.debrief import Debrief, PlayerDebrief, ToldMove
from kibitz.core.wording import count_words, join_words, percent, shift_words

Name = Callable[[int], str]
"""The name of a player at the head of a sentence; `You` for the reader."""
Label = Callable[[str], str]
"""A label for people."""
REASONS = {
    "max_plies": "The match was cut off after {plies} moves.",
    "resigned": "{losers} resigned.",
}


def result_sentence(debrief: Debrief, name: Name) -> str:
    """Who won: `You won: 1 to −1.`"""
    returns = debrief.returns
    best = [player for player, value in enumerate(returns) if value == max(returns)]
    earned = ", ".join(f"{name(player)} {value:+g}".replace("-", "−") for player, value in enumerate(returns))
    if len(best) == len(returns):
        return f"A draw ({earned})."
    names = [name(player) for player in range(len(returns))]
    winners = join_words([names[player] for player in best])
    lost = "" if "You" not in names or "You" in [names[player] for player in best] else "You lost: "
    return f"{lost}{winners} won ({earned})."


def cause_sentence(debrief: Debrief, name: Name, goal: str) -> str:
    """Why the match ended as it did: who gave up, or the last move and the goal."""
    if debrief.reason in REASONS:
        losers = join_words([name(player) for player in debrief.forfeits]) or "A player"
        return REASONS[debrief.reason].format(plies=debrief.plies, losers=losers)
    if debrief.forfeits:
        return f"{join_words([name(player) for player in debrief.forfeits])} forfeited."
    if debrief.last is None:
        return f"The goal was: {goal}"
    who = name(debrief.last.player)
    whose = "yours" if who == "You" else f"made by {who}"
    return f"The last move, {debrief.last.notation}, was {whose}. The goal: {goal}"


def truth_sentence(each: PlayerDebrief, name: Name, label: Label) -> str:
    """What was true of a player: `White — strategy: s4.`"""
    told = "; ".join(f"{what}: {label(value)}" for what, value in each.truths.items())
    who = name(each.player)
    return (
        f"{who} — {told}." if told else f"{who} — no secret; {'your' if who == 'You' else 'their'} strategy is unknown."
    )


def found_sentence(debrief: Debrief, each: PlayerDebrief, name: Name, label: Label) -> str:
    """When the model found a player out, or whom it took them for."""
    whose = "your" if name(each.player) == "You" else f"{name(each.player)}'s"
    if not each.label:
        return "The kibitzer made no claim."
    if not each.known:
        last = each.line[-1] if each.line else 0.0
        if each.label == UNKNOWN:
            stranger = "you were a stranger" if name(each.player) == "You" else f"{name(each.player)} was a stranger"
            return f"In the end {stranger} to the kibitzer ({percent(last)})."
        took = f"In the end the kibitzer took {whom(name(each.player))} for {label(each.label)} ({percent(last)})"
        return f"{took}."
    if each.found is None:
        return f"The kibitzer never found out {whose} {debrief.question}."
    if each.found == 0:
        return f"The kibitzer guessed {whose} {debrief.question} from the start."
    return (
        f"The kibitzer named {whose} {debrief.question} after move {each.found} of {debrief.plies}, and never let go."
    )


def whom(name: str) -> str:
    """A name as an object."""
    return "you" if name == "You" else name


def told_sentence(move: ToldMove, label: Label) -> str:
    """What a move told: `s4 21% → 44%`."""
    if abs(move.after - move.before) < 0.005:
        return "told almost nothing"
    return shift_words(label(move.label), move.before, move.after)


def readable_sentence(each: PlayerDebrief, name: Name) -> str:
    """How predictable a player was, in words."""
    who = name(each.player)
    whose = "your choices" if who == "You" else f"the choices of {who}"
    if not each.foreseen:
        return f"No model predicted {whose}."
    seen = count_words(each.foreseen, "choice", "choices")
    first, named = (percent(count / each.foreseen) for count in (each.first, each.named))
    return f"{first} of {whose} were its first guess, {named} among its first three (of {seen})."
