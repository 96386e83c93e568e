"""The populations of the arenas, split into two halves by family: parameters are set on one, and judged on the other.

A family holds siblings: entries of one author, variants of one program, answers to one program. All of them are in the
same half. What was tuned on a sibling would otherwise count as unseen.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

import msgspec

from kibitz_lab.bridges.axelrod.package import cached_sources, load_axelrod

Half = Literal["tuning", "unseen"]
HALVES: tuple[Half, Half] = ("tuning", "unseen")

RPS_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "actr": ("actr_lag2_decay",),
    "biopic": ("biopic",),
    "boom": ("boom",),
    "constant": ("r226bot", "rockbot"),
    "copy": ("copybot",),
    "drift": ("adddriftbot2", "addshiftbot3", "driftbot"),
    "flat": ("antiflatbot", "flatbot3"),
    "frequency": ("freqbot2",),
    "halbot": ("halbot",),
    "inocencio": ("inocencio",),
    "iocaine": ("greenberg", "iocainebot", "phasenbott"),
    "markov": ("markov5", "markovbails"),
    "mixed": ("mixed_strategy",),
    "mod1": ("mod1bot",),
    "multi": ("multibot",),
    "pena": ("piedra", "sweetrock"),
    "peter": ("peterbot",),
    "predictor": ("predbot",),
    "random": ("randbot",),
    "robertot": ("robertot",),
    "rotation": ("antirotnbot", "foxtrotbot", "rotatebot"),
    "russrocker": ("russrocker4",),
    "sequences": ("debruijn81", "pibot", "textbot"),
    "shofar": ("shofar",),
    "stones": ("granite", "marble"),
    "sun": ("sunCrazybot", "sunNervebot"),
    "switching": ("switchalot", "switchbot"),
    "zq": ("zq_move",),
}
"""The 43 entries of the RoShamBo competitions that OpenSpiel has."""
RPS_TUNING = frozenset(tuple(RPS_FAMILIES)[::2])
"""Every second family by name."""

AXELROD_FAMILIES: Mapping[str, str] = {
    "memoryone": "memory-one",
    "zero_determinant": "memory-one",
    "memorytwo": "memory-two",
    "gambler": "tables",
    "lookerup": "tables",
    "ann": "trained machines",
    "hmm": "trained machines",
    "finite_state_machines": "trained machines",
    "axelrod_first": "Axelrod's tournaments",
    "axelrod_second": "Axelrod's tournaments",
    "revised_downing": "Axelrod's tournaments",
    "cooperator": "sequences",
    "defector": "sequences",
    "alternator": "sequences",
    "cycler": "sequences",
    "mathematicalconstants": "sequences",
    "sequence_player": "sequences",
    "worse_and_worse": "drifting",
    "better_and_better": "drifting",
    "verybad": "drifting",
    "titfortat": "tit for tat",
    "forgiver": "tit for tat",
    "doubler": "tit for tat",
    "gradualkiller": "tit for tat",
}
"""Modules of Axelrod that hold siblings of another's; any other module is a family of its own."""
AXELROD_TUNING = frozenset(
    {
        "Axelrod's tournaments",
        "memory-one",
        "gobymajority",
        "grudger",
        "tables",
        "meta",
        "punisher",
        "qlearner",
        "mutual",
        "adaptor",
        "averagecopier",
        "resurrection",
        "bush_mosteller",
        "grumpy",
        "inverse",
        "rand",
        "shortmem",
    }
)
"""The largest family first, each went to the smaller half. Families that a later version adds are unseen."""

POKER_FAMILIES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "kuhn(players=2)": {
        "own": ("kuhn.solid", "kuhn.rock", "kuhn.maniac", "kuhn.bluffer"),
        "noise": ("noisy(strategy=kuhn.rock, rate=0.3)",),
        "variants": ("kuhn.solid(bluff=0.9)", "kuhn.maniac(appetite=0.6)"),
        "mixtures": ("mixture(strategies=[kuhn.solid, kuhn.maniac], shares=[0.5, 0.5])",),
        "tables": ("random_table(sharpness=1.0, seed=41)", "random_table(sharpness=3.0, seed=42)"),
    },
    "leduc": {
        "own": ("leduc.solid", "leduc.rock", "leduc.caller", "leduc.maniac", "leduc.bluffer"),
        "variants": ("leduc.caller(raises=0.5)", "leduc.solid(bluff=0.9)"),
        "mixtures": ("mixture(strategies=[leduc.solid, leduc.maniac], shares=[0.5, 0.5])",),
        "tables": ("random_table(sharpness=1.0, seed=41)", "random_table(sharpness=3.0, seed=42)"),
    },
}
"""Ten opponents for each game of poker."""
POKER_TUNING = frozenset({"own", "noise"})
"""These the default model knows, or knows but for noise; nothing was ever set on the others."""


class Opponent(msgspec.Struct, frozen=True):
    """A member of a population: its name there, the spec of its agent, its family, and the half that this is in."""

    name: str
    agent: str
    family: str
    half: Half


def rps_population() -> list[Opponent]:
    """The 43 bots by name."""
    found = [
        Opponent(bot, f"roshambo:{bot}", family, half_of(family, RPS_TUNING))
        for family, bots in RPS_FAMILIES.items()
        for bot in bots
    ]
    return sorted(found, key=lambda each: each.name.casefold())


@cache
def axelrod_population() -> tuple[Opponent, ...]:
    """The strategies of Axelrod with a short run time, in Axelrod's order; raises MissingPackage without it."""
    package = load_axelrod()
    found = []
    for each in package.strategies:
        with cached_sources():
            slow = package.Classifiers["long_run_time"](each())
        if not slow:
            module = each.__module__.rpartition(".")[2]
            family = AXELROD_FAMILIES.get(module, module)
            name = each.__name__
            found.append(Opponent(name, f"axelrod:{name}", family, half_of(family, AXELROD_TUNING)))
    return tuple(found)


def poker_population(game: str) -> list[Opponent]:
    """The ten opponents of a game of poker."""
    return [
        Opponent(spec, spec, family, half_of(family, POKER_TUNING))
        for family, specs in POKER_FAMILIES[game].items()
        for spec in specs
    ]


def half_of(family: str, tuning: frozenset[str]) -> Half:
    """The half that a family is in."""
    return "tuning" if family in tuning else "unseen"


def in_halves(population: Sequence[Opponent]) -> dict[str, list[Opponent]]:
    """The whole population, and each half of it."""
    return {"all": list(population)} | {half: [each for each in population if each.half == half] for half in HALVES}
