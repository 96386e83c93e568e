"""The agent that plays written programs."""

from pathlib import Path

import pytest
from taught_games import BEAR, TURN, written

from checkout import EXAMPLES
from kibitz import core, make_agent, make_game
from kibitz.core.errors import BadProgram, BadSpec, Unsupported
from kibitz.core.match.play import play
from kibitz.core.seeds import stream
from kibitz_solve.programs import write_program

EXAMPLES = EXAMPLES / "programs"


def test_a_program_wins_where_it_can() -> None:
    game = "bear-brawl(hero_hp=9, bear_hp=7, radius=20, start=(9, 7, -15, 3))"
    record = play(game, [f"program(file={str(EXAMPLES / 'hero.py')!r})", "equilibrium(limit=200000)"], seed=1)
    assert record.ending is not None
    assert record.ending.returns == [1.0, -1.0]


def test_it_plays_what_the_program_says(tmp_path: Path) -> None:
    file = str(tmp_path / "orc.py")
    write_program(file, written(TURN, 0, "foidl"))
    agent = make_agent(f"program(file={file!r})")
    assert isinstance(agent, core.Strategy)
    game = make_game("right-turn(radius=9, start=(-3, -1))")
    agent.begin(game, 0, stream(1, "seat"))
    assert agent.policy(game.new_initial_state()).named == {0: 0.999, 1: 0.001}


def test_what_is_not_legal_is_left_out(tmp_path: Path) -> None:
    """At the wall a move into it may be illegal; then the others share, or all are alike."""
    file = tmp_path / "left.py"
    file.write_text(
        'GAME = "bear-brawl"\nPLAYER = 0\ndef act(u: int, v: int, x: int, y: int):\n'
        '    if u > 1:\n        return {"L": 0.5, "A": 0.5}\n    return {"L": 1}\n'
    )
    agent = make_agent(f"program(file={str(file)!r})")
    assert isinstance(agent, core.Strategy)
    for points, expected in ((2, {2: 1.0}), (1, {1: 0.5, 2: 0.5})):
        game = make_game(f"bear-brawl(edge=illegal, radius=3, start=({points}, 2, -3, 3))")
        agent.begin(game, 0, stream(1, "seat"))
        assert agent.policy(game.new_initial_state()).named == expected


@pytest.mark.parametrize(
    ("game", "player", "why"),
    [
        ("guan", 0, "written for right-turn, not for guan"),
        ("right-turn", 1, "it plays orc"),
    ],
)
def test_it_says_what_it_cannot_play(game: str, player: int, why: str) -> None:
    agent = make_agent(f"program(file={str(EXAMPLES / 'orc.py')!r})")
    with pytest.raises(Unsupported, match=why):
        agent.begin(make_game(game), player, stream(1, "seat"))


def test_without_a_file_or_with_a_bad_one_it_gets_a_line(tmp_path: Path) -> None:
    with pytest.raises(BadSpec, match="needs file"):
        make_agent("program").begin(make_game("guan"), 0, stream(1, "seat"))
    tampered = tmp_path / "orc.py"
    tampered.write_text((EXAMPLES / "orc.py").read_text() + "\nimport os\n")
    agent = make_agent(f"program(file={str(tampered)!r})")
    with pytest.raises(BadProgram, match="only GAME, PLAYER and one function"):
        agent.begin(make_game("right-turn"), 0, stream(1, "seat"))
    worth = tmp_path / "worth.py"
    worth.write_text('GAME = "guan"\nPLAYER = 0\ndef worth(outcome: int) -> float:\n    return 1\n')
    with pytest.raises(Unsupported, match="not actions"):
        make_agent(f"program(file={str(worth)!r})").begin(make_game("guan"), 0, stream(1, "seat"))


@pytest.mark.long
def test_the_example_is_what_is_learned_today() -> None:
    assert written(BEAR, 0, "c45").answers.keys() == {"R", "A", "L"}
    for name, game, learner in (("orc.py", "right-turn", "foidl"), ("hero.py", BEAR, "c45")):
        from kibitz_solve.programs import python_source, read_program

        assert python_source(read_program(EXAMPLES / name)) == python_source(written(game, 0, learner))  # type: ignore[arg-type]
