"""What searches find stays as it is: value, nodes, line and root values on 120 positions, kept in `golden/search`.

`KIBITZ_UPDATE_GOLDEN=1` writes the files again; look at the difference before you keep it.
"""

import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import pytest

from kibitz import core
from kibitz.core.registry import make_agent, make_game
from kibitz.core.seeds import stream
from kibitz_lab.search.alphabeta import AlphaBeta
from kibitz_lab.search.settings import Settings

GOLDEN = Path(__file__).parents[1] / "golden" / "search"
PLAIN: list[dict[str, object]] = [
    {},
    {"margin": 1.0},
    {"noise_seed": 3},
    {"table": False},
    {"history": False, "margin": float("inf")},
    {"sort": False},
    {"prune": False, "sort": False, "table": False, "history": False},
    {"win_value": "features"},
]
UPPER: list[dict[str, object]] = [{}, {"margin": 1.0}, {"noise_seed": 3}, {"table": False}, {"history": False}]
SPECS = {
    "alphabeta": (70, PLAIN, {"pawns": [5, 6], "breakthrough": [4], "cops": [3, 4]}, ["alphabeta"]),
    "asymmetric": (
        50,
        UPPER,
        {"pawns": [3, 4], "breakthrough": [2], "cops": [3]},
        [
            "asymmetric(model=dbn, rule='seen_before')",
            "asymmetric(model=dbn, rule='max_ratio(max_pr=0.4)', deeper=3, unlikely_depth=2)",
            "asymmetric(model=dbn, rule='random_like(rule=mass)', unlikely_depth=4)",
            "asymmetric(model=lots, rule='mass(mass=0.5)')",
            "asymmetric",
        ],
    ),
}
"""For each agent: positions, settings, depths by game, and specs, each taken in turn."""


def searches(name: str, most: int) -> Iterator[str]:
    """A line for every position, up to *most*: what was searched, and what was found."""
    count, settings, depths, specs = SPECS[name]
    rng = stream(7, "search", name)
    for number in range(min(count, most)):
        game_name = list(depths)[number % len(depths)]
        spec, depth = specs[number // len(depths) % len(specs)], depths[game_name][number % len(depths[game_name])]
        options = settings[number % len(settings)]
        spec = spec if game_name != "cops" else spec.replace("=dbn", "=lots")  # cops has no features
        agent, state = watched_agent(spec, game_name, rng)
        found = agent.searcher.search(state, Settings(depth=depth, **options), agent.vector)  # type: ignore[arg-type]
        counts = [getattr(found, field, 0) for field in ("model_nodes", "predicted", "named")]
        line = " ".join(map(str, found.line))
        yield (
            f"{game_name} {core.digest(state)} {depth} {options} {spec}: {found.value!r} {found.nodes} {counts}"
            f" [{line}] {fingerprint(sorted(found.values.items()))}"
        )


def watched_agent(spec: str, game_name: str, rng: core.Rng) -> tuple[AlphaBeta, core.State]:
    """An agent that has watched some random moves, and the position after them."""
    game = make_game(game_name)
    while True:
        states, actions = [game.new_initial_state()], []
        for _ in range(int(rng.integers(4, 30 if game_name != "cops" else 9))):
            if states[-1].is_terminal():
                break
            actions.append(int(rng.choice(states[-1].legal_actions())))
            states.append(states[-1].child(actions[-1]))
        if not states[-1].is_terminal():
            break
    agent = make_agent(spec, game_name)
    assert isinstance(agent, AlphaBeta)
    agent.begin(game, states[-1].current_player(), stream(1, "agent"))
    for ply, action in enumerate(actions):
        before, after = states[ply], states[ply + 1]
        agent.observe(core.Transition(ply, before.current_player(), (action,), before, after))
    return agent, states[-1]


def fingerprint(values: object) -> str:
    return blake2b(repr(values).encode(), digest_size=4).hexdigest()


@pytest.mark.long
@pytest.mark.parametrize("most", [15, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SPECS)
def test_searches_find_what_they_found_before(name: str, most: int) -> None:
    found = list(searches(name, most))
    if os.environ.get("KIBITZ_UPDATE_GOLDEN") and most > len(found):
        (GOLDEN / f"{name}.txt").write_text("\n".join(found) + "\n", encoding="utf-8")
    assert found == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8").splitlines()[:most]
