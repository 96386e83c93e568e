"""Memory across matches: what models keep of named players, in files that are checked, and never in scores."""

import json
from math import log
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import kibitz
from kibitz import core
from kibitz.cli.main import exit_code
from kibitz.core.errors import BadSource, BadSpec, Unwritable
from kibitz.core.match import MatchOptions
from kibitz.core.match.play import RecordedMatch
from kibitz.core.match.watchers import Watcher
from kibitz.core.player_memory import Memory, recalled_prior
from kibitz.core.records import read_record
from kibitz.core.records.replay import Replay
from kibitz.core.registry import make_game, make_model
from kibitz.core.wording import remarks, sentence
from kibitz_lab.arena.scoring import model_scores
from kibitz_lab.arena.sources import Files

DILEMMA = "dilemma(rounds=10)"
PLAYERS = ["dilemma.defector", "dilemma.tit_for_tat"]


def watched(
    game: str, agents: list[str], model: str, *, first: int = 5, **options: Any
) -> tuple[core.Model, list[float]]:
    """A model after a match, and minus the log probability that it gave to the first choices of every player."""
    made, watcher = make_game(game), Watcher(make_model(model))
    match = RecordedMatch(made, agents, MatchOptions(models=[watcher], **options))
    losses: list[float] = []
    seen = [0] * made.players
    expected: dict[int, core.Distribution] = {}
    for moment in match.moments():
        event = moment.event
        for player, action in [] if event is None else zip(event.movers, event.actions, strict=True):
            if player in expected and seen[player] < first:
                seen[player] += 1
                losses.append(-log(max(1e-9, expected[player].probability(action))))
        state = moment.state
        choosing = [player for player in made.movers(state) if len(state.legal_actions(player)) > 1]
        expected = {player: watcher.model.predict(state.view(None), player) for player in choosing}
    return watcher.model, losses


def gain(game: str, model: str, agents: list[str], folder: Path, *, first: int, max_plies: int | None = None) -> float:
    """How much lower the loss of the first choices in a second match is with a memory of the first match."""
    names = [f"player {seat}" for seat in range(len(agents))]
    options: dict[str, Any] = {"first": first, "max_plies": max_plies}
    watched(game, agents, model, memory=str(folder), names=names, seed=1, **options)
    _, remembered = watched(game, agents, model, memory=str(folder), names=names, seed=2, **options)
    _, plain = watched(game, agents, model, seed=2, **options)
    return float(np.mean(plain) - np.mean(remembered))


def mean_gain(game: str, model: str, pool: list[str], folder: Path, *, pairs: int, **options: int) -> float:
    """The mean over pairs of matches between players who are drawn."""
    rng = np.random.default_rng(1)
    players = make_game(game).players
    found = []
    for pair in range(pairs):
        agents = [pool[number] for number in rng.choice(len(pool), players)]
        found.append(gain(game, model, agents, folder / str(pair), **options))
    return float(np.mean(found))


@pytest.mark.long
@pytest.mark.parametrize("pairs", [8, pytest.param(60, marks=pytest.mark.slow)])
def test_a_player_of_repeated_hands_is_recognised_sooner(tmp_path: Path, pairs: int) -> None:
    pool = [f"dilemma.{name}" for name in ("tit_for_tat", "defector", "cooperator", "grim", "pavlov")]
    assert mean_gain(DILEMMA, "strategy_filter", [*pool, "random"], tmp_path, pairs=pairs, first=5) > 0.1


