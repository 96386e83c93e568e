"""Scores many records at once: of repeated games between tables, watched by `strategy_filter`, by one kernel call.

All other records are scored one by one (`score_record`), and both give the same sheets but for rounding and times.
"""

import time
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kibitz import __version__
from kibitz.arena.batches import compiled_matches, compiled_seat, known_game
from kibitz.arena.scoring.metrics import LEVEL, Mark, uniform_mark
from kibitz.arena.scoring.results import ACTION, UNIFORM, Answers, Sheet
from kibitz.arena.scoring.score_record import Task, fresh, score_record
from kibitz.arena.sources import Fixture, SourceRecord, is_wanted_game
from kibitz.core.abilities.policies import PlayerFailed
from kibitz.core.errors import BadRecord, KibitzError
from kibitz.core.game import SIMULTANEOUS, Game, digest
from kibitz.core.kernels import jit_enabled
from kibitz.core.match import MatchOptions
from kibitz.core.match.watchers import WatcherLike, Watchers
from kibitz.core.records.packed import read_packed, unpack_actions
from kibitz.core.records.records import PACKED
from kibitz.models.rounds.filter_kernels import MOST_ROUNDS, SupposedTables, filter_matches, round_tables_of
from kibitz.models.strategy_filter import StrategyFilter

STRATEGY = "strategy"
Floats = NDArray[np.float64]


class RoundMatch(NamedTuple):
    """A match of a repeated game: who played, and what both did in every round."""

    game: str
    strategies: tuple[str, ...]
    returns: tuple[float, ...]
    actions: tuple[int, ...]


class RoundWatchers(NamedTuple):
    """Filters that kernels can run in a game."""

    game: Game
    watchers: tuple[str, ...]
    """Their names in tables."""
    labels: list[list[str]]
    """The hypotheses of each filter."""
    known: list[list[SupposedTables]]
    """The same for the kernel, by filter and player."""
    notation: list[list[str]]
    """The actions of each player in words."""


class RecordWork:
    """The work of executors on records: one, or many together."""

    def __call__(self, task: Task) -> Sheet:
        return self.together([task])[0]

    def together(self, batch: Sequence[Task]) -> list[Sheet]:
        """The sheet of each record."""
        sheets: dict[int, Sheet] = {}
        groups: dict[tuple[str, tuple[WatcherLike, ...], int, int], dict[int, RoundMatch]] = {}
        for place, match in played_rounds(batch).items():
            task = batch[place]
            if all(isinstance(each, str) for each in task.models) and round_watchers(match.game, task.models):
                key = match.game, task.models, task.top, len(match.actions)
                groups.setdefault(key, {})[place] = match
        for (game, models, top, _), found in groups.items():
            watchers = round_watchers(game, models)
            assert watchers is not None
            kept = [batch[place].kept for place in found]
            sheets |= zip(found, filter_sheets(watchers, list(found.values()), kept, top), strict=True)
        return [sheets[place] if place in sheets else score_record(task) for place, task in enumerate(batch)]


def played_rounds(batch: Sequence[Task]) -> dict[int, RoundMatch]:
    """Those records of a batch that are matches of repeated games, by their places; kernels play what is not played."""
    found: dict[int, RoundMatch] = {}
    waiting: dict[str, dict[int, Fixture]] = {}
    for place, task in enumerate(batch):
        kept = task.kept.record
        if task.game is not None or not jit_enabled():
            continue
        if isinstance(kept, Fixture) and not kept.opening and kept.max_plies is None:
            waiting.setdefault(kept.game, {})[place] = kept
        elif isinstance(kept, bytes) and kept.startswith(PACKED):
            match = stored_rounds(task.kept, kept, task.wanted)
            if match is not None:
                found[place] = match
    for game, fixtures in waiting.items():
        found |= play_fixtures(game, fixtures)
    return found


def play_fixtures(spec: str, fixtures: dict[int, Fixture]) -> dict[int, RoundMatch]:
    """The matches that kernels can play."""
    matches = compiled_matches(spec, MatchOptions())
    if matches is None:
        return {}
    game, seats = known_game(spec), {}
    for place, fixture in fixtures.items():
        own = [compiled_seat(spec, agent, player) for player, agent in enumerate(fixture.agents)]
        if all(seat.policy is not None for seat in own) and matches.plays(game, [seat.policy for seat in own]):
            seats[place] = own
    if not seats:
        return {}
    seeds = np.array([fixtures[place].seed for place in seats], np.uint64)
    try:
        played = matches.play(game, [[seat.policy for seat in own] for own in seats.values()], seeds)
    except PlayerFailed:  # the loop plays them, and says what failed
        return {}
    found = {}
    for number, (place, own) in enumerate(seats.items()):
        actions = unpack_actions(played.bits[number], played.actions[number])
        strategies = tuple(seat.spec for seat in own)
        found[place] = RoundMatch(
            repr(game), strategies, tuple(played.returns[number]), tuple(actions[: game.players * played.plies[number]])
        )
    return found


