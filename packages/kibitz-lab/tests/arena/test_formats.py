from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from kibitz_lab.arena.tournament import FORMATS, Field, Tournament, seatings

names = st.lists(st.sampled_from("abcdefgh"), min_size=3, max_size=8, unique=True)


def fields_of(way: str, agents: list[str], players: int, **given: object) -> list[Field]:
    tournament = Tournament(games=("kuhn",), agents=dict.fromkeys(agents, "random"), format=way, **given)  # type: ignore[arg-type]
    return list(FORMATS[way].fields(tournament, players))


@given(names, st.integers(2, 3))
def test_in_a_round_robin_all_meet_all_equally_often(agents: list[str], players: int) -> None:
    fields = fields_of("round-robin", agents, players)
    met = Counter(pair for field in fields for pair in combinations(sorted(field), 2))
    assert set(met) == set(combinations(sorted(agents), 2))
    assert len(set(met.values())) == 1
    assert len(set(map(frozenset, fields))) == len(fields)


def test_with_mirror_an_agent_meets_itself_too() -> None:
    assert fields_of("round-robin", ["a", "b"], 2, mirror=True) == [("a", "a"), ("a", "b"), ("b", "b")]


@given(names, st.integers(2, 3))
def test_in_a_gauntlet_the_champion_plays_every_match(agents: list[str], players: int) -> None:
    fields = fields_of("gauntlet", agents, players, champion=agents[1])
    assert all(field.count(agents[1]) == 1 for field in fields)
    assert {name for field in fields for name in field} == set(agents)


@given(names.map(tuple))
def test_rotation_puts_everybody_into_every_seat_once(field: tuple[str, ...]) -> None:
    orders = seatings(field)
    assert len(orders) == len(field)
    for seat in range(len(field)):
        assert {order[seat] for order in orders} == set(field)


def test_equal_seatings_are_played_once() -> None:
    assert seatings(("a", "a")) == [("a", "a")]
    assert len(seatings(("a", "b", "c"), "all")) == 6
    assert seatings(("b", "a"), "fixed") == [("b", "a")]
