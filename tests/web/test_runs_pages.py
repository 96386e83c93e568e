"""The tables of a run on its page."""

from pathlib import Path

import pytest

from kibitz.arena.executors import make_executor
from kibitz.arena.runs import open_run
from kibitz.arena.standings import Standings, table
from kibitz.arena.tournament import Tournament
from kibitz.store import Store
from kibitz.web.pages.runs import columns_of, rows_of


def standings(folder: Path, game: str, *agents: str) -> Standings:
    tournament = Tournament(games=(game,), agents={name: name for name in agents}, repeats=2)
    with Store(str(folder / "a.db")) as store, make_executor("inline") as executor:
        running = open_run(tournament, store)
        for _ in running.play_matches(executor):
            pass
        return table(running).games[0]


@pytest.mark.parametrize(
    ("game", "agents", "last"),
    [
        ("dilemma(rounds=5)", ("grim", "defector"), []),
        ("kuhn(players=2)", ("solid", "maniac"), ["won", "drawn", "lost"]),
        ("pennies(lead=2)", ("heads", "alternator"), ["won", "drawn", "lost"]),
    ],
)
def test_wins_are_shown_where_they_say_who_earns_most(
    tmp_path: Path, game: str, agents: tuple[str, ...], last: list[str]
) -> None:
    found = standings(tmp_path, game, *agents)
    names = [column["name"] for column in columns_of(found)]
    assert names == ["agent", "matches", "score", "95 % interval", *last]
    for row in rows_of(found):
        assert all(row[name] != "" for name in names)
