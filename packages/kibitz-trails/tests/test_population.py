"""The population: who is in it, and how they deal with each other."""

from collections import Counter
from collections.abc import Iterable
from itertools import permutations, product

import pytest
from trail_positions import seen, start

from kibitz.core.errors import UnknownName
from kibitz.core.match.play import play, playing
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz_trails.agents.negotiator import Negotiator
from kibitz_trails.agents.population import PDA19, STRANGERS, population
from kibitz_trails.agents.tree import VERSIONS
from kibitz_trails.rules import Trails
from kibitz_trails.situation import History, reliability, transfer_class

NOTHING, STAY = "send nothing | send nothing", "stay | stay"


def history_of(game: Trails, agents: Iterable[str], seed: int) -> History:
    """A game as an outsider sees it."""
    history = History()
    for moment in playing(game, list(agents), seed=seed):
        if moment.event is not None:
            history.observe(moment.event.transition(None))
    return history


def trails() -> Trails:
    game = make_game("trails")
    assert isinstance(game, Trails)
    return game


def test_there_are_enough_of_them_and_they_can_be_chosen_by_their_traits() -> None:
    everyone = population()
    assert len(everyone) >= 24
    assert {"trails.honest", "trails.generous"} <= set(population(honest=True, stochastic=False))
    assert "trails.deceiver" not in population(honest=True)
    assert set(population(memory=True)) & set(population(memory=False)) == set()
    assert "trails.coin_keeper" in population(stochastic=True)
    with pytest.raises(UnknownName):
        population(kind=True)


def test_honest_ones_keep_every_promise() -> None:
    game = trails()
    for number, name in enumerate(population(honest=True)):
        history = history_of(game, [name, "trails.honest"], seed=number)
        assert not any(exchange.has_cheated(0) for exchange in history.exchanges), name


TALKS = [
    ("pass", "pass"),
    ("offer 1 red for 1 gray", "reject", "pass"),
    ("offer 3 yellow for 3 gray", "reject", "offer 3 gray for 3 yellow", "reject"),
    ("offer 3 yellow for 3 gray", "accept"),
]


@pytest.mark.parametrize("name", population(stochastic=False))
def test_what_they_remember_is_all_they_go_by(name: str) -> None:
    """Different pasts lead to one position: equal memories choose alike."""
    chosen: dict[object, object] = {}
    for talks in product(TALKS, repeat=2):
        agent = make_agent(name)
        assert isinstance(agent, Negotiator)
        state = start("trails(dormancy_limit=9)")
        agent.begin(state.game, 0, stream(0, "memory"))
        moves = (move for talk in talks for move in (*talk, NOTHING, STAY, "pass", "pass", NOTHING, STAY))
        agent.history = seen(state, *moves)
        choice = dict(agent.policy(state).named)
        assert chosen.setdefault(agent.state_key(state), choice) == choice


def among_pda19(count: int | None = None) -> Counter[str]:
    """What happens when so many pairs of the nineteen meet, by default all, in both seats."""
    game, found = trails(), Counter[str]()
    pairs = list(permutations(PDA19, 2))
    for place in stream(1, "some of the nineteen").permutation(len(pairs))[:count]:
        history = history_of(game, pairs[place], 7 + place)
        accepted = sum(bool(each.accepted) for each in history.proposals)
        found.update(games=1, offers=len(history.proposals), accepted=accepted)
        for exchange in history.exchanges:
            promising = (player for player in exchange.pair if any(exchange.promise_of(player) or ()))
            found.update(transfer_class(reliability(game.layout, exchange, player)) for player in promising)
    return found


def check_dealings(found: Counter[str], within: float) -> None:
    """The figures of the thesis's peer-designed agents; promises by how much of their worth was sent."""
    assert found["accepted"] / found["offers"] == pytest.approx(0.468, abs=within)
    assert found["offers"] / found["games"] == pytest.approx(5.9, abs=20 * within)
    assert found["accepted"] / found["games"] == pytest.approx(2.8, abs=10 * within)
    expected = {"none": 0.578, "some": 0.037, "all": 0.385}
    promises = sum(found[name] for name in expected)
    for name, fraction in expected.items():
        assert found[name] / promises == pytest.approx(fraction, abs=within)


@pytest.mark.long
def test_some_games_of_the_nineteen_are_much_as_in_the_thesis() -> None:
    check_dealings(among_pda19(count=90), within=0.1)


@pytest.mark.slow
def test_the_nineteen_deal_as_in_the_thesis() -> None:
    check_dealings(among_pda19(), within=0.03)


def test_strangers_are_all_the_others() -> None:
    def kind(spec: str) -> str:
        return spec.partition("(")[0]

    thesis = {kind(spec) for spec in VERSIONS.values()}
    assert {*map(kind, (*PDA19, *STRANGERS)), *thesis} == {*population()}
    assert not {*map(kind, PDA19)} & {*STRANGERS}


def scores(spec: str, every: int) -> tuple[float, float]:
    """Mean score of an agent and of some of the nineteen, in both seats."""
    own = others = games = 0.0
    for number, peer in enumerate(PDA19[::every]):
        for seat in (0, 1):
            seated = [spec, peer] if seat == 0 else [peer, spec]
            ending = play("trails", seated, seed=number).ending
            assert ending is not None
            own, others, games = own + ending.returns[seat], others + ending.returns[1 - seat], games + 1
    return own / games, others / games


@pytest.mark.long
def test_deception_pays_and_the_others_pay_for_it() -> None:
    plain, deceiving = (scores(VERSIONS[name], every=2) for name in ("PERB", "PERB + deception"))
    assert deceiving[0] > plain[0] + 10.0
    assert deceiving[1] < plain[1] - 60.0


ELSEWHERE = [
    "trails(visibility=hidden_chips)",
    "trails(board='layers(rows=4, cols=5, missing=[1, 1, 1])')",
    "trails(board='layers(rows=4, cols=6, missing=[1, 1, 1, 0])', visibility=hidden_chips)",
    "trails(board=di, dormancy_limit=5, preparation=True)",
]


@pytest.mark.long
@pytest.mark.parametrize("spec", ELSEWHERE)
def test_they_play_with_hidden_chips_with_more_players_and_by_other_rules(spec: str) -> None:
    game = make_game(spec)
    everyone = population()
    for number in range(0, len(everyone), game.players):
        seated = [everyone[(number + place) % len(everyone)] for place in range(game.players)]
        ending = play(game, seated, seed=number).ending
        assert ending is not None
        assert not any(ending.strikes), seated
        assert ending.reason == "terminal"
