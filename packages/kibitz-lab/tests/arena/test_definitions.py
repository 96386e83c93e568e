from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import BadDefinition, KibitzError
from kibitz_lab.arena.plan import read_plan
from kibitz_lab.arena.tournament import read_agents

AGENTS = """
[agents]
mild = "generous(mercy=0.5)"
nasty = "defector"
"""
TOURNAMENT = """
game = "dilemma(rounds=9)"
agents = "agents.toml"
fields = [["mild", "nasty"]]
seeds = [1, 2, 3]
series = 2
max_plies = 100
move_time = 2
"""


def written(folder: Path, text: str | bytes, name: str = "cup.toml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_tournament_file_with_an_agent_file_is_read(tmp_path: Path) -> None:
    written(tmp_path, AGENTS, "agents.toml")
    found = read_plan(written(tmp_path, TOURNAMENT)).tournament
    assert found.games == ("dilemma(rounds=9)",)
    assert found.agents == {"mild": "generous(mercy=0.5)", "nasty": "defector"}
    assert (found.format, found.fields, found.seeds) == ("fields", (("mild", "nasty"),), (1, 2, 3))
    assert (found.series, found.max_plies, found.move_time) == (2, 100, 2.0)


def test_agents_can_be_listed_or_stand_in_the_file_itself(tmp_path: Path) -> None:
    listed = read_plan(written(tmp_path, 'game = "dilemma"\nagents = ["pavlov", "hard=grim", "pavlov"]')).tournament
    assert listed.agents == {"pavlov": "pavlov", "hard": "grim", "pavlov#2": "pavlov"}
    table = read_plan(written(tmp_path, 'games = ["dilemma"]\nrepeats = 2\n' + AGENTS)).tournament
    assert list(table.agents) == ["mild", "nasty"]


def test_a_command_line_becomes_a_process(tmp_path: Path) -> None:
    found = read_agents(written(tmp_path, "[agents]\nmine = { command = \"./my-bot --level '3 4'\" }"))
    assert found == {"mine": "process(command=\"./my-bot --level '3 4'\")"}


MISTAKES = {
    "": "games is missing; write: game",
    'game = "dilemma"': "agents is missing",
    'game = "dilemma"\nagents = 3': "agents: a list of specs",
    'game = "dilemma"\nagents = "missing.toml"': "missing.toml: cannot be read: no such file",
    'game = 3\nagents = ["pavlov"]': r"games\[0\]: expected text, not 3",
    'game = "dilemma"\ngames = ["dilemma"]\nagents = ["pavlov"]': "give either game or games",
    'game = "dilemma"\nagents = ["pavlov", "grim"]\nrepeat = 3': "no key 'repeat'; did you mean 'repeats'",
    'game = "dilemma"\nagents = ["pavlov", "grim"]\nrepeats = 0': "repeats: expected a whole number of at least 1",
    'game = "dilemma"\nagents = ["pavlov", "grim"]\nmove_time = 0': "move_time: expected a number above 0 or None",
    'game = "dilemma"\nagents = ["pavlov", "grim"]\nopening = -1': "opening: expected a whole number from 0",
    'game = "dilemma"\ngame = "dilemma"': "not valid TOML: Cannot overwrite a value",
    'game = "dilemma"\n[agents]\na = 3\nb = "grim"': r"agents\.a: write a spec",
    'game = "dilemma"\n[agents]\na = { command = "" }\nb = "grim"': r"agents\.a: ",
    'game = "dilemma"\n[agents]\na = { command = "./no-bot" }\nb = "grim"': r"agents\.a: there is no file ./no-bot",
    'game = "dilemma"\n[agents]\na = "cmd:sh \'x"\nb = "grim"': r"agents\.a: the command line cannot be read",
    'game = "dilemma"\n[agents]\n" " = "pavlov"\nb = "grim"': "is not a valid name",
    'game = "dilemma"\n[agents]\n"a\\u0000b" = "pavlov"\nb = "grim"': "is not a valid name",
    'game = "dilemma"\n[agents]\n"a\\u001bb" = "pavlov"\nb = "grim"': "is not a valid name",
    'game = "dilemma"\n[agents]\na = "pavlov(depth=3)"\nb = "grim"': r"agents\.a: .*no parameter 'depth'",
    'game = "dilemma(rounds=0)"\nagents = ["pavlov", "grim"]': "games: .*rounds=0",
    'game = "dilemma"\nagents = ["pavlov", "grim"]\nmodels = "strategy_filter"': "models: expected a list",
    'games = ["dilemma", "dilemma(rounds=20)"]\nagents = ["pavlov", "grim"]': "games: 'dilemma' is named twice",
}


@pytest.mark.parametrize("text", MISTAKES, ids=lambda text: text[-40:].replace("\n", "|"))
def test_a_mistake_in_a_tournament_file_is_one_line_that_names_file_and_key(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(BadDefinition, match=MISTAKES[text]) as caught:
        read_plan(path)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no agents"),
        ('agents = "other.toml"', "agents: a list of specs"),
        ('deep = "mcts"', r"no key 'deep'; an agent file holds one table, \[agents\]"),
        ('[agents]\na = ["mcts"]', r"agents\.a: write a spec"),
        (b"\xff\xfe", "byte 0 is not UTF-8"),
        (b"a = 1\n" * 300_000, "longer than"),
        ("a = " + "[" * 5000, "not valid TOML"),
    ],
)
def test_a_mistake_in_an_agent_file_is_one_line(tmp_path: Path, text: str | bytes, words: str) -> None:
    with pytest.raises(BadDefinition, match=words):
        read_agents(written(tmp_path, text))


@given(st.text(max_size=80) | st.binary(max_size=80))
def test_whatever_a_file_holds_ours_is_the_error(tmp_path_factory: pytest.TempPathFactory, text: str | bytes) -> None:
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    path = written(tmp_path_factory.mktemp("any"), content)
    for read in (read_plan, read_agents):
        with pytest.raises(KibitzError):
            read(path)
