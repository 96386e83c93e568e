"""`trails.predictors`: decision trees that predict answers, transfers and offers, learned from recorded games."""

import copy
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kibitz import core
from kibitz.core.errors import BadProgram
from kibitz.core.files import changed_at, read_versioned, write_file
from kibitz.core.insight import Explanation
from kibitz.core.wording import count_words
from kibitz.games.trails.models.questions import (
    COLUMNS,
    TARGETS,
    TRANSFERS,
    FeatureSet,
    MetaProposal,
    answering,
    layout,
    offering,
    question_about,
    sending,
)
from kibitz.games.trails.situation import BASE_RATES, History
from kibitz.games.trails.state import State, Trails
from kibitz.learn.examples import Label, Value
from kibitz.learn.programs import Program

FORMAT, VERSION = "kibitz trails predictors", 1
USUAL: dict[str, dict[Label, float]] = {
    "response": {"accept": BASE_RATES["accept"], "reject": 1.0 - BASE_RATES["accept"]},
    "transfer": {name: BASE_RATES[name] for name in TRANSFERS},
    "proposing": {"offer": 0.5, "pass": 0.5},
    "proposal": {},
}
"""What is expected where no game taught anything: the rates of peer-designed agents (Pozin 2010)."""


class PredictorPrograms(msgspec.Struct, frozen=True, dict=True):
    """What was learned: the features, a program for each table, and how it was made."""

    features: FeatureSet
    programs: Mapping[str, Program]
    made: dict[str, Any] = {}

    def shares(self, values: Sequence[Value], tables: Sequence[str]) -> list[dict[Label, float]]:
        """The share of every label of some tables."""
        columns = COLUMNS[self.features]
        row = np.array([[column.encode_value(value, "row") for column, value in zip(columns, values, strict=True)]])
        found = []
        for table in tables:
            if table not in self.programs:
                found.append(dict(USUAL[table]))
                continue
            shares = self.programs[table].coded_distributions(row)[0].tolist()
            found.append(dict(zip(self.programs[table].labels, shares, strict=True)))
        return found


class _PredictorFile(msgspec.Struct, frozen=True):
    """The same as JSON holds it."""

    format: str
    version: int
    features: FeatureSet
    programs: dict[str, msgspec.Raw]
    made: dict[str, Any] = {}


def write_predictors(found: PredictorPrograms, path: Path | str) -> None:
    """Write what was learned, a line for every program."""
    programs = {name: msgspec.Raw(compact(program)) for name, program in found.programs.items()}
    text = msgspec.json.encode(_PredictorFile(FORMAT, VERSION, found.features, programs, found.made)).decode()
    for name in programs:
        text = text.replace(f'"{name}":{{"learner"', f'\n"{name}":{{"learner"', 1)
    write_file(path, text + "\n")


def compact(program: Program) -> bytes:
    """A program as JSON without blanks."""
    return msgspec.json.format(program.to_json(), indent=-1)


def read_predictors(path: Path | str) -> PredictorPrograms:
    """What a file holds, checked; a file that did not change is read once."""
    return _read(str(path), changed_at(path, BadProgram, "train some first"))


@lru_cache(maxsize=8)
def _read(path: str, changed: int) -> PredictorPrograms:
    kept = read_versioned(path, _PredictorFile, (FORMAT, VERSION), BadProgram, "predictors of Colored Trails")
    for name in kept.programs:
        if name not in TARGETS:
            raise BadProgram(path, f"the game asks nothing that {name} answers")
    there = [table for table in TARGETS if table in kept.programs]
    if not there:
        raise BadProgram(path, "there is no predictor in it")
    programs = {table: Program.from_json(bytes(kept.programs[table]), f"{path}: {table}") for table in there}
    for table, program in programs.items():
        wanted = layout(table, kept.features)
        if program.columns != wanted.columns or not set(wanted.target.values) <= set(program.labels):
            raise BadProgram(path, f"{table}: its columns or labels are not those of {kept.features} features")
    return PredictorPrograms(kept.features, programs, kept.made)


DATA = Path(__file__).parent.parent / "data"
LIKELY = 6
"""How many of the likeliest meta-proposals are considered."""
NOTHING_KEPT = {"none": 1.0, "some": 0.0, "all": 0.0}
"""What is sent where nothing was promised."""


class Predictors(core.Model):
    """The four predictors of Carr et al. (2009), on the features of Pozin (2010).

    *trained* is a file that `kibitz train` wrote; without it, the file that comes with the game. *features* are the
    eight of the thesis, or those and twenty more.
    """

    answers = ("action",)
    trainer = "kibitz.games.trails.models.training:train"
    follows_lines = True
    learns_a_file = True
    learns_from_rows = True
    preset: PredictorPrograms | None = None
    """Programs just learned, which no file holds yet."""

    def __init__(self, trained: str = "", features: FeatureSet = "extended") -> None:
        self.trained, self.features = trained, features

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        self.check_game(game)
        self.history = History()
        try:
            self.learned = self.preset or read_predictors(self.path)
        except BadProgram as error:
            raise core.Unsupported(self, game, error.message) from None
        if self.learned.features != self.features:
            raise core.Unsupported(self, game, f"it was trained with features={self.learned.features}")

    @property
    def path(self) -> Path:
        """The file to read."""
        return Path(self.trained) if self.trained else DATA / f"predictors_{self.features}.json"

    def observe(self, transition: core.Transition) -> None:
        self.history.observe(transition)

    def shares(self, view: State, about: int, *tables: str) -> list[dict[Any, float]]:
        """How likely each label of some tables is for *about* on *view*."""
        values = question_about(view, about).features(self.history.without_unchosen(about), self.features)
        return self.learned.shares(values, tables)

    def predict(self, view: core.State, player: int) -> core.Distribution:
        assert isinstance(view, State)
        if player not in (view.proposer, view.partner):
            return super().predict(view, player)
        match view.phase:
            case "offer":
                return self.expected_offer(view, player)
            case "answer":
                (answers,) = self.shares(view, player, "response")
                return answering(answers["accept"], view, player)
            case "exchange":
                (kept,) = self.shares(view, player, "transfer") if view.offer else [NOTHING_KEPT]
                return sending(kept, view, player)
        return super().predict(view, player)

    def expected_offer(self, view: State, player: int) -> core.Distribution:
        """What a proposer offers, if anything."""
        proposing, metas = self.shares(view, player, "proposing", "proposal")
        likely = sorted(metas, key=lambda text: -metas[text])[:LIKELY]
        found = {MetaProposal.of(text): metas[text] for text in likely}
        return offering(proposing["offer"], found, view, question_about(view, player))

    def check_game(self, game: core.Game) -> None:
        """Raise Unsupported for any other game."""
        if not isinstance(game, Trails):
            raise core.Unsupported(self, game, "it watches Colored Trails only")

    def check_training(self, game: core.Game) -> None:
        self.check_game(game)

    def clone(self) -> "Predictors":
        """An independent copy; what was learned is shared."""
        copied = copy.copy(self)
        if "history" in vars(self):  # a match has begun
            copied.history = copy.copy(self.history)
        return copied

    def explain(self, player: int) -> Explanation:
        made = self.learned.made.get("records")
        exchanges = self.history.without_unchosen(player).exchanges
        deals = sum(each.promised is not None and player in each.pair for each in exchanges)
        like = f"is expected to act as players did in {made or 'earlier'} games"
        seen = f"after {count_words(deals, 'deal', 'deals')}" if deals else "before any deal"
        return Explanation(choices=None, question="action", notes=(f"{like} {seen}",))
