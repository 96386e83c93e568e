"""Look-ahead with a belief: what is looked at, what it is worth, bounds, and the agent that does so."""

from itertools import product

import pytest
from hypothesis import given, settings
from trail_positions import numbers, seen, start

from kibitz import core
from kibitz.core.agent import Clock
from kibitz.core.errors import Unsupported
from kibitz.core.match import MatchOptions
from kibitz.core.match.play import RecordedMatch, play
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz_trails.agents import kibitzer
from kibitz_trails.agents.kibitzer import PLANS, Composition, careful_plans
from kibitz_trails.agents.negotiator import Negotiator
from kibitz_trails.agents.parametric import Terms
from kibitz_trails.agents.senders import harmless
from kibitz_trails.board import Chips, all_parts, minus, plus, within
from kibitz_trails.lookahead.candidates import RISKED, Line, SimulatedNegotiator, candidates, is_sound
from kibitz_trails.lookahead.search import Budget, Particle, Search
from kibitz_trails.models.types import PredictedNegotiator
from kibitz_trails.offer_scoring import Bargains, bargains, best_robbery, pair_of
from kibitz_trails.offers import PASS, Offer
from kibitz_trails.rules import Trails
from kibitz_trails.situation import History, Situation

PAIR = ("trails.honest", "trails.always_renege")


def trails(spec: str = "trails") -> Trails:
    game = make_game(spec)
    assert isinstance(game, Trails)
    return game


def negotiator(name: str) -> Negotiator:
    agent = make_agent(name)
    assert isinstance(agent, Negotiator)
    return agent


def minds(names: tuple[str, ...], player: int) -> list[SimulatedNegotiator]:
    return [SimulatedNegotiator(negotiator(name), trails(), player, stream(0, "minds")) for name in names]


def line_after(*moves: str) -> Line:
    """The line that some moves on DD lead to."""
    state = start()
    return Line.from_state(state, seen(state, *moves))


def search(nodes: int = 100_000, rounds: int = 2, names: tuple[str, ...] = ("rob", "trade_and_keep")) -> Search:
    """A search of player 0 on DD."""
    plans = [SimulatedNegotiator(Composition(PLANS[name]), trails(), 0, stream(0, "plans")) for name in names]
    budget = Budget(nodes, float("inf"), Clock())
    return Search(0, plans, lambda line: candidates(line, 0, plans), rounds, budget)


@settings(deadline=None, max_examples=60)
@given(numbers)
def test_the_largest_harmless_part_is_the_best_of_all_parts(number: int) -> None:
    rng = stream(number, "harmless")
    colours = int(rng.integers(1, 5))

    def chips(most: int) -> Chips:
        return tuple(int(count) for count in rng.integers(0, most + 1, colours))

    goals, held, sent = [chips(3) for _ in range(4)], chips(2), chips(4)
    if any(within(need, held) for need in goals):
        return
    fits = [part for part in all_parts(sent) if not any(within(need, plus(held, part)) for need in goals)]
    assert max(harmless(goals, held, sent), key=lambda part: (sum(part), part)) == max(fits, key=sum)


@pytest.mark.parametrize(
    ("kept", "least", "ratio", "fair"), list(product((False, True), (1, 40), (0.0, 1.0), (False, True)))
)
def test_the_best_bargain_is_the_best_of_all_offers(kept: bool, least: int, ratio: float, fair: bool) -> None:
    board = trails().layout
    held = ((1, 0, 0, 3, 0), (0, 1, 0, 0, 3))

    def gain(player: int, gives: Chips, gets: Chips) -> int:
        place, chips = board.starts[player], held[player]
        return board.best_use(place, plus(minus(chips, gives), gets)) - board.best_use(place, chips)

    found = {}
    for given_up, asked in product(*map(all_parts, held)):
        own, other = gain(0, given_up, asked), gain(1, asked, given_up)
        robbing = gain(0, (0,) * 5, asked)
        wanted = other >= least and sum(given_up) >= ratio * sum(asked) and robbing > 0
        if wanted and (not kept or own > 0) and (not fair or other >= own):
            found[Offer(given_up, asked)] = (own if kept else robbing, other)
    best = Bargains(board, (board.starts[0], board.starts[1]), held).best(kept, least, ratio, fair)
    assert (best is None) == (not found)
    if best is not None:
        assert found[best] == max(found.values())


