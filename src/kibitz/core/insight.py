"""Insight: a model's beliefs, predictions and explanations after an event, as one structure.

Models return it, moments and records carry it, and `core.wording` turns it into English.
"""

from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import TypeAlias

import msgspec

Belief: TypeAlias = dict[str, float]
"""Label to probability."""
Beliefs: TypeAlias = dict[str, list[Belief]]
"""For each model by its label, the belief about each player."""

UNKNOWN = "unknown"
"""The label of a player who fits none of a model's labels."""
EQUAL = 0.005
"""Shares closer than this count as equal."""
CERTAIN = 1e-12
"""Smallest distance of a probability from 0 and 1 when its odds are taken."""


class Claim(msgspec.Struct, frozen=True, omit_defaults=True):
    """A possible label of a player, with its probability."""

    label: str
    share: float
    title: str = ""
    """The name for people; by default the label."""

    @property
    def name(self) -> str:
        """The name in a sentence."""
        return self.title or self.label


class Reason(msgspec.Struct, frozen=True, omit_defaults=True):
    """A move or a habit that supports the leading claim (log-odds above 0) or speaks against it."""

    what: str
    """The move in the game's notation, or the habit in words."""
    log_odds: float
    ply: int | None = None
    """The ply of the move; None for a habit."""


class Explanation(msgspec.Struct, frozen=True, omit_defaults=True):
    """The reasons for a model's belief about one player."""

    claims: tuple[Claim, ...] = ()
    """The leading claim; more than one if they are equally likely; none if the model does not say."""
    rival: Claim | None = None
    """The next claim."""
    reasons: tuple[Reason, ...] = ()
    """The reasons, strongest first."""
    choices: int = 0
    """Number of choices of the player that were seen."""
    question: str = "strategy"
    """The question that the claims answer: strategy, goal, type …"""
    exact: bool = True
    """Whether all possibilities were weighed, not a sample of them."""
    known: bool = False
    """Whether the leading claim is a fact, not an inference."""
    notes: tuple[str, ...] = ()
    """Further remarks, each a clause."""

    @property
    def margin(self) -> float:
        """The lead of the first claim over the next one."""
        if len(self.claims) != 1:
            return 0.0
        return self.claims[0].share - (self.rival.share if self.rival is not None else 0.0)

    @property
    def enough(self) -> bool:
        """Whether the evidence decides between the claims."""
        return self.known or (self.choices > 0 and self.margin >= 0.5)


class Prediction(msgspec.Struct, frozen=True):
    """An action that a player may choose now, with its probability."""

    action: int
    share: float
    notation: str


class Insight(msgspec.Struct, frozen=True, omit_defaults=True):
    """The beliefs, predictions and explanations of one model at one moment."""

    label: str
    """The label of the model."""
    seat: int | None = None
    """The seat it watches from; None is a spectator's."""
    beliefs: tuple[Belief, ...] = ()
    """About each player."""
    predictions: dict[int, tuple[Prediction, ...]] = {}
    """The likeliest actions of each player to move."""
    explanations: tuple[Explanation, ...] = ()
    """About each player."""
    error: str = ""
    """Why the model stopped watching, if it did."""

    def about(self, players: Sequence[int]) -> "Insight":
        """The part about some players."""
        return msgspec.structs.replace(
            self,
            beliefs=tuple(belief if player in players else {} for player, belief in enumerate(self.beliefs)),
            predictions={player: top for player, top in self.predictions.items() if player in players},
            explanations=tuple(
                each if player in players else Explanation() for player, each in enumerate(self.explanations)
            ),
        )


def ranked_claims(belief: Mapping[str, float], titles: Mapping[str, str] | None = None) -> list[Claim]:
    """The claims of a belief, likeliest first."""
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
    """The explanation of a belief: the leading claim, the next one, and the strongest reasons."""
    ranked = ranked_claims(belief, titles)
    level = [claim for claim in ranked if ranked[0].share - claim.share < EQUAL]  # empty if there is no belief
    rest = ranked[len(level) :]
    return Explanation(
        tuple(level), rest[0] if rest else None, tuple(reasons), choices, question, exact, notes=tuple(notes)
    )


def logit(share: float) -> float:
    """The logarithm of the odds of a probability, kept finite."""
    share = min(1.0 - CERTAIN, max(CERTAIN, share))
    return log(share / (1.0 - share))


def log_odds_gains(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """The change of each label's log-odds between two beliefs."""
    return {label: logit(share) - logit(before.get(label, 0.0)) for label, share in after.items()}


class MoveEvidence:
    """The moves of one player that changed the belief about them most, and how many choices were seen."""

    MOST = 8

    def __init__(self) -> None:
        self.choices = 0
        self.moves: list[tuple[float, int, str, dict[str, float]]] = []
        """For each move: how much it changed the belief, its ply and notation, and its log-odds for every label."""

    def add(
        self, ply: int, notation: Callable[[], str], before: Mapping[str, float], after: Mapping[str, float]
    ) -> None:
        """Count a choice; keep it if it is among the most informative."""
        self.choices += 1
        shift = sum(abs(share - before.get(label, 0.0)) for label, share in after.items()) / 2
        if shift > 0.0 and (len(self.moves) < self.MOST or shift > self.moves[-1][0]):
            self.moves.append((shift, ply, notation(), log_odds_gains(before, after)))
            self.moves.sort(key=lambda move: (-move[0], move[1]))
            del self.moves[self.MOST :]

    def reasons(self, label: str) -> list[Reason]:
        """The reasons for or against a label."""
        return [Reason(words, gains.get(label, 0.0), ply) for _, ply, words, gains in self.moves]
