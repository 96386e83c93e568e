"""Networks: inference, objects with inputs and outputs, chains, and EM, against hand-worked cases and pyagrum."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.core.errors import BadNetwork, ImpossibleEvidence
from kibitz.learn.em import expectation_maximisation
from kibitz.learn.networks import Network, Node
from kibitz.learn.objects import Assembly, Input, NetworkClass, chain_instances

YES_NO = ("yes", "no")


def egg() -> Network:
    """Figure 2.1 of Pedersen (2008)."""
    blue = Node.of("colour", ["blue", "other"], [[0.3, 0.7], [0.1, 0.9]], parents=["pearl"])
    return Network([Node.of("pearl", YES_NO, [0.4, 0.6]), blue], "egg")


def milk_slice() -> NetworkClass:
    """A day of figure 2.2: an infection that depends on yesterday's, and a test of it."""
    infected = Node.of("Inf", YES_NO, [[0.7, 0.3], [0.02, 0.98]], parents=["Before"])
    test = Node.of("Test", ["pos", "neg"], [[0.99, 0.01], [0.05, 0.95]], parents=["Inf"])
    return NetworkClass("day", [infected, test], [Input.of("Before", YES_NO, [0.01, 0.99])])


@st.composite
def networks(draw: st.DrawFn, most: int = 6) -> Network:
    """Any network of a few nodes; some tables hold zeros."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    count = draw(st.integers(1, most))
    sizes = [draw(st.integers(1 if number else 2, 4)) for number in range(count)]
    nodes = []
    for number, size in enumerate(sizes):
        parents = [other for other in range(number) if rng.random() < 0.5][:3]
        table = rng.random([sizes[other] for other in parents] + [size]) ** 2
        table[..., 1:][rng.random(table[..., 1:].shape) < 0.2] = 0.0
        table /= table.sum(axis=-1, keepdims=True)
        states = [f"s{state}" for state in range(size)]
        nodes.append(Node.of(f"n{number}", states, table, [f"n{other}" for other in parents]))
    shuffled = [nodes[int(place)] for place in rng.permutation(count)]
    return Network(shuffled, "random")


def pyagrum_of(network: Network):  # type: ignore[no-untyped-def]
    """The same network in pyagrum, built node by node."""
    gum = pytest.importorskip("pyagrum", reason="pyagrum is not installed")
    made = gum.BayesNet(network.name)
    for name in network.order:
        made.add(gum.LabelizedVariable(name, name, list(network.nodes[name].states)))
    for name in network.order:
        node = network.nodes[name]
        for parent in node.parents:
            made.addArc(parent, name)
        for place in product(*(range(size) for size in node.table.shape)):
            at = dict(zip((*node.parents, name), place, strict=True))
            made.cpt(name)[at] = float(node.table[place])
    return made


def enumerated(network: Network, evidence: dict[str, str]) -> float:
    """P(e) by its definition: the sum over everything that may be the case."""
    total = 0.0
    for place in product(*(range(len(node.states)) for node in network.nodes.values())):
        at = dict(zip(network.nodes, place, strict=True))
        if all(network.nodes[name].states[at[name]] == state for name, state in evidence.items()):
            chance = 1.0
            for name, node in network.nodes.items():
                chance *= float(node.table[tuple(at[each] for each in (*node.parents, name))])
            total += chance
    return total


def test_a_blue_egg_holds_a_pearl_with_two_thirds() -> None:
    assert egg().posterior("pearl", {"colour": "blue"})["yes"] == pytest.approx(2 / 3, abs=1e-15)
    assert egg().probability({"colour": "blue"}) == pytest.approx(0.18, abs=1e-15)
    assert egg().posterior("colour")["blue"] == pytest.approx(0.18, abs=1e-15)


@given(networks(most=5), st.data())
def test_probability_is_the_sum_over_everything(network: Network, data: st.DataObject) -> None:
    evidence = data.draw(some_evidence(network))
    assert network.probability(evidence) == pytest.approx(enumerated(network, evidence), abs=1e-12)


def some_evidence(network: Network) -> st.SearchStrategy[dict[str, str]]:
    chosen = {name: st.none() | st.sampled_from(node.states) for name, node in network.nodes.items()}
    return st.fixed_dictionaries(chosen).map(lambda found: {name: s for name, s in found.items() if s is not None})


@pytest.mark.long
@settings(max_examples=30)
@given(networks(), st.data())
def test_inference_is_pyagrums(network: Network, data: st.DataObject) -> None:
    gum = pytest.importorskip("pyagrum", reason="pyagrum is not installed")
    evidence = data.draw(some_evidence(network))
    engine = gum.LazyPropagation(pyagrum_of(network))
    if network.probability(evidence) == 0.0:
        for name in network.nodes:
            with pytest.raises(ImpossibleEvidence, match="probability 0"):
                network.posterior(name, evidence)
        return
    engine.setEvidence(evidence)
    engine.makeInference()
    assert network.probability(evidence) == pytest.approx(engine.evidenceProbability(), abs=1e-9)
    for name in network.nodes:
        expected = engine.posterior(name).toarray().ravel()
        assert list(network.posterior(name, evidence).values()) == pytest.approx(list(expected), abs=1e-9)


def test_impossible_evidence_has_probability_zero_and_no_posterior() -> None:
    sure = Network([Node.of("a", YES_NO, [1.0, 0.0])])
    assert sure.probability({"a": "no"}) == 0.0
    with pytest.raises(ImpossibleEvidence, match="a=no"):
        sure.posterior("a", {"a": "no"})


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


def test_questions_about_what_is_not_there_are_refused() -> None:
    with pytest.raises(BadNetwork, match="no node is called 'yolk'"):
        egg().posterior("yolk")
    with pytest.raises(BadNetwork, match="no state 'red'"):
        egg().probability({"colour": "red"})


def test_seven_days_of_infected_milk() -> None:
    """Figure 2.2: the chain is the hidden Markov model that the forward algorithm filters."""
    network = chain_instances(milk_slice(), 7, {"Before": "Inf"}, name="milk")
    assert [name for name in network.nodes if name.startswith("Inf")] == [f"Inf_{day}" for day in range(1, 8)]
    seen = ["neg", "pos", "neg", "pos", "pos", "pos", "neg"]
    belief, likelihood = np.array([0.01, 0.99]), 1.0
    change, test = np.array([[0.7, 0.3], [0.02, 0.98]]), np.array([[0.99, 0.01], [0.05, 0.95]])
    for result in seen:
        weighed = (belief @ change) * test[:, ["pos", "neg"].index(result)]
        likelihood *= weighed.sum()
        belief = weighed / weighed.sum()
    evidence = {f"Test_{day}": result for day, result in enumerate(seen, 1)}
    assert network.probability(evidence) == pytest.approx(likelihood, rel=1e-12)
    assert network.posterior("Inf_7", evidence)["yes"] == pytest.approx(belief[0], rel=1e-12)


def test_any_grip_fits_the_car_that_has_its_interface() -> None:
    """Figures 2.3 and 2.4: the car sees the grip through tyres, road and grip only."""
    weather = Node.of("Weather", ["dry", "wet"], [0.7, 0.3])
    tyres = Node.of("Tyres", ["good", "worn"], [0.8, 0.2])
    inputs = [Input.of("Road", ["dry", "wet"]), Input.of("Rubber", ["good", "worn"])]
    friction = Node.of(
        "Friction", ["high", "low"], [[[0.95, 0.05], [0.7, 0.3]], [[0.6, 0.4], [0.2, 0.8]]], ["Road", "Rubber"]
    )
    grip = Node.of("Grip", ["holds", "slips"], [[0.99, 0.01], [0.5, 0.5]], ["Friction"])
    detailed = NetworkClass("grip", [friction, grip], inputs, outputs=["Grip"])
    by_hand = np.einsum("rtf,fg->rtg", friction.table, grip.table)
    plain = NetworkClass("grip", [Node.of("Grip", ["holds", "slips"], by_hand, ["Road", "Rubber"])], inputs)

    def car(grips: NetworkClass) -> Network:
        built = Assembly("car")
        built.add(weather)
        built.add(tyres)
        outputs = built.instance(grips, "car", {"Road": "Weather", "Rubber": "Tyres"})
        built.add(Node.of("Stops", YES_NO, [[0.9, 0.1], [0.3, 0.7]], [outputs["Grip"]]))
        return built.network()

    question = {"Stops": "no"}
    assert car(detailed).posterior("Tyres", question) == pytest.approx(car(plain).posterior("Tyres", question))
    assert "Friction_car" in car(detailed).nodes
    built = Assembly("car")
    built.instance(
        NetworkClass("grip", [friction, grip], [Input.of(*i[:2], [0.5, 0.5]) for i in inputs], ["Grip"]), "x"
    )
    with pytest.raises(BadNetwork, match="inner node"):
        built.add(Node.of("Peek", YES_NO, [[0.5, 0.5]] * 2, ["Friction_x"]))


def test_a_binding_that_does_not_fit_is_refused() -> None:
    day = milk_slice()
    built = Assembly()
    built.add(Node.of("Weather", ["dry", "wet"], [0.5, 0.5]))
    with pytest.raises(BadNetwork, match="'Before' has the states yes, no, but 'Weather' has dry, wet"):
        built.instance(day, "1", {"Before": "Weather"})
    with pytest.raises(BadNetwork, match="no input 'After'; its inputs are Before"):
        built.instance(day, "1", {"After": "Weather"})
    with pytest.raises(BadNetwork, match="add it first"):
        built.instance(day, "1", {"Before": "Inf_0"})
    with pytest.raises(BadNetwork, match="not bound and has no default"):
        built.instance(NetworkClass("day", day.nodes, [Input.of("Before", YES_NO)]), "1")
    with pytest.raises(BadNetwork, match="no output 'Infection'"):
        chain_instances(day, 2, {"Before": "Infection"})
    with pytest.raises(BadNetwork, match="is not one of its nodes"):
        NetworkClass("day", day.nodes, day.inputs, outputs=["Milk"])


CATTLE = [("?", "pos", "pos"), ("yes", "neg", "pos"), ("yes", "pos", "?"), ("yes", "pos", "neg"), ("?", "neg", "?")]


def cattle(tables: float = 0.5) -> Network:
    """Table 2.1: a pregnancy and two tests of it, from a uniform start."""
    half = [[tables, 1 - tables], [1 - tables, tables]]
    return Network(
        [
            Node.of("Pr", YES_NO, [0.5, 0.5]),
            Node.of("Bt", ["pos", "neg"], half, ["Pr"]),
            Node.of("Ut", ["pos", "neg"], half, ["Pr"]),
        ],
        "cattle",
    )


def cattle_rows() -> list[dict[str, str | None]]:
    names = ("Pr", "Bt", "Ut")
    return [{n: None if v == "?" else v for n, v in zip(names, case, strict=True)} for case in CATTLE]


def test_the_cattle_are_pregnant_with_eight_tenths_after_one_iteration() -> None:
    learned = expectation_maximisation(cattle(), cattle_rows(), iterations=1)
    assert learned.network.posterior("Pr")["yes"] == pytest.approx(0.8, abs=1e-15)
    assert learned.network.node("Pr").table.tolist() == pytest.approx([0.8, 0.2])


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_em_never_makes_the_data_less_likely(smoothing: float) -> None:
    learned = expectation_maximisation(cattle(0.6), cattle_rows(), iterations=30, tolerance=0.0, smoothing=smoothing)
    steps = np.diff(learned.likelihoods)
    assert len(learned.likelihoods) > 5
    assert (steps >= -1e-12).all()


def test_em_stops_at_its_tolerance() -> None:
    told: list[int] = []
    learned = expectation_maximisation(
        cattle(0.6), cattle_rows(), tolerance=1e-2, smoothing=0.1, told=lambda iteration, _: told.append(iteration)
    )
    assert 1 < len(told) < 30
    assert learned.likelihoods[-1] - learned.likelihoods[-2] <= 1e-2 * abs(learned.likelihoods[-1])


def test_complete_data_are_counted() -> None:
    rows: list[dict[str, str | None]] = [{"pearl": p, "colour": c} for p, c in ("yb", "yo", "nb", "no", "no")]
    plain = Network([n._replace(states=tuple(s[0] for s in n.states)) for n in egg().nodes.values()])
    learned = expectation_maximisation(plain, rows).network
    assert learned.node("pearl").table.tolist() == [0.4, 0.6]
    assert learned.node("colour").table[1].tolist() == pytest.approx([1 / 3, 2 / 3])


def test_em_refuses_cases_that_cannot_be() -> None:
    sure = Network([Node.of("a", YES_NO, [1.0, 0.0])])
    with pytest.raises(ImpossibleEvidence):
        expectation_maximisation(sure, [{"a": "no"}])
