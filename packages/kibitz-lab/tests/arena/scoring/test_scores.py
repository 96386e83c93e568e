"""Models on records, every figure by hand."""

from collections.abc import Sequence
from math import log

import msgspec
import pytest

from kibitz import core
from kibitz.core.errors import BadDefinition, BadSpec, UnknownName, Unsupported
from kibitz.core.match.play import play
from kibitz.core.match.watchers import Watcher
from kibitz.core.records import Record
from kibitz.core.registry import make_game
from kibitz_lab.arena.executors import make_executor
from kibitz_lab.arena.scoring import ScoreRow, Scores, model_scores
from kibitz_lab.arena.sources import Fixtures, SourceRecord
from kibitz_lab.arena.statistics import Estimate

COOPERATOR, DEFECTOR = "dilemma.cooperator", "dilemma.defector"
SURE = 0.8


class Optimist(core.Model):
    """Expects everybody to cooperate."""

    answers = ("action",)

    def observe(self, transition: core.Transition) -> None:
        pass

    def predict(self, view: core.State, player: int) -> core.Distribution:
        return core.Distribution({0: SURE}, view.legal_actions(player), rest=1.0 - SURE)


class Script(core.Model):
    """Believes of everybody what stands in a list, event by event."""

    answers = ("strategy",)

    def __init__(self, beliefs: tuple[dict[str, float], ...] = ()) -> None:
        self.beliefs = beliefs

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        self.seen = 0

    def observe(self, transition: core.Transition) -> None:
        self.seen += 1

    def belief(self, player: int) -> dict[str, float]:
        return self.beliefs[min(self.seen, len(self.beliefs) - 1)]


class Breaks(Optimist):
    """Raises when it is asked or told too much."""

    answers = ("action", "strategy")

    def __init__(self, where: str = "observe", after: int = 2) -> None:
        self.where, self.after = where, after

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        super().begin(game, seat, rng)
        self.seen = 0
        self.fail("begin")

    def observe(self, transition: core.Transition) -> None:
        self.fail("observe")
        self.seen += 1

    def predict(self, view: core.State, player: int) -> core.Distribution:
        self.fail("predict")
        if self.where == "sum" and self.seen >= self.after:
            return core.Distribution({0: 0.2}, view.legal_actions(player))
        return super().predict(view, player)

    def belief(self, player: int) -> dict[str, float]:
        self.fail("belief")
        return {COOPERATOR: 1.0}

    def fail(self, where: str) -> None:
        if where == self.where and self.seen >= self.after:
            raise RuntimeError(f"lost in {where}")


class Mute(core.Model):
    """Answers nothing."""

    answers = ()

    def observe(self, transition: core.Transition) -> None:
        pass


def mean(estimate: Estimate | None) -> float:
    assert estimate is not None
    return estimate.mean


def match(rounds: int = 4, agents: Sequence[str] = ("cooperator", "defector"), **options: object) -> Record:
    return play(f"dilemma(rounds={rounds})", agents, **options)


def only(scores: Scores, question: str) -> ScoreRow:
    return scores[question].rows[0]


PATH = (
    {COOPERATOR: 0.5, DEFECTOR: 0.5},
    {COOPERATOR: 0.3, DEFECTOR: 0.7},
    {COOPERATOR: 0.6, DEFECTOR: 0.4},
    {COOPERATOR: 0.9, DEFECTOR: 0.1},
    {COOPERATOR: 1.0, DEFECTOR: 0.0},
)


def test_predictions_of_simultaneous_choices_by_hand() -> None:
    scores = model_scores([match(), match()], [Optimist()])
    assert list(scores.questions) == ["action"]
    row = only(scores, "action")
    figures = row.figures
    assert (figures.events, figures.games, scores.matches, scores.units) == (16, 2, 2, 2)
    assert mean(figures.accuracy) == pytest.approx(0.5)  # the defector never does as expected
    assert mean(figures.top) == 1.0
    assert mean(figures.log_loss) == pytest.approx(-(log(0.8) + log(0.2)) / 2)
    assert mean(figures.brier) == pytest.approx((2 * 0.2**2 + 2 * 0.8**2) / 2)
    assert mean(row.calibration.error) == pytest.approx(0.3)
    assert mean(figures.floored) == 0.0
    assert figures.convergence is None
    assert mean(row.by["class"]["cooperate"].accuracy) == 1.0
    assert mean(row.by["class"]["defect"].accuracy) == 0.0
    assert mean(row.by["strategy"][DEFECTOR].log_loss) == pytest.approx(-log(0.2))
    assert mean(row.by["outcome"]["won"].accuracy) == 0.0
    assert row.by["outcome"]["not won"].events == 8
    assert list(row.by["player"]) == ["0", "1"]
    baseline = scores["action"].baseline
    assert baseline.baseline
    assert mean(baseline.figures.log_loss) == pytest.approx(log(2))
    assert baseline.difference is not None
    assert baseline.difference["accuracy"].mean == pytest.approx(0.0)
    assert baseline.difference["brier"].mean == pytest.approx(0.5 - 0.68)


