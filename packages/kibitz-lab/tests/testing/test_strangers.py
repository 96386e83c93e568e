"""Generated strangers and the published set of them."""

import pytest

from kibitz import core
from kibitz.core.errors import BadSpec
from kibitz.core.registry import entries, make_agent, make_game, spec_of
from kibitz.models.worlds import known_strategies
from kibitz_lab.testing.strangers import find_set, generated_strangers, players_of, set_digest
from kibitz_lab.testing.strangers.generator import FEWEST

DIGESTS = {"strangers-1": "a86a9c767a9f3e56b66ca4c3c71fed53"}
"""What was published; a set that needs a change is a new set."""
LATER = {"leduc"}
"""Games that came after the last set was published; their strangers are generated."""


@pytest.mark.parametrize("name", DIGESTS)
def test_a_published_set_never_changes(name: str) -> None:
    assert set_digest(find_set(name)) == DIGESTS[name]


@pytest.mark.long
def test_the_set_covers_every_game_with_enough_strategies() -> None:
    ours = [name for name, entry in entries("game").items() if entry.target.startswith("kibitz")]
    assert set(find_set().known) | LATER == {name for name in ours if len(known_strategies(make_game(name))) >= FEWEST}


@pytest.mark.parametrize("game", sorted(find_set().known))
def test_every_stranger_can_be_made_from_its_spec_and_plays_its_game(game: str) -> None:
    rules = make_game(game)
    known = set(map(repr, known_strategies(rules)))
    for stranger in find_set().strangers_of(game):
        agent = make_agent(stranger.spec)
        assert str(spec_of(agent)) == stranger.spec
        assert agent.manages(rules)
        assert isinstance(agent, core.Strategy), "total variation needs a policy"
        assert stranger.spec not in known


def test_the_generator_still_makes_the_strangers_of_the_set() -> None:
    found = find_set()
    for game in ("dilemma", "kuhn", "pennies"):
        assert generated_strangers(make_game(game), found.seed) == found.strangers_of(game)


@pytest.mark.parametrize(("game", "words"), [("rps", "it has none"), ("bear-brawl", "it has only 2")])
def test_a_game_with_too_few_strategies_is_refused(game: str, words: str) -> None:
    with pytest.raises(BadSpec, match=f"at least 3 strategies, and {words}"):
        players_of(make_game(game))
