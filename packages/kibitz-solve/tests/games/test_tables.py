"""The tables of states say what the rules say: on every state of small boards, on some of large ones."""

import pytest

from kibitz.core.kit.state_table import OUTSIDE, StateTable
from kibitz.core.registry import kit_of, make_game
from kibitz.testing.tables import check_table
from kibitz_solve.games.rules import State

SMALL = [
    "right-turn(radius=4)",
    "chauffeur(radius=4)",
    "chauffeur(radius=4, turns=right)",
    "bear-brawl(radius=3)",
    "bear-brawl(radius=2, edge=illegal, payoffs=signed)",
    "bear-brawl(radius=3, edge=unbounded, powder=[[-1], [2]])",
    "bear-brawl(dimensions=2, radius=1, hero_hp=1, bear_hp=1)",
    "bear-brawl(dimensions=2, radius=1, hero_hp=1, bear_hp=2, edge=illegal)",
    "bear-brawl(heroes=2, radius=1, hero_hp=1, bear_hp=2)",
    "bear-brawl(bears=2, radius=2, hero_hp=2, bear_hp=1, edge=illegal)",
]
LARGE = [
    "right-turn(radius=1000)",
    "chauffeur(radius=500)",
    "bear-brawl(hero_hp=10, bear_hp=10, radius=60)",
    "bear-brawl(dimensions=2, heroes=2, bears=2, radius=4)",
]


def table_of(spec: str) -> StateTable:
    game = make_game(spec)
    table = kit_of(game).table(game)
    assert isinstance(table, StateTable)
    return table


@pytest.mark.long
@pytest.mark.parametrize("spec", [*SMALL, *LARGE])
def test_the_kernels_play_by_the_rules(spec: str) -> None:
    """So many random numbers hit every one of a small table."""
    check_table(spec, samples=100 if spec in LARGE else 8 * table_of(spec).size)


def test_beyond_the_board_is_outside() -> None:
    table = table_of("right-turn(radius=4)")
    assert table.number(State(make_game("right-turn(radius=9)"), (5, 0))) == OUTSIDE  # type: ignore[arg-type]
    assert table.outside == (0.0, 0.0)
    assert table_of("bear-brawl(edge=unbounded, payoffs=signed)").outside == (-1.0, 1.0)
