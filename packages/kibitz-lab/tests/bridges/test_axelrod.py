"""Axelrod's strategies as agents, the same points as in Axelrod's own matches; agents as Axelrod's players.

The package takes seconds to import, so only a part of this runs by default.
"""

import pickle
from importlib.util import find_spec

import pytest

from kibitz import core
from kibitz.core.errors import BadSpec, UnknownName, Unsupported
from kibitz.core.match.play import play
from kibitz.core.registry import make_agent, make_game, make_model
from kibitz.core.seeds import stream
from kibitz.testing import check_agent

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(find_spec("axelrod") is None, reason="pip install 'kibitz[bridges]'"),
]

PAIRS = [
    ("TitForTat", "Defector"),
    ("TitForTat", "Alternator"),
    ("TitForTat", "SuspiciousTitForTat"),
    ("TitFor2Tats", "CyclerDC"),
    ("TwoTitsForTat", "FirstByDavis"),
    ("Grudger", "ForgetfulGrudger"),
    ("WinStayLoseShift", "Bully"),
    ("EvolvedLookerUp2_2_2", "EvolvedFSM16"),
    ("EvolvedFSM4", "EvolvedFSM6"),
    ("Fortress3", "Fortress4"),
    ("OmegaTFT", "Alternator"),
    ("SecondByTester", "Bully"),
    ("SecondByTester", "Pun1"),
    ("FirstByDowning", "FirstByShubik"),
    ("FirstByDavis", "AntiTitForTat"),
    ("FirstByTidemanAndChieruzzi", "HardProber"),
    ("Prober", "Prober2"),
    ("Prober3", "Punisher"),
    ("InversePunisher", "Thumper"),
    ("Ripoff", "TitForTat"),
    ("Raider", "SolutionB1"),
    ("SolutionB5", "Fortress3"),
    ("Gradual", "DoubleCrosser"),
    ("BackStabber", "GoByMajority"),
    ("Cooperator", "TrickyCooperator"),
    ("Defector", "Forgiver"),
    ("Appeaser", "Aggravater"),
    ("ContriteTitForTat", "HardTitForTat"),
    ("CyclerCCCD", "Detective"),
    ("EvolvedANN5", "DelayedAON1"),
    ("SneakyTitForTat", "LimitedRetaliate"),
    ("TrickyDefector", "Retaliate"),
]


@pytest.fixture(scope="module")
def axelrod():
    from kibitz_lab.bridges.axelrod.package import load_axelrod

    return load_axelrod()


def theirs(axelrod, one: str, other: str, turns: int = 200, **options: object) -> list[float]:
    """The points of a match in the library itself."""
    match = axelrod.Match((getattr(axelrod, one)(), getattr(axelrod, other)()), turns=turns, **options)
    match.play()
    return list(map(float, match.final_score()))


def deterministic_pairs(axelrod) -> list[tuple[str, str]]:
    stochastic = axelrod.Classifiers["stochastic"]
    return [pair for pair in PAIRS if not any(stochastic(getattr(axelrod, name)()) for name in pair)]


def test_thirty_deterministic_pairs_earn_the_same_points(axelrod) -> None:
    pairs = deterministic_pairs(axelrod)
    assert len(pairs) >= 30
    for one, other in pairs:
        ours = play("dilemma(rounds=200)", [f"axelrod:{one}", f"axelrod:{other}"]).ending.returns
        assert ours == theirs(axelrod, one, other), (one, other)


def test_other_payoffs_and_lengths_are_the_match_s_own(axelrod) -> None:
    scores = axelrod.Game(r=2, s=-1, t=4, p=0.5)
    for one, other in (("TitForTat", "Defector"), ("BackStabber", "Alternator"), ("FirstByShubik", "Prober")):
        game = "dilemma(rounds=37, payoffs=[2, -1, 4, 0.5])"
        ours = play(game, [f"axelrod:{one}", f"axelrod:{other}"]).ending.returns
        assert ours == theirs(axelrod, one, other, turns=37, game=scores), (one, other)


