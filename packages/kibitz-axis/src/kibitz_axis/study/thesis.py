"""The numbers that Lie (2009) prints: simulation counts, run times, odds, average gains and success rates."""

from collections.abc import Mapping

from kibitz_lab.automata.tier import Kind

SOURCE = "G. K. Lie (2009). Playing Axis & Allies Revised using learning automata. Master's thesis, Agder."
AUTHOR = "Lie 2009"
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
SPANS = {"s1": [(-8, 6)], "s2": [(-36, 12), (-39, 11), (-41, 12)], "s3": [(-19, 23), (-19, 42)]}
"""The gains that may count as 0 and 1, which the thesis leaves open; those of the scenario files come first."""
BATTLES: Mapping[str, tuple[str, str, Mapping[str, float]]] = {
    "figure 7": ("1t vs 2i", "the tank attacks the pair", {"defender keeps": 85.3, "attacker takes": 14.7}),
    "figure 8": (
        "1t vs 1i",
        "the tank attacks one infantry",
        {"attacker takes": 50.5, "defender wins": 24.2, "nobody left": 25.3},
    ),
    "figure 9": ("2i vs 1t", "both infantry attack the tank", {"attacker takes": 54.4, "defender wins": 38.0}),
    "figure 10": (
        "1i vs 1t",
        "one infantry attacks the tank",
        {"attacker takes": 14.3, "defender wins": 71.5},
    ),
    "figure 12": ("2t vs 2i", "two tanks attack two infantry", {"attacker takes": 63.1}),
    "figure 13": ("2t vs 3i", "two tanks attack three infantry", {"defender keeps": 72.9}),
    "figure 14": ("3i vs 2t", "three infantry attack two tanks", {"attacker takes": 33.0}),
    "4.4.3": ("2t vs 1i", "two tanks attack one infantry", {"defender keeps": 4.8}),
    "4.4.2": ("1i vs 2t", "one infantry attacks two tanks", {"attacker takes": 0.7}),
    "4.4.4": ("2i vs 2t", "two infantry attack two tanks", {"attacker takes": 9.9}),
    "figure 16": ("2i2a1t vs 6i2a1t", "all units attack at once", {"attacker takes": 0.7}),
    "figure 17": ("2i2a1t vs 3i1a", "all units attack after the enemy has left", {"attacker takes": 83.1}),
    "4.5.3, one stays": (
        "1i2a1t vs 3i1a or 2i1a1t vs 3i1a",
        "all but one non-tank attack",
        {"attacker takes": 56.5},
    ),
    "4.5.3, two stay": ("1i1a1t vs 3i1a", "all but two units attack", {"attacker takes": 27.4}),
}
"""Battles by their place in the thesis: attackers and defenders, what happens, and its probability in per cent."""
SAMPLES = 10_000
"""The number of simulated battles behind each of its percentages."""
ATTACKS = {"Tsetlin": (21.2, 27.3), "L_RI": (None, 13.2), "BLA": (None, 0.0)}
"""Scenario 1: the percentage of runs in which one infantry attacks alone, and in which any attacks."""
PAIR_ATTACKED = {"Tsetlin": 18.2}
"""Scenario 1: the percentage of runs with the pair together in which the tank attacks it."""
DEFENDED = {"Tsetlin": 87.0, "L_RI": 100.0, "BLA": 100.0, "L_RI + Tsetlin": 100.0, "BLA + Tsetlin": 100.0}
"""Scenario 2: the percentage of runs in which all units play right (figure 21)."""
FIRST_TURN = {"BLA": 100.0, "BLA + Tsetlin": 100.0}
BOTH_TURNS = {"Tsetlin": 8.0}
"""Scenario 3: the percentage of runs with the first turn right, and with both (figure 22, as the text gives it)."""
THIRD_TURN = {"Tsetlin": 20.0, "L_RI": 100.0, "BLA": 100.0}
"""Scenario 3: the least factor by which a third turn takes longer (chapter 5.3)."""
