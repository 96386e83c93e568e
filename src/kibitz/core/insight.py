"""Insight: what a model thinks after an event — who each player is, what comes next, and why — as one structure.

Models return it, moments and records carry it, and `core.wording` makes English of it.
"""

from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import TypeAlias

import msgspec

Belief: TypeAlias = dict[str, float]
"""Label to probability."""
Beliefs: TypeAlias = dict[str, list[Belief]]
"""Of each watcher by its label: the belief about each player."""

UNKNOWN = "unknown"
"""The label of a player who is none of those a model knows."""
EQUAL = 0.005
"""Shares closer than this count as equal."""
CERTAIN = 1e-12
"""Odds are taken no further than this from impossible and from certain."""


class Claim(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something a player may be, and how likely that is."""

    label: str
    share: float
    title: str = ""
    """What people call it; the label where nothing else is said."""

    @property
    def name(self) -> str:
        """What it is called in a sentence."""
        return self.title or self.label


class Reason(msgspec.Struct, frozen=True, omit_defaults=True):
    """A move or a habit that told for the leading claim (log-odds above 0) or against it."""

    what: str
    """The move in the game's notation, or the habit in words."""
    log_odds: float
    ply: int | None = None
    """When it happened; None where it is no single event."""


class Explanation(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a model believes what it believes of one player."""

    claims: tuple[Claim, ...] = ()
    """The leading claim; more than one where they are equally likely; none where nothing is said."""
    rival: Claim | None = None
    """The next claim."""
    reasons: tuple[Reason, ...] = ()
    """What told most, the strongest first."""
    choices: int = 0
    """So many choices of the player were seen."""
    question: str = "strategy"
    """What the claims answer: strategy, goal, type …"""
    exact: bool = True
    """Whether all possibilities were weighed, not a sample of them."""
    known: bool = False
    """Whether the leading claim is a fact, not an inference."""
    notes: tuple[str, ...] = ()
    """Further remarks, each a clause."""

    @property
    def margin(self) -> float:
        """By how much the leading claim is ahead of the next one."""
        if len(self.claims) != 1:
            return 0.0
        return self.claims[0].share - (self.rival.share if self.rival is not None else 0.0)

    @property
    def enough(self) -> bool:
        """Whether what was seen decides between the claims."""
        return self.known or (self.choices > 0 and self.margin >= 0.5)


class Prediction(msgspec.Struct, frozen=True):
    """An action a player may choose now, and how likely that is."""

    action: int
    share: float
    notation: str


class Insight(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one watcher thinks at one moment."""

    label: str
    """The watcher's."""
    seat: int | None = None
    """The seat it watches from; None is an outsider's."""
    beliefs: tuple[Belief, ...] = ()
    """About each player."""
    predictions: dict[int, tuple[Prediction, ...]] = {}
    """Of each player who chooses now, the likeliest actions."""
    explanations: tuple[Explanation, ...] = ()
    """About each player."""
    error: str = ""
    """Why the model stopped watching, where it did."""

    def about(self, players: Sequence[int]) -> "Insight":
        """What is said of some players alone."""
        return msgspec.structs.replace(
            self,
            beliefs=tuple(belief if player in players else {} for player, belief in enumerate(self.beliefs)),
            predictions={player: top for player, top in self.predictions.items() if player in players},
            explanations=tuple(
                each if player in players else Explanation() for player, each in enumerate(self.explanations)
            ),
        )


def ranked_claims(belief: Mapping[str, float], titles: Mapping[str, str] | None = None) -> list[Claim]:
    """What a belief says, the likeliest first."""
    ranked = sorted(belief.items(), key=lambda item: (-item[1], item[0]))
    return [Claim(label, share, (titles or {}).get(label, "")) for label, share in ranked]


def explanation_of(
    belief: Mapping[str, float],
    *,
    titles: Mapping[str, str] | None = None,
    reasons: Sequence[Reason] = (),
    choices: int = 0,
    question: str = "strategy",
    exact: bool = True,
    notes: Sequence[str] = (),
) -> Explanation:
    """The explanation of a belief: who leads, who comes next, and what told most."""
    ranked = ranked_claims(belief, titles)
    level = [claim for claim in ranked if ranked[0].share - claim.share < EQUAL]  # none where there is no belief
    rest = ranked[len(level) :]
    return Explanation(
        tuple(level), rest[0] if rest else None, tuple(reasons), choices, question, exact, notes=tuple(notes)
    )


def logit(share: float) -> float:
    """The logarithm of the odds of a probability, kept finite."""
    share = min(1.0 - CERTAIN, max(CERTAIN, share))
    return log(share / (1.0 - share))


def log_odds_gains(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """By how much the log-odds of every label rose between two beliefs."""
    return {label: logit(share) - logit(before.get(label, 0.0)) for label, share in after.items()}


class MoveEvidence:
    """The moves of one player that changed the belief about them most, and how many choices were seen."""

    MOST = 8

    def __init__(self) -> None:
        self.choices = 0
        self.moves: list[tuple[float, int, str, dict[str, float]]] = []
        """How much of the belief each moved, its ply and notation, and the log-odds it added to every label."""

    def add(
        self, ply: int, notation: Callable[[], str], before: Mapping[str, float], after: Mapping[str, float]
    ) -> None:
        """Count a choice; keep it if it is among those that told most."""
        self.choices += 1
        shift = sum(abs(share - before.get(label, 0.0)) for label, share in after.items()) / 2
        if shift > 0.0 and (len(self.moves) < self.MOST or shift > self.moves[-1][0]):
            self.moves.append((shift, ply, notation(), log_odds_gains(before, after)))
            self.moves.sort(key=lambda move: (-move[0], move[1]))
            del self.moves[self.MOST :]

    def reasons(self, label: str) -> list[Reason]:
        """What told for or against a label."""
        return [Reason(words, gains.get(label, 0.0), ply) for _, ply, words, gains in self.moves]
