"""Insight: a model's beliefs, predictions and explanations after an event, as one structure.

Models return it, moments and records carry it, and `core.wording` turns it into English.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from math import log
from typing import Literal, TypeAlias

import msgspec

Belief: TypeAlias = dict[str, float]
"""Label to probability."""
Beliefs: TypeAlias = dict[str, list[Belief]]
"""For each model by its label, the belief about each player."""

UNKNOWN = "unknown"
"""The label of a player who fits none of a model's labels."""
EQUAL = 0.005
"""Shares closer than this count as equal."""
SURE = 0.01
"""What is believed less, or more than 1 minus this, counts as settled: a move cannot tell more about it."""
NEVER = -1e12
"""The gain of a label that is excluded."""
COMPARABLE = 0.9
"""Labels that fit a match equally well, but were not so likely before it, are told apart by what was known then."""
CLEAR_LEAD = 0.5
"""Smallest lead of a claim over the next one with which the evidence is enough."""
CERTAIN = 0.95
"""Smallest probability of a claim that is certain."""
FEW = 10
"""With fewer choices than this, doubt means that it is too early."""
FEWEST = 3
"""Choices before a player counts as a stranger: an odd choice or two prove nothing."""
NAMED = 3
"""Number of reasons that an explanation gives, and of moves that a debrief names."""
CLEAR = 0.4
"""Smallest log-odds of a clear reason."""
Verdict: TypeAlias = Literal[
    "silent", "known", "nothing seen", "too early", "undecided", "alike", "stranger", "likely", "certain"
]
"""How far a belief can be trusted; see `Explanation.verdict`."""


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
    """How much it told; of a move, `evidence_of_move`."""
    ply: int | None = None
    """The ply of the move; None for a habit."""

    @property
    def clear(self) -> bool:
        """Whether it is strong enough to be named."""
        return abs(self.log_odds) >= CLEAR


class Explanation(msgspec.Struct, frozen=True, omit_defaults=True):
    """The reasons for a model's belief about one player.

    >>> from kibitz import playing
    >>> *_, last = playing("dilemma(rounds=4)", ["dilemma.defector", "dilemma.grim"], models=["strategy_filter"])
    >>> explanation = last.insights()[0].explanations[0]
    >>> explanation.verdict, [claim.label for claim in explanation.claims]
    ('likely', ['dilemma.defector'])
    """

    claims: tuple[Claim, ...] = ()
    """The leading claim; more than one if they are equally likely or alike; none if the model does not say."""
    rival: Claim | None = None
    """The next claim."""
    reasons: tuple[Reason, ...] = ()
    """The moves and habits that told most, the strongest first."""
    choices: int | None = 0
    """Number of choices of the player that were seen; None if the model does not count them."""
    question: str = "strategy"
    """The question that the claims answer: strategy, goal, type …"""
    exact: bool = True
    """Whether all possibilities were weighed, not a sample of them."""
    known: bool = False
    """Whether the leading claim is a fact, not an inference."""
    notes: tuple[str, ...] = ()
    """Further remarks, each a clause."""
    habits: tuple[str, ...] = ()
    """What a player is like who follows none of the labels: `likes pawns far apart`."""
    alike: bool = False
    """Whether every one of the claims would have led to the same choices, so that nothing seen tells them apart."""
    everyone: bool = False
    """Whether the alike claims are all the labels that the model knows."""
    recalled: int = 0
    """Number of earlier matches of the player that the model remembers."""
    margin: float = 0.0
    """The lead of the claim over the next one, or of alike claims over all others; derived from the shares."""
    verdict: Verdict = "silent"
    """How far to trust it, derived from the rest: `silent` if the model makes no claim; `known` for a fact; `nothing
    seen` before the first choice; `too early` or `undecided` without a clear lead, after few or many choices; and with
    one `alike` for several claims that nothing tells apart, `stranger` for a player who fits none of the labels (after
    a choice or two it is `too early` for that), and `likely` or `certain` for one label (no strategy is
    `certain` after a choice or two)."""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "margin", margin_of(self))
        msgspec.structs.force_setattr(self, "verdict", verdict_of(self))

    @property
    def enough(self) -> bool:
        """Whether the evidence decides between the claims."""
        return self.verdict in ("known", "stranger", "likely", "certain")


