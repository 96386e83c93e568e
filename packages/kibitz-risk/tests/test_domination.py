"""Maps, cards and logs of Domination: read, written, and wrong."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from ring import RING

import kibitz
from kibitz.cli.main import exit_code
from kibitz.core.errors import BadDefinition, BadRecord, UnknownName
from kibitz.core.records import read_record
from kibitz.core.records.replay import replaying
from kibitz.core.registry import make_game
from kibitz_risk.board import ANY, PRESETS, WILD, load, read_cards, read_map
from kibitz_risk.domination_logs import Domination, LoggedGame, follow, read_log

LOG = """\
host#12 newplayer human green Ann of Cleves
host#12 newplayer ai hard blue newplayer
host#12 info
host#12 choosemap ring.map
host#12 startgame recycle fixed mission autoplaceall
PLAYER newplayer
MISSION 1 0
PLACEALL 4 1 5 2 6 3
"""
SETUP = "host#12 placearmies 4 1\nCARD \nhost#12 placearmies 3 1\nCARD\n" * 5
TURN = """\
host#-7 placearmies 4 9
host#-7 placearmies 4 4
host#-7 placearmies 4 1
host#-7 attack 4 3
host#-7 roll 3
host#-7 roll 2
DICE 3 2 5 5 0 4 4
"""


WON = [gzip.decompress(RING.with_name(f"{name}.log.gz").read_bytes()).decode() for name in ("first", "second")]
"""Two games that somebody wins."""


def written(folder: Path, text: str, name: str = "game.log") -> Path:
    """A log beside the small map."""
    for each in (RING, RING.with_suffix(".cards")):
        (folder / each.name).write_text(each.read_text())
    path = folder / name
    path.write_text(text, encoding="latin-1")
    return path


# Maps and cards.


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_the_borders_they_say(name: str) -> None:
    board = load(name)
    assert sum(map(len, board.neighbours)) == 2 * int(name[-2:])
    assert [len(members) for members in board.members] == [9, 4, 7, 6, 12, 4]
    assert [continent.bonus for continent in board.continents] == [5, 2, 5, 3, 7, 2]
    assert [board.symbols.count(symbol) for symbol in (0, 1, 2)] == [14, 14, 14]
    assert (len(board.cards), board.cards.count(board.wild), len(board.deck.missions)) == (44, 2, 14)


def test_entry_territories_are_those_of_the_facts() -> None:
    entries = load("classic83").entries
    assert [[place + 1 for place in each] for each in entries] == [
        [1, 5, 6], [10, 12], [14, 16, 19, 20], [21, 22, 24], [28, 30, 31, 33, 38], [39],
    ]  # fmt: skip
    assert [place + 1 for place in load("dom-luca82").entries[3]] == [21, 22]


def test_a_map_says_all_there_is() -> None:
    board = read_map(RING)
    assert board.name == "Ring"
    assert [territory.name for territory in board.territories][:4] == ["Old Town", "Mill", "Ford", "Hill-Top"]
    assert board.neighbours[0] == (1, 3, 5)
    assert board.neighbours[3] == (2, 4)
    assert (board.continents[0].name, board.continents[1].colour) == ("West Side", "#00ff80")
    assert board.deck.cards[-1].symbol == WILD


def test_missions_have_slots(tmp_path: Path) -> None:
    path = tmp_path / "x.cards"
    path.write_text("[cards]\nwildcard\n[missions]\n3 14 3 2 * 0 Text  with {PLAYER3}, and more\n")
    (mission,) = read_cards(path, 20, 4).missions
    assert (mission.destroy, mission.territories, mission.armies) == (2, 14, 3)
    assert (mission.continents, mission.least_continents) == ((1, ANY, None), 2)
    assert mission.text == "Text  with {PLAYER3}, and more"


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("crd ring.cards", "car ring.cards", 8, "no file is called 'car'"),
        ("crd ring.cards", "crd decks/ring.cards", 8, "a file beside the map"),
        ("crd ring.cards", "crd ..", 8, "a file beside the map"),
        ("pic ring.png", "pic ring.png 3", 7, "3 words where"),
        ("[countries]", "[towns]", 14, "no section is called"),
        ("3 Ford 1 50 10", "3 Ford 7 50 10", 17, "the continent of a country is from 1 to 2, not 7"),
        ("3 Ford 1 50 10", "4 Ford 1 50 10", 17, "country 4 where 3 belongs"),
        ("3 Ford 1 50 10", "3 Mill 1 50 10", 17, "a second one"),
        ("1 2 6 4", "1 2 6 9", 23, "a country is from 1 to 6, not 9"),
        ("1 2 6 4", "1 2 1", 23, "borders on itself"),
        ("6 5 1", "1 5 6", 28, "a second time"),
        ("3 Ford 1 50 10", "3 _ 1 50 10", 17, "is no name"),
        ("3 Ford 1 50 10", "3 Wild 1 50 10", 17, "is no name"),
        ("West_Side 2 red", "West_Side 2000 red", 11, "the bonus is from 0 to 1000"),
        ("East-Side 1 #00ff80", "East-Side 1 #00ff80\nSouth 1 red", 13, "has no countries"),
        ("[borders]\n1 2 6 4\n2 1 3\n3 2 4\n4 3 5\n5 4 6\n6 5 1", "[borders]\n1 2\n2 1", 17, "borders on nothing"),
    ],
)
def test_a_broken_map_is_told_with_its_line(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    path = written(tmp_path, "")
    assert old in RING.read_text()
    (path.parent / "ring.map").write_text(RING.read_text().replace(old, new, 1))
    with pytest.raises(BadDefinition, match=said) as error:
        read_map(path.parent / "ring.map")
    assert error.value.line == line


def test_maps_that_lack_something_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "").parent / "ring.map"
    for old, new, said in (
        ("crd ring.cards\n", "", "no cards"),
        ("crd ring.cards", "crd other.cards", "no such file"),
        (RING.read_text(), "name Nothing\n", "no countries"),
    ):
        path.write_text(RING.read_text().replace(old, new))
        with pytest.raises(BadDefinition, match=said):
            read_map(path)
    with pytest.raises(UnknownName, match="did you mean 'classic83'"):
        load("classic38")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[cards]\nInfantry 7\n", 2, "the territory of a card is from 1 to 6, not 7"),
        ("[cards]\nKnight 1\n", 2, "no card is called 'Knight'"),
        ("[cards]\nInfantry 1\nCannon 1\n", 3, "a second card of territory 1"),
        ("[cards]\nwildcard 1\n", 2, "2 words where"),
        ("Infantry 1\n", 1, "before the section"),
        ("[cards]\nwildcard\n[missions]\n0 0 0 3 0 0 x\n", 4, "a continent is from 0 to 2, not 3"),
        ("[cards]\nwildcard\n[missions]\n0 0 0 1 0\n", 4, "a mission is"),
        ("[cards]\nwildcard\n[missions]\n7 0 0 0 0 0 x\n", 4, "the player to destroy is from 0 to 6"),
        ("[cards]\nwildcard\n[missions]\n0 0 0 0 0 0 x\n", 4, "asks for nothing"),
    ],
)
def test_broken_cards_are_told_with_their_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    path = tmp_path / "x.cards"
    path.write_text(text)
    with pytest.raises(BadDefinition, match=said) as error:
        read_cards(path, 6, 2)
    assert error.value.line == line


# Logs.


def test_a_log_is_followed_and_what_was_rejected_is_counted(tmp_path: Path) -> None:
    (logged,) = read_log(written(tmp_path, LOG + SETUP + TURN))
    assert [(seat.name, seat.agent) for seat in logged.seats] == [
        ("Ann of Cleves", "human"), ("newplayer", "domination.hard"),
    ]  # fmt: skip
    found = follow(logged)
    assert [(each.line, each.text) for each in found.rejected] == [(29, "placearmies 4 9"), (31, "placearmies 4 1")]
    assert found.winner is None
    record = found.record()
    assert not record.complete
    assert record.entries[0].actions == ("first 1",)
    assert record.entries[-1].actions == ("defender loses 2",)
    assert [truth["name"] for truth in record.header.truths] == ["Ann of Cleves", "newplayer"]


def test_players_go_by_number_in_newer_logs(tmp_path: Path) -> None:
    (logged,) = read_log(written(tmp_path, LOG.replace("PLAYER newplayer", "PLAYER 1")))
    assert follow(logged).actions[0] == 1


def test_several_games_in_a_file_are_told_apart(tmp_path: Path) -> None:
    packed = tmp_path / "games.log.gz"
    written(tmp_path, "")
    packed.write_bytes(gzip.compress((LOG + SETUP + LOG).encode()))
    one, other = read_log(packed)
    assert (len(one.commands), len(other.commands)) == (23, 3)
    assert one.identity == other.identity


def test_what_follows_continue_is_dropped_and_undo_does_nothing(tmp_path: Path) -> None:
    text = LOG + SETUP + "host#1 undo\nhost#1 continue\nhost#1 attack 9 9\nNONSENSE\n"
    (logged,) = read_log(written(tmp_path, text))
    assert follow(logged).rejected == ()


def test_automatic_placement_is_taken_from_its_answer(tmp_path: Path) -> None:
    (logged,) = read_log(written(tmp_path, LOG + "host#1 autoplace\nPLACE 4\nCARD\n"))
    found = follow(logged)
    assert (found.actions[-1], found.rejected) == (3, ())


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (LOG.replace("fixed", "6"), 5, "is the log of another version"),
        (LOG.replace("mission autoplaceall", "autoplaceall"), 5, "is the log of another version"),
        (LOG.replace("ai hard", "ai 2"), 2, "is the log of another version"),
        (LOG.replace("ring.map", "moon.map"), 5, "no map 'moon.map'"),
        (LOG.replace("PLAYER newplayer", "PLAYER nobody"), 6, "the rules are at 'who begins'"),
        (LOG.replace("MISSION 1 0", "MISSION 0 6"), 7, "the rules are at 'missions are dealt'"),
        (LOG.replace("6 3\n", "6\n"), 8, "the rules are at 'territories are dealt'"),
        (LOG + "host#1 teleport 3\n", 9, "no such command"),
        (LOG + SETUP + "CARD 3\n", 29, "the rules are at 'places'"),
        (LOG + SETUP + TURN.replace("DICE 3 2", "DICE 2 2"), 35, "where this cannot be"),
        ("host#1 loadgame x\n" + LOG, 1, "not in the log"),
        ("host#1 newplayer human red A\nhost#1 startgame domination fixed\n", 2, "1 players"),
    ],
)
def test_a_log_that_cannot_be_right_is_told_with_its_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(BadRecord, match=said) as error:
        [follow(logged) for logged in read_log(path)]
    assert error.value.line == line


@pytest.mark.parametrize("length", [-34, -27, -18, -11, -4, -1])
def test_a_log_that_is_cut_in_mid_line_is_a_cut_game(tmp_path: Path, length: int) -> None:
    (logged,) = read_log(written(tmp_path, (LOG + SETUP + TURN)[:length]))
    found = follow(logged)
    assert found.winner is None
    whole = follow(read_log(written(tmp_path, LOG + SETUP + TURN))[0])
    assert found.actions == whole.actions[: len(found.actions)]
    assert len(found.actions) < len(whole.actions)


def test_a_winning_line_without_its_end_wins(tmp_path: Path) -> None:
    (logged,) = read_log(written(tmp_path, WON[0].rstrip()))
    assert logged.commands[-1].cut
    assert follow(logged).winner is not None


def test_a_game_before_a_cut_one_is_read(tmp_path: Path) -> None:
    assert len(read_log(written(tmp_path, LOG + SETUP + "host#12 newplayer hum"))) == 1
    with pytest.raises(BadRecord, match="is it whole"):
        read_log(written(tmp_path, LOG[: LOG.index("autoplaceall") - 4]))


def test_cut_and_foreign_files_are_said_so(tmp_path: Path) -> None:
    packed = tmp_path / "cut.log.gz"
    packed.write_bytes(gzip.compress(LOG.encode())[:-20])
    for path, said in ((packed, "cut off or damaged"), (written(tmp_path, "hello\n"), "no game was started")):
        with pytest.raises(BadRecord, match=said):
            read_log(path)
    with pytest.raises(BadRecord, match="no such file"):
        read_log(tmp_path / "missing.log")


# The command.


def test_the_command_keeps_records_and_reports_what_it_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, cut = tmp_path / "a.log", tmp_path / "b.log"
    written(tmp_path, WON[0].replace("CARD", "host#1 move 3\nCARD", 1), "a.log")
    written(tmp_path, LOG + SETUP, "b.log")
    played = follow(read_log(written(tmp_path, WON[0], "c.log"))[0], "all").record()
    importer = "domination(missions=all)"
    files = [str(whole), str(cut), str(tmp_path / "c.log")]
    command = ["import", importer, *files, "--db", str(tmp_path / "k.db"), "--records", str(tmp_path / "out")]
    assert exit_code([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    counts = [(each["matches"], each["copies"], each["cut"], len(each["skipped"])) for each in told["files"]]
    assert counts == [(1, 0, 0, 1), (0, 0, 1, 0), (0, 1, 0, 0)]
    assert told["files"][0]["skipped"][0].endswith("move 3")
    (path,) = (tmp_path / "out").iterdir()
    record = read_record(path)
    assert record.ending == played.ending
    assert [moment.state.is_terminal() for moment in replaying(record)][-1]
    assert exit_code([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["run"] == told["run"]
    assert exit_code(["runs", str(told["run"]), "--db", str(tmp_path / "k.db")]) == 0
    assert "1 of 1 matches" in capsys.readouterr().out
    bad = written(tmp_path, LOG + "host#1 teleport 3\n", "d.log")
    assert exit_code(["import", importer, str(whole), str(bad), "--db", str(tmp_path / "beside.db")]) == 2
    told = capsys.readouterr()
    assert "1 matches" in told.out
    assert "d.log:9: no such command" in told.err
    assert "everything else is stored" in told.err


def test_an_import_that_was_stopped_goes_on_after_what_it_has_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = WON
    paths = [written(tmp_path, one + one, "a.log"), written(tmp_path, LOG + SETUP, "b.log"), tmp_path / "c.log"]
    written(tmp_path, one + other, "c.log")
    command = ["import", "domination(missions=all)", *map(str, paths), "--db", str(tmp_path / "k.db"), "--json"]
    read, lines = Domination.read, []

    def stopped(self: Domination, logged: LoggedGame, folder: Path | None) -> Any:
        lines.append((logged.path.name, logged.line))
        if logged.path.name == stop_at:
            raise KeyboardInterrupt
        return read(self, logged, folder)

    monkeypatch.setattr(Domination, "read", stopped)
    stop_at = "c.log"
    assert exit_code(command) == 130
    stop_at = ""
    lines.clear()
    capsys.readouterr()
    assert exit_code([*command, "--records", str(tmp_path / "out")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["matches"] for each in told["files"]] == [1, 0, 1]
    assert len(list((tmp_path / "out").iterdir())) == 2
    lines.clear()
    assert exit_code(command) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["run"] == told["run"]
    assert [each["before"] for each in again["files"]] == [False, False, True]
    assert [name for name, _ in lines] == ["a.log", "b.log"]  # the first tells that there is a run; the second was cut
    assert exit_code(["runs", str(told["run"]), "--db", str(tmp_path / "k.db")]) == 0
    assert "2 of 2 matches" in capsys.readouterr().out
    written(tmp_path, one, "c.log")
    assert exit_code(command) == 0
    assert json.loads(capsys.readouterr().out)["run"] != told["run"]


# The corpus of the thesis.


@pytest.mark.parametrize("name", ["luca.map", "risk.map", "ameroki.map", "roman_empire.map"])
def test_corpus_maps_are_played_on(corpus: Path, name: str) -> None:
    board = read_map(corpus / "risk" / "maps" / name)
    mode = "mission" if board.deck.missions else "domination"
    game = make_game(f"risk(board={str(corpus / 'risk' / 'maps' / name)!r}, mode={mode!r})")
    assert kibitz.play(game, ["random"] * 3, max_plies=300).ending is not None


def test_corpus_presets_are_the_maps_of_domination(corpus: Path) -> None:
    for name, preset in (("luca.map", "dom-luca82"), ("risk.map", "dom-risk81")):
        board = read_map(corpus / "risk" / "maps" / name)
        assert board.neighbours == load(preset).neighbours
        assert board.symbols == load(preset).symbols
        slots = [(each.destroy, each.territories, each.armies, each.continents) for each in board.deck.missions]
        ours = load(preset).deck.missions
        assert slots == [(each.destroy, each.territories, each.armies, each.continents) for each in ours]
