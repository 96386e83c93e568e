"""The numbers that Pozin (2010) reports."""

from typing import NamedTuple

from kibitz_lab.studies.claims import Relation

SOURCE = "Pozin 2010"


class ReportedScore(NamedTuple):
    """A row of Tables 5.1, 5.2 and 5.5: means of the agent and of its opponents, and games won, tied and lost."""

    table: str
    own: float
    others: float
    results: tuple[float, float, float]


SCORES = {
    "PERB": ReportedScore("Table 5.1", 99.2, 124.6, (2, 11, 6)),
    "Reliability": ReportedScore("Table 5.1", 96.7, 135.7, (3.5, 9.5, 6)),
    "PERB + deception": ReportedScore("Table 5.2", 124.5, 41.8, (10, 7, 2)),
    "Reliability + deception": ReportedScore("Table 5.2", 112.0, 41.6, (10.5, 6.5, 2)),
    "Reliability + deception + tree": ReportedScore("Table 5.5", 105.1, 42.1, (11, 7, 1)),
}


class Order(NamedTuple):
    """What the means say of two agents: the first, or its opponents, earn more or less than the other."""

    what: str
    table: str
    agent: str
    other: str
    relation: Relation = ">"
    of_opponents: bool = False


ORDERS = (
    Order("deception earns more than PERB alone", "Table 5.2", "PERB + deception", "PERB"),
    Order("deception earns more than reliability alone", "Table 5.2", "Reliability + deception", "Reliability"),
    Order("opponents earn less than those of PERB", "Table 5.2", "PERB + deception", "PERB", "<", True),
    Order("PERB earns more than reliability", "Table 5.1", "PERB", "Reliability"),
    Order("reliability dampens deception", "Table 5.2", "PERB + deception", "Reliability + deception"),
    Order(
        "the tree earns less than without it",
        "Table 5.5",
        "Reliability + deception + tree",
        "Reliability + deception",
        "<",
    ),
)
ACCURACY = {
    ("response", "c4.5"): 0.7216,
    ("response", "naive bayes"): 0.6413,
    ("transfer", "c4.5"): 0.8145,
    ("transfer", "naive bayes"): 0.7360,
}
"""Accuracies by ten folds of rows. Its Bayes net, which it does not describe, is compared with naive Bayes."""
CONFUSION = {
    "response": ("Table 5.3", ((1405, 729), (697, 1145))),
    "transfer": ("Table 5.4", ((759, 38, 279), (16, 38, 14), (84, 60, 572))),
}
"""Rows are the truth. The caption says C4.5, but these are the Bayes net's: their sums give its accuracies."""
