from collections.abc import Sequence

import msgspec
import numpy as np
import pytest

from kibitz import core
from kibitz.core.match.play import play
from kibitz.core.records import Record
from kibitz.core.registry import make_agent, make_game, make_model, spec_of
from kibitz.core.seeds import stream
from kibitz.models.strategy_filter import StrategyFilter
from kibitz.models.worlds import known_strategies
from kibitz_lab.arena.scoring.metrics import belief_marks
from kibitz_lab.arena.scoring.score_record import Task, score_record
from kibitz_lab.arena.sources import SourceRecord
from kibitz_lab.arena.training import training
from kibitz_lab.models.strategy_training import Moves, Table, best, moves, round_digits, train

DILEMMA = "dilemma(rounds=25)"
HOUSE = ("pavlov", "grim", "tit_for_tat", "generous", "defector")


class Slipping(core.Agent):
    """Follows a strategy, but plays just anything with the given probability."""

    def __init__(self, strategy: core.Strategy, slips: float) -> None:
        self.strategy, self.slips = strategy, slips

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        self.strategy.begin(game, player, rng)

    def observe(self, transition: core.Transition) -> None:
        self.strategy.observe(transition)

    def act(self, view: core.State, clock: core.Clock) -> int:
        legal = view.legal_actions(self.player)
        if self.rng.random() < self.slips:
            return legal[int(self.rng.integers(len(legal)))]
        return self.strategy.act(view, clock)


def slipping_matches(count: int, slips: float, seed: int = 1) -> list[Record]:
    """Records of house strategies whose hands tremble, named for the strategies."""
    rng = stream(seed, "slips")
    found = []
    for number in range(count):
        names = [HOUSE[int(rng.integers(len(HOUSE)))] for _ in range(2)]
        strategies = [make_agent(name, "dilemma") for name in names]
        agents = [Slipping(each, slips) for each in strategies if isinstance(each, core.Strategy)]
        record = play(DILEMMA, agents, seed=1000 * seed + number)
        truths = [{"strategy": str(spec_of(each))} for each in strategies]
        header = msgspec.structs.replace(record.header, truths=truths)
        entries = [msgspec.structs.replace(entry, truths=None) for entry in record.entries]
        found.append(Record(header, entries, record.ending))
    return found


def quiet(done: int, total: int, words: str) -> None:
    """Nobody is told."""


def loss_of(model: core.Model, record: Record, game: core.Game) -> float:
    """Minus the log of what *model* gave to all moves that were chosen, and in the end to who made them."""
    sheet = score_record(Task(SourceRecord(record), (model,), 1, game=game))
    moves, beliefs = sheet.answers[0, "action"], sheet.answers[0, "strategy"]
    truths = [[sheet.labels[label]] for label in beliefs.places[:, 2]]
    seen = {truth for (truth,) in truths}
    shares = belief_marks(beliefs.held, beliefs.labels, truths, seen, 1)[-game.players :, 0]
    return -float(np.log(moves.marks[:, 0]).sum() + np.log(shares).sum())


@pytest.fixture(scope="module")
def trembling() -> list[Record]:
    return slipping_matches(60, 0.06)


@pytest.mark.long
@pytest.mark.parametrize(
    "values",
    [
        {"noise": 0.02, "drift": 0.001, "unknown": 0.1, "temper": 1.0},
        {"noise": 0.2, "drift": 0.3, "unknown": 0.5, "temper": 0.4},
    ],
)
def test_the_table_is_the_filter(trembling: Sequence[Record], values: dict[str, float]) -> None:
    game = make_game(DILEMMA)
    outsider = play(DILEMMA, ["random", "grim"], seed=5)
    expected, rows = 0.0, []
    opening = play(DILEMMA, ["defector", "grim"], seed=6, opening=3)
    for record in [*trembling[:4], outsider, opening]:
        expected += loss_of(StrategyFilter(**values), record, game)
        rows += moves(record, game, known_strategies(game))
    assert Table(rows).loss(values, cautious=True) == pytest.approx(expected, rel=1e-9)


