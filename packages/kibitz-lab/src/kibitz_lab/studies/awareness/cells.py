"""The cells of the matrix: who plays what against whom, told what; and how often a cell has to be played."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from kibitz.core.errors import BadDefinition
from kibitz.core.registry import entries, make_game, spec_of
from kibitz.core.specs import parse_spec
from kibitz_lab.arena.statistics import Estimate, mean_interval
from kibitz_lab.studies.awareness.arms import ARMS, MODEL, TRUTH, agent_spec, told_model
from kibitz_lab.studies.study import names_in
from kibitz_lab.testing.strangers import players_of

KNOWN, STRANGERS, ADAPTING = "known", "strangers", "adapting"
OPPONENTS = (KNOWN, STRANGERS, ADAPTING)
LEAST = 0.02
"""The smallest gain of interest, as a share of the range of the game's returns; also the most that may be lost."""
ALPHA = 0.05
"""The chance that any interval of the study is wrong, all cells and all looks together (Bonferroni)."""
USUAL = "usual"
"""The name in the settings of the model that watches a game by default."""

Verdict = Literal["gains", "loses", "no difference", "not worse", "undecided"]


class Cell(msgspec.Struct, frozen=True, order=True):
    """An agent in a game, told something of opponents of one kind."""

    game: str
    agent: str
    model: str
    arm: str
    opponents: str

    def levels(self) -> dict[str, str]:
        """The cell as the entries of a case or a row."""
        found: dict[str, str] = msgspec.to_builtins(self)
        return found


def cell_of(row: Mapping[str, Any]) -> Cell:
    """The cell of a case or a row."""
    return Cell(**{name: row[name] for name in Cell.__struct_fields__})


def all_cells(settings: Mapping[str, Any]) -> list[Cell]:
    """The cells that the settings ask for; a control that serves several rows is there once."""
    found: dict[Cell, None] = {}
    for game in names_in(settings, "awareness", "games"):
        for agent in names_in(settings, "awareness", "agents"):
            agent_spec(agent, spec_of(make_game(game)).name)  # an unknown name is refused before anything is played
            for model in models_for(game, names_in(settings, "awareness", "models")):
                for cell in row_cells(game, agent, model, names_in(settings, "awareness", "opponents")):
                    found.setdefault(cell)
    return list(found)


def row_cells(game: str, agent: str, model: str, opponents: Sequence[str]) -> Iterator[Cell]:
    """The cells of one row of the matrix, its controls included."""
    for kind in opponents:
        if kind not in OPPONENTS:
            raise BadDefinition("awareness", f"opponents: {kind!r} is none of {', '.join(OPPONENTS)}")
        for arm in ARMS:
            yield control_cell(Cell(game, agent, model, MODEL, kind), arm)


def control_cell(cell: Cell, arm: str) -> Cell:
    """The same cell with another arm; controls depend on the model only by its kind."""
    model = cell.model if arm == MODEL else told_model(cell.model)
    return msgspec.structs.replace(cell, model=model, arm=arm)


def models_for(game: str, models: Sequence[str]) -> list[str]:
    """The models that may watch *game*: those of other games are left out."""
    made = make_game(game)
    name = spec_of(made).name
    found = []
    for text in models:
        model = made.usual_model if text == USUAL else text
        owner, dot, _ = parse_spec(model).name.rpartition(".")
        if not dot or owner not in entries("game") or owner == name:
            found.append(model)
    return list(dict.fromkeys(found))


def opponents_of(game: str, kind: str, adapters: Sequence[str]) -> list[str]:
    """The specs of the opponents of one kind."""
    made = make_game(game)
    if kind == ADAPTING:
        return list(adapters)
    known, strangers = players_of(made)
    return known if kind == KNOWN else [each.spec for each in strangers]


def cost_cell(cell: Cell) -> Cell:
    """The cell that is measured for the cost of this one: against the known players."""
    return msgspec.structs.replace(cell, opponents=KNOWN)


def refusal_of(cell: Cell) -> str:
    """Why a cell cannot be played whatever the game; empty if it can."""
    if cell.arm == TRUTH and cell.opponents == ADAPTING:
        return "who adapts has no fixed strategy, so there is no truth to tell"
    return ""


class CellTest:
    """The gains of a cell so far, block by block, and whether its question is answered."""

    def __init__(self, cell: Cell, intervals: int) -> None:
        """*intervals* is how many intervals are looked at in the whole study, which share the chance of an error."""
        self.cell, self.level = cell, 1.0 - ALPHA / max(intervals, 1)
        self.gains: list[float] = []
        self.plain: list[float] = []
        """What the agent without a model earned, as shares of the range above its lowest."""
        self.seconds = 0.0
        self.strikes = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Take the blocks of a row."""
        self.gains += [min(1.0, max(-1.0, gain)) for gain in row["gains"]]
        self.plain += row["plain"]
        self.seconds += row["cpu"]
        self.strikes += row["strikes"]

    @property
    def estimate(self) -> Estimate | None:
        """The mean gain with its interval; None before the first block."""
        return mean_interval(self.gains, level=self.level, bounds=(-1.0, 1.0)) if self.gains else None

    @property
    def verdict(self) -> Verdict:
        """The answer so far."""
        found = self.estimate
        if found is None:
            return "undecided"
        if found.low > 0.0:
            return "gains"
        if found.high < 0.0:
            return "loses"
        if found.low > -LEAST:
            return "no difference" if found.high < LEAST else "not worse"
        return "undecided"

    @property
    def is_decided(self) -> bool:
        """Whether more blocks are not needed: against known players it has to be clear whether it gains, against others
        whether it loses more than LEAST; a small loss that is certain does not answer that."""
        found = self.estimate
        if found is None or self.cell.arm != MODEL:
            return self.verdict != "undecided"
        if self.cell.opponents == KNOWN:
            return self.verdict not in ("undecided", "not worse")
        return found.low > -LEAST or found.high < -LEAST
