"""Everything that is registered keeps its contract, before its author writes a test."""

import shlex
import sys
from pathlib import Path

import pytest

from checkout import EXAMPLES
from kibitz.core.registry import Kind, entries, make_game, make_model
from kibitz.testing import check_agent, check_game, check_model
from kibitz.testing.models import check_unchosen
from playthroughs import check_playthrough

GOLDEN = Path(__file__).parent / "golden"
EXAMPLES = EXAMPLES
SPECS = {
    "process": f"cmd:{shlex.join([sys.executable, '-I', str(EXAMPLES / 'bots' / 'any_legal.py')])}",
    "automata": "automata(rounds=(30, 10))",
    "asymmetric": "asymmetric(depth=2)",
    "equilibrium": "equilibrium(limit=500)",
    "cfr": "cfr(iterations=20, limit=10000)",
    "program": f"program(file={str(EXAMPLES / 'programs' / 'orc.py')!r})",
    "thwart": "thwart(limit=500)",
    "rehearsal": "rehearsal(agents=(automata(rounds=(20, 5)),), rehearsals=2)",
    "planner": "planner(nodes=1)",
    "aware": "aware(limit=4, simulations=2)",
    "trails.kibitzer": "trails.kibitzer(types=(trails.honest, trails.mute), nodes=50)",
    "trails.types": "trails.types(strategies=(trails.honest, trails.mute))",
    "mcts": "mcts(simulations=12, rollout_plies=20)",
    "noisy": "noisy(strategy=kuhn.solid)",
    "mixture": "mixture(strategies=[pennies.copycat, pennies.heads])",
    "switcher": "switcher(strategies=[dilemma.grim, dilemma.pavlov], every=2)",
}
"""What stands for the agents and models that cannot play without being told more than their name, or take long."""


SLOW_GAMES = ("axis", "bear-brawl", "breakthrough", "pawns", "risk", "trails")
"""Games whose plies take long."""
SHORT = (
    "chauffeur",
    "cops",
    "dilemma",
    "duel",
    "pennies",
    "purgatory",
    "repeated",
    "soccer",
)
WHOLE_AXIS = "axis(scenario=revised, rules=full, turns=2)"
PLIES = {
    "axis": 10,
    WHOLE_AXIS: 12,
    "bear-brawl": 8,
    "breakthrough": 3,
    "pawns": 8,
    "risk": 16,
    "trails": 10,
    **dict.fromkeys(SHORT, 12),
}
"""How many plies agents play and models watch unless tests marked `slow` run; games not named here end soon."""
FEWER_WALKS = 3
ONLY_GAMES = dict.fromkeys(("axis.commander", "axis.greedy_full", "axis.sensible_full"), (WHOLE_AXIS,))
"""The games of agents that can play no game with its default options."""
GAMES_OF = {
    "process": ("axis", "bear-brawl", "kuhn", "offers", "pawns", "pennies", "trails"),
    "noisy": ("kuhn",),
    "mixture": ("pennies",),
    "switcher": ("dilemma",),
    "random_table": ("dilemma", "kuhn", "offers", "trails"),
    **ONLY_GAMES,
}
"""Games that stand for all: of programs, which take long to start, and of agents that need no rules."""


def ours(kind: Kind) -> list[str]:
    """What is registered by this project; packages that happen to be installed test their own."""
    return sorted(name for name, entry in entries(kind).items() if entry.target.startswith("kibitz"))


GAMES, AGENTS, MODELS = ours("game"), ours("agent"), ours("model")


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in SLOW_GAMES else name for name in GAMES]
)
def test_game_keeps_the_contract(name: str) -> None:
    check_game(name, walks=FEWER_WALKS if name in SLOW_GAMES else 12)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW_GAMES)
def test_slow_game_keeps_the_contract_along_many_walks(name: str) -> None:
    check_game(name)


@pytest.mark.parametrize("name", GAMES)
def test_game_plays_as_it_did(name: str) -> None:
    check_playthrough(name, GOLDEN / f"{name}.txt")


@pytest.mark.long
@pytest.mark.parametrize("name", AGENTS)
def test_agent_keeps_the_contract(name: str) -> None:
    check_agent(SPECS.get(name, name), GAMES_OF.get(name), shorter=PLIES)


@pytest.mark.slow
@pytest.mark.parametrize("name", AGENTS)
def test_agent_keeps_the_contract_in_long_matches(name: str) -> None:
    check_agent(SPECS.get(name, name), ONLY_GAMES.get(name))


@pytest.mark.parametrize(
    ("model", "game"),
    [
        ("strategy_filter", "pawns"),
        ("strategy_filter", "kuhn"),
        ("dbn", "pawns"),
        ("dbn(slices=4)", "pawns"),
        ("plans", "dilemma"),
        ("rehearsal", "axis"),
        ("risk.choice", "risk"),
        ("risk.explanations", "risk"),
        ("trails.promises", "trails"),
        ("trails.types", "trails"),
    ],
)
def test_a_model_learns_nothing_from_what_nobody_chose(model: str, game: str) -> None:
    check_unchosen(make_model(model), make_game(game), seed=1)


@pytest.mark.long
@pytest.mark.parametrize("name", MODELS)
def test_model_keeps_the_contract(name: str) -> None:
    check_model(SPECS.get(name, name), shorter=PLIES)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_model_keeps_the_contract_in_long_matches(name: str) -> None:
    check_model(SPECS.get(name, name))