@pytest.mark.parametrize(
    "held", [((1, 0, 0, 3, 0), (0, 1, 0, 0, 3)), ((5, 5, 0, 6, 0), (5, 5, 0, 0, 6)), ((0,) * 5,) * 2]
)
def test_the_best_robbery_is_the_best_bargain_of_one_who_pays_nothing(held: tuple[Chips, Chips]) -> None:
    board = trails().layout
    places = board.starts[0], board.starts[1]
    assert best_robbery(board, places, held) == Bargains(board, places, held).best(kept=False)


def test_a_line_and_a_mind_go_on_as_in_a_match() -> None:
    table = RecordedMatch("trails", ["trails.tit_for_tat", "trails.grudger"], MatchOptions(seed=1))
    line = Line.from_state(start(), History())
    players = [
        SimulatedNegotiator(negotiator(name), trails(), seat, stream(0, "twin"))
        for seat, name in enumerate(table.seats.specs)
    ]
    for moment in table.moments():
        if moment.event is None:
            continue
        actions = moment.event.transition(None).actions
        for mind, action in zip(players, actions, strict=False):
            if len(actions) == len(players):
                assert mind.policy(line).probability(action or 0) == 1.0
        line = line.after(tuple(action or 0 for action in actions))
        assert line.state.key() == moment.state.key()


def test_it_robs_the_honest_and_gives_the_cheat_nothing() -> None:
    line = line_after("offer 3 yellow for 3 gray", "accept")
    honest, cheat = minds(PAIR, 1)
    for mind, worth in ((honest, 155.0), (cheat, 5.0)):
        found = search(rounds=1).best(line, [Particle(1.0, mind)])
        assert found.action == 0
        assert found.values[0] == worth


def test_it_frees_no_opponent_who_depends_on_it() -> None:
    line = line_after("offer 3 yellow for 3 gray", "accept")
    situation = Situation(line.state, 0, line.history)
    legal = line.state.legal_actions(0)
    assert situation.frees_other((0, 0, 0, 3, 0))
    assert legal.action((0, 0, 0, 3, 0)) not in candidates(line, 0, [])
    for plan in careful_plans():
        (sent,) = plan.design.sender.sends(situation)
        assert not situation.frees_other(sent)


def test_while_it_depends_on_the_other_it_makes_no_promise_that_it_cannot_keep() -> None:
    line, wary = line_after(), Terms(0.5, 0.5, deadline=9.0, shape=1.0, exposure=1.0, growth=0.0, loss=9.0)
    situation, legal = Situation(line.state, 0, line.history), line.state.offers()
    every = bargains(*pair_of(situation)).best(kept=False, least=40, most=1)
    assert every is not None
    assert not is_sound(situation, *every)
    assert every.given == situation.own.chips
    plans = search(names=("rob", "build_trust")).plans
    found = [legal.sides(action) for action in candidates(line, 0, plans, [wary]) if action != PASS]
    kept = [sides for sides in found if not situation.sides_after((0,) * 5, sides[1])[0].independent]
    assert len(found) > len(kept) > 0
    assert min(situation.use_after(*sides) for sides in kept) >= situation.own.best_use - RISKED


def test_no_plan_pays_a_player_who_cheated() -> None:
    deal = "offer 1 red for 1 gray", "accept"
    broken = line_after(*deal, "send nothing | send nothing", "stay | stay", "offer 1 gray for 1 red", "accept")
    for line, pays in ((line_after(*deal), True), (broken, False)):
        situation = Situation(line.state, 0, line.history)
        sent = [each for plan in careful_plans() for each in plan.design.sender.sends(situation)]
        assert any(map(any, sent)) == pays


@pytest.mark.parametrize("nodes", [60, 600, 6000])
def test_all_actions_are_compared_at_every_moment(nodes: int) -> None:
    """However small the budget, what counts was played out after each of the actions, not after the first alone."""
    line = line_after("offer 3 yellow for 3 gray", "accept")
    particles = [Particle(0.5, mind) for mind in minds(PAIR, 1)]
    looking = search(nodes)
    actions = candidates(line, 0, looking.plans)
    assert len(actions) > 1
    assert set(looking.best(line, particles).values) == set(actions)


