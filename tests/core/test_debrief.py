"""Debriefs: the truth, when it was found, the moves that told it, and how predictable players were."""

import msgspec

from kibitz.core.debrief_wording import (
    found_sentence,
)
from kibitz.core.insight import Insight, Prediction
from kibitz.core.match.play import play
from kibitz.core.records.debrief import debrief_of
from kibitz.core.registry import make_game

GAME = "dilemma(rounds=4)"


def insight(share: float, guess: str) -> tuple[Insight, ...]:
    """A model that believes in the defector by so much, and guesses the next choice."""
    beliefs = ({"dilemma.defector": share, "dilemma.grim": 1.0 - share}, {"dilemma.grim": 1.0})
    top = (Prediction(0, 0.7, guess), Prediction(1, 0.3, "nothing"))
    return (Insight("model", None, beliefs, {0: top, 1: top}),)


def test_a_debrief_says_what_was_true_when_it_was_found_and_what_told_it() -> None:
    record = play(GAME, ["dilemma.defector", "dilemma.grim"], seed=1)
    thoughts = [
        insight(*each) for each in ((0.5, "defect"), (0.4, "cooperate"), (0.8, "defect"), (0.7, "defect"), (0.9, ""))
    ]
    found = debrief_of(make_game(GAME), record, thoughts, "strategy", 0)
    own, other = found.players
    assert own.truths == {"strategy": "dilemma.defector"}
    assert (own.known, own.label, own.found) == (True, "dilemma.defector", 2)
    assert own.line == (0.5, 0.4, 0.8, 0.7, 0.9)
    assert (own.choices, own.foreseen, own.first, own.named) == (4, 4, 3, 3)
    assert [move.choice.ply for move in found.moves] == [1, 3, 0], "the strongest first, then what spoke against it"
    assert other.found == 0
    assert found.returns == tuple(record.ending.returns if record.ending else ())


def test_a_stranger_is_called_one_not_the_likeliest_of_those_known() -> None:
    record = play(GAME, ["random", "dilemma.grim"], seed=1)
    beliefs = ({"dilemma.defector": 0.01, "unknown": 0.99}, {"dilemma.grim": 1.0})
    found = debrief_of(make_game(GAME), record, [(Insight("model", None, beliefs),)] * 5, "strategy", 0)
    words = found_sentence(found, found.players[0], ("Ann", "Ben").__getitem__, str)
    assert words == "In the end Ann was a stranger to the kibitzer (99%)."


def test_a_persons_strategy_is_their_own_and_their_card_is_told() -> None:
    record = play("kuhn(players=2)", ["kuhn.rock", "kuhn.solid"], seed=1)
    person = {"name": "a person", "person": True, "strategy": "Participant(name='a person')"}
    entries = [
        msgspec.structs.replace(entry, truths=entry.truths and [{**entry.truths[0], **person}, entry.truths[1]])
        for entry in record.entries
    ]
    record.entries = entries
    found = debrief_of(make_game("kuhn(players=2)"), record, [(Insight("model"),)] * (len(entries) + 1), "strategy")
    assert list(found.players[0].truths) == ["card"]
    assert set(found.players[1].truths) == {"card", "strategy"}
