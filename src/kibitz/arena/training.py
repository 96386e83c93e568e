"""Trains a model on records, and measures what was gained on records that were held out."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from math import ceil, log
from typing import Any

import msgspec
import numpy as np

from kibitz import __version__
from kibitz.arena.sources import Kept, check_game, opened
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.core.actions import Distribution
from kibitz.core.errors import BadDefinition
from kibitz.core.game import Game
from kibitz.core.match import Position
from kibitz.core.model import Model
from kibitz.core.records import Record
from kibitz.core.registry import spec_of, trainer
from kibitz.core.replay import Replay
from kibitz.core.seeds import stream
from kibitz.core.specs import constructor_parameters
from kibitz.core.training import Told, Trained

NEEDED = 12
"""Blocks that training needs at least."""
HELD_OUT = 1.0 / 3.0
"""The share of the blocks that is held out."""
ALL = "all"
"""All questions together."""
SMALLEST = 1e-12
"""A probability of 0 counts as this."""


class Gain(msgspec.Struct, frozen=True):
    """The log loss of the answers to one question, per decision; what was gained is the difference."""

    before: Estimate
    after: Estimate
    gained: Estimate


class Training(msgspec.Struct, frozen=True, kw_only=True):
    """What training found. It holds no dates or times: the same command and seed give the same bytes."""

    model: str
    spec: str
    """What uses it: write this wherever a model is named."""
    parameters: dict[str, Any]
    intervals: dict[str, tuple[float, float]]
    before: dict[str, Any]
    """The parameters it began with."""
    gains: dict[str, Gain]
    """By the question, on the matches that were held out; `all` is their sum."""
    verdict: str
    command: str
    seed: int
    game: str
    kibitz: str
    records: int
    blocks: int
    held_out: int
    """Records that were held out."""
    fingerprint: str
    """Of all records, clock readings aside."""
    figures: dict[str, Any]
    stopped: bool


def training(
    model: Model, game: Game, source: Iterable[Kept], *, seed: int = 0, command: str = "", told: Told | None = None
) -> Training:
    """Train *model* on two thirds of the records of *source* and measure it on the others, before and after."""
    train = trainer(spec_of(model).name)
    records = list(records_of(source, game))
    blocks = in_blocks(records)
    if len(blocks) < NEEDED:
        have = f"{len(records)} records on {len(blocks)} different seeds"
        raise BadDefinition("training", f"{have} are too few; matches on at least {NEEDED} seeds are needed")
    order = stream(seed, "held out").permutation(len(blocks)).tolist()
    held = {order[i] for i in range(ceil(HELD_OUT * len(blocks)))}
    fitted = [record for number, block in enumerate(blocks) if number not in held for record in block]
    say = told or (lambda done, total, words: None)
    found = train(model, fitted, stream(seed, "training"), say)
    if not (isinstance(found, Trained) and isinstance(found.model, type(model))):
        raise BadDefinition("training", f"the trainer of {spec_of(model).name} returned no trained model")
    rest = [(number, record) for number, block in enumerate(blocks) if number in held for record in block]
    gains = measured(model, found.model, rest, game, say)
    return Training(
        model=spec_of(model).name,
        spec=str(spec_of(found.model)),
        parameters=plain_parameters(found.model),
        intervals=found.intervals,
        before=plain_parameters(model),
        gains=gains,
        verdict=verdict(gains[ALL].gained, len(rest)),
        command=command,
        seed=seed,
        game=repr(game),
        kibitz=__version__,
        records=len(records),
        blocks=len(blocks),
        held_out=len(rest),
        fingerprint=fingerprint(records),
        figures=found.figures,
        stopped=found.stopped,
    )


def records_of(kept: Iterable[Kept], game: Game) -> Iterator[Record]:
    """The records themselves; BadRecord where one cannot be read or is of another game."""
    for each in kept:
        record = opened(each)
        check_game(record, each.name, game)
        yield record


def in_blocks(records: Iterable[Record]) -> list[list[Record]]:
    """Records on the same seed together, since they hang together."""
    found: dict[int, list[Record]] = {}
    for record in records:
        found.setdefault(record.header.seed, []).append(record)
    return list(found.values())


def measured(
    before: Model, after: Model, records: Sequence[tuple[int, Record]], game: Game, told: Told
) -> dict[str, Gain]:
    """How much better the held-out records are foretold; they come with the numbers of their blocks."""
    columns: dict[str, list[tuple[float, float, int]]] = {question: [] for question in (*before.answers, ALL)}
    for number, (block, record) in enumerate(records):
        for first, second in zip(answered(before, record, game), answered(after, record, game), strict=True):
            for question in first:
                columns[question].append((first[question], second[question], block))
        told(number + 1, len(records), "measuring")
    gains = {}
    for question, rows in columns.items():
        if rows:
            old, new, blocks = (np.array(column) for column in zip(*rows, strict=True))
            gains[question] = Gain(*(mean_interval(losses, blocks) for losses in (old, new, old - new)))
    return gains


def answered(model: Model, record: Record, game: Game) -> list[dict[str, float]]:
    """The log loss of *model*'s answers, watching as an outsider: by the question, for every decision of a player."""
    found = []
    replay = Replay(record, models=[model.clone()], game=game)
    (watcher,) = replay.watchers.seated
    expected: dict[int, Distribution] = {}
    truths = record.header.truths
    for moment in replay.moments():
        event = moment.event
        beliefs = moment.beliefs.get(watcher.label, [])
        if event is not None and watcher.error is None:
            truths = record.entries[event.ply].truths or truths
            for player in game.movers(event.before.state):
                action = event.actions[player if len(event.actions) > 1 else 0]
                shares = {"action": expected[player].probability(action)} if expected else {}
                shares |= {
                    question: share(beliefs[player], truths[player][question])
                    for question in model.answers
                    if truths and question in truths[player]
                }
                losses = {question: -log(max(held, SMALLEST)) for question, held in shares.items()}
                found.append({**losses, ALL: sum(losses.values())})
        if not moment.state.is_terminal():
            where = event.after if event is not None else Position(moment.state, game.hidden)
            expected = replay.watchers.predictions(where).get(watcher.label, {})
        if watcher.error is not None:
            raise BadDefinition("training", f"{watcher.label} failed while it was measured: {watcher.error}")
    return found


def share(belief: dict[str, float], truth: object) -> float:
    """How much of a belief lies on the truth; who is none of those known is `unknown`."""
    return belief.get(str(truth), belief.get("unknown", 0.0))


def verdict(gained: Estimate, matches: int) -> str:
    """What was gained, in a sentence."""
    ends = f"(95 % {gained.low:.4f} to {gained.high:.4f})"
    if gained.low > 0.0:
        return f"the log loss of {matches} held-out matches falls by {gained.mean:.4f} per decision {ends}"
    if gained.high < 0.0:
        return (
            f"worse: the log loss of {matches} held-out matches rises by {-gained.mean:.4f} per decision; keep the old"
        )
    return f"nothing is gained that {matches} held-out matches would show: {gained.mean:+.4f} per decision {ends}"


def plain_parameters(model: Model) -> dict[str, Any]:
    """All parameters of a model, as JSON can hold them."""
    return {name: plain(getattr(model, name)) for name in constructor_parameters(type(model))}


def plain(value: Any) -> Any:
    """A parameter as JSON can hold it."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str, dict)) else repr(value)


def fingerprint(records: Iterable[Record]) -> str:
    """The same for the same matches, whenever and wherever they were played."""
    hashed = blake2b(digest_size=16)
    for record in records:
        hashed.update(msgspec.json.encode(list(record.without_times().lines())))
    return hashed.hexdigest()