def margin_of(explanation: Explanation) -> float:
    """The lead of the leading claim over the next one; alike claims lead together, over all others."""
    claims, rival = explanation.claims, explanation.rival
    if len(claims) > 1:
        return max(0.0, 2.0 * sum(claim.share for claim in claims) - 1.0) if explanation.alike else 0.0
    return claims[0].share - (rival.share if rival is not None else 0.0) if claims else 0.0


def verdict_of(explanation: Explanation) -> Verdict:
    """How far an explanation can be trusted."""
    claims, choices = explanation.claims, explanation.choices
    if not claims or explanation.known:
        return "known" if claims else "silent"
    if choices == 0:
        return "nothing seen"
    if explanation.margin < CLEAR_LEAD or (explanation.alike and explanation.rival is None):
        return "too early" if choices is not None and choices < FEW else "undecided"
    if len(claims) > 1:
        return "alike"
    if claims[0].label == UNKNOWN:
        few = choices is not None and choices < FEWEST and not explanation.recalled
        return "too early" if few else "stranger"
    return "certain" if claims[0].share >= CERTAIN and not few_choices(explanation) else "likely"


def few_choices(explanation: Explanation) -> bool:
    """Whether a choice or two are all that was seen of a player: too few to be certain of a strategy."""
    seen = explanation.choices
    return explanation.question == "strategy" and seen is not None and 0 < seen < FEWEST and not explanation.recalled


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


class SupposedPlayer(msgspec.Struct, frozen=True):
    """Whom an agent takes another player for: the types it played against, likeliest first."""

    player: int
    claims: tuple[Claim, ...]
    trust: float = 0.0
    """The share of its simulations in which a model said what they do; in the others they played well."""


class Intention(msgspec.Struct, frozen=True):
    """What an agent means to do, what it expects of that, and against whom."""

    action: str
    value: float
    """What it expects to earn."""
    rival: tuple[str, float] | None = None
    """The next best action, and what it expects of that."""
    mixture: tuple[Claim, ...] = ()
    """If it draws its action: the actions with their probabilities, likeliest first."""
    line: tuple[str, ...] = ()
    """The moves it expects, its own first."""
    simulations: int = 0
    others: tuple[SupposedPlayer, ...] = ()
    risked: float | None = None
    """By how much it may earn less than the value of the game; None if it does not know."""


def ranked_claims(belief: Mapping[str, float], titles: Mapping[str, str] | None = None) -> list[Claim]:
    """The claims of a belief, likeliest first."""
    ranked = sorted(belief.items(), key=lambda item: (-item[1], item[0]))
    return [Claim(label, share, (titles or {}).get(label, "")) for label, share in ranked]


def explanation_of(
    belief: Mapping[str, float],
    *,
    titles: Mapping[str, str] | None = None,
    evidence: "MoveEvidence | None" = None,
    reasons: Sequence[Reason] = (),
    choices: int | None = 0,
    question: str = "strategy",
    exact: bool = True,
    notes: Sequence[str] = (),
    habits: Sequence[str] = (),
    recalled: int = 0,
) -> Explanation:
    """The explanation of a belief: the leading claim, the next one, and the strongest reasons.

    The moves of *evidence* are reasons, it counts choices, and it says which labels nothing seen tells apart.
    """
    ranked = ranked_claims(belief, titles)
    level = [claim for claim in ranked if ranked[0].share - claim.share < EQUAL]  # empty if there is no belief
    same = evidence.indistinct_from(ranked[0].label) if evidence is not None and ranked else frozenset()
    same = frozenset(each for each in same if each == UNKNOWN or belief[each] >= COMPARABLE * ranked[0].share)
    alike = len(same) > 1 and all(claim.label in same for claim in level)
    if alike:
        level = [claim for claim in ranked if claim.label in same]
    rest = [claim for claim in ranked if claim not in level]
    if evidence is not None:
        reasons, choices = [*reasons, *evidence.reasons({claim.label for claim in level})], evidence.choices
    strongest = sorted((each for each in reasons if each.log_odds), key=lambda each: -abs(each.log_odds))
    return Explanation(
        tuple(level),
        rest[0] if rest else None,
        tuple(strongest[:NAMED]),
        choices,
        question,
        exact,
        notes=tuple(notes),
        habits=tuple(habits),
        alike=alike,
        everyone=alike and all(claim.label == UNKNOWN for claim in rest),
        recalled=recalled,
    )


