"""The model `plans` and the agent `purposeful` in every game that has a plan library."""

from pathlib import Path

import pytest

from kibitz import core, play
from kibitz.core.errors import UnknownName, Unsupported
from kibitz.core.kit.plans import Observation
from kibitz.core.match.play import playing
from kibitz.core.registry import entries, kit_of, make_agent, make_game, make_model, spec_of
from kibitz.core.seeds import stream
from kibitz.core.wording import remarks
from kibitz_lab.arena.scoring import model_scores
from kibitz_lab.games.pawns.plan_library import PLANS as PAWNS
from kibitz_lab.games.pawns.rules import position
from kibitz_lab.plans.formats.text_form import parse_text, text_of
from kibitz_lab.plans.model import Plans
from kibitz_lab.plans.observed_player import observed_text, plans_of

GAMES = [name for name in entries("game") if kit_of(name).plans is not None]


def test_a_library_named_by_a_bare_word_is_a_file() -> None:
    with pytest.raises(Unsupported, match="nosuch: cannot be read: no such file"):
        make_model("plans(library=nosuch)").begin(make_game("pawns"), None, stream(0, "x"))


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_the_words_of_a_game_are_the_actions_of_its_library(name: str) -> None:
    game = make_game(name)
    library, describe = plans_of(game, "test")
    for moment in playing(game, ["random"] * game.players, seed=2, max_plies=40):
        for player in game.movers(moment.state):
            legal = moment.state.legal_actions(player)
            for each in describe(moment.state, player, legal):
                assert len(each.values) == len(library.actions[each.action].parameters)


def test_moves_of_pawns_are_described() -> None:
    state = position("c3 e5 +2", "e6 g5 +1")
    words = {
        state.action_to_string(0, a): str(each)
        for a, each in zip(state.legal_actions(), PAWNS.describe(state, 0, state.legal_actions()), strict=True)
    }
    assert words["base-c1"] == "leave(c1)"
    assert words["c3-d3"] == "aside(c3, d3)"
    assert words["c3-c4"] == "aside(c3, c4)"
    assert words["e5-f5"] == "press(e5, f5)"


SCORED = [("dilemma", 2, 0.65), ("pennies", 2, 0.7)]


@pytest.mark.long
@pytest.mark.parametrize(("name", "players", "least"), SCORED)
def test_goals_of_purposeful_players_are_found(name: str, players: int, least: float) -> None:
    records = [play(name, ["purposeful"] * players, seed=seed) for seed in range(12)]
    scores = model_scores(records, ["plans"])
    found = scores["goal"]["plans"]
    assert found.error is None
    assert found.figures.accuracy.mean > least
    assert found.figures.log_loss.mean < 0.8 * scores["goal"].baseline.figures.log_loss.mean
    assert scores["action"]["plans"].figures.log_loss.mean < scores["action"].baseline.figures.log_loss.mean - 0.1


@pytest.mark.long
def test_several_goals_at_a_time_are_scored_as_a_set() -> None:
    records = [play("dilemma", ["purposeful(goals=2)"] * 2, seed=seed) for seed in range(6)]
    assert {tuple(truth["goal"]) for record in records for truth in record.header.truths} <= {
        ("exploit", "lull"),
        ("exploit", "peace"),
        ("lull", "peace"),
    }
    scores = model_scores(records, ["plans(roots=2)"])["goal"]
    (row, baseline) = scores.rows
    assert row.error is None
    assert set(scores.labels) <= {'["exploit","lull"]', '["exploit","peace"]', '["lull","peace"]'}
    assert row.figures.accuracy.mean > baseline.figures.accuracy.mean == pytest.approx(2 / 3)
    with pytest.raises(Unsupported, match="1 to 3 drawn goals"):
        make_agent("purposeful(goals=4)").begin(make_game("dilemma"), 0, stream(1, "test"))


