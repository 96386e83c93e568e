"""The studies of the arenas, in very small: what they count, and that the tracks stay apart."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from finished_studies import all_results
from kibitz.cli.main import exit_code
from kibitz.core.registry import fitting_names, make_game, spec_of
from kibitz_lab.bridges.axelrod.package import load_axelrod, strategies_by_name
from kibitz_lab.studies.arenas import axelrod, measures, poker, rps
from kibitz_lab.studies.arenas.families import Opponent
from kibitz_lab.studies.study import Results, Study


@pytest.fixture(autouse=True, scope="module")
def installed() -> None:
    """Skip where a package is missing. Axelrod is not imported to find out, as all processes that run tests would."""
    pytest.importorskip("pyspiel")
    pytest.importorskip("matplotlib")
    if find_spec("axelrod") is None:
        pytest.skip("axelrod is not installed")


def results_of(study: Study, **changed: Any) -> Results:
    return all_results(study, {**study.settings, **study.quick, **changed})


def population() -> list[Opponent]:
    return [
        Opponent("a", "a", "one", "tuning"),
        Opponent("b", "b", "one", "tuning"),
        Opponent("c", "c", "two", "unseen"),
        Opponent("d", "d", "three", "unseen"),
    ]


def test_the_two_intervals_count_repeats_and_families() -> None:
    scores = {"a": [1.0, 3.0], "b": [1.0, 3.0], "c": [5.0, 7.0], "d": [5.0, 7.0]}
    over_matches = measures.mean_over_matches(list(scores.values()))
    over_opponents = measures.mean_over_opponents(list(scores.values()), [each.family for each in population()])
    assert over_matches.mean == over_opponents.mean == 4.0
    assert (over_matches.blocks, over_opponents.blocks) == (2, 3)


def test_two_matches_with_each_tell_how_sure_a_mean_is() -> None:
    rng = np.random.default_rng(4)
    truth, covered = rng.normal(size=40), 0
    for _ in range(200):
        found = measures.mean_over_matches([(each + rng.normal(size=2)).tolist() for each in truth])
        covered += found.low <= truth.mean() <= found.high
    assert 180 <= covered <= 198
    assert not measures.mean_over_matches([[1.0], [2.0, 3.0]]).is_finite()


GIVEN = {"human", "mixture", "noisy", "process", "program", "scripted", "switcher"}
"""Agents that play what a person, a program or other agents say."""
ABSENT = {"rps": {"equilibrium", "thwart", "planner"}, "dilemma": {"mcts"}}
"""Agents that list all states of a match, which a long one has too many of, and those that take too long."""


@pytest.mark.parametrize(
    ("game", "entered"),
    [
        ("rps(goal=points, rounds=1000)", [*rps.STUDY.settings["agents"], *rps.OTHERS]),
        ("dilemma", [*axelrod.STUDY.settings["agents"], *axelrod.OTHERS]),
        *((game, [*poker.STUDY.settings["agents"], *others]) for game, others in poker.OTHERS.items()),
    ],
)
def test_every_agent_that_can_play_is_in_the_tables(game: str, entered: list[str]) -> None:
    made = make_game(game)
    own = f"{spec_of(made).name}."
    absent = GIVEN | ABSENT.get(spec_of(made).name, set())
    able = {name.removeprefix(own) for name in fitting_names("agent", made)} - absent
    assert able == {spec.partition("(")[0].removeprefix(own) for spec in entered}


def test_the_worst_opponent_is_the_one_who_wins_most() -> None:
    name, worst = measures.worst_mean({"a": [1.0, 2.0], "b": [-4.0, 1.0]})
    assert (name, worst.mean) == ("b", -1.5)


@pytest.fixture(scope="module")
def bots() -> Results:
    return results_of(
        rps.STUDY,
        agents=("random",),
        known=("roshambo_population(samples=1)",),
        theirs=("copybot",),
        rounds=200,
        every=22,
        matches=1,
    )


@pytest.mark.long
def test_no_table_mixes_the_two_tracks(bots: Results) -> None:
    stranger, known, _ = (measure.lines(bots) for measure in rps.STUDY.measures)
    assert {line.levels["agent"] for line in stranger} == {"random", "roshambo:copybot"}
    assert [str(line.levels["agent"]).partition("(")[0] for line in known] == ["roshambo_population"]


@pytest.mark.long
def test_who_knows_the_programs_wins() -> None:
    case = {"agent": "roshambo_population(samples=1)", "opponent": "robertot", "rounds": 1000, "seed": 5}
    assert rps.play_bot(case)["earned"] > 800


def test_a_match_of_two_bots_is_the_same_again() -> None:
    case = {"agent": "roshambo:driftbot", "opponent": "switchalot", "rounds": 1000, "seed": 5}
    assert rps.play_bot(case) == rps.play_bot(case)
    assert rps.play_bot(case)["earned"] != rps.play_bot({**case, "seed": 6})["earned"]


@pytest.mark.long
def test_ranks_are_those_of_one_tournament_of_axelrod() -> None:
    """The same strategies, drawn from nothing, in one piece and in our pieces."""
    package = load_axelrod()
    names = ["Cooperator", "Defector", "TitForTat", "Grudger", "WinStayLoseShift", "Alternator"]
    settings = {"turns": 20, "noise": 0.0, "seed": 1, "repeat": 0}
    field = [
        axelrod.play_rows({**settings, "first": first, "names": names, "chunk": 4}) for first in range(0, len(names), 4)
    ]

    def matches(agent: str, others: list[str]) -> list[dict[str, Any]]:
        cases = [{**settings, "agent": agent, "opponent": name} for name in others]
        return [{**case, **axelrod.play_strategy(case)} for case in cases]

    guest, entry = "Forgiver", "axelrod:TitFor2Tats"
    ours = axelrod.standings(matches(entry, [*names, guest]), field, names, entry, matches(f"axelrod:{guest}", names))
    players = [strategies_by_name()[name]() for name in [*names, guest, "TitFor2Tats"]]
    theirs = package.Tournament(players, turns=20, repetitions=1, seed=1).play(progress_bar=False)
    unfinished = axelrod.standings(matches(entry, [*names, guest]), field[:1], names, entry)
    assert {each.name for each in unfinished} <= {entry, *names[:4]}  # the others have not met everybody yet
    by_name = {each.name.removeprefix("axelrod:"): each.score for each in ours}
    for name, scores in zip([*names, guest, "TitFor2Tats"], theirs.normalised_scores, strict=True):
        assert by_name[name] == pytest.approx(scores[0])


def test_the_length_of_a_match_can_be_hidden_from_a_player() -> None:
    own, other = axelrod.make_player("tit_for_tat"), axelrod.make_player("axelrod:Cooperator")
    load_axelrod().Match((own, other), turns=10).play()
    assert own.expected > 1000
    assert own.match_attributes["length"] == 10


@pytest.mark.long
def test_poker_is_counted_by_exact_expectations() -> None:
    results = results_of(poker.STUDY, agents=("cfr", "kuhn.rock"), hands=20, first=0, matches=1)
    rows = results.rows("hands")
    assert all(row["exact"] for row in rows)
    assert all(row["room"] >= -1e-9 for row in rows)
    itself = next(row for row in rows if row["agent"] == "kuhn.rock" and row["opponent"] == poker.EQUILIBRIUM)
    assert max(itself["gains"]) <= 1e-9  # nobody wins from an equilibrium
    fixed = [{**row, "repeat": repeat} for row in rows if row["agent"] == "kuhn.rock" for repeat in range(2)]
    share = poker.share_interval([poker.with_won(row, 0) for row in fixed], "repeat")
    assert share.low == share.mean == share.high  # the strategy is known, so is its worth
    (fractions,) = (measure.lines(results) for measure in poker.STUDY.measures)
    assert {line.levels["agent"] for line in fractions} == {"cfr", "kuhn.rock"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["arena-rps", "--agents", "nobody"], "nobody"),
        (["arena-poker", "--games", "pawns"], "'pawns' is none of kuhn(players=2), leduc"),
        (["arena-axelrod", "--agents", "aware(risk=-1)"], "risk"),
        (["arena-axelrod", "--agents", "axelrod:TitForTatt"], "Axelrod has no strategy 'TitForTatt'"),
    ],
)
def test_bad_input_is_one_line_before_anything_is_played(
    arguments: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert exit_code(["study", *arguments, "--quick", "--db", str(tmp_path / "k.db")]) != 0
    said = capsys.readouterr().err.strip()
    assert words in said
    assert "\n" not in said
    assert not list(tmp_path.iterdir())
