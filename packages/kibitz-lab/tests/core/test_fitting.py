"""Wrong names are answered with what fits the game at hand, and lists offer nothing else."""

import pytest

from kibitz.core.errors import UnknownName
from kibitz.core.match.watchers import Watchers
from kibitz.core.registry import fitting_names, make_agent, make_game
from kibitz.core.seeds import stream

OTHERS = ("axis.", "dilemma.", "risk.", "trails.", "bear-brawl.")


@pytest.mark.parametrize(
    ("name", "game", "listed"),
    [
        ("s9", "pawns", ["pawns.s1", "pawns.s2"]),
        ("qqq", "kuhn", ["kuhn.rock", "kuhn.solid"]),
        ("qqq", "purgatory", ["aware", "equilibrium"]),
    ],
)
def test_a_wrong_agent_is_answered_with_those_of_the_game(name: str, game: str, listed: list[str]) -> None:
    with pytest.raises(UnknownName) as caught:
        make_agent(name, game)
    words = str(caught.value)
    assert all(each in words for each in listed), words
    assert not any(other in words for other in OTHERS), words
    assert f"(kibitz agents --game {game} lists all that fit)" in words


def test_a_name_that_is_nearly_right_is_looked_for_among_what_fits() -> None:
    with pytest.raises(UnknownName, match="did you mean 'alphabeta'"):
        make_agent("alfabeta", "pawns")
    with pytest.raises(UnknownName, match=r"did you mean 'pawns\.s1'"):
        make_agent("pawn.s1", "pawns")
    with pytest.raises(UnknownName) as caught:
        make_agent("grimm", "pawns")
    assert "dilemma" not in str(caught.value)
    with pytest.raises(UnknownName, match=r"dilemma\.grim"):
        make_agent("grimm")


@pytest.mark.parametrize("game", ["kuhn", "kuhn(players=2)", "pawns", "dilemma", "cops", "risk(players=3)", "soccer"])
def test_every_model_that_fits_can_watch(game: str) -> None:
    made = make_game(game)
    found = fitting_names("model", made)
    assert "strategy_filter" in found
    for name in found:
        Watchers(made, [name], seed=0)
    assert ("risk.choice" in found) == (game == "risk(players=3)")


@pytest.mark.parametrize("game", ["kuhn", "dilemma"])
def test_agents_that_fit_sit_down(game: str) -> None:
    made = make_game(game)
    found = fitting_names("agent", made)
    assert "random" in found
    assert not {"planner", "alphabeta", "equilibrium", "automata"} & set(found)
    for name in found:
        if name not in ("process", "human", "program"):  # they need a command, a person, a file
            make_agent(name, game).begin(made, 0, stream(0, "test"))
