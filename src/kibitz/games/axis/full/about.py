"""The whole game in words, and what its board and positions have besides those of the land scenarios, as fields."""

from collections.abc import Mapping
from typing import Any

import msgspec

from kibitz.core.abilities.about import About, ActionForm
from kibitz.games.axis.full.board import World
from kibitz.games.axis.full.rules_options import FullRules
from kibitz.games.axis.full.situation import (
    BATTLE,
    BID,
    BID_PLACE,
    COMBAT,
    NONCOMBAT,
    PHASES,
    PLACE,
    PURCHASE,
    RESEARCH,
    Situation,
)
from kibitz.games.axis.full.units import TECHNOLOGIES

PLAYERS = {
    "greedy_full": "attacks wherever a battle is worth it in this turn alone; other units go to the front",
    "sensible_full": "attacks where the odds are good and what is left can hold or is cheap, and holds what it must",
    "commander": "gives every part of its forces an automaton; together they learn a plan",
}
"""The players of the whole game."""


class WholeBoard(msgspec.Struct, frozen=True):
    """Money and capitals of the powers at the start, canals (two zones, the land beside), prices, and all switches."""

    money: tuple[int, ...]
    capitals: tuple[int, ...]
    canals: tuple[tuple[int, int, tuple[int, ...]], ...]
    prices: dict[str, int]
    technologies: tuple[str, ...]
    rules: FullRules


class WholeView(msgspec.Struct, frozen=True):
    """Money, technologies (a bit each), factories, and every group of units with what marks it; then what is under way.

    A group is its area, power, kind, movement spent, the area it came from, damage, marks, the area it unloaded into,
    its cargo (power, kind, loaded in this turn, landing in), and its number.
    """

    money: tuple[int, ...]
    technologies: tuple[int, ...]
    factories: tuple[int, ...]
    groups: list[Any]
    bought: dict[str, int]
    under_way: list[Any]
    """Placed units, battles fought, research, aircraft under fire, the battle, raids, rockets, the bid, the winner."""


def whole_board(world: World, rules: FullRules) -> WholeBoard:
    """What only the whole game has on its board."""
    prices = dict(zip(world.units.names, world.units.prices, strict=True))
    return WholeBoard(world.money, world.capitals, world.canals, prices, TECHNOLOGIES, rules)


def whole_view(situation: Situation) -> WholeView:
    """What only the whole game has in a position."""
    under_way = [
        situation.placed,
        situation.fought,
        situation.research,
        situation.overflight,
        situation.engagement,
        situation.raid,
        situation.raided,
        situation.rockets,
        situation.purse,
        situation.winner,
    ]
    return WholeView(
        situation.money,
        situation.technologies,
        situation.factories,
        [[*stack, number] for stack, number in situation.units],
        {situation.world.units.names[kind]: number for kind, number in enumerate(situation.bought) if number},
        under_way,
    )


def about_whole_game(world: World, rules: FullRules, strategies: Mapping[str, str]) -> About:
    """The whole game of Axis & Allies Revised."""
    sides = " against ".join(
        ", ".join(power.name for power in world.powers if power.side == side) for side in range(len(world.sides))
    )
    return About(
        title="Axis & Allies Revised, the whole game",
        goal=f"Hold {rules.winning_cities} victory cities with your side at the end of a round.",
        rules=(
            f"Five powers play, {sides}. In its turn a power may pay for research, buys units, makes its combat moves, "
            "fights, moves what has not moved, places what it bought beside its factories, and earns the values of its "
            "areas. Groups of units get orders one after another, then the power ends the phase. Land units load on "
            "transports, aircraft must be able to land on friendly land or on a carrier, submarines fire first and "
            "may submerge, battleships take two hits and bombard the shore, bombers may raid factories for money. "
            "A capital that falls brings all the money of its owner, who earns nothing until it is freed. "
            f"After {rules.rounds} rounds the game is over; a lead in cities is then worth up to half a victory."
        ),
        players=tuple(f"{power.name}, of the side {world.sides[power.side]}" for power in world.powers),
        actions=ACTIONS,
        phases=PHASE_WORDS,
        strategies=PLAYERS | {name: f"{words} (in the land scenarios only)" for name, words in strategies.items()},
        minutes=240,
        opponents={
            "greedy_full": "Attacks wherever it pays at once, and looks no further.",
            "sensible_full": "Attacks where the odds are good, and guards its factories.",
            "commander": "Weighs whole plans for its turn against what you may answer.",
        },
    )


PHASE_WORDS = {
    PHASES[BID]: "a power spends its bid before the first round",
    PHASES[BID_PLACE]: "and places what it bought",
    PHASES[RESEARCH]: "a power may pay 5 for each die that tries for a technology",
    PHASES[PURCHASE]: "it buys units",
    PHASES[COMBAT]: "it gives orders to groups of units, attacks among them",
    PHASES[BATTLE]: "raids, rockets and battles",
    PHASES[NONCOMBAT]: "what has movement left moves, and aircraft land",
    PHASES[PLACE]: "bought units come onto the board",
}
ACTIONS = (
    ActionForm("research <n> dice <technology>", "n dice try for the technology", ("research 1 dice rockets",)),
    ActionForm("buy <n> <unit>", "n units are bought", ()),
    ActionForm("<n> <unit> <area> > <area>", "n units go from one area to another, by the blitzed one if named", ()),
    ActionForm("load <n> <unit> <area> > <zone>", "land units go aboard transports", ()),
    ActionForm("unload <n> <unit> <zone> > <area>", "cargo goes ashore", ()),
    ActionForm("raid <n> bomber <area> > <area>", "bombers raid the factory of an area", ()),
    ActionForm("fight <area>", "this battle is fought next", ()),
    ActionForm("place <n> <unit> <area>", "bought units are placed", ()),
    ActionForm("board <n> fighter <area> > <zone>", "fighters go onto a carrier that was just placed", ()),
    ActionForm("bombard", "battleships fire at the land before a landing", ()),
    ActionForm("no bombardment", "and they hold their fire", ()),
    ActionForm("fight on", "the attack goes on", ()),
    ActionForm("retreat to <area>", "all attackers but aircraft go back there", ()),
    ActionForm("withdraw aircraft", "aircraft leave the battle", ()),
    ActionForm("submerge", "the submarines of a side leave the battle", ()),
    ActionForm("stay", "and they fight on", ()),
    ActionForm("rocket <area> > <area>", "a gun fires a rocket at a factory", ()),
    ActionForm("no rocket <area>", "and it holds its fire", ()),
    ActionForm("done <phase>", "the phase of this name is over", ("done research",)),
)
