"""The text of a position of OpenSpiel in lines that a person reads: one fact in each, none too long."""

import re
import textwrap
from collections.abc import Sequence
from functools import lru_cache

from kibitz import core
from kibitz.bridges.openspiel.rules import BridgedState, OpenSpiel
from kibitz.bridges.openspiel.views import View
from kibitz.core.seeds import stream

RANKS = ("Jack", "Queen", "King")
LONGEST = 40
"""Letters of a line."""
BRACKETS = re.compile(r"(?:\[[^\[\]]*\])+")
KUHN = re.compile(r"(\d)([pb]*)")
DICE = re.compile(r"(\d+)((?: \d+-\d+)*)( Liar)?")
DULL = re.compile(r"(?:Terminal\?|Current player:|Observer:|History:|GoState|Previous player:|Extra turn:).*")
"""Lines that say what the page says in other words."""
WALKS, PLIES = 12, 60
"""Size of the sample from which the names of actions are learned."""


def position_lines(state: BridgedState | View, lines: Sequence[str] | None = None) -> list[str]:
    """The text of a position, or some lines of it, for people."""
    text = str(state) if lines is None else "\n".join(lines)
    name = state.game.game.partition("(")[0].removeprefix("python_")
    if isinstance(state, View) and state.viewer is not None:
        text = private_words(name, text)
    facts = [part for line in text.splitlines() for part in split_brackets(line)]
    shown = [line for line in facts if not DULL.match(line.strip())] or (facts if lines is None else [])
    return [part for line in shown for part in textwrap.wrap(line, LONGEST) or [""]] or [""] * (lines is None)


def private_words(name: str, text: str) -> str:
    """What one player knows in games that say it in a code."""
    kuhn, dice = KUHN.fullmatch(text), DICE.fullmatch(text.strip())
    if name == "kuhn_poker" and kuhn is not None:
        moves = ", ".join({"p": "pass", "b": "bet"}[letter] for letter in kuhn[2]) or "nothing yet"
        return f"your card: {kuhn[1]}{rank(int(kuhn[1]))}\nplayed: {moves}"
    if name == "leduc_poker":  # two cards of each rank
        return re.sub(r"(?<=Private: |.Public: )\d+", lambda found: f"{found[0]}{rank(int(found[0]) // 2)}", text)
    if name == "liars_dice" and dice is not None:
        bids = ", ".join(dice[2].split()) or "none yet"
        return f"your dice: {', '.join(dice[1])}\nbids: {bids}{' – liar!' if dice[3] else ''}"
    return text


def rank(number: int) -> str:
    """The name of a rank of a small deck, behind its number."""
    return f" ({RANKS[number]})" if number < len(RANKS) else ""


def split_brackets(line: str) -> list[str]:
    """`[Private: 5][Round 1]` as a line for each bracket."""
    return re.findall(r"\[([^\[\]]*)\]", line) if BRACKETS.fullmatch(line.strip()) else [line]


@lru_cache(maxsize=64)
def sampled_notations(name: str) -> dict[tuple[int, int], str]:
    """The notations of actions by player and number that are the same wherever they occur, along random matches."""
    game, rng = OpenSpiel(name), stream(0, "notations", name)
    found: dict[tuple[int, int], set[str]] = {}
    for _ in range(WALKS):
        spiel = game.spiel.new_initial_state()
        for _ in range(PLIES):
            player = int(spiel.current_player())
            if player == core.TERMINAL or player == core.SIMULTANEOUS:
                break
            legal = [int(action) for action in spiel.legal_actions()]
            for action in legal:
                found.setdefault((player, action), set()).add(" ".join(spiel.action_to_string(player, action).split()))
            spiel.apply_action(legal[int(rng.random() * len(legal))])
    return {key: next(iter(texts)) for key, texts in found.items() if len(texts) == 1}
