"""Policy tables (Table 1): a pair of mixed strategies per state, in CSV, JSON and NumPy files."""

import csv
import zlib
from collections.abc import Callable, Hashable
from functools import cached_property
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz import core
from kibitz.core.errors import BadPolicy, reason
from kibitz.core.files import cell_text, csv_cell, write_file
from kibitz.solve.recursive.game.game import Floats, RecursiveGame

STRATEGIES = ("rows", "row_shares", "columns", "column_shares")
HEAD = ("state", "low", "high", *STRATEGIES)
LOWERED = ("level", "hope", "distance")
"""The additional columns of lowered expectations."""
SUFFIXES = (".csv", ".json", ".npz")


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
        """Write the table as .csv, .json or .npz, by its suffix."""
        suffix = checked_suffix(path)
        if suffix == ".csv":
            write_file(path, self._as_csv())
        elif suffix == ".json":
            write_file(path, msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")
        else:
            write_file(path, self._as_arrays())

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

    def _as_arrays(self) -> bytes:
        """States and actions as text, shares padded with NaN to the widest state."""
        buffer = BytesIO()
        more: dict[str, Any] = {
            name: _numbers([getattr(row, name) for row in self.rows]) for name in self._head[len(HEAD) :]
        }
        np.savez_compressed(
            buffer,
            states=np.array([row.state for row in self.rows]),
            low=np.array([row.low for row in self.rows]),
            high=np.array([row.high for row in self.rows]),
            row_actions=np.array([msgspec.json.encode(row.rows).decode() for row in self.rows]),
            column_actions=np.array([msgspec.json.encode(row.columns).decode() for row in self.rows]),
            row_shares=_padded_table([row.row_shares for row in self.rows]),
            column_shares=_padded_table([row.column_shares for row in self.rows]),
            **more,
        )
        return buffer.getvalue()


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
            found = forecast(state.clone(), player)
            shares += [found.probability(action) for action in state.legal_actions(player)]
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
        return PolicyTable(_from_csv(content.decode()) if suffix == ".csv" else _from_arrays(content))
    except OSError as error:
        raise BadPolicy(path, reason(error)) from None
    except (ValueError, KeyError, csv.Error, msgspec.DecodeError) as error:
        raise BadPolicy(path, f"it is not a policy table: {error}") from None


def read_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of an .npz file; raises ValueError if it is not one or damaged."""
    try:
        with np.load(BytesIO(content), allow_pickle=False) as kept:
            return {name: kept[name] for name in kept.files}
    except (BadZipFile, EOFError, OSError, zlib.error) as error:
        raise ValueError(str(error)) from None


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


def _from_arrays(content: bytes) -> list[PolicyRow]:
    columns = read_arrays(content)
    lowered = [name for name in LOWERED if name in columns]
    return [
        msgspec.convert(
            {
                "state": str(columns["states"][place]),
                "low": float(columns["low"][place]),
                "high": float(columns["high"][place]),
                "rows": msgspec.json.decode(str(columns["row_actions"][place])),
                "row_shares": _shares(columns["row_shares"][place]),
                "columns": msgspec.json.decode(str(columns["column_actions"][place])),
                "column_shares": _shares(columns["column_shares"][place]),
                **{name: _number(columns[name][place]) for name in lowered},
            },
            PolicyRow,
        )
        for place in range(len(columns["states"]))
    ]


def _shares(padded: Floats) -> list[float]:
    kept: list[float] = padded[~np.isnan(padded)].tolist()
    return kept


def _padded_table(lists: list[list[float]]) -> Floats:
    table = np.full((len(lists), max(map(len, lists), default=0)), np.nan)
    for place, shares in enumerate(lists):
        table[place, : len(shares)] = shares
    return table


def _numbers(found: list[int | float | None]) -> Floats:
    """Numbers as floats, NaN for None."""
    return np.array([np.nan if number is None else number for number in found], np.float64)


def _number(found: float) -> int | float | None:
    """A float as the number it was before, None for NaN."""
    if np.isnan(found):
        return None
    return int(found) if float(found).is_integer() else float(found)