def named_label(insight: Insight, player: int) -> str:
    """The label that a model names for *player*: one for which the evidence is enough; empty if there is none."""
    if player < len(insight.explanations):
        explanation = insight.explanations[player]
    else:  # a record without explanations
        explanation = explanation_of(insight.beliefs[player] if insight.beliefs else {}, choices=None)
    return explanation.claims[0].label if explanation.enough else ""


def evidence_of_move(before: float, after: float) -> float:
    """How much a move told of a claim whose probability it changed: above 0 for the claim, below 0 against it.

    It is the change of the log-odds, between the probabilities that count as settled: a jump from 10 % to 97 % tells
    more than one from 99 % to certainty. Panel, debrief, records and terminal all rank moves by it.

    >>> round(evidence_of_move(0.1, 0.97), 2), round(evidence_of_move(0.99, 0.999999), 2)
    (5.67, 0.0)
    """
    then, now = (min(1.0 - SURE, max(SURE, share)) for share in (before, after))
    return log(now / (1.0 - now)) - log(then / (1.0 - then))


def most_evidence(before: Mapping[str, float], after: Mapping[str, float]) -> tuple[str, float]:
    """The label that a move told most of, and how much it told."""
    told = ((label, evidence_of_move(before.get(label, 0.0), share)) for label, share in after.items())
    return max(told, key=lambda each: abs(each[1]), default=("", 0.0))


class WeighedMove(msgspec.Struct, frozen=True):
    """A move that changed a belief: how much it told, its ply, its notation when asked, and the beliefs around it."""

    told: float
    ply: int
    notation: Callable[[], str]
    before: Mapping[str, float]
    after: Mapping[str, float]

    def evidence(self, labels: Collection[str]) -> float:
        """How much the move told of the claim that one of *labels* is true."""
        then, now = (sum(held.get(label, 0.0) for label in labels) for held in (self.before, self.after))
        return evidence_of_move(then, now)


class MoveEvidence:
    """The moves of one player that changed the belief about them most, and how many choices were seen."""

    MOST = 32

    def __init__(self) -> None:
        self.choices = 0
        self.moves: list[WeighedMove] = []
        """The moves that changed the belief most, the strongest first."""
        self.groups: dict[str, int] = {}
        """A number for every label; equal for labels that every move spoke for equally."""

    def add(
        self, ply: int, notation: Callable[[], str], before: Mapping[str, float], after: Mapping[str, float]
    ) -> None:
        """Count a choice; keep it if it is among those that told most."""
        self.choices += 1
        self.split_groups(before, after)
        self.moves.append(WeighedMove(abs(most_evidence(before, after)[1]), ply, notation, before, after))
        self.moves.sort(key=lambda move: (-move.told, move.ply))
        del self.moves[self.MOST :]

    def split_groups(self, before: Mapping[str, float], after: Mapping[str, float]) -> None:
        """Separate the labels that a move spoke for unequally."""
        numbers: dict[tuple[int, float], int] = {}
        found = {}
        for label, share in after.items():
            held = before.get(label, 0.0)
            gain = round(log(share / held), 6) if share > 0.0 and held > 0.0 else NEVER
            found[label] = numbers.setdefault((self.groups.get(label, 0), gain), len(numbers))
        self.groups = found

    def indistinct_from(self, label: str) -> frozenset[str]:
        """The labels, *label* included, that explain every choice as well as *label* does; only itself before one."""
        if self.choices == 0:
            return frozenset({label})
        return frozenset(each for each, group in self.groups.items() if group == self.groups.get(label))

    def reasons(self, labels: Collection[str]) -> list[Reason]:
        """The strongest reasons for or against the claim that one of *labels* is true."""
        told = sorted(((move.evidence(labels), move) for move in self.moves), key=lambda each: -abs(each[0]))
        return [Reason(move.notation(), evidence, move.ply) for evidence, move in told[:NAMED]]

    def __deepcopy__(self, memo: dict[int, object]) -> "MoveEvidence":
        copied = copy(self)
        copied.moves = list(self.moves)
        return copied