def test_beliefs_by_hand() -> None:
    row = only(model_scores([match()], [Script(PATH)]), "strategy")
    figures = row.figures
    assert figures.events == 10  # before the first event and after each of four, of two players
    firsts = [*(0.5, 0, 1, 1, 1), *(0.5, 1, 0, 0, 0)]
    given = [*(0.5, 0.3, 0.6, 0.9, 1.0), *(0.5, 0.7, 0.4, 0.1, 1e-6)]
    assert mean(figures.accuracy) == pytest.approx(sum(firsts) / 10)
    assert mean(figures.log_loss) == pytest.approx(-sum(map(log, given)) / 10)
    assert mean(figures.floored) == pytest.approx(1 / 10)
    assert mean(figures.brier) == pytest.approx(sum(2 * (1 - p) ** 2 for p in [*given[:-1], 0.0]) / 10)
    assert mean(figures.convergence) == pytest.approx((2 / 4 + 1.0) / 2)
    assert mean(figures.unconverged) == 0.5
    assert mean(figures.changes) == 2.0
    assert mean(row.by["class"][COOPERATOR].convergence) == 0.5
    assert mean(row.by["class"][DEFECTOR].unconverged) == 1.0
    seen = [(step.low, step.events) for step in row.steps if step.events]
    assert seen == [(0.0, 2), (0.2, 2), (0.5, 2), (0.7, 2), (0.9, 2)]
    assert mean(row.steps[2].accuracy) == 0.5
    assert mean(row.steps[0].log_loss) == pytest.approx(log(2))


def test_whoever_is_right_all_along_has_settled_at_0_and_at_the_last_event_at_1() -> None:
    pair = ("cooperator", "cooperator")
    right = model_scores([match(agents=pair)], [Script(({COOPERATOR: 1.0},))])
    assert mean(only(right, "strategy").figures.convergence) == 0.0
    late = model_scores([match(agents=pair)], [Script((*[{DEFECTOR: 1.0}] * 4, {COOPERATOR: 1.0}))])
    assert mean(only(late, "strategy").figures.convergence) == 1.0
    assert mean(only(late, "strategy").figures.unconverged) == 0.0


def test_a_tied_lead_has_not_changed_and_is_not_right_for_good() -> None:
    tied = {COOPERATOR: 0.5, DEFECTOR: 0.5}
    path = ({DEFECTOR: 0.9, COOPERATOR: 0.1}, tied, {DEFECTOR: 0.9, COOPERATOR: 0.1}, tied)
    figures = only(model_scores([match(agents=("defector", "defector"))], [Script(path)]), "strategy").figures
    assert mean(figures.changes) == 0.0
    assert mean(figures.unconverged) == 1.0


def test_a_strategy_outside_the_library_is_the_unknown_one() -> None:
    model = Script(({COOPERATOR: 0.3, "unknown": 0.7},))
    known = only(model_scores([match()], [model]), "strategy")
    assert mean(known.by["class"][DEFECTOR].accuracy) == 1.0
    assert mean(known.by["class"][DEFECTOR].log_loss) == pytest.approx(-log(0.7))
    assert mean(known.by["class"][DEFECTOR].convergence) == 0.0
    three = only(model_scores([match(), match(agents=("grim", "pavlov"))], [model]), "strategy")
    assert mean(three.by["class"][DEFECTOR].log_loss) == pytest.approx(-log(0.7 / 3))
    without = only(model_scores([match()], [Script(({COOPERATOR: 1.0},))]), "strategy")
    assert mean(without.by["class"][DEFECTOR].floored) == 1.0
    assert mean(without.by["class"][DEFECTOR].log_loss) == pytest.approx(-log(1e-6))
    assert mean(without.by["class"][DEFECTOR].brier) == 2.0


def test_who_does_not_say_is_marked_as_the_baseline() -> None:
    scores = model_scores([match(), match(agents=("grim", "pavlov"))], [Script(({}, {COOPERATOR: 1.0}))])
    row = only(scores, "strategy")
    assert row.silent == 4
    assert mean(row.steps[0].log_loss) == pytest.approx(log(4))
    assert mean(row.steps[0].accuracy) == 0.25
    assert mean(scores["strategy"].baseline.figures.top) == pytest.approx(3 / 4)
    assert mean(scores["strategy"].baseline.figures.convergence) == 1.0


