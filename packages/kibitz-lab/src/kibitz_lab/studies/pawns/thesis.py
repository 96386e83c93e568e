"""The numbers that Pedersen (2008) reports, and the claims that follow from them."""

from collections.abc import Iterator, Mapping
from functools import partial

from kibitz_lab.arena.statistics import Estimate
from kibitz_lab.games.pawns.agents import TABLE
from kibitz_lab.studies.claims import Claim, share

SOURCE = "Pedersen 2008"
STRATEGIES = tuple(TABLE)
"""S1 to S4, whose weights are Table 10.1."""
GAMES = 9
"""The number of tournaments, and so of games of every pairing."""
Pairing = tuple[str, str]
"""Black's strategy and white's."""
WINS = "features"
"""The win value of the thesis's listings."""


def balance(*rows: tuple[int, ...]) -> dict[Pairing, Estimate]:
    """A table of the thesis by pairing, in per cent: a row for black's strategy, a column for white's."""
    return {
        (black, white): share(round(percent * GAMES / 100), GAMES)
        for black, row in zip(STRATEGIES, rows, strict=True)
        for white, percent in zip(STRATEGIES, row, strict=True)
    }


BALANCES: Mapping[str, Mapping[Pairing, Estimate]] = {
    "plain": balance((67, 0, 67, 0), (67, 33, 33, 0), (67, 33, 33, 33), (100, 100, 67, 100)),
    "asymmetric": balance((67, 67, 0, 0), (33, 0, 0, 33), (67, 100, 33, 67), (100, 100, 0, 67)),
}
"""Tables 10.2 and 11.1: what black won with plain search and with an asymmetric tree."""
TABLES = {"plain": "Table 10.2", "asymmetric": "Table 11.1"}
COSTS = {
    "nodes, plain": 2670.0,
    "nodes, asymmetric": 2673.0,
    "seconds, plain": 0.197,
    "seconds, asymmetric": 0.873,
}
"""Section 11.2: what a search costs."""
RIGHT, PREDICTIONS = 2007, 5520


def claims() -> Iterator[Claim]:
    """The claims of the thesis, each with the cell of the study that answers it."""
    for tree, table in BALANCES.items():
        for (black, white), there in table.items():
            yield Claim(
                what=f"{black} v {white}, {tree}: black won",
                source=f"{SOURCE}, {TABLES[tree]}",
                there=there,
                measure="Black's wins by pairing",
                column=tree,
                cell={"wins": WINS, "black": black, "white": white},
            )
        yield Claim(
            what=f"all, {tree}: black won",
            source=f"{SOURCE}, {TABLES[tree]} (computed)",
            there=share(round(sum(each.mean for each in table.values()) * GAMES), GAMES * len(table)),
            measure="Black's wins",
            column=tree,
            cell={"wins": WINS},
        )
    twelve = partial(Claim, source=f"{SOURCE}, ch. 12", there=0.0, relation=">")
    change = partial(twelve, measure="Black's wins by strategy", column="change")
    with_tree = "with the asymmetric tree"
    yield change(what=f"S2, the weakest gains {with_tree}", cell={"wins": WINS, "black": "S2"})
    yield change(what=f"S4, the strongest loses {with_tree}", relation="<", cell={"wins": WINS, "black": "S4"})
    for column, cost in COSTS.items():
        yield Claim(
            what=f"{column} of a search",
            source=f"{SOURCE}, sec. 11.2",
            there=cost,
            measure="Cost of a search",
            column=column,
            cell={"wins": WINS},
            apart="other rules in what the thesis leaves open" if column.startswith("nodes") else "another machine",
        )
    likely, network = partial(Claim, measure="Likely sets"), {"wins": WINS, "network": "one slice"}
    yield likely(
        what="moves in the likely sets",
        source=f"{SOURCE}, sec. 11.2",
        there=share(RIGHT, PREDICTIONS),
        cell={**network, "rule": "seen before"},
    )
    yield likely(
        what="below a constant ratio the network is worse than chance: lift",
        source=f"{SOURCE}, sec. 11.1",
        there=1.0,
        relation="<",
        column="lift",
        cell={**network, "rule": "MAX_PR"},
    )
    yield Claim(
        what="Harmony* finds strategies as strong as those of Table 10.1: score against them",
        source=f"{SOURCE}, ch. 10",
        there=0.5,
        within=0.1,
        measure="Strategies found by Harmony*",
    )
    yield twelve(
        what="an asymmetric tree wins more than a plain one: gain",
        measure="Gain by predicting",
        column="over plain search of its cost",
        cell={"library": "inside", "arm": "asymmetric filter"},
    )
