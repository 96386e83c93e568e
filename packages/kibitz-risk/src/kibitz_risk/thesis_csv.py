"""Writes CSV files like Khan's (2013, 5.3): every player's mission, outcome, and explanations turn by turn."""

from collections.abc import Mapping, Sequence

import msgspec

from kibitz.core.errors import BadRecord
from kibitz.core.files import csv_cell
from kibitz.core.records import Record
from kibitz.core.records.replay import replaying
from kibitz.core.registry import make_game
from kibitz.core.seeds import stream
from kibitz_risk.game import State, turn_ended
from kibitz_risk.models.explanations import Explanations

WINNER, LOSER = "WINNER", "LOSER"


class PlayerReport(msgspec.Struct, frozen=True):
    """What a file says of one player; all probabilities have as many columns as there are turn ends."""

    name: str
    won: bool
    mission: str
    explanations: Mapping[str, tuple[float, ...]]

    @property
    def turns(self) -> int:
        """Turn ends, single placements of the setup included."""
        return len(next(iter(self.explanations.values()), ()))


def csv_text(players: Sequence[PlayerReport]) -> str:
    """The text of a file."""
    lines = []
    for each in players:
        heads = [f"Turn {turn}" for turn in range(1, each.turns + 1)]
        lines += [csv_cell(each.name), WINNER if each.won else LOSER, ", ".join([csv_cell(each.mission), *heads])]
        lines += [", ".join([csv_cell(label), *map(repr, values)]) for label, values in each.explanations.items()]
    return "\n".join(lines) + "\n"


def player_reports(record: Record, model: Explanations | None = None) -> list[PlayerReport]:
    """What a file says of every player of a record, as the recogniser of the thesis sees it from outside."""
    recogniser = model or Explanations()
    recogniser.begin(make_game(record.header.game), None, stream(record.header.seed, "model", 0))
    columns: list[list[dict[str, float]]] = [[] for _ in record.header.agents]
    last: State | None = None
    for moment in replaying(record):
        if moment.event is None:
            continue
        before, after = moment.event.before.state, moment.state
        assert isinstance(before, State)
        assert isinstance(after, State)
        last = after
        recogniser.observe(moment.event.transition(None))
        if turn_ended(before, after):
            for player, column in enumerate(columns):
                column.append(recogniser.explanation_probabilities(player))
    if last is None:
        raise BadRecord("record", "no move was made in it")
    return [_player_report(record, last, player, column) for player, column in enumerate(columns)]


def _player_report(record: Record, last: State, player: int, column: Sequence[Mapping[str, float]]) -> PlayerReport:
    """One player, with the beliefs about them at every turn end."""
    name = record.header.truths[player].get("name", f"player {player}")
    won = record.ending is not None and record.ending.returns[player] > 0
    mission = last.game.mission_deck[last.missions[player]].text.replace(",", "")
    labels = column[0] if column else {}
    return PlayerReport(name, won, mission, {label: tuple(each[label] for each in column) for label in labels})