def test_one_event_and_no_event_can_be_scored() -> None:
    one = model_scores([match(rounds=1)], [Optimist(), Script(PATH)])
    assert (only(one, "action").figures.events, only(one, "strategy").figures.events) == (2, 4)
    cut = match()
    cut = Record(cut.header, [], None)
    none = model_scores([cut], [Optimist(), Script(PATH)])
    assert none.unfinished == 1
    assert (only(none, "action").figures.events, only(none, "strategy").figures.events) == (0, 2)
    assert only(none, "action").figures.accuracy is None
    assert mean(only(none, "strategy").steps[0].accuracy) == 0.5
    assert only(none, "strategy").by["outcome"] == {}


@pytest.mark.long
def test_chance_is_not_scored_and_openings_are_not() -> None:
    record = play("kuhn", ["solid", "rock", "maniac"], seed=3)
    moves = sum(entry.player >= 0 for entry in record.entries)
    assert only(model_scores([record], ["strategy_filter"]), "action").figures.events == moves < len(record.entries)
    drawn = match(opening=3)
    scores = model_scores([drawn], [Optimist(), Script(PATH)])
    assert only(scores, "action").figures.events == 2
    assert only(scores, "strategy").figures.events == 10


@pytest.mark.long
def test_whoever_sits_at_the_table_is_not_asked_about_himself() -> None:
    scores = model_scores([match()], ["strategy_filter@1", Watcher(Optimist(), 0), "strategy_filter"])
    labels = [row.model for row in scores["action"].rows]
    assert labels == ["strategy_filter@1", "Optimist@0", "strategy_filter", "uniform"]
    assert [row.figures.events for row in scores["action"].rows] == [4, 4, 8, 8]
    assert list(scores["action"]["strategy_filter@1"].by["player"]) == ["0"]
    assert scores["action"]["Optimist@0"].difference == {}  # never asked the same
    shared = scores["strategy"]["strategy_filter"].difference
    assert shared is not None
    assert shared["accuracy"].matches == 5
    alone = model_scores([match()], ["strategy_filter@1"])
    assert alone["action"].baseline.figures.events == 4


def test_moves_played_for_a_player_who_fails_are_not_his() -> None:
    wrong = "scripted(moves=['defect', 'nonsense', 'defect', 'nonsense', 'nonsense'])"
    record = match(rounds=6, agents=(wrong, "defector"))
    faults = sum(len(entry.faults) for entry in record.entries)
    assert faults > 0
    row = only(model_scores([record], [Optimist()]), "action")
    forfeited = record.ending.forfeits  # after its last strike the default is played without a fault
    assert row.by["player"]["1"].events == 6
    assert row.by["player"]["0"].events <= 6 - faults
    assert forfeited in ((), (0,))


class TypeModel(Script):
    """Believes something of types."""

    answers = ("type",)


def test_truths_are_those_of_the_time() -> None:
    record = play("offers", ["greedy", "fair"], seed=3)
    model = TypeModel(({"books": 1.0},))
    row = only(model_scores([record], [model]), "type")
    events = len(record.entries)
    assert [row.by["player"][player].events for player in "01"] == [events, events - 1]  # once each has been dealt
    assert set(row.by["class"]) == {truth["type"] for truth in record.entries[1].truths}
    turned = msgspec.structs.replace(record.entries[-1], truths=[{"type": "books"}, {"type": "hats"}])
    later = only(model_scores([Record(record.header, [*record.entries[:-1], turned], record.ending)], [model]), "type")
    assert later.by["class"]["books"].unconverged.mean == 0.0  # right at the end, when it has become true
    assert later.by["class"]["hats"].unconverged.mean == 1.0


@pytest.mark.parametrize(
    ("where", "actions", "beliefs", "words"),
    [
        ("observe", 6, 6, "ply 2: RuntimeError: lost in observe"),
        ("predict", 4, 6, "ply 2: RuntimeError: lost in predict"),
        ("belief", 4, 4, "after 2 events: RuntimeError: lost in belief"),
        ("sum", 4, 6, "ply 2: ValueError: its probabilities add up to 0.2"),
    ],
)
def test_a_model_that_raises_is_marked_until_then(where: str, actions: int, beliefs: int, words: str) -> None:
    scores = model_scores([match(agents=("cooperator", "cooperator"))], [Breaks(where), Optimist()])
    row = only(scores, "action")
    assert (row.figures.events, only(scores, "strategy").figures.events) == (actions, beliefs)
    assert (row.broken, row.error) == (1, words)
    assert mean(only(scores, "strategy").figures.unconverged) == 1.0  # nobody knows what it would have said
    assert scores["action"]["Optimist"].figures.events == 8
    assert scores["action"]["Optimist"].broken == 0


