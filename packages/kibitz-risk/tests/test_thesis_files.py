"""Events of any record, and the CSV files of the thesis."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from ring import spec
from thesis_files import read_csv

import kibitz
from kibitz.core.registry import make_game
from kibitz_risk.domination_logs import LoggedGame, follow, read_log
from kibitz_risk.events import GameEvent, events
from kibitz_risk.thesis_csv import PlayerReport, csv_text

CORPUS = {"free": 8, "constrained": 6, "ai-w4": 42, "ai-w100": 46}
"""Games with a CSV in each part."""
DUEL = {"players": 2, "mode": "domination", "cards": "fixed"}


def ends_in_conquest(seed: int) -> list[GameEvent]:
    record = kibitz.play(spec(**DUEL), ["random"] * 2, seed=seed, max_plies=4000)
    return list(events(record))


def test_events_tell_the_board_as_it_changes() -> None:
    record = kibitz.play(spec(players=3, cards="increasing"), ["random"] * 3, seed=3, max_plies=1500)
    found = list(events(record))
    counts = Counter(each.kind for each in found)
    assert counts["player added"] == 3
    assert counts["territory placed"] == 6
    owners = {}
    for each in found:
        if each.kind in ("territory placed", "territory occupied"):
            assert owners.get(each.territory) == each.other
            owners[each.territory] = each.player
        if each.kind in ("territory reinforced", "armies moved"):
            assert owners[each.territory] == each.player
        if each.kind == "occupation failed":
            assert owners[each.territory] == each.other != each.player
    occupied = [place for place, each in enumerate(found) if each.kind == "territory occupied"]
    assert occupied
    for place in occupied:
        follows = [each.kind for each in found[place + 1 : place + 3]]
        assert "armies moved" in follows or "game ended" in follows or len(found) <= place + 3


@pytest.mark.long
def test_who_loses_his_last_territory_is_removed_and_the_winner_is_told() -> None:
    for seed in range(6):
        found = ends_in_conquest(seed)
        if found[-1].kind == "game ended":
            removed = next(each for each in found if each.kind == "player removed")
            assert {removed.player, removed.other} == {0, 1}
            assert found[-1].player == removed.other
            return
    pytest.fail("no game ended")


BLOCK = PlayerReport("Ann", True, "Hold Asia and Africa", {f"Occupy-{n}": (0.25, 1 / 3) for n in range(12)})


def test_files_of_the_thesis_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "game.csv"
    other = PlayerReport("Bob", False, "Hold Europe", BLOCK.explanations)
    path.write_text(csv_text([BLOCK, other]))
    assert path.read_text().splitlines()[:3] == ["Ann", "WINNER", "Hold Asia and Africa, Turn 1, Turn 2"]
    assert read_csv(path) == [BLOCK, other]
    assert BLOCK.turns == 2


def labelled(corpus: Path, part: str) -> Iterator[tuple[LoggedGame, list[PlayerReport]]]:
    """The games that the thesis has a file of: the last of every log."""
    for path in sorted((corpus / "risk" / part).glob("*.csv.gz")):
        yield read_log(path.with_name(path.name.replace(".csv", ".log")))[-1], read_csv(path)


@pytest.mark.long
@pytest.mark.parametrize(("part", "games"), CORPUS.items())
def test_corpus_missions_winners_and_turns_are_those_of_the_thesis(corpus: Path, part: str, games: int) -> None:
    found = list(labelled(corpus, part))
    assert len(found) == games
    for logged, told in found:
        ended = follow(logged)
        state = make_game(ended.game).new_initial_state()
        for action in ended.actions:
            state.apply_action(action)
        assert [each.name for each in told] == [seat.name for seat in logged.seats]
        assert [seat for seat, each in enumerate(told) if each.won] == [ended.winner]
        for player, each in enumerate(told):
            named = state.truth(player)["goal"].upper().split(" + ")
            assert all(continent in each.mission.upper() for continent in named if continent != "ANY")
            assert ("third continent" in each.mission) == ("ANY" in named)
        cards = [command for command in logged.commands if command.words[0] == "CARD"]
        assert {each.turns for each in told} == {len(cards)}


@pytest.mark.long
@pytest.mark.parametrize("part", CORPUS)
def test_corpus_turns_end_where_the_thesis_has_them_end(corpus: Path, part: str) -> None:
    for logged, told in islice(labelled(corpus, part), 2):
        ends = [each for each in events(follow(logged).record()) if each.kind == "turn ended"]
        assert {each.turns for each in told} == {len(ends)}


@pytest.mark.long
def test_a_forced_move_is_an_event_of_its_own() -> None:
    found = [each for seed in range(4) for each in ends_in_conquest(seed) if each.forced]
    assert {each.kind for each in found} == {"armies moved", "occupation failed"}
