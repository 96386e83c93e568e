"""The study of Risk on a corpus of three small games, and the marks it gives."""

import gzip
from pathlib import Path

import msgspec
import numpy as np
import pytest

from kibitz.arena.executors import make_executor
from kibitz.core.errors import BadDefinition
from kibitz.core.registry import make_agent, make_game
from kibitz.games.risk.models.choice_parameters import DATA, read_parameters
from kibitz.games.risk.models.training_games import FRACTIONS, training_game_from_steps
from kibitz.store import Store
from kibitz.studies.blocks import Table
from kibitz.studies.report import make_report
from kibitz.studies.risk import STUDY, awareness, deception, fitness, own_agents, training_tables
from kibitz.studies.risk.awareness import BLIND, MODEL, ORACLE, PLAIN, arm_wins
from kibitz.studies.risk.corpora import adapt_to_set, learn_from_set
from kibitz.studies.risk.games import Beliefs, distinct_games, sets_of
from kibitz.studies.risk.marks import (
    accuracy,
    answers,
    calibration,
    confusion,
    convergence,
    end_accuracy,
    log_loss,
    mark_game,
    own_accuracy,
)
from kibitz.studies.risk.training_tables import (
    draw_campaign,
    draw_table,
    numbered_table,
    rounded_numbers,
    steps_of_table,
)
from kibitz.studies.runs import StudyRun
from kibitz.studies.study import Work

GAME = "risk(players=3, missions=continents, cards=fixed, board='dom-luca82')"
TINY = {
    "own_agents": ("constrained",),
    "own_games": 1,
    "deceivers": 1,
    "pretended_turns": (1,),
    "honest_agents": ("constrained",),
    "aware_deals": 1,
    "aware_trials": 1,
    "aware_players": (2, 3),
    "fitness_weights": (64,),
    "fitness_games": 2,
}
AWARE = (("risk.mission(w=100)",), ("risk.heuristic", "risk.constrained"))


def logged(seed: int) -> str:
    """The log of a game of three constrained players."""
    return gzip.decompress(
        Path(__file__).with_name("data").joinpath(f"constrained-{seed}.log.gz").read_bytes()
    ).decode()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "constrained").mkdir()
    for seed in range(3):
        text = logged(seed)
        for name in (f"{seed}.log", f"again-{seed}.log"):  # logs that repeat a game
            (folder / "constrained" / name).write_text(text)
    return folder


@pytest.mark.long
def test_a_corpus_is_its_distinct_games(corpus: Path, tmp_path: Path) -> None:
    assert sets_of(str(corpus)) == ["constrained"]
    assert len(list(distinct_games(corpus / "constrained"))) == 3
    assert sets_of("") == []
    with pytest.raises(BadDefinition, match="there is no folder"):
        sets_of(str(tmp_path / "nowhere"))
    with pytest.raises(BadDefinition, match="holds logs"):
        sets_of(str(tmp_path))


@pytest.mark.long
def test_a_single_game_is_told_by_what_was_known_before(corpus: Path) -> None:
    case = {"corpus": str(corpus), "set": "constrained", "most": 1, "seed": 0, "folds": 3, "others": []}
    for games in adapt_to_set(case)["games"].values():
        assert [len(game["players"]) for game in games] == [3]


def test_a_set_that_teaches_nothing_is_named(tmp_path: Path) -> None:
    case = {"corpus": str(tmp_path), "set": "unfinished", "most": None, "seed": 0, "folds": 3}
    (tmp_path / "unfinished").mkdir()
    text = logged(1)
    (tmp_path / "unfinished" / "cut.log").write_text("\n".join(text.splitlines()[:60]))
    with pytest.raises(BadDefinition, match=r"no game with missions was won in the logs of .*unfinished"):
        learn_from_set(case)


def test_marks_by_hand() -> None:
    moments = len(FRACTIONS)
    shares = np.zeros((moments, 2, 3))
    shares[:, 0] = [0.5, 0.25, 0.25]
    shares[:, 1] = [0.4, 0.4, 0.2]
    shares[-4:, 1] = [0.1, 0.8, 0.1]
    own = np.zeros((4, 2, 3))
    own[:, :, 0] = 1.0
    own[2:, 1] = [0.0, 0.5, 0.5]
    endings = np.zeros((2, 2, 3))
    endings[:, :, 0], endings[1, 1] = 1.0, [0.0, 1.0, 0.0]
    game = mark_game(Beliefs(shares, own, endings), (0, 1), 1, 99)
    found = answers([game])
    assert accuracy(found, 0.5).mean == pytest.approx((1.0 + 0.5) / 2)  # a tie of two counts half
    assert [own_accuracy(found, quarter).mean for quarter in (2, 3)] == [0.5, 0.75]
    assert accuracy(answers([game], won=True), 1.0).mean == 1.0
    assert [end_accuracy(found, over=each).mean for each in (False, True)] == [0.5, 1.0]
    assert log_loss(found, 1.0).mean == pytest.approx(-(np.log(0.5) + np.log(0.8)) / 2)
    assert [convergence(player) for _, player in found] == [FRACTIONS[0], FRACTIONS[-4]]
    assert confusion(found, 1.0, 3)[1].tolist() == [0.0, 1.0, 0.0]
    error = calibration(found).error
    assert error is not None
    assert 0.0 < error.mean < 0.6


