"""Trains a model on records, and measures the gain on held-out records."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import count
from math import ceil
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from kibitz import __version__
from kibitz.core.agent import Model
from kibitz.core.errors import BadDefinition, BadRecord, Unsupported, short_list
from kibitz.core.files import check_writable, make_folder
from kibitz.core.game import Game
from kibitz.core.records import Record
from kibitz.core.registry import make_game, spec_of
from kibitz.core.seeds import stream
from kibitz.core.specs import constructor_parameters
from kibitz_lab.arena.scoring.columns import Games, Question
from kibitz_lab.arena.scoring.resampling import Resampling
from kibitz_lab.arena.scoring.scores import score_records
from kibitz_lab.arena.sources import SourceRecord, check_game, open_record
from kibitz_lab.arena.statistics import Estimate
from kibitz_lab.arena.statistics.intervals import NOTHING, Counts, Floats
from kibitz_lab.arena.validation import Validation, validations
from kibitz_lab.learn.example_tables import ExampleTable, write_table
from kibitz_lab.models.training import Told, TrainedModel, trainer_of

NEEDED = 4
"""The smallest number of blocks for training: two to learn from, and two to test on."""
HELD_OUT = 1.0 / 3.0
"""The share of held-out blocks."""
MADE = ("command", "seed", "kibitz", "records", "held_out", "fingerprint", "verdict", "gains", "figures", "stopped")
"""The note of origin in a file of learned parameters."""
ALL = "all"
"""All questions together."""


class Gain(msgspec.Struct, frozen=True):
    """The log loss of the answers to one question, as in `model_scores`; the gain is the difference."""

    before: Estimate
    after: Estimate
    gained: Estimate


class Training(msgspec.Struct, frozen=True, kw_only=True):
    """The result of training. It holds no dates or times: the same command and seed give the same bytes."""

    model: str
    spec: str
    """The spec of the trained model, or of the initial one if no file was written: use it as any model's name."""
    parameters: dict[str, Any]
    intervals: dict[str, tuple[float, float]]
    before: dict[str, Any]
    """The initial parameters."""
    gains: dict[str, Gain]
    """By question, on the held-out matches; `all` is their sum."""
    verdict: str
    command: str
    seed: int
    game: str
    kibitz: str
    records: int
    blocks: int
    held_out: int
    """Number of held-out records."""
    fingerprint: str
    """Hash of all records, without times."""
    figures: dict[str, Any]
    stopped: bool
    notes: tuple[str, ...] = ()
    """What was skipped, and why."""
    saved: bool = False
    """Whether the learned parameters were written to a file."""
    validations: tuple[Validation, ...] = ()
    """Validations of the training rows, if there are any."""