def test_a_pawn_that_runs_is_told_from_pawns_that_hold() -> None:
    record = play(
        "pawns", ['purposeful(goal="run")', 'purposeful(goal="hold")'], models=["plans"], seed=3, max_plies=60
    )
    run, hold = record.entries[-1].beliefs["plans"]
    assert run["run"] > 0.9
    assert hold["hold"] > 0.9
    assert record.header.truths[0]["goal"] == "run"


def test_whoever_fits_no_plan_is_begun_afresh() -> None:
    model, game = Plans(slip=0.0), make_game("pennies")
    model.begin(game, None, stream(1, "test"))
    for coins in ((0, 1), (0, 0), (1, 1), (1, 0)):
        before = game.new_initial_state()
        model.observe(core.Transition(0, core.SIMULTANEOUS, coins, before, before))
    assert model.pursuits[0].restarts == 1
    assert "fitted no plan once" in "; ".join(remarks(model.explain(0)))
    assert sum(model.belief(0).values()) == pytest.approx(1.0)


def test_other_plans_of_the_same_actions_may_be_given(tmp_path: Path) -> None:
    path = tmp_path / "own.plans"
    path.write_text(text_of(WAYS))
    record = play("dilemma", ["cooperator", "defector"], models=[f'plans(library="{path}")'], seed=1)
    (held,) = record.entries[-1].beliefs.values()
    assert [max(belief, key=belief.get) for belief in held] == ["kind", "mean"]
    path.write_text("goal kind\nkind -> cooperate")
    with pytest.raises(Unsupported, match="does not know its action 'defect'"):
        make_model(f'plans(library="{path}")').begin(make_game("dilemma"), None, stream(1, "test"))


class Unplanned(type(make_game("dilemma"))):  # type: ignore[misc]
    """A game that nobody registered."""


AGENTS = ["dilemma.cooperator", "dilemma.defector"]
WAYS = parse_text(
    "goal kind\ngoal mean\nkind -> cooperate kind : ordered [.9] | cooperate [.1]\n"
    "mean -> defect mean : ordered [.9] | defect [.1]"
)


def test_a_game_that_nobody_registered_is_watched_with_a_library_object() -> None:
    model = Plans(library=WAYS)
    record = play(Unplanned(rounds=6), AGENTS, models=[model], seed=1)
    (held,) = record.entries[-1].beliefs.values()
    assert [max(belief, key=belief.get) for belief in held] == ["kind", "mean"]
    written = make_model(str(spec_of(model)))
    assert written.library == text_of(WAYS)  # type: ignore[attr-defined]
    (again,) = play(Unplanned(rounds=6), AGENTS, models=[written], seed=1).entries[-1].beliefs.values()
    assert again == held


def test_actions_are_described_as_players_write_them_or_by_a_function() -> None:
    library = parse_text("goal go\naction move(from, to)\ngo -> move stay")
    assert observed_text("move(a1, b2)", library) == Observation("move", ("a1", "b2"))
    assert [observed_text(text, library) for text in ("stay", "move(a1)", "jump")] == [
        Observation("stay"),
        Observation("move(a1)"),
        Observation("jump"),
    ]
    names = {0: "cooperate", 1: "defect"}
    model = Plans(library=WAYS, describe=lambda view, player, actions: [Observation(names[1 - a]) for a in actions])
    record = play(Unplanned(rounds=6), AGENTS, models=[model], seed=1)
    (held,) = record.entries[-1].beliefs.values()
    assert [max(belief, key=belief.get) for belief in held] == ["mean", "kind"]


def test_a_game_without_plans_is_refused() -> None:
    with pytest.raises(Unsupported, match="no plan library"):
        Plans().begin(Unplanned(), None, stream(1, "test"))
    with pytest.raises(UnknownName, match="no goal named 'peas'; did you mean 'peace'"):
        make_agent('purposeful(goal="peas")').begin(make_game("dilemma"), 0, stream(1, "test"))