def test_strategies_see_what_noise_made_of_the_choices() -> None:
    record = play("dilemma(rounds=60, noise=0.2)", ["axelrod:TitForTat", "axelrod:Alternator"], seed=5)
    chosen = [entry.actions[0] for entry in record.entries if entry.player == core.SIMULTANEOUS]
    done = [entry.actions[0] for entry in record.entries if entry.player == core.CHANCE]
    assert chosen[1:] == [each.split(" and ")[1] for each in done[:-1]]
    assert sum(each.split(" and ")[0] != own for each, own in zip(done, chosen, strict=True)) > 0


def test_they_keep_the_agent_contract() -> None:
    for spec in ("axelrod:TitForTat", "axelrod:CyclerCCD", "axelrod(strategy=Random, options={'p': 0.3})"):
        check_agent(spec, ["dilemma(rounds=6)"])


@pytest.mark.parametrize(
    ("strategy", "shares"),
    [
        ("Random", (0.5, 0.5)),
        ("FirstByJoss", (0.9, 0.0)),
        ("GTFT", (1.0, 1 / 3)),
        ("TitForTat", (1.0, 0.0)),
        ("PSOGamblerMem1", (1.0, 0.52173487)),
    ],
)
def test_policies_that_strategies_state_are_exact(strategy: str, shares: tuple[float, float]) -> None:
    game = make_game("dilemma")
    view = game.new_initial_state()
    for defected, share in enumerate(shares):
        agent = make_agent(f"axelrod:{strategy}")
        agent.begin(game, 0, stream(1, "agent"))
        agent.observe(core.Transition(0, core.SIMULTANEOUS, (0, defected), view, view))
        assert agent.policy(view).probability(0) == pytest.approx(share, abs=0.001)
        assert agent.policy(view).probability(0) == agent.policy(view).probability(0), "it draws nothing"


@pytest.mark.parametrize("step", [12, pytest.param(1, marks=pytest.mark.slow)])
def test_stated_policies_are_what_copies_with_other_random_numbers_do(step: int) -> None:
    from kibitz_lab.bridges.axelrod import strategy_names

    game = make_game("dilemma(rounds=30)")
    view, rng, rehearsals, stated = game.new_initial_state(), stream(3, "moves"), 200, 0
    for name in strategy_names(long_run=False)[::step]:
        agent = make_agent(f"axelrod(strategy={name}, rehearsals={rehearsals})")
        agent.begin(game, 0, stream(1, "agent"))
        for turn in range(8 if agent.stochastic else 0):
            snapshot = agent.snapshot()
            share = agent.stated_share(snapshot)
            if share is not None:
                stated += 1
                assert abs(agent.rehearsed_share(snapshot) - share) < 5 * (0.25 / rehearsals) ** 0.5, (name, turn)
            moves = int(rng.integers(2)), int(rng.integers(2))
            agent.observe(core.Transition(turn, core.SIMULTANEOUS, moves, view, view))
    assert stated * step >= 300


def test_the_strategy_filter_tells_them_apart() -> None:
    names = ("TitForTat", "Alternator", "WinStayLoseShift", "FirstByJoss", "Random")
    hypotheses = ", ".join(f"axelrod(strategy={name})" for name in names)
    model = f"strategy_filter(strategies=[{hypotheses}])"
    record = play("dilemma(rounds=40)", ["axelrod:FirstByJoss", "axelrod:Alternator"], models=[model], seed=2)
    beliefs = next(iter(record.entries[-1].beliefs.values()))
    assert beliefs[0]["axelrod(strategy='FirstByJoss')"] > 0.8
    assert beliefs[1]["axelrod(strategy='Alternator')"] > 0.9


def test_copies_have_the_same_memory() -> None:
    game = make_game("dilemma(rounds=30)")
    view = game.new_initial_state()
    for name in ("CyclerCCD", "EvolvedFSM16", "Thumper", "EvolvedHMM5"):
        agent = make_agent(f"axelrod:{name}")
        agent.begin(game, 0, stream(3, "agent"))
        for turn in range(7):
            agent.observe(core.Transition(turn, core.SIMULTANEOUS, (agent.choose(), turn % 2), view, view))
        copies = [agent.clone()] if name == "CyclerCCD" else [agent.clone(), pickle.loads(pickle.dumps(agent))]
        for turn in range(7, 14):
            choice = agent.choose()
            assert [each.choose() for each in copies] == [choice] * len(copies), (name, turn)
            for each in (agent, *copies):
                each.observe(core.Transition(turn, core.SIMULTANEOUS, (choice, turn % 2), view, view))