def training(
    model: Model,
    game: Game | None,
    source: Iterable[SourceRecord],
    *,
    seed: int = 0,
    command: str = "",
    out: Path | None = None,
    rows: Path | None = None,
    told: Told | None = None,
    force: bool = False,
) -> Training:
    """Train *model* on two thirds of the records of *source* and measure it on the others, before and after.

    Without a *game* the records say which they are of: one, or several if the model learns from several together
    (`learns_mixed_games`). Parameters that are too many for a spec are written to *out*; training rows, if there are
    any, to the folder *rows*. Parameters that are worse on the held-out records than *model* are not written unless
    *force* is set.
    """
    train = trainer_of(model)
    records = list(opened_all(source, game))
    games = [game] if game is not None else games_of(records, model)
    for each in games:
        check_ready(model, each, out, rows)
    blocks = in_blocks(records)
    check_enough(len(records), len(blocks))
    order = stream(seed, "held out").permutation(len(blocks)).tolist()
    held = {order[i] for i in range(ceil(HELD_OUT * len(blocks)))}
    fitted = [open_record(each) for number, block in enumerate(blocks) if number not in held for each in block]
    say = told or (lambda done, total, words: None)
    found = train(model, fitted, stream(seed, "training"), say)
    if not (isinstance(found, TrainedModel) and isinstance(found.model, type(model))):
        raise BadDefinition("training", f"the trainer of {spec_of(model).name} returned no trained model")
    if rows is not None:
        keep_rows(found.tables, rows)
    rest = [each for number, block in enumerate(blocks) if number in held for each in block]
    gains = measure_gains(model, found.model, rest, game, games[0], say)
    if not gains:
        raise BadDefinition("training", f"the records hold no truth about what {spec_of(model).name} answers")
    reader = found.model if found.learned is None or out is None else found.learned.reader(out)
    unsaved = out if found.learned is not None and is_worse(gains[ALL].gained) and not force else None
    report = Training(
        model=spec_of(model).name,
        spec=str(spec_of(reader if unsaved is None else model)),
        parameters=plain_parameters(reader),
        intervals=found.intervals,
        before=plain_parameters(model),
        gains=gains,
        verdict=verdict(gains[ALL].gained, len(rest)),
        command=command,
        seed=seed,
        game="; ".join(map(repr, games)),
        kibitz=__version__,
        records=len(records),
        blocks=len(blocks),
        held_out=len(rest),
        fingerprint=fingerprint(map(open_record, records)),
        figures=found.figures,
        stopped=found.stopped,
        notes=found.notes if unsaved is None else (*found.notes, kept_words(unsaved)),
        saved=found.learned is not None and out is not None and unsaved is None,
        validations=tuple(validations(found.tables)),
    )
    if found.learned is not None and out is not None and unsaved is None:
        made = msgspec.to_builtins(report)
        found.learned.write(out, {name: made[name] for name in MADE})
    return report


def check_ready(model: Model, game: Game, out: Path | None, rows: Path | None) -> None:
    """Raise now if training would fail after the matches were played."""
    name = spec_of(model).name
    if model.learns_a_file and out is None:
        raise BadDefinition("training", f"what {name} learns needs a file: --out FILE.json")
    if rows is not None and not model.learns_from_rows:
        raise BadDefinition("training", f"{name} learns from whole matches; it has no rows to save")
    model.check_training(game)
    if out is not None:
        check_writable(out)
    if rows is not None:
        make_folder(rows)


def check_enough(records: int, blocks: int) -> None:
    """Raise if there are too few records for training and testing."""
    if blocks < NEEDED:
        have = f"{records} records on {blocks} different seeds"
        raise BadDefinition("training", f"{have} are too few; matches on at least {NEEDED} seeds are needed")


def keep_rows(tables: Sequence[ExampleTable], folder: Path) -> None:
    """Write the training rows to a folder, as CSV and as ARFF."""
    for table in tables:
        for suffix in (".csv", ".arff"):
            write_table(folder / f"{table.layout.name}{suffix}", table)


def games_of(records: Sequence[SourceRecord], model: Model) -> list[Game]:
    """The games that records are of; raises BadDefinition if they are several and the model learns from one."""
    specs = dict.fromkeys(open_record(each).header.game for each in records)
    if len(specs) > 1 and not model.learns_mixed_games:
        why = f"the records are of {len(specs)} games: {short_list(list(specs))}; name one: --game GAME"
        raise BadDefinition("training", why)
    if not specs:
        raise BadDefinition("training", "there are no records")
    return [make_game(spec) for spec in specs]


def opened_all(source: Iterable[SourceRecord], game: Game | None) -> Iterator[SourceRecord]:
    """The opened records, those on one seed as one unit; raises BadRecord if one is unreadable or of another game."""
    for each in source:
        record = open_record(each)
        if game is not None:
            check_game(record, each.name, game)
        yield SourceRecord(record, each.name, record.header.seed)


def in_blocks(records: Iterable[SourceRecord]) -> list[list[SourceRecord]]:
    """The records grouped by unit, since those of one unit are dependent."""
    found: dict[object, list[SourceRecord]] = {}
    for each in records:
        found.setdefault(each.unit, []).append(each)
    return list(found.values())


