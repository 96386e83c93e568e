"""Expectation maximisation for any discrete network with missing data (Pedersen 2008, section 2.1).

The readable reference: every row is a query to the network. `slice_kernels` does the same fast, for one kind of network
and thousands of rows.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf, log
from typing import NamedTuple

import numpy as np

from kibitz.core.errors import ImpossibleEvidence
from kibitz.learn.networks import Network, Node, Table

Row = Mapping[str, str | None]
"""The state of each node in one case; None, or a node left out, is missing."""


class EMResult(NamedTuple):
    """The result of EM: the network, and the log-likelihood of the data before each iteration and at the end.

    With smoothing it is the penalised log-likelihood, which never decreases.
    """

    network: Network
    likelihoods: list[float]


def expectation_maximisation(
    network: Network,
    rows: Sequence[Row],
    *,
    iterations: int = 100,
    tolerance: float = 1e-6,
    smoothing: float = 0.0,
    told: Callable[[int, float], None] | None = None,
) -> EMResult:
    """Run EM: improve the likelihood of *rows*, starting from the tables of *network*.

    Every entry of a table is the expected count of its case plus *smoothing*, over the sum (formula 2.8 with expected
    counts). It stops when the log-likelihood grows by less than *tolerance* of itself, or after *iterations* steps.
    """
    likelihoods: list[float] = []
    for iteration in range(iterations):
        counts, likelihood = expected_counts(network, rows)
        likelihoods.append(likelihood + penalty(network, smoothing))
        if told is not None:
            told(iteration, likelihoods[-1])
        if iteration and likelihoods[-1] - likelihoods[-2] <= tolerance * abs(likelihoods[-1]):
            return EMResult(network, likelihoods)
        network = network.with_tables(
            {name: normalise_counts(counts[name] + smoothing, node.table) for name, node in network.nodes.items()}
        )
    likelihoods.append(expected_counts(network, rows)[1] + penalty(network, smoothing))
    return EMResult(network, likelihoods)


def expected_counts(network: Network, rows: Sequence[Row]) -> tuple[dict[str, Table], float]:
    """The expected count in *rows* of each entry of each node's table, and the log-likelihood of the rows."""
    counts = {name: np.zeros(node.table.shape) for name, node in network.nodes.items()}
    likelihood = 0.0
    for row in rows:
        evidence = {name: state for name, state in row.items() if state is not None}
        chance = network.probability(evidence)
        if chance <= 0.0:
            raise ImpossibleEvidence(", ".join(f"{name}={state}" for name, state in evidence.items()))
        likelihood += log(chance)
        for node in network.nodes.values():
            counts[node.name] += family(network, node, evidence) / chance
    return counts, likelihood


def family(network: Network, node: Node, evidence: Mapping[str, str]) -> Table:
    """P(parents, node, e), with an axis for each variable."""
    return network.joint((*node.parents, node.name), evidence)


def normalise_counts(counts: Table, otherwise: Table) -> Table:
    """Counts as probabilities; rows without counts keep their old table."""
    totals = counts.sum(axis=-1, keepdims=True)
    return np.where(totals > 0.0, counts / np.where(totals > 0.0, totals, 1.0), otherwise)


def penalty(network: Network, smoothing: float) -> float:
    """What smoothing adds to the log-likelihood: the log density of its Dirichlet prior, up to a constant."""
    if smoothing == 0.0:
        return 0.0
    with np.errstate(divide="ignore"):
        total = sum(float(np.log(node.table).sum()) for node in network.nodes.values())
    return smoothing * total if total > -inf else -inf
