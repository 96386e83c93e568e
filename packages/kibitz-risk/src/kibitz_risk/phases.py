"""The phases of a game, and how actions are numbered in them."""

FIRST, MISSION, DEAL, DRAFT, SETUP, CAPITAL = 0, 1, 2, 3, 4, 5
TRADE, SPOILS, PLACE, ATTACK, ROLL, DEFEND, DICE, CONQUER, FORTIFY, DRAW, OVER = 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
"""SPOILS is TRADE with the cards of a player who was just destroyed."""

NAMES = (
    *("who begins", "missions are dealt", "territories are dealt", "claims", "sets up", "chooses a capital"),
    *("trades", "trades spoils", "places", "attacks", "rolls", "is attacked", "dice fall", "moves in", "fortifies"),
    *("draws", "over"),
)
CHANCES = frozenset({FIRST, MISSION, DEAL, DICE, DRAW})
TERRITORY = frozenset({DEAL, DRAFT, SETUP, CAPITAL})
"""Phases in which an action is a territory."""

END_ATTACK = RETREAT = STAY = 0
AMOUNTS = 1 << 20
"""In PLACE and FORTIFY an action is where times this plus how many; no player ever has as many armies."""
