"""The agent `roshambo`: 43 entries of the RoShamBo programming competitions (Billings 2000), part of OpenSpiel."""

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any, Self

from kibitz import core
from kibitz.core.errors import BadSpec, Unsupported, advice
from kibitz_lab.bridges.openspiel.loading import pyspiel

THROWS = ("rock", "paper", "scissors")
LONGEST = 1000
"""Rounds that the bots expect; told of fewer, some end the process."""
REPEATED = f"repeated_game(stage_game=matrix_rps(),num_repetitions={LONGEST + 1},recall=1)"


class Roshambo(core.Agent):
    """One of 43 bots for repeated rock-paper-scissors, by its name in the competitions.

    It plays any game of two whose actions are rock, paper and scissors, all at once: `rps` and OpenSpiel's repeated
    game. The bots are black boxes with a memory, and draw from the C library's random numbers, which are set before
    every throw, so that a match can be repeated.
    """

    def __init__(self, bot: str = "greenberg") -> None:
        self.bot = bot
        known = pyspiel().roshambo_bot_names()
        if bot not in known:
            raise BadSpec(f"roshambo(bot={bot})", f"there is no bot {bot!r}; {advice(bot, known)}")

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        super().begin(game, player, rng)
        if not self.manages(game):
            raise Unsupported(self, game, f"it throws rock, paper or scissors against one other, {LONGEST:,} times")
        self.throws: list[tuple[int, int]] = []
        """The rounds so far, as numbers of throws."""
        self.seeds: list[int] = []
        """What the random numbers were set to before each own throw."""
        self.state = pyspiel().load_game(REPEATED).new_initial_state()
        self.black_box = pyspiel().make_roshambo_bot(player, self.bot, LONGEST)

    def manages(self, game: core.Game) -> bool:
        state = game.new_initial_state()
        if game.players != 2 or game.max_plies > LONGEST or state.current_player() != core.SIMULTANEOUS:
            return False
        return all(set(throw_numbers(state, player)) == {0, 1, 2} for player in (0, 1))

    def act(self, view: core.State, clock: core.Clock) -> int:
        seed = int(self.rng.integers(1, 2**31))
        wanted = self.throw(seed)
        numbers = throw_numbers(view, self.player)
        return view.legal_actions(self.player)[numbers.index(wanted)]

    def throw(self, seed: int) -> int:
        """The number of the bot's throw."""
        self.seeds.append(seed)
        set_random_numbers(seed)
        return int(self.black_box.step(self.state))

    def observe(self, transition: core.Transition) -> None:
        numbers = [throw_numbers(transition.before, player) for player in (0, 1)]
        legal = [transition.before.legal_actions(player) for player in (0, 1)]
        played = [transition.action_of(player) for player in (0, 1)]
        first, second = (numbers[p][list(legal[p]).index(a)] for p, a in enumerate(played) if a is not None)
        self.throws.append((first, second))
        self.state.apply_actions([first, second])

    def clone(self) -> Self:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """The bot cannot be copied: another of its kind is led through the same match."""
        copied = type(self)(self.bot)
        if not hasattr(self, "black_box"):
            return copied
        from copy import deepcopy

        copied.begin(self.game, self.player, deepcopy(self.rng, memo))
        past = [*self.throws, None] if len(self.seeds) > len(self.throws) else list(self.throws)
        for seed, thrown in zip(self.seeds, past, strict=False):
            copied.throw(seed)
            if thrown is not None:
                copied.throws.append(thrown)
                copied.state.apply_actions(list(thrown))
        return copied

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "black_box"):
            raise TypeError("a bot in the middle of a match cannot be sent to another process")
        return self.__dict__


@cache
def c_library() -> ctypes.CDLL:
    """The C library of this process."""
    return ctypes.CDLL(None)


def set_random_numbers(seed: int) -> None:
    """Set the random numbers that all bots draw from."""
    c_library().srandom(seed)


def throw_numbers(state: core.State, player: int) -> Sequence[int]:
    """The number of the throw of each legal action; -1 for actions with other names."""
    texts = [state.action_to_string(player, action).casefold() for action in state.legal_actions(player)]
    return [THROWS.index(text) if text in THROWS else -1 for text in texts]
