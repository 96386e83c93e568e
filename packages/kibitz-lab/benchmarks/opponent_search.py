"""What it costs to predict the opponent: the asymmetric tree with a dynamic Bayesian network against plain search."""

from functools import cache

from kibitz import core, playing
from kibitz.core.registry import make_game, make_model
from kibitz.core.seeds import stream
from kibitz_lab.search.alphabeta import AlphaBeta
from kibitz_lab.search.asymmetric import Asymmetric
from kibitz_lab.search.settings import Settings
from kibitz_lab.testing.benchmark import Bench, speed

SETTINGS = Settings(depth=6, noise_seed=5)
TIMES = 10
RULES = {"seen_before": "seen_before", "max_ratio": "max_ratio(max_pr=0.3)", "mass": "mass(mass=0.6)"}


def measure(bench: Bench) -> None:
    for name, rule in RULES.items():
        plain_nodes(), foretold_nodes(rule)  # compile and fill caches
        pairs = [(speed(plain_nodes), speed(lambda rule=rule: foretold_nodes(rule))) for _ in range(bench.runs)]
        ratios = [plain / foretold for plain, foretold in pairs]
        bench.figure(f"asymmetric_{name}_time_per_node", ratios, "× plain compiled search", most=2.0)


@cache
def lines() -> tuple[list[core.Transition], ...]:
    """Games between the four strategies of Pawns, each up to its middle."""
    found = []
    for number in range(16):
        pair = [f"s{1 + number % 4}", f"s{1 + number // 4}"]
        moments = [moment for moment in playing("pawns", pair, seed=number) if not moment.state.is_terminal()]
        found.append([moment.event.transition(None) for moment in moments[1 : len(moments) // 2]])
    return tuple(found)


@cache
def watching(rule: str) -> tuple[tuple[Asymmetric, core.State], ...]:
    """Agents that have watched those games."""
    found = []
    for line in lines():
        state = line[-1].after
        agent = Asymmetric(model=make_model("dbn"), rule=rule)
        agent.begin(make_game("pawns"), state.current_player(), stream(1, "bench"))
        for transition in line:
            agent.observe(transition)
        found.append((agent, state))
    return tuple(found)


@cache
def plain() -> AlphaBeta:
    agent = AlphaBeta()
    agent.begin(make_game("pawns"), 0, stream(1, "bench"))
    return agent


def plain_nodes() -> float:
    searcher, weights = plain().searcher, plain().vector
    return sum(searcher.search(line[-1].after, SETTINGS, weights).nodes for line in lines() * TIMES)


def foretold_nodes(rule: str) -> float:
    return sum(agent.searcher.search(state, SETTINGS, agent.vector).nodes for agent, state in watching(rule) * TIMES)
