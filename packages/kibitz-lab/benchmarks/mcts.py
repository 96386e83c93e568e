"""Monte Carlo tree search: simulations a second with a model and without, and playouts in a kernel."""

import time
from collections.abc import Callable

from kibitz import core, make_agent, make_game
from kibitz.core.match import drawn_outcome
from kibitz.core.seeds import stream
from kibitz_lab.search.mcts.agent import MCTS
from kibitz_lab.testing.benchmark import Bench

GAMES = ("kuhn", "dilemma", "offers", "pennies", "pawns")
SIMULATIONS = 300
MODEL = "strategy_filter"


def measure(bench: Bench) -> None:
    for game in GAMES:
        plain, modelled = searches(game, ""), searches(game, f", model={MODEL}")
        plain(), modelled()  # compile and fill caches
        ratios = [rate(modelled) / rate(plain) for _ in range(bench.runs)]
        bench.figure(f"{game}_with_model", ratios, "× simulations/CPU s without")
    for name, spec in (("evaluated", "mcts"), ("played_out", "mcts(evaluation=False)")):
        run = searches("pawns", "", spec)
        run()
        bench.figure(f"pawns_{name}", [rate(run) for _ in range(bench.runs)], "simulations/CPU s")


def searches(game: str, model: str, spec: str = "mcts") -> Callable[[], float]:
    """A search from the same position each time; what the model watched before it is not counted."""
    rules = make_game(game)
    name, _, rest = spec.partition("(")
    agent = make_agent(f"{name}(simulations={SIMULATIONS}{model}{', ' if rest else ''}{rest.rstrip(')')})")
    assert isinstance(agent, MCTS)
    rng, state, ply = stream(1, "moves"), rules.new_initial_state(), 0
    agent.begin(rules, 0, stream(1, "agent", 0))
    while 0 not in rules.movers(state) or ply < 2:
        before, movers = state.clone(), rules.movers(state)
        actions = [each[int(rng.integers(len(each)))] for each in map(state.legal_actions, movers)]
        actions = actions or [drawn_outcome(state, rng.random())]
        pairs = list(zip(movers or (core.CHANCE,), actions, strict=True))
        seen = tuple(state.seen_action(0, mover, action) for mover, action in pairs)
        state.step(actions)
        agent.observe(core.Transition(ply, before.current_player(), seen, before.view(0), state.view(0)))
        ply += 1

    def search() -> float:
        agent.root = None
        agent.act(state.view(0), core.Clock())
        return float(SIMULATIONS)

    return search


def rate(work: Callable[[], float]) -> float:
    """Simulations per second of computing."""
    begin = time.process_time()
    return work() / (time.process_time() - begin)