def test_mistakes_are_named() -> None:
    with pytest.raises(BadSpec, match="did you mean 'TitForTat'"):
        play("dilemma", ["axelrod:TitForTatt", "random"])
    with pytest.raises(BadSpec, match="Axelrod cannot make it"):
        play("dilemma", ["axelrod(strategy=TitForTat, options={'speed': 3})", "random"])
    with pytest.raises(Unsupported, match="play only 'dilemma'"):
        play("pawns", ["axelrod:TitForTat", "random"])
    with pytest.raises(UnknownName):
        make_model("axelrod:TitForTat")


def test_agents_play_in_axelrod_s_matches(axelrod) -> None:
    from kibitz_lab.bridges.axelrod import player

    for agent, twin, other in (
        ("tit_for_tat", "TitForTat", "Alternator"),
        ("grim", "Grudger", "TitFor2Tats"),
        ("pavlov", "WinStayLoseShift", "Alternator"),
        ("two_tats", "TitFor2Tats", "Defector"),
    ):
        match = axelrod.Match((player(agent), getattr(axelrod, other)()), turns=50, seed=1)
        match.play()
        assert list(match.final_score()) == theirs(axelrod, twin, other, turns=50)


def test_agents_see_axelrod_s_noise(axelrod) -> None:
    from kibitz_lab.bridges.axelrod import player

    match = axelrod.Match((player("tit_for_tat"), axelrod.TitForTat()), turns=80, noise=0.1, seed=4)
    twins = axelrod.Match((axelrod.TitForTat(), axelrod.TitForTat()), turns=80, noise=0.1, seed=4)
    done, same = match.play(), twins.play()
    assert match.players[0].chosen[1:] == [int(other == axelrod.Action.D) for _, other in done[:-1]]
    assert len(done) == len(same)


def test_agents_take_part_in_tournaments_moran_processes_and_fingerprints(axelrod) -> None:
    from kibitz_lab.bridges.axelrod import player

    players = [player("tit_for_tat"), player("generous(mercy=0.5)"), axelrod.Defector()]
    tournament = axelrod.Tournament(players, turns=10, repetitions=1, seed=1)
    results = tournament.play(progress_bar=False)
    assert results.scores[0][0] == 3 * 10 + 9
    process = axelrod.MoranProcess([player("tit_for_tat"), player("defector"), player("tit_for_tat")], turns=10, seed=2)
    process.play()
    assert len({repr(each) for each in process.players}) == 1
    print_of = axelrod.AshlockFingerprint(player("tit_for_tat"), axelrod.TitForTat())
    data = print_of.fingerprint(turns=5, repetitions=1, step=0.5, progress_bar=False, seed=1)
    assert data[(0.0, 0.0)] == 3.0


def test_the_length_of_a_match_may_be_left_unused(axelrod) -> None:
    from kibitz_lab.bridges.axelrod import player

    played = {}
    for known in (True, False):
        match = axelrod.Match((player("aware", ends_known=known), axelrod.TitForTat()), turns=60, seed=1)
        played[known] = [str(one) for one, _ in match.play()]
    assert played[True][-1] == "D"
    assert set(played[False]) == {"C"}


@pytest.mark.slow
def test_all_strategies_play(axelrod) -> None:
    from kibitz_lab.bridges.axelrod import strategy_names

    names = strategy_names()
    assert len(names) == 240
    for name in names:
        record = play("dilemma(rounds=12)", [f"axelrod:{name}", "axelrod:Alternator"], seed=1)
        assert record.ending.strikes == (0, 0), (name, [entry.faults for entry in record.entries if entry.faults])


@pytest.mark.slow
def test_every_deterministic_strategy_earns_the_same_points_against_three_others(axelrod) -> None:
    stochastic = axelrod.Classifiers["stochastic"]
    for strategy in axelrod.short_run_time_strategies:
        if not stochastic(strategy()):
            for other in ("Alternator", "SuspiciousTitForTat", "FirstByGrofman"):
                if not stochastic(getattr(axelrod, other)()):
                    ours = play("dilemma(rounds=50)", [f"axelrod:{strategy.__name__}", f"axelrod:{other}"])
                    assert ours.ending.returns == theirs(axelrod, strategy.__name__, other, turns=50), strategy
