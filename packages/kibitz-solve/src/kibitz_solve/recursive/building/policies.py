"""Policy tables (Table 1): a pair of mixed strategies per state, in CSV and JSON files."""

import csv
from collections.abc import Callable, Hashable
from functools import cached_property
from io import StringIO
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.errors import BadPolicy, reason
from kibitz.core.files import cell_text, csv_cell, write_file
from kibitz_solve.recursive.building.recursive_game import Floats, RecursiveGame

STRATEGIES = ("rows", "row_shares", "columns", "column_shares")
HEAD = ("state", "low", "high", *STRATEGIES)
LOWERED = ("level", "hope", "distance")
"""The additional columns of lowered expectations."""
SUFFIXES = (".csv", ".json")


def state_name(key: Hashable) -> str:
    """The name of a state in files and on the screen.

    >>> state_name((-4, 0)), state_name("start")
    ('(-4, 0)', 'start')
    """
    return key if isinstance(key, str) else repr(key)


class Policy(msgspec.Struct, frozen=True):
    """A player's strategy in every state: the shares of their actions, state after state."""

    player: int
    starts: NDArray[np.int64]
    shares: Floats

    def at(self, node: int) -> Floats:
        """The shares in one state."""
        return self.shares[self.starts[node] : self.starts[node + 1]]


class PolicyRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One state: its bounds, both players' strategies, and its hope if expectations were lowered."""

    state: str
    low: float
    high: float
    rows: list[str]
    row_shares: list[float]
    columns: list[str]
    column_shares: list[float]
    level: int | None = None
    """The level of lowered expectations: 0 if player 0 may win, -1 if nothing leads there."""
    hope: float | None = None
    """The least probability that player 0 reaches the level below against an opponent who slips on a brink."""
    distance: int | None = None
    """The rounds to level 0 if both go there; None if nothing leads there."""

    def __post_init__(self) -> None:
        for names, shares in ((self.rows, self.row_shares), (self.columns, self.column_shares)):
            if len(names) != len(shares) or not abs(sum(shares) - 1.0) < 1e-6 or min(shares) < 0.0:
                raise ValueError(f"the shares of state {self.state} are not a strategy: {shares}")


class PolicyTable(msgspec.Struct, frozen=True, dict=True):
    """Policies state by state."""

    rows: list[PolicyRow]

    def row(self, state: str) -> PolicyRow | None:
        """The row of a state, by its name in the table; None if the table lacks it."""
        return self._by_state.get(state)

    @cached_property
    def _by_state(self) -> dict[str, PolicyRow]:
        return {row.state: row for row in self.rows}

    def write(self, path: Path | str) -> None:
        """Write the table as .csv or .json, by its suffix."""
        if checked_suffix(path) == ".csv":
            write_file(path, self._as_csv())
        else:
            write_file(path, msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")

    @property
    def _head(self) -> tuple[str, ...]:
        """The columns of the table."""
        return HEAD if all(row.level is None for row in self.rows) else (*HEAD, *LOWERED)

    def _as_csv(self) -> str:
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self._head)
        for row in self.rows:
            strategies = [msgspec.json.encode(getattr(row, name)).decode() for name in STRATEGIES]
            lowered = [getattr(row, name) for name in self._head[len(HEAD) :]]
            writer.writerow([csv_cell(row.state), row.low, row.high, *strategies, *lowered])
        return text.getvalue()


def strategy_shares(game: RecursiveGame, strategy: core.Strategy, player: int) -> Floats:
    """The shares of a memoryless strategy that has begun as *player*, in the form that `best_response` takes."""
    return forecast_shares(game, lambda state, _: strategy.policy(state), player)


def forecast_shares(
    game: RecursiveGame, forecast: Callable[[core.State, int], core.Distribution], player: int
) -> Floats:
    """The shares that *forecast* gives *player* in every state, state after state."""
    shares: list[float] = []
    for node in range(game.choices):
        state = game.states.state(node)
        if state.current_player() in (core.SIMULTANEOUS, player):
            distribution = forecast(state.clone(), player)
            shares += [distribution.probability(action) for action in state.legal_actions(player)]
        else:
            shares.append(1.0)
    return np.array(shares)


def checked_suffix(path: Path | str) -> str:
    """The format that a file name's suffix says; raises BadPolicy if it is unknown."""
    suffix = Path(path).suffix
    if suffix not in SUFFIXES:
        raise BadPolicy(path, f"the name of a policy table ends in one of {', '.join(SUFFIXES)}")
    return suffix


def read_policies(path: Path | str) -> PolicyTable:
    """Read a policy table from a file that `PolicyTable.write` made."""
    suffix = checked_suffix(path)
    try:
        content = Path(path).read_bytes()
        if suffix == ".json":
            return msgspec.json.decode(content, type=PolicyTable)
        return PolicyTable(_from_csv(content.decode()))
    except OSError as error:
        raise BadPolicy(path, reason(error)) from None
    except (ValueError, KeyError, csv.Error, msgspec.DecodeError) as error:
        raise BadPolicy(path, f"it is not a policy table: {error}") from None


def _from_csv(text: str) -> list[PolicyRow]:
    reader = csv.DictReader(StringIO(text))
    head = tuple(reader.fieldnames or ())
    if head not in (HEAD, (*HEAD, *LOWERED)):
        raise ValueError(f"its columns are {reader.fieldnames}, not {', '.join(HEAD)}")
    return [
        msgspec.convert(
            {
                "state": cell_text(line["state"]),
                "low": float(line["low"]),
                "high": float(line["high"]),
                **{name: msgspec.json.decode(line[name]) for name in head[3:] if line[name]},
            },
            PolicyRow,
        )
        for line in reader
    ]
