"""Turns what agents mean to do into English; the only place that does."""

from collections.abc import Callable

from kibitz.core.insight import Intention, SupposedPlayer
from kibitz.core.wording import MOST, MOST_CLAIMS, NEGLIGIBLE, Name, claim_name, join_words, percent

LITTLE = 0.0005
"""A risk below this is called none."""


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
