"""The facts of a debrief: what a model believed of each player, which moves told it most, how well it predicted them.

They are made of a record and of a model's insights at every moment; `debrief_sentences` puts them into words.
"""

from collections.abc import Iterator, Sequence

import msgspec

from kibitz.core.game import Game
from kibitz.core.insight import NAMED, UNKNOWN, Insight, evidence_of_move, named_label
from kibitz.core.records import Ending, Record
from kibitz.core.records.replay import Replay

PERSON, STRATEGY = "person", "strategy"
WHO = ("name", PERSON)
"""Truths that are no secrets."""


class Choice(msgspec.Struct, frozen=True):
    """An action that a player chose, and the number of events before it."""

    player: int
    ply: int
    notation: str


class TellingMove(msgspec.Struct, frozen=True):
    """A choice that changed a model's belief, and how much it then believed of the label, before and after."""

    choice: Choice
    label: str
    before: float
    after: float

    @property
    def evidence(self) -> float:
        """How much the move told of the label."""
        return evidence_of_move(self.before, self.after)


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
    named: int | None = None
    """The number of events after which the model named it, and never let go; None: never."""
    predicted: int = 0
    """Choices with a prediction."""
    guessed: int = 0
    """Choices that were the model's first guess."""


class Debrief(msgspec.Struct, frozen=True):
    """What a match told a model about its players."""

    question: str
    ending: Ending
    last: Choice | None
    """The last choice."""
    players: tuple[PlayerDebrief, ...]
    moves: tuple[TellingMove, ...]
    """The choices that told most: those of the player it is for, then those of others."""


def debrief_of(
    game: Game, record: Record, thoughts: Sequence[Sequence[Insight]], question: str, player: int | None = None
) -> Debrief:
    """The debrief of a complete record for *player* (None: for a spectator), by the first of each moment's insights."""
    assert record.ending is not None, "the match is over"
    insights = [next(iter(thought), Insight("")) for thought in thoughts]
    choices = list(choices_of(game, record))
    players = tuple(player_debrief(record, insights, question, choices, each) for each in range(game.players))
    moves = telling_moves(choices, players, player)
    return Debrief(question, record.ending, choices[-1] if choices else None, players, moves)


def choices_of(game: Game, record: Record) -> Iterator[Choice]:
    """What players chose, in order."""
    for moment in Replay(record, game=game).moments():
        if (event := moment.event) is not None:
            for player, action in event.choices():
                yield Choice(player, event.ply, event.before.state.action_to_string(player, action))


def player_debrief(
    record: Record, insights: Sequence[Insight], question: str, choices: Sequence[Choice], player: int
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
    lines = {each: tuple(belief.get(each, 0.0) for belief in beliefs) for each in [label, *ranked]}
    others = sorted((each for each in ranked if each != label), key=lambda each: -max(lines[each]))
    guesses = [(choice, first_guess(insights, choice)) for choice in choices if choice.player == player]
    return PlayerDebrief(
        player,
        truths,
        label,
        known,
        lines[label],
        {each: lines[each] for each in others[:2]},
        named_at(insights, player, label),
        sum(bool(guess) for _, guess in guesses),
        sum(choice.notation == guess for choice, guess in guesses),
    )


def last_truths(record: Record, player: int) -> dict[str, str]:
    """The last truths of a player, in text; a person's strategy is their own."""
    lines = (entry.truths for entry in reversed(record.entries) if entry.truths is not None)
    truths = next(lines, record.header.truths)
    known = truths[player] if player < len(truths) else {}
    hidden = (*WHO, STRATEGY) if PERSON in known else WHO
    return {
        name: ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        for name, value in known.items()
        if name not in hidden and value not in (None, [], "")
    }


def first_guess(insights: Sequence[Insight], choice: Choice) -> str:
    """The model's likeliest prediction of a choice, in notation; empty if it made none."""
    top = insights[choice.ply].predictions.get(choice.player, ()) if choice.ply < len(insights) else ()
    return top[0].notation if top else ""


def named_at(insights: Sequence[Insight], player: int, label: str) -> int | None:
    """After how many events the model named *label*, and never let go; None: never."""
    others = [number for number, insight in enumerate(insights) if named_label(insight, player) != label]
    after = others[-1] + 1 if others else 0
    return after if after < len(insights) else None


def telling_moves(
    choices: Sequence[Choice], players: Sequence[PlayerDebrief], player: int | None
) -> tuple[TellingMove, ...]:
    """The choices that spoke most for the labels of their players; those of *player* come first."""
    moves = []
    for choice in choices:
        line = players[choice.player].line
        if choice.ply + 1 < len(line):
            moves.append(TellingMove(choice, players[choice.player].label, *line[choice.ply : choice.ply + 2]))

    def rank(move: TellingMove) -> tuple[bool, bool, float]:
        foreign = player is not None and move.choice.player != player
        return move.evidence <= 0.0, foreign, -move.evidence

    return tuple(sorted(moves, key=rank)[:NAMED])
