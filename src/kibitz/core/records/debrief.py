"""The debrief of a match: what a model believed of each player, which moves told it, and how well it foresaw them.

It is made of a record and of a model's insights at every moment; `core.debrief_wording` puts it into words.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from kibitz.core.game import CHANCE, SIMULTANEOUS, Game
from kibitz.core.insight import EQUAL, UNKNOWN, Insight, logit
from kibitz.core.match.choices import Choices
from kibitz.core.records.records import Record

NAMED = 3
"""Number of moves named that told most."""
PERSON, STRATEGY = "person", "strategy"
WHO = ("name", PERSON)
"""Truths that are no secrets."""


class ChosenAction(msgspec.Struct, frozen=True):
    """An action that a player chose, and the number of events before it."""

    player: int
    ply: int
    notation: str


class ToldMove(msgspec.Struct, frozen=True):
    """A choice that changed a model's belief, and how much it then believed of the label, before and after."""

    choice: ChosenAction
    label: str
    before: float
    after: float

    @property
    def log_odds(self) -> float:
        """How strongly the move spoke for the label."""
        return logit(self.after) - logit(self.before)


class PlayerDebrief(msgspec.Struct, frozen=True):
    """What a match told about one player."""

    player: int
    truths: dict[str, str] = {}
    """What was true: the mission, card, type or strategy of the player, as far as the record says."""
    label: str = ""
    """The label that the belief is measured by: the true one, or the one that the model held last."""
    known: bool = False
    """Whether that is the true one."""
    line: tuple[float, ...] = ()
    """The belief in that label at the start and after every event."""
    rivals: dict[str, tuple[float, ...]] = {}
    """The beliefs in the strongest other labels."""
    found: int | None = None
    """The number of events after which it was the likeliest label for good; None: never."""
    choices: int = 0
    foreseen: int = 0
    """Choices with a prediction."""
    first: int = 0
    """Choices that were the model's first guess."""
    named: int = 0
    """Choices that were among its three guesses."""


class Debrief(msgspec.Struct, frozen=True):
    """What a match told a model about its players."""

    model: str
    question: str
    plies: int
    returns: tuple[float, ...]
    reason: str
    forfeits: tuple[int, ...]
    last: ChosenAction | None
    """The last choice."""
    players: tuple[PlayerDebrief, ...]
    moves: tuple[ToldMove, ...]
    """The choices that told most: those of the player it is for, then those of others."""


def debrief_of(
    game: Game, record: Record, thoughts: Sequence[Sequence[Insight]], question: str, player: int | None = None
) -> Debrief:
    """The debrief of a complete record for *player* (None: for a spectator), by the first of each moment's insights."""
    assert record.ending is not None, "the match is over"
    insights = [next(iter(thought), Insight("")) for thought in thoughts]
    made = list(choices_of(game, record))
    players = tuple(player_debrief(record, insights, question, made, each) for each in range(game.players))
    ending = record.ending
    return Debrief(
        insights[0].label if insights else "",
        question,
        len(record.entries),
        tuple(ending.returns),
        ending.reason,
        tuple(ending.forfeits),
        made[-1] if made else None,
        players,
        told_most(insights, made, players, player),
    )


def choices_of(game: Game, record: Record) -> Iterator[ChosenAction]:
    """What players chose, in order."""
    header = record.header
    chosen = Choices(game.players, given=header.given, opening=header.opening, strikes=header.strikes)
    for entry in record.entries:
        movers = tuple(range(game.players)) if entry.player == SIMULTANEOUS else (entry.player,)
        own = chosen.of(movers, entry)
        if entry.player != CHANCE:
            for mover, notation, chose in zip(movers, entry.actions, own or (True,) * len(movers), strict=False):
                if chose:
                    yield ChosenAction(mover, entry.ply, notation)


def player_debrief(
    record: Record, insights: Sequence[Insight], question: str, made: Sequence[ChosenAction], player: int
) -> PlayerDebrief:
    """What a match told about one player."""
    beliefs = [each.beliefs[player] if player < len(each.beliefs) else {} for each in insights]
    truths = last_truths(record, player)
    last = beliefs[-1] if beliefs else {}
    truth = truths.get(question, "")
    known = any(truth in belief for belief in beliefs)
    strange = last.get(UNKNOWN, 0.0) >= 0.5
    ranked = sorted(last, key=lambda label: (label == UNKNOWN and not strange, -last[label], label))
    label = truth if known else next(iter(ranked), "")
    lines = {each: tuple(belief.get(each, 0.0) for belief in beliefs) for each in ranked}
    others = sorted((each for each in lines if each != label), key=lambda each: -max(lines[each]))
    own = [choice for choice in made if choice.player == player]
    foreseen = [(choice, top) for choice in own if (top := guesses(insights, choice))]
    return PlayerDebrief(
        player,
        truths,
        label,
        known,
        lines.get(label, tuple(belief.get(label, 0.0) for belief in beliefs)),
        {each: lines[each] for each in others[:2]},
        found_at(beliefs, label),
        len(own),
        len(foreseen),
        sum(choice.notation == top[0] for choice, top in foreseen),
        sum(choice.notation in top for choice, top in foreseen),
    )


def last_truths(record: Record, player: int) -> dict[str, str]:
    """The last truths of a player, in text."""
    lines = (entry.truths for entry in reversed(record.entries) if entry.truths is not None)
    truths: list[dict[str, Any]] = next(lines, record.header.truths)
    held = truths[player] if player < len(truths) else {}
    if PERSON in held:  # their strategy is their own
        held = {name: value for name, value in held.items() if name != STRATEGY}
    return {name: truth_text(value) for name, value in held.items() if name not in WHO and value not in (None, [], "")}


def truth_text(value: Any) -> str:
    """A truth as text."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


def guesses(insights: Sequence[Insight], choice: ChosenAction) -> list[str]:
    """The model's guesses of a choice, in notation, the likeliest first; empty if it made none."""
    top = insights[choice.ply].predictions.get(choice.player, ()) if choice.ply < len(insights) else ()
    return [each.notation for each in top]


def found_at(beliefs: Sequence[dict[str, float]], label: str) -> int | None:
    """After how many events *label* was the likeliest for good; None: never."""
    found: int | None = None
    for number, belief in enumerate(beliefs):
        rival = max((share for other, share in belief.items() if other != label), default=0.0)
        leads = belief.get(label, 0.0) > rival + EQUAL
        found = (number if found is None else found) if leads else None
    return found


def told_most(
    insights: Sequence[Insight], made: Sequence[ChosenAction], players: Sequence[PlayerDebrief], player: int | None
) -> tuple[ToldMove, ...]:
    """The choices that spoke most for the labels of their players; those of *player* come first."""
    moves = []
    for choice in made:
        line, label = players[choice.player].line, players[choice.player].label
        if choice.ply + 1 < len(line):
            moves.append(ToldMove(choice, label, line[choice.ply], line[choice.ply + 1]))
    ranked = sorted(moves, key=lambda move: (move.choice.player != player and player is not None, -move.log_odds))
    telling = [move for move in ranked if move.log_odds > 0.0]
    return tuple([*telling, *(move for move in ranked if move.log_odds <= 0.0)][:NAMED])