@settings(deadline=None, max_examples=20)
@given(numbers)
def test_opponents_who_stay_together_earn_as_they_would_alone(number: int) -> None:
    names = ("trails.honest", "trails.always_renege", "trails.grudger", "trails.coin_keeper", "trails.mute")
    weights = stream(number, "weights").random(len(names))
    looking = search(rounds=3)
    looking.until, line = 3, line_after()
    particles = [Particle(weight, mind, 0.1) for weight, mind in zip(weights, minds(names, 1), strict=True)]
    for plan in looking.plans:
        alone = sum(looking.plan_value(line, plan, [one], 0.0) for one in particles)
        assert looking.plan_value(line, plan, particles, 0.0) == pytest.approx(alone)


FEW = "trails.kibitzer(types=(trails.honest, trails.always_renege, trails.hoarder), nodes=400)"


@pytest.mark.long
@pytest.mark.parametrize(
    ("opponent", "least"),
    [("trails.honest", 215), ("trails.mute", -15), ("trails.hoarder", 140), ("trails.deceiver", 20)],
)
def test_it_finds_out_whom_it_deals_with(opponent: str, least: int) -> None:
    ending = play("trails", [FEW, opponent], seed=1).ending
    assert ending is not None
    assert ending.returns[0] >= least


@pytest.mark.long
def test_without_a_clock_it_draws_nothing_and_repeats_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    records = []
    for seed in (1, 2):
        monkeypatch.setattr(kibitzer, "decisions", type(kibitzer.decisions)())
        table = RecordedMatch("trails", [FEW, "trails.tit_for_tat"], MatchOptions(seed=seed))
        for _ in table.moments():
            pass
        assert not table.has_used_randomness()
        records.append([entry.actions for entry in table.record.entries])
    assert records[0] == records[1]


@pytest.mark.long
def test_it_keeps_to_a_clock() -> None:
    agent = make_agent("trails.kibitzer(nodes=1000000)")
    agent.begin(make_game("trails"), 0, stream(0, "clock"))
    ticks = iter(range(10_000))
    found = agent.act(start(), Clock(allowance=50.0, now=lambda: float(next(ticks))))
    assert found in start().legal_actions(0)
    assert next(ticks) < 200
    assert agent.searched < 100_000


def test_it_refuses_what_it_cannot_play() -> None:
    for spec, game in (
        ("trails.kibitzer", "trails(visibility=hidden_chips)"),
        ("trails.kibitzer", "trails(board='layers(missing=[1, 2, 1])')"),
        ("trails.kibitzer(types=(random,))", "trails"),
        ("trails.kibitzer(types=(trails.tree,))", "trails"),
    ):
        with pytest.raises(Unsupported):
            make_agent(spec).begin(make_game(game), 0, stream(0, "refused"))


@pytest.mark.parametrize(
    "name", ["trails.grudger", "trails.talman(multiple=True)", "trails.boulware", "trails.deception"]
)
def test_on_the_same_position_only_what_is_remembered_counts(name: str) -> None:
    """What a mind does is what the agent itself would do that saw the game, however often the position came before."""
    rng = stream(3, name)
    for _ in range(4):
        line = Line.from_state(start(), History())
        mind, stranger = (
            SimulatedNegotiator(negotiator(name), trails(), 1, rng),
            SimulatedNegotiator(PredictedNegotiator(), trails(), 1, rng),
        )
        agents = [negotiator(name), PredictedNegotiator()]
        for agent in agents:
            agent.begin(trails(), 1, rng)
        while not line.state.is_terminal() and line.state.round < 4:
            if line.state.current_player() in (1, core.SIMULTANEOUS):
                for imagined, agent in zip((mind, stranger), agents, strict=True):
                    agent.history = line.history
                    assert imagined.policy(line).named == agent.policy(line.state).named
            players = [0, 1] if line.state.current_player() == core.SIMULTANEOUS else [line.state.current_player()]
            line = line.after(tuple(stranger_like(line, player, rng) for player in players))


def stranger_like(line: Line, player: int, rng: core.Rng) -> int:
    """What somebody may do on a line."""
    return SimulatedNegotiator(PredictedNegotiator(), trails(), player, rng).policy(line).sample(rng)


@pytest.mark.long
def test_it_never_loses_more_than_it_dares_in_all() -> None:
    for board, seat in (("dd", 0), ("di", 1)):
        agents = [FEW, "trails.always_renege"][:: 1 if seat == 0 else -1]
        for moment in RecordedMatch(f"trails(board={board})", agents, MatchOptions(seed=1)).moments():
            state = moment.state
            if moment.event is None:
                sure = state.board.best_use(state.positions[seat], state.chips[seat])
        assert state.returns()[seat] >= sure - RISKED
