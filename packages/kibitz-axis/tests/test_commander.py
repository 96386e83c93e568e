"""Players of the whole game: always legal, quick to beat random play, and right where one operation is clearly best."""

import numpy as np
import pytest
from whole_game import WORLD, Scene, advance, area, clear, own, power, put, start

from kibitz import core, play
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz_axis.battle.exact import endings
from kibitz_axis.battle.problem import Battle, BattleRules
from kibitz_axis.commander.kernels.fights import RESULTS, TAKE, WIN, estimate, solve_battle
from kibitz_axis.commander.survey import ground_of
from kibitz_axis.full.game import FullState
from kibitz_axis.units import REVISED

SPEC = "axis(scenario=revised, rules=full)"
QUICK = "axis.commander(rounds=20)"
AGENTS = ("axis.greedy_full", "axis.sensible_full", QUICK)


@pytest.fixture(scope="module")
def game():
    return make_game(SPEC)


@pytest.mark.parametrize("agent", AGENTS)
def test_players_of_the_whole_game_say_that_they_cannot_play_the_land_scenarios(agent):
    with pytest.raises(core.Unsupported, match="whole game"):
        play("axis(scenario=s1)", [agent, agent], seed=1)


def random_armies(rng):
    attack, defence = np.zeros(12), np.zeros(12)
    attack[:5] = rng.integers(0, [5, 3, 4, 3, 2])
    defence[:4] = rng.integers(0, [6, 3, 3, 3])
    attack[0] += 1
    defence[0] += 1
    return attack, defence


@pytest.mark.long
def test_odds_of_small_armies_are_those_of_the_exact_battle(game):
    board, rng, results = ground_of(game).board, np.random.default_rng(3), np.zeros(RESULTS)
    for _ in range(12):
        attack, defence = random_armies(rng)
        solve_battle(board, attack, defence, results)
        armies = (tuple(int(n) for n in army[:11]) for army in (attack, defence))
        won = sum(
            end.probability
            for end in endings(Battle(*armies, REVISED, BattleRules()))
            if not any(end.defenders) and any(end.attackers)
        )
        assert results[WIN] == pytest.approx(won, abs=1e-6)


@pytest.mark.long
def test_estimated_odds_are_near_the_exact_ones(game):
    board, rng = ground_of(game).board, np.random.default_rng(4)
    exact, quick, errors = np.zeros(RESULTS), np.zeros(RESULTS), []
    for _ in range(40):
        attack, defence = random_armies(rng)
        solve_battle(board, attack, defence, exact)
        estimate(board, attack, defence, quick)
        errors.append(abs(exact[WIN] - quick[WIN]))
        assert 0.0 <= quick[TAKE] <= quick[WIN] <= 1.0
    assert np.mean(errors) < 0.05


@pytest.mark.long
def test_greedy_and_sensible_players_beat_random_play():
    for seed, agent in enumerate(("axis.greedy_full", "axis.sensible_full")):
        first = play(SPEC, [agent, "random"] * 2 + [agent], seed=seed)
        second = play(SPEC, ["random", agent] * 2 + ["random"], seed=seed)
        assert first.ending.returns[0] == second.ending.returns[1] == 1.0


# Positions with one operation that is clearly best.


def played_turn(situation, agent, seed=0):
    """The situation when the mover's turn is over; dice are drawn."""
    game = make_game(SPEC)
    state = FullState(game, advance(situation).position.pack())
    rng, player = stream(seed, "dice"), make_agent(agent, "axis")
    player.begin(game, situation.mover, stream(seed, "agent"))
    while state.position.mover == situation.mover and not state.is_terminal():
        if state.current_player() == core.CHANCE:
            results, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(results, p=np.array(chances) / sum(chances))))
        elif state.current_player() == situation.mover:
            state.apply_action(player.act(state.clone(), core.Clock()))
        else:
            state.apply_action(state.legal_actions()[0])
    return Scene(game.tables, state.position)


CAPTURES = [
    ("Germans", "Russia", "Ukraine S.S.R.", "2 tank"),
    ("Germans", "Russia", "West Russia", "2 inf 1 tank"),
    ("Russians", "Germany", "Eastern Europe", "3 inf 1 tank"),
    ("British", "Germany", "Western Europe", "2 inf 1 tank"),
    ("Japanese", "Russia", "Novosibirsk", "2 inf 1 tank"),
    ("Germans", "Caucasus", "Ukraine S.S.R.", "2 inf"),
    ("Japanese", "India", "French Indochina", "3 inf"),
    ("Russians", "Southern Europe", "Balkans", "2 inf 1 art"),
]
"""Who can walk into an undefended capital or factory, from where, with what."""


def capture(who, target, source, army):
    """A position in which a capital, a city or a factory stands open."""
    situation = own(clear(start(who), target, source), source, who)
    return put(situation, who, source, army)


@pytest.mark.long
@pytest.mark.parametrize("case", CAPTURES, ids=lambda case: f"{case[0]} take {case[1]}")
def test_commander_takes_what_stands_open(case):
    who, target = case[0], case[1]
    after = played_turn(capture(*case), QUICK)
    assert after.owners[area(target)] == power(who)


FLEETS = [
    ("British", "1 transport", "13 Sea Zone", "Germans"),
    ("Japanese", "2 transport", "59 Sea Zone", "Americans"),
    ("Americans", "1 transport", "11 Sea Zone", "Germans"),
    ("Germans", "1 transport", "7 Sea Zone", "British"),
]
"""Whose ships are alone in a zone beside a strong fleet, which can sink them without loss."""


@pytest.mark.long
@pytest.mark.parametrize("case", FLEETS, ids=lambda case: f"{case[0]} sink at {case[2]}")
def test_commander_sinks_ships_that_are_alone(case):
    who, ships, zone, whose = case
    beside = next(WORLD.areas[to].name for to in WORLD.ways[area(zone)] if WORLD.sea[to])
    situation = clear(start(who), zone, beside)
    situation = put(put(situation, whose, zone, ships), who, beside, "1 bb 2 dd")
    after = played_turn(situation, QUICK)
    assert not after.own_units(area(zone), power(whose))


# What the commander says and learns.