def test_models_are_compared_over_the_same_answers() -> None:
    better = Script(({COOPERATOR: 0.6, DEFECTOR: 0.4},))
    worse = Script(({COOPERATOR: 0.1, DEFECTOR: 0.9},))
    pairs = [match(agents=("cooperator", "cooperator"), seed=seed) for seed in range(5)]
    row = model_scores(pairs, [better, worse])["strategy"].rows[1]
    assert row.difference is not None
    assert row.difference["log_loss"].mean == pytest.approx(log(0.6) - log(0.1))
    assert row.difference["accuracy"].mean == -1.0
    assert row.difference["convergence"].mean == 1.0


def test_records_of_one_unit_are_drawn_together() -> None:
    kept = [SourceRecord(match(seed=seed), f"match {seed}", seed // 2) for seed in range(6)]
    assert model_scores(kept, [Optimist()]).units == 3
    assert model_scores([each.record for each in kept], [Optimist()]).units == 6


def test_unusable_records_are_named_and_skipped() -> None:
    good = match()
    header = msgspec.structs.replace(good.header, hash="0" * 16)
    odd = msgspec.structs.replace(good.header, game="checkers")
    kept = [
        SourceRecord(good.to_bytes()[:-9], "cut.krec"),
        SourceRecord(b"hello", "note.txt"),
        SourceRecord("permission denied", "secret.krec"),
        SourceRecord(Record(header, good.entries, good.ending), "other.krec"),
        SourceRecord(Record(odd, good.entries, good.ending), "odd.krec"),
        SourceRecord(play("pennies", ["heads", "heads"]), "pennies.krec"),
        SourceRecord(good, "good.krec"),
    ]
    scores = model_scores(kept, [Optimist()], game="dilemma")
    assert scores.matches == 1
    assert [each.name for each in scores.skipped] == [each.name for each in kept[:-1]]
    why = " ".join(each.why for each in scores.skipped)
    for words in (
        "no match was started",
        "not a kibitz record",
        "permission denied",
        "at the start",
        "record of pennies",
    ):
        assert words in why
    assert model_scores(kept, [Optimist()], game="dilemma(rounds=5)").matches == 0
    assert model_scores(kept, [Optimist()], game=make_game("dilemma(rounds=4)")).matches == 1
    assert model_scores(kept, [Optimist()], game=make_game("dilemma")).matches == 0


@pytest.mark.parametrize(
    ("models", "kind", "words"),
    [
        ([], BadDefinition, "at least one model"),
        ([Mute()], BadSpec, "answers no question"),
        (["strategy_filtr"], UnknownName, "did you mean 'strategy_filter'"),
        (["strategy_filter@2"], BadSpec, "from 0 to 1"),
    ],
)
def test_models_are_checked_before_anything_is_watched(models: list[object], kind: type, words: str) -> None:
    with pytest.raises(kind, match=words):
        model_scores((pytest.fail("a record was read") for _ in range(1)), models, game="dilemma")


class Picky(Optimist):
    """Watches nothing."""

    def begin(self, game: core.Game, seat: int | None, rng: core.Rng) -> None:
        raise Unsupported(self, game, "it is too simple")


def test_a_model_that_refuses_the_game_says_so() -> None:
    with pytest.raises(Unsupported, match="it is too simple"):
        model_scores([match()], [Picky()])


def test_wrong_settings_are_refused() -> None:
    for options in ({"top": 0}, {"level": 1.0}, {"resamples": 1}):
        with pytest.raises(BadDefinition):
            model_scores([match()], [Optimist()], **options)


MODELS = ["strategy_filter", "strategy_filter(drift=0.05)@0"]


@pytest.mark.long
def test_scores_are_the_same_in_a_pool_but_for_times() -> None:
    source = Fixtures("dilemma(rounds=5)", [], 12, seed=4)
    here = model_scores(source, MODELS, game="dilemma(rounds=5)")
    with make_executor("pool", workers=2) as pool:
        there = model_scores(source, MODELS, game="dilemma(rounds=5)", executor=pool)
    assert here == there
    timing = only(here, "action").timing
    assert timing.observe_median is not None
    assert timing.observe_median > 0.0
    assert timing != 3
    assert model_scores(Fixtures("dilemma(rounds=5)", [], 2, seed=5), MODELS) != here


def test_fixtures_draw_players_without_repeating_them() -> None:
    found = list(Fixtures("dilemma", ["grim", "pavlov", "defector"], 40, seed=2))
    seated = [each.record.agents for each in found]
    assert all(first != second for first, second in seated)
    assert len(set(seated)) == 6
    assert found == list(Fixtures("dilemma", ["grim", "pavlov", "defector"], 40, seed=2))
    alone = next(iter(Fixtures("dilemma", ["grim"], 1)))
    assert alone.record.agents == ("dilemma.grim", "dilemma.grim")
