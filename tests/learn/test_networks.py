"""Networks and chains of slices against hand-worked cases; pyAgrum infers."""

import numpy as np
import pytest

from kibitz.core.errors import BadNetwork
from kibitz.learn.network_files import agrum_network, load_pyagrum
from kibitz.learn.networks import Network, Node, chain_slices

gum = load_pyagrum()
YES_NO = ("yes", "no")


def egg() -> Network:
    """Figure 2.1 of Pedersen (2008)."""
    blue = Node.of("colour", ["blue", "other"], [[0.3, 0.7], [0.1, 0.9]], parents=["pearl"])
    return Network([Node.of("pearl", YES_NO, [0.4, 0.6]), blue], "egg")


def posterior(network: Network, name: str, evidence: dict[str, str]) -> dict[str, float]:
    shares = gum.getPosterior(agrum_network(network), target=name, evs=evidence).tolist()
    return dict(zip(network.nodes[name].states, shares, strict=True))


def probability(network: Network, evidence: dict[str, str]) -> float:
    engine = gum.LazyPropagation(agrum_network(network))
    engine.setEvidence(evidence)
    engine.makeInference()
    return float(engine.evidenceProbability())


def test_a_blue_egg_holds_a_pearl_with_two_thirds() -> None:
    assert posterior(egg(), "pearl", {"colour": "blue"})["yes"] == pytest.approx(2 / 3, abs=1e-15)
    assert probability(egg(), {"colour": "blue"}) == pytest.approx(0.18, abs=1e-15)


@pytest.mark.parametrize(
    ("nodes", "why"),
    [
        ([Node.of("a", YES_NO, [0.5, 0.4])], "node 'a': probabilities in its table add up to 0.9"),
        ([Node.of("a", YES_NO, [1.5, -0.5])], "negative"),
        ([Node.of("a", YES_NO, [0.5, float("nan")])], "not a number"),
        ([Node.of("a", YES_NO, [0.5, 0.3, 0.2])], "shape"),
        ([Node.of("a", ["x", "x"], [0.5, 0.5])], "all different"),
        ([Node.of("a", YES_NO, [0.5, 0.5], ["b"])], "'b' is not a node"),
        ([Node.of("a", YES_NO, np.full((2, 2), 0.5), ["a"])], "cycle"),
        (
            [Node.of(n, YES_NO, np.full((2, 2), 0.5), [p]) for n, p in ("ab", "bc", "ca")],
            "cycle among the nodes a, b, c",
        ),
        ([Node.of("a", YES_NO, [0.5, 0.5])] * 2, "two nodes"),
    ],
)
def test_a_network_that_cannot_be_right_is_refused(nodes: list[Node], why: str) -> None:
    with pytest.raises(BadNetwork, match=why):
        Network(nodes)


def test_seven_days_of_infected_milk() -> None:
    """Figure 2.2: the chain is the hidden Markov model that the forward algorithm filters."""
    infected = Node.of("Inf", YES_NO, [[0.7, 0.3], [0.02, 0.98]], parents=["Before"])
    tested = Node.of("Test", ["pos", "neg"], [[0.99, 0.01], [0.05, 0.95]], parents=["Inf"])
    before = Node.of("Before", YES_NO, [0.01, 0.99])
    network = chain_slices([[infected, tested]], 7, {"Before": "Inf"}, [before])
    assert [name for name in network.nodes if name.startswith("Inf")] == [f"Inf_{day}" for day in range(1, 8)]
    seen = ["neg", "pos", "neg", "pos", "pos", "pos", "neg"]
    belief, likelihood = np.array([0.01, 0.99]), 1.0
    change, test = np.array([[0.7, 0.3], [0.02, 0.98]]), np.array([[0.99, 0.01], [0.05, 0.95]])
    for result in seen:
        weighed = (belief @ change) * test[:, ["pos", "neg"].index(result)]
        likelihood *= weighed.sum()
        belief = weighed / weighed.sum()
    evidence = {f"Test_{day}": result for day, result in enumerate(seen, 1)}
    assert probability(network, evidence) == pytest.approx(likelihood, rel=1e-12)
    assert posterior(network, "Inf_7", evidence)["yes"] == pytest.approx(belief[0], rel=1e-12)
