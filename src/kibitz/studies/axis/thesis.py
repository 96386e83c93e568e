"""What Lie (2009) prints: simulation counts, run times, odds, average gains and success rates."""

from collections.abc import Mapping

from kibitz.agents.automata.tier import Kind

SOURCE = "G. K. Lie (2009). Playing Axis & Allies Revised using learning automata. Master's thesis, Agder."
KINDS: Mapping[str, tuple[Kind, Kind]] = {
    "Tsetlin": ("tsetlin", "tsetlin"),
    "L_RI": ("lri", "lri"),
    "BLA": ("bla", "bla"),
    "L_RI + Tsetlin": ("lri", "tsetlin"),
    "BLA + Tsetlin": ("bla", "tsetlin"),
}
"""The teams: the automata of the first tier, and those of all others."""
ROUNDS: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    "s1": {"Tsetlin": (500, 300), "L_RI": (800, 400), "BLA": (700, 300)},
    "s2": {
        "Tsetlin": (500, 200, 100),
        "L_RI": (700, 400, 200),
        "BLA": (600, 300, 150),
        "L_RI + Tsetlin": (700, 200, 100),
        "BLA + Tsetlin": (600, 200, 100),
    },
    "s3": {
        "Tsetlin": (500, 300),
        "L_RI": (700, 400),
        "BLA": (800, 400),
        "L_RI + Tsetlin": (700, 300),
        "BLA + Tsetlin": (800, 300),
    },
}
"""Simulations of every tier: chapter 5.1, tables 5 and 6."""
SECONDS: Mapping[str, Mapping[str, float]] = {
    "s1": {"Tsetlin": 115, "L_RI": 260, "BLA": 170},
    "s2": {"Tsetlin": 78, "L_RI": 405, "BLA": 436, "L_RI + Tsetlin": 116, "BLA + Tsetlin": 118},
    "s3": {"Tsetlin": 5, "L_RI": 8, "BLA": 17, "L_RI + Tsetlin": 6, "BLA + Tsetlin": 9},
}
"""Average seconds of a run on a 3.0 GHz processor of 2008: chapter 5.1, tables 5 and 6."""