@pytest.mark.long
@pytest.mark.parametrize("pairs", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_who_keeps_promises_is_remembered(tmp_path: Path, pairs: int) -> None:
    pool = [f"trails.{name}" for name in ("honest", "always_renege", "tit_for_tat", "perb", "hardliner")]
    assert mean_gain("trails", "trails.promises", pool, tmp_path, pairs=pairs, first=8) > 0.0


@pytest.mark.slow
def test_who_follows_no_mission_is_remembered(tmp_path: Path) -> None:
    pool = ["risk.mission", "risk.heuristic", "risk.passive", "random", "risk.constrained"]
    assert mean_gain("risk", "risk.choice", pool, tmp_path, pairs=16, first=40, max_plies=400) > 0.0


def test_beliefs_begin_with_what_was_learned_and_say_so(tmp_path: Path) -> None:
    for _ in range(2):
        kibitz.play(DILEMMA, PLAYERS, models=["strategy_filter"], memory=str(tmp_path))
    record = kibitz.play(DILEMMA, PLAYERS, models=["strategy_filter"], memory=str(tmp_path), insights=True)
    assert record.header.recalled == {"strategy_filter": [2, 2]}
    assert record.header.beliefs["strategy_filter"][0]["dilemma.defector"] > 0.8
    first = record.header.insights[0].explanations[0]  # type: ignore[index]
    assert (first.recalled, first.verdict) == (2, "nothing seen")
    assert "2 earlier matches suggest dilemma.defector" in sentence(first, "Ann")
    last = record.entries[-1].insights[0].explanations[0]
    assert remarks(last)[-1] == "counting 2 earlier matches"


def test_without_a_folder_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    record = kibitz.play(DILEMMA, PLAYERS, models=["strategy_filter"])
    assert list(tmp_path.iterdir()) == []
    assert "recalled" not in json.loads(msgspec.json.encode(record.header))


def test_a_player_who_has_changed_is_not_lost(tmp_path: Path) -> None:
    names = ["anna", "ben"]
    for _ in range(5):
        kibitz.play(DILEMMA, PLAYERS, models=["strategy_filter"], memory=str(tmp_path), names=names)
    changed = ["dilemma.cooperator", "dilemma.tit_for_tat"]
    model, _ = watched(DILEMMA, changed, "strategy_filter", memory=str(tmp_path), names=names)
    assert model.belief(0)["dilemma.defector"] < 0.01


def test_names_are_the_agents_unless_others_are_given(tmp_path: Path) -> None:
    game = make_game(DILEMMA)
    memory = Memory(tmp_path, game, ["", "anna"], ["dilemma.grim", "dilemma.grim"])
    assert memory.names == ("dilemma.grim", "anna")
    assert Memory(tmp_path, game, ["", ""], ["dilemma.grim"] * 2).names == ("dilemma.grim", "dilemma.grim 2")
    assert memory.path("../../x").parent == tmp_path
    assert len(memory.path("x" * 4000).name) < 120
    assert memory.path("x" * 4000) != memory.path("x" * 4001)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"names": ["anna", "anna"]}, "two players have this name"),
        ({"names": ["anna"]}, "it has 2 players, you named 1"),
        ({"names": ["an\nna", "ben"]}, "a name in one line"),
        ({"names": [" ", "ben"]}, "a name in one line"),
        ({"names": ["anna", "ben"], "memory": ""}, "name its folder, too"),
    ],
)
def test_names_that_do_not_fit_are_refused(tmp_path: Path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSpec, match=words):
        kibitz.play(DILEMMA, PLAYERS, models=["strategy_filter"], **{"memory": str(tmp_path), **options})


