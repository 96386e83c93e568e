"""The agents of the study: the same agent with a model and without one, each as a spec."""

from collections.abc import Sequence

from kibitz import core
from kibitz.core.errors import BadSpec
from kibitz.core.registry import find, make_agent, make_model
from kibitz.core.specs import Spec, constructor_parameters, parse_spec

MODEL, TRUTH, WRONG = "model", "truth", "wrong"
ARMS = (MODEL, TRUTH, WRONG)
"""What the agent is told of its opponent: what the model infers, the true strategy, or another one."""
BUDGETS = ("simulations", "nodes", "trials")
"""The parameters that say how much an agent thinks; the first one that it has is scaled."""
PLAIN = {"asymmetric": "alphabeta"}
"""The agents that are another agent with a model, and that other agent."""
CERTAIN = {"unknown": 0.0, "noise": 0.0}
"""The parameters of a model that knows the strategy for certain."""
SURE_OF_ANOTHER = {"unknown": 0.0, "noise": 0.02}
"""Those of one that is sure of a wrong one: without any noise it would give up at the first surprise."""
NAMELESS = "strategy_filter"
"""The model that is told a strategy if the model of a row takes none."""


def agent_spec(text: str, game: str) -> Spec:
    """The spec of an agent with its full name; raises a KibitzError if there is none."""
    parsed = parse_spec(text)
    return Spec(find(parsed.name, "agent", game).name, dict(parsed.parameters))


def with_model(text: str, game: str, model: str) -> str:
    """The spec of an agent with *model*; raises BadSpec if it takes none."""
    spec = agent_spec(text, game)
    if "model" not in parameters_of(spec):
        raise BadSpec(text, "it takes no model")
    return str(Spec(spec.name, {**spec.parameters, "model": parse_spec(model)}))


def without_model(text: str, game: str, model: str, amount: int | None = None) -> str:
    """The spec of the same agent without *model*, thinking *amount* if it has a budget.

    An agent with the option `trust` keeps its model and does not trust it, so that it plays in the same way.
    """
    spec = agent_spec(text, game)
    name = PLAIN.get(spec.name, spec.name)
    known = parameters_of(Spec(name))
    kept = {each: value for each, value in spec.parameters.items() if each in known and each != "model"}
    if "trust" in known:
        kept |= {"model": parse_spec(model), "trust": 0.0}
    if amount is not None:
        kept[budget_of(text, game)[0]] = amount  # type: ignore[index]
    return str(Spec(name, kept))


def budget_of(text: str, game: str) -> tuple[str, int] | None:
    """The budget that the spec of an agent names, and its amount; None if it names none, so that none is scaled."""
    spec = agent_spec(text, game)
    for name in BUDGETS:
        amount = spec.parameters.get(name)
        if isinstance(amount, int):
            return name, amount
    return None


def parameters_of(spec: Spec) -> Sequence[str]:
    """The names of the parameters of an agent."""
    return list(constructor_parameters(type(make_agent(Spec(spec.name)))))


def told_model(model: str) -> str:
    """The name of the model that is told a strategy in place of *model*: itself, or a plain filter."""
    name = parse_spec(model).name
    known = constructor_parameters(type(make_model(name)))
    return name if {"strategies", "unknown", "noise"} <= set(known) else NAMELESS


def certain_model(model: str, strategy: str, *, true: bool) -> str:
    """The spec of a model that is sure of one strategy."""
    sure = CERTAIN if true else SURE_OF_ANOTHER
    return str(Spec(told_model(model), {"strategies": [parse_spec(strategy)], **sure}))


def wrong_strategies(opponent: str, library: Sequence[str]) -> list[str]:
    """The strategies of the library that are no part of *opponent*; if all are, those that are not all of it."""
    others = [each for each in library if each not in opponent]
    return others or [each for each in library if each != opponent]


def require_strategy(opponent: str, game: str) -> None:
    """Raise BadSpec if the probabilities of an opponent's actions are not known, so that none can be told."""
    if not isinstance(make_agent(opponent, game), core.Strategy):
        raise BadSpec(opponent, "it is no strategy, so the truth about it cannot be told")