@pytest.mark.long
@pytest.mark.parametrize("opponents", [AWARE[:1], pytest.param(AWARE, marks=pytest.mark.slow)], ids=len)
def test_the_study_is_told_with_and_without_a_corpus(
    opponents: tuple[tuple[str, ...], ...], corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if len(opponents) == 1:  # three players instead of six: a fourth of the time
        for module in (deception, fitness, own_agents):
            monkeypatch.setattr(module, "GAME", GAME)
    changed = {**TINY, "aware_opponents": opponents, "corpus": str(corpus)}
    with Store(str(tmp_path / "study.db")) as store:
        run = StudyRun(STUDY, store, quick=True, changed=changed)
        for _ in run.run_rest(make_executor("inline")):
            pass
        assert run.complete
        report = make_report(run)
    tables = [block for chapter in report.chapters for block in chapter.blocks if isinstance(block, Table)]
    validated = next(table for table in tables if table.caption.startswith("constrained: the share of 9 players"))
    assert [row[0] for row in validated.rows[:2]] == ["choice as it comes", "choice"]
    assert validated.rows[-1][0].startswith("Khan (2013)")
    assert any("aware agent" in text for text in report.conclusions)
    assert any("deceiver's switch" in text for text in report.conclusions)
    assert any("Tuned by what the recogniser says" in text for text in report.conclusions)
    titles = {chapter.title for chapter in report.chapters}
    assert {"By a player's own orders", "What each kind of event adds", "Single games"} <= titles
    heard = next(table for table in tables if table.columns[1] == "events for the recogniser")
    assert [row[4] is None for row in heard.rows] == [True, False, False, False]


def test_arms_meet_on_the_same_deals_and_no_deal_comes_twice() -> None:
    (part,) = awareness.parts(awareness.SETTINGS, 3)
    assert isinstance(part, Work)
    assert isinstance(part.cases, list)
    deals: dict[int, set[str]] = {}
    for case in part.cases:
        deals.setdefault(case["seed"], set()).add(case["arm"])
        assert len(case["opponents"]) == case["players"] - 1 >= case["seat"]
    assert len(deals) == 1200
    assert all(arms == {PLAIN, BLIND, MODEL, ORACLE} for arms in deals.values())


@pytest.mark.long
def test_training_tables_are_drawn_by_their_number() -> None:
    tables = [draw_table(number) for number in range(1000, 1040)]
    assert tables[0] == draw_table(1000)
    assert len({table.game for table in tables}) > 10
    assert {len(table.agents) for table in tables} == {2, 3, 4, 5, 6}
    number = next(1000 + place for place, table in enumerate(tables) if len(table.agents) == 2)
    lesson = training_game_from_steps(steps_of_table(draw_table(number), number))
    assert lesson is not None
    assert lesson.players == 2


def test_campaign_tables_hold_campaigners_of_one_character_or_of_several() -> None:
    tables = [draw_campaign(number) for number in training_tables.CAMPAIGNS]
    assert tables[0] == draw_campaign(training_tables.CAMPAIGNS[0])
    assert {len(table.agents) for table in tables} == {2, 3, 4, 5, 6}
    assert {len(set(table.agents)) == 1 for table in tables} == {True, False}
    weights = [make_agent(table.agents[0], "risk").parameters()["w"] for table in tables]
    assert min(weights) < 3.0
    assert max(weights) > 100.0


def test_tables_of_our_own_agents_are_of_one_agent_and_half_of_them_are_of_the_thesis() -> None:
    tables = [numbered_table(number) for number in training_tables.OWN_AGENTS[:12]]
    assert [set(table.agents) for table in tables] == [{training_tables.OWN[number % 3]} for number in range(12)]
    assert [table.game == own_agents.GAME for table in tables] == 2 * [*[False] * 3, *[True] * 3]
    assert all(len(table.agents) == make_game(table.game).players for table in tables)


def test_tables_that_say_how_sure_to_be_are_new() -> None:
    numbers = [training_tables.OWN_AGENTS, training_tables.NEW_CAMPAIGNS, training_tables.NEW_NUMBERS]
    known = {*training_tables.NUMBERS, *training_tables.CAMPAIGNS}
    assert all(known.isdisjoint(each) for each in numbers)
    assert {agent.split("(")[0] for agent in numbered_table(training_tables.NEW_CAMPAIGNS[0]).agents} == {"campaigner"}


def test_the_file_that_comes_with_the_game_is_rounded_and_says_how_it_was_made() -> None:
    found = msgspec.json.decode(msgspec.json.encode(read_parameters(DATA / "choice.json")))
    made = {"module": training_tables.__name__, "revision": "f8d35a5f", "tables": 294, "new tables": 258}
    assert found["made"] == made
    assert {**rounded_numbers({**found, "made": {}}), "made": made} == found


def test_gains_are_told_deal_by_deal() -> None:
    earned = {PLAIN: (0.0, 0.0), BLIND: (1.0, 0.0), MODEL: (1.0, 1.0), ORACLE: (1.0, 1.0)}
    rows = [
        {"arm": arm, "seat": seat, "seed": deal, "won": both[seat]}
        for deal in range(20)
        for arm, both in earned.items()
        for seat in (0, 1)
    ]
    found = arm_wins("all", rows)
    assert found.deals == [deal for deal in range(20) for _ in (0, 1)]
    assert [found.share(arm).mean for arm in earned] == [0.0, 0.5, 1.0, 1.0]
    assert [found.gain(arm).mean for arm in (PLAIN, MODEL)] == [-0.5, 0.5]


def test_settings_that_a_study_does_not_have_are_refused(tmp_path: Path) -> None:
    with Store(str(tmp_path / "study.db")) as store, pytest.raises(BadDefinition, match="corpora is not a setting"):
        StudyRun(STUDY, store, changed={"corpora": "x"})