def file_text(**changes: object) -> str:
    """The text of a memory, with some fields changed."""
    good = {"format": "kibitz memory", "version": 1, "game": "dilemma", "player": "dilemma.defector", "models": {}}
    return json.dumps({**good, **changes})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file holds no memory of a player"),
        (file_text()[:40], "the file holds no memory of a player"),
        ("\x00\xff", "the file holds no memory of a player"),
        (file_text(version=2), "version 2, but kibitz reads 'kibitz memory' 1"),
        (file_text(format="a cookbook"), "format 'a cookbook'"),
        (file_text(player="somebody else"), "it is about 'somebody else' in dilemma"),
        (file_text(game="kuhn"), "in kuhn, not"),
        (file_text(models={"m": {"matches": 0, "learned": {}}}), "what 'm' learned is not numbers"),
        (file_text(models={"m": {"matches": 1, "learned": {"a": -1}}}), "what 'm' learned is not numbers"),
        (file_text(models={"m": {"matches": 1, "learned": {"a": 1e308}}}), "what 'm' learned is not numbers"),
        (file_text(models={"m": {"matches": 1, "learned": {"a": "x"}}}), "the file holds no memory of a player"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    (tmp_path / "dilemma-dilemma.defector.json").write_text(text)
    with pytest.raises(BadSource, match=r"dilemma-dilemma\.defector\.json: ") as raised:
        kibitz.play(DILEMMA, PLAYERS, models=["strategy_filter"], memory=str(tmp_path))
    assert words in str(raised.value)
    assert exit_code(["watch", DILEMMA, "defector", "tit_for_tat", "--memory", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_labels_of_other_parameters_are_left_out() -> None:
    prior = {"a": 0.4, "b": 0.4, "unknown": 0.2}
    assert recalled_prior(prior, {"x": 1.0}) == prior
    found = recalled_prior(prior, {"a": 0.5, "x": 0.5})
    assert sum(found.values()) == pytest.approx(1.0)
    assert found["b"] == pytest.approx(0.4), "what the file does not know keeps its share"


@pytest.mark.long
def test_scores_never_use_a_memory(tmp_path: Path) -> None:
    folder, records = tmp_path / "players", tmp_path / "records"
    records.mkdir()
    kibitz.play(DILEMMA, PLAYERS, models=["strategy_filter"], memory=str(folder))
    seasoned = kibitz.play(DILEMMA, PLAYERS, models=["strategy_filter"], memory=str(folder), path=records / "a.krec")
    plain = kibitz.play(DILEMMA, PLAYERS, models=["strategy_filter"], path=tmp_path / "b.krec")
    assert seasoned.header.beliefs != plain.header.beliefs
    one = model_scores(Files([records / "a.krec"]), ["strategy_filter"], game="dilemma")
    other = model_scores(Files([tmp_path / "b.krec"]), ["strategy_filter"], game="dilemma")
    assert one.questions == other.questions
    assert exit_code(["score-models", "dilemma", "-m", "strategy_filter", "--memory", str(folder)]) == 2


def test_a_record_says_that_its_models_remembered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watching = ["watch", DILEMMA, "defector", "grim", "--memory", str(tmp_path / "players"), "--name", "anna"]
    assert exit_code([*watching, "--name", "ben"]) == 0
    assert exit_code([*watching, "--name", "ben", "--record", str(tmp_path / "a.krec")]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "counting 1 earlier match" in printed
    assert {path.name for path in (tmp_path / "players").iterdir()} == {"dilemma-anna.json", "dilemma-ben.json"}
    assert read_record(tmp_path / "a.krec").header.recalled == {"strategy_filter": [1, 1]}
    assert exit_code(["replay", str(tmp_path / "a.krec")]) == 0
    assert "the models of this record remembered earlier matches: strategy_filter" in capsys.readouterr().err


def test_a_replay_begins_with_a_memory_and_adds_nothing_to_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, path = tmp_path / "players", tmp_path / "second.krec"
    agents = ["defector", "tit_for_tat"]
    kibitz.play("dilemma(rounds=10)", agents, models=["strategy_filter"], memory=str(folder), seed=1)
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    record = kibitz.play("dilemma(rounds=10)", agents, seed=2)
    path.write_bytes(record.to_bytes())
    fresh = Replay(record, models=["strategy_filter"]).watched_record()
    recalled = Replay(record, models=["strategy_filter"], memory=folder).watched_record()
    assert recalled.header.recalled == {"strategy_filter": [1, 1]}
    first = [each.header.beliefs["strategy_filter"][0]["dilemma.defector"] for each in (fresh, recalled)]
    assert first[1] > 0.9 > first[0]
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == before
    for arguments, words in (
        (["--memory", str(folder)], "name a model"),
        (["--model", "strategy_filter", "--name", "anna"], "name its folder"),
        (["--model", "strategy_filter", "--memory", str(tmp_path / "none")], "no such folder"),
        (["--model", "strategy_filter", "--memory", str(folder), "--name", "anna"], "2 players, you named 1"),
    ):
        assert exit_code(["replay", str(path), *arguments]) == 2
        assert words in " ".join(capsys.readouterr().err.split())


def test_a_file_in_place_of_the_folder_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(Unwritable, match="taken: it is a file, and a folder is needed"):
        kibitz.play(DILEMMA, PLAYERS, models=["strategy_filter"], memory=str(tmp_path / "taken"))