def test_one_move_by_hand() -> None:
    table = Table([Moves(np.array([[1.0, 0.25]]), np.array([0.5]), np.array([0.3]), 0)])
    noise, unknown = 0.1, 0.2
    first, second, other = 0.4 * (0.9 * 1.0 + 0.05), 0.4 * (0.9 * 0.25 + 0.05), unknown * 0.3
    total = first + second + other
    trusted = (first + second + 12.0 * other) / (0.8 + 12.0 * unknown)  # strangers count as three in four players
    predicted = 0.24 * trusted + 0.76 * 0.5  # before the first choice chance counts most
    expected = -np.log(predicted) - np.log(first / total)
    assert table.loss({"noise": noise, "drift": 0.7, "unknown": unknown, "temper": 1.0}, True) == pytest.approx(
        expected
    )


def test_the_least_is_found_and_the_ends_too() -> None:
    assert best(lambda x: (np.log(x) - np.log(0.013)) ** 2, 1e-5, 0.5) == pytest.approx(0.013, rel=0.01)
    assert best(lambda x: x, 1e-5, 0.5) == pytest.approx(1e-5, rel=0.05)
    assert best(lambda x: -x, 1e-5, 0.5) == pytest.approx(0.5, rel=0.05)
    assert round_digits(0.0123456) == 0.0123


@pytest.mark.long
def test_a_known_noise_is_recovered_within_its_interval(trembling: Sequence[Record]) -> None:
    found = train(StrategyFilter(), trembling, stream(0, "t"), quiet)
    low, high = found.intervals["noise"]
    assert low <= 0.06 <= high
    assert high - low < 0.04
    assert isinstance(found.model, StrategyFilter)
    assert low <= found.model.noise <= high
    assert found.model.unknown < 0.02  # nobody was an outsider
    assert not found.stopped
    again = train(StrategyFilter(), trembling, stream(0, "t"), quiet)
    assert (repr(again.model), again.intervals) == (repr(found.model), found.intervals)


@pytest.mark.long
def test_held_out_matches_are_foretold_better_after_training(trembling: Sequence[Record]) -> None:
    records = [SourceRecord(record, str(number)) for number, record in enumerate(trembling)]
    found = training(StrategyFilter(noise=0.0005), make_game(DILEMMA), records, seed=1)
    assert found.gains["action"].gained.mean > 0.0
    assert found.gains["all"].gained.low > 0.0
    assert found.verdict.startswith("the log loss of 20 held-out matches falls by ")
    assert (found.records, found.blocks, found.held_out, found.before["noise"]) == (60, 60, 20, 0.0005)
    again = training(make_model(found.spec), make_game(DILEMMA), records, seed=1)
    assert again.spec == found.spec
    assert again.verdict.startswith("no clear gain on 20 held-out matches: +0.0000")


@pytest.mark.long
def test_an_interruption_leaves_the_best_so_far(trembling: Sequence[Record]) -> None:
    def impatient(done: int, total: int, words: str) -> None:
        if words.startswith("log loss"):
            raise KeyboardInterrupt

    found = train(StrategyFilter(), trembling[:20], stream(0, "t"), impatient)
    assert found.stopped
    assert isinstance(found.model, StrategyFilter)
    assert found.model.noise != 0.02
    assert found.model.drift == 0.0


def test_secrets_are_weighed_by_what_their_owners_saw() -> None:
    record = play("kuhn", ["solid", "rock", "maniac"], seed=3)
    game = make_game("kuhn")
    labels = [str(spec_of(each)) for each in known_strategies(game)]
    for player, row in enumerate(moves(record, game, known_strategies(game))):
        assert labels[row.label] == record.header.agents[player]
        assert (row.likely[:, row.label] > 0.0).all()


def test_a_game_without_strategies_is_refused() -> None:
    record = play("purgatory", ["random", "random"], seed=1)
    with pytest.raises(core.Unsupported, match="no strategies of its own"):
        train(StrategyFilter(), [record], stream(0, "t"), quiet)