def stored_rounds(kept: SourceRecord, data: bytes, wanted: str | None) -> RoundMatch | None:
    """A stored match, if nothing happened in it but moves, by the rules of this version."""
    try:
        packed = read_packed(data, kept.name)
        header = packed.full_header()
        game = known_game(header.game)
        fits = wanted is None or is_wanted_game(wanted, header.game)
    except (BadRecord, KibitzError):  # score_record says why
        return None
    plain = not packed.details and not packed.truths_remade and packed.ending.reason == "terminal"
    if not plain or not fits or header.kibitz != __version__ or header.hash != digest(game.new_initial_state()):
        return None
    actions = unpack_actions(packed.bits, packed.actions)[: game.players * packed.plies]
    if any(len(truths) != 1 or STRATEGY not in truths for truths in header.truths):
        return None
    strategies = tuple(str(truths[STRATEGY]) for truths in header.truths)
    return RoundMatch(header.game, strategies, tuple(packed.ending.returns), tuple(actions))


@lru_cache(maxsize=16)
def round_watchers(spec: str, models: tuple[WatcherLike, ...]) -> RoundWatchers | None:
    """The models for the kernel; None if it does not know one of them, or the game does not repeat a stage."""
    game = known_game(spec)
    start = game.new_initial_state()
    matches = compiled_matches(spec, MatchOptions())
    if matches is None or game.players != 2 or start.current_player() != SIMULTANEOUS:
        return None
    if game.hidden or not getattr(game, "rounds", 0) or matches.most_plies(game) != game.rounds:  # type: ignore[attr-defined]
        return None
    if game.rounds > MOST_ROUNDS or any(start.truth(player) for player in range(2)):  # type: ignore[attr-defined]
        return None
    watchers = Watchers(game, fresh(models), 0).seated
    labels, known = [], []
    for each in watchers:
        if each.error is not None or each.seat is not None or not isinstance(each.model, StrategyFilter):
            return None
        found = [round_tables_of(each.model, player) for player in range(2)]
        if found[0] is None or found[1] is None:
            return None
        labels.append(each.model.labels)
        known.append([one for one in found if one is not None])
    notation = [[start.action_to_string(player, each) for each in start.legal_actions(player)] for player in range(2)]
    return RoundWatchers(game, tuple(each.label for each in watchers), labels, known, notation)


def filter_sheets(
    made: RoundWatchers, matches: Sequence[RoundMatch], kept: Sequence[SourceRecord], top: int
) -> list[Sheet]:
    """The sheets of matches of the same length, all watched by the same filters."""
    moves = np.array([match.actions for match in matches], np.int64).reshape(len(matches), -1, 2)
    rounds = moves.shape[1]
    labels = [label_numbers(made, match, move) for match, move in zip(matches, moves, strict=True)]
    answers: list[dict[tuple[int, str], Answers]] = [{} for _ in matches]
    times: list[dict[int, Floats]] = [{} for _ in matches]
    for number, known in enumerate(made.known):
        start = time.perf_counter()
        count = len(made.labels[number])
        beliefs = np.empty((2, len(matches), rounds + 1, count))
        chances = np.empty((2, len(matches), rounds, known[0].policies.shape[1]))
        for player in range(2):
            own, other = (np.ascontiguousarray(moves[:, :, each]) for each in (player, 1 - player))
            filter_matches(known[player], own, other, beliefs[player], chances[player])
        marks = np.stack([prediction_marks(chances[player], moves[:, :, player], top) for player in range(2)], axis=2)
        held = np.ascontiguousarray(beliefs.transpose(1, 2, 0, 3)).reshape(len(matches), -1, count)
        changed = np.stack([lead_changes(beliefs[player]) for player in range(2)], axis=1)
        each = 1e6 * (time.perf_counter() - start) / (len(matches) * (4 * rounds + 1))
        for place, names in enumerate(labels):
            changes = dict(enumerate(changed[place].tolist()))
            who, what = np.full(2 * rounds + 2, each), np.full(2 * rounds, each)
            answers[place][number, STRATEGY] = Answers(
                belief_places(rounds, names),
                np.empty((0, len(Mark._fields))),
                made.labels[number],
                held[place],
                changes,
                who,
            )
            own_marks = marks[place].reshape(2 * rounds, -1)
            answers[place][number, ACTION] = Answers(
                action_places(moves[place], names), own_marks, [], np.empty(0), {}, what
            )
            times[place][number] = np.full(rounds, each)
    uniform = np.array([uniform_mark(len(words), top) for words in made.notation])
    for place, names in enumerate(labels):
        spot = action_places(moves[place], names)
        answers[place][UNIFORM, ACTION] = Answers(spot, uniform[spot[:, 1]], [], np.empty(0), {}, np.zeros(len(spot)))
    return [
        Sheet(
            kept[place].name,
            kept[place].unit,
            None,
            match.game,
            rounds,
            True,
            match.strategies,
            match.returns,
            made.watchers,
            names.labels,
            answers[place],
            times[place],
        )
        for place, (match, names) in enumerate(zip(matches, labels, strict=True))
    ]