def measure_gains(
    before: Model, after: Model, records: Sequence[SourceRecord], game: Game | None, first: Game, told: Told
) -> dict[str, Gain]:
    """How much better the model predicts the held-out records, by the marks of model scores.

    A model that cannot watch the *first* game before training counts as the uniform baseline.
    """
    done = count()

    def progress(more: int) -> None:
        told(next(done) + more, len(records), "measuring")

    pair = (before, after) if watches(before, first) else (after,)
    sheets = score_records(records, pair, game=game, progress=progress)
    for sheet in sheets:
        if sheet.refused is not None:
            raise BadRecord(sheet.name, sheet.refused.removeprefix(f"{sheet.name}: "))
        for number, error in sheet.errors.items():
            raise BadDefinition("training", f"{sheet.watchers[number]} failed during the test: {error}")
    games = Games(sheets)
    resampling = Resampling(games.drawn)
    losses: dict[str, list[Floats]] = {}
    units: list[Counts] = []
    gains: dict[str, Gain] = {}
    for name in games.questions():
        question = Question(games, name, top=1)
        old, new = question.models[0] if len(pair) == 2 else question.uniform(), question.models[len(pair) - 1]
        if len(old.loss):
            losses[name] = [old.loss, new.loss, old.loss - new.loss]
            units.append(old.unit)
            gains[name] = gain(resampling, losses[name], old.unit)
    if len(gains) == 1:
        gains[ALL] = next(iter(gains.values()))
    elif gains:
        columns = [combine_parts(parts) for parts in zip(*losses.values(), strict=True)]
        gains[ALL] = gain(resampling, columns, np.concatenate(units))
    return gains


def watches(model: Model, game: Game) -> bool:
    """Whether a model can watch a game at all."""
    try:
        model.clone().begin(game, None, stream(0, "watches"))
    except Unsupported:
        return False
    return True


def gain(resampling: Resampling, columns: Sequence[Floats], units: Counts) -> Gain:
    """The losses before and after, and their difference."""
    (line,) = resampling.estimates([(column, None) for column in columns], units)
    return Gain(*(NOTHING if each is None else each for each in line))


def combine_parts(parts: Sequence[Floats]) -> Floats:
    """Values whose mean is the sum of the means of *parts*, and differs between units as that sum does."""
    size = sum(map(len, parts))
    total = sum(float(part.mean()) for part in parts)
    return np.concatenate([total + (part - part.mean()) * (size / len(part)) for part in parts])


def is_worse(gained: Estimate) -> bool:
    """Whether what was learned did worse on what was held out than what it started from, clearly or not."""
    return gained.mean < 0.0


def kept_words(out: Path) -> str:
    """What happens to a file whose parameters would be worse than those before."""
    there = "is left as it was" if out.exists() else "is not written"
    return f"what was learned is worse on what was held out, so {out} {there}; --force writes it all the same"


def verdict(gained: Estimate, matches: int) -> str:
    """The gain in a sentence."""
    ends = f"(95 % {gained.low:.4f} to {gained.high:.4f})" if gained.is_finite() else "(too few to say how sure)"
    if gained.low > 0.0:
        return f"the log loss of {matches} held-out matches falls by {gained.mean:.4f} per decision {ends}"
    if gained.high < 0.0:
        return (
            f"worse: the log loss of {matches} held-out matches rises by {-gained.mean:.4f} per decision; keep the old"
        )
    return f"no clear gain on {matches} held-out matches: {gained.mean:+.4f} per decision {ends}"


def plain_parameters(model: Model) -> dict[str, Any]:
    """All parameters of a model, as JSON values."""
    return {name: plain(getattr(model, name)) for name in constructor_parameters(type(model))}


def plain(value: Any) -> Any:
    """A parameter as a JSON value."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str, dict)) else repr(value)


def fingerprint(records: Iterable[Record]) -> str:
    """A hash of the matches, without times and machines."""
    hashed = blake2b(digest_size=16)
    for record in records:
        hashed.update(msgspec.json.encode(list(record.without_times().lines())))
    return hashed.hexdigest()