class LabelNumbers(NamedTuple):
    """The labels of a sheet: the strategies first, then actions as they come up."""

    labels: list[str]
    strategies: list[int]
    actions: NDArray[np.int64]
    """The number of each action of each player; those that never come up have any."""


def label_numbers(made: RoundWatchers, match: RoundMatch, moves: NDArray[np.int64]) -> LabelNumbers:
    """The numbers of labels, as `RecordScorer` gives them."""
    known: dict[str, int] = {}
    strategies = [known.setdefault(label, len(known)) for label in match.strategies]
    numbers = np.zeros((2, max(map(len, made.notation))), np.int64)
    flat = moves.reshape(-1) + np.tile([0, numbers.shape[1]], len(moves))
    _, firsts = np.unique(flat, return_index=True)
    for place in sorted(firsts.tolist()):
        player, action = divmod(int(flat[place]), numbers.shape[1])
        numbers[player, action] = known.setdefault(made.notation[player][action], len(known))
    return LabelNumbers(list(known), strategies, numbers)


def belief_places(rounds: int, names: LabelNumbers) -> NDArray[np.int64]:
    """Events seen, player and true strategy of each belief."""
    return np.array([(seen, player, names.strategies[player]) for seen in range(rounds + 1) for player in range(2)])


def action_places(moves: NDArray[np.int64], names: LabelNumbers) -> NDArray[np.int64]:
    """Events seen, player and action of each prediction."""
    rounds = len(moves)
    plies, players = np.repeat(np.arange(rounds), 2), np.tile([0, 1], rounds)
    return np.column_stack((plies, players, names.actions[players, moves.reshape(-1)]))


def prediction_marks(shares: Floats, chosen: NDArray[np.int64], top: int) -> Floats:
    """The marks of predictions that name every action; twin of `metrics.mark`."""
    given = np.take_along_axis(shares, chosen[..., None], axis=-1)
    above, below = given * (1.0 + LEVEL), given * (1.0 - LEVEL)
    ahead = (shares > above).sum(axis=-1)
    tied = np.maximum(((shares <= above) & (shares >= below)).sum(axis=-1), 1)
    given = given[..., 0]
    most = shares.max(axis=-1)
    level = most * (1.0 - LEVEL)
    first, among = (np.clip((places - ahead) / tied, 0.0, 1.0) for places in (1, top))
    brier = (shares**2).sum(axis=-1) - 2.0 * given + 1.0
    spread = (shares >= level[..., None]).sum(axis=-1)
    rank = ahead + (tied + 1) / 2
    parts = given, first, among, brier, most, ahead == 0, spread, rank, np.ones_like(given)
    return np.stack([np.asarray(part, np.float64) for part in parts], axis=-1)


def lead_changes(beliefs: Floats) -> NDArray[np.int64]:
    """How often the leading label of each match changes; one still tied for the lead has not. Twin of `Ledger`."""
    level = beliefs.max(axis=-1, keepdims=True) * (1.0 - LEVEL)
    leads = beliefs >= level
    best = leads.argmax(axis=-1)
    lead, changes = best[:, 0].copy(), np.zeros(len(beliefs), np.int64)
    rows = np.arange(len(beliefs))
    for event in range(1, beliefs.shape[1]):
        lost = ~leads[rows, event, lead]
        changes += lost
        lead = np.where(lost, best[:, event], lead)
    return changes
