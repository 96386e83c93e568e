"""The game `openspiel`: any game of OpenSpiel as a game of kibitz, its states wrapped as thinly as possible."""

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from typing import Any, Self

from kibitz import core
from kibitz.bridges.openspiel.loading import load_game, pyspiel
from kibitz.core.errors import IllegalAction

MOST_PLIES = 100_000
"""The most plies of a match of any bridged game."""
FAR = 1e6
"""Stands for a utility that OpenSpiel calls infinite."""


class BridgedState(core.State):
    """A state of OpenSpiel; its key is its history, so that equal keys always have equal futures."""

    game: "OpenSpiel"

    def __init__(self, game: "OpenSpiel", spiel: Any) -> None:
        self.game, self.spiel = game, spiel
        self.current = int(spiel.current_player())
        self.written: tuple[int, dict[int, str], dict[str, int]] | None = None
        """The notations of one player's choices here, once they were asked for."""

    def current_player(self) -> int:
        return self.current

    def is_terminal(self) -> bool:
        return self.current == core.TERMINAL

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        if self.current >= 0:
            legal: list[int] = self.spiel.legal_actions()
            return legal
        if self.current != core.SIMULTANEOUS or player is None:
            return ()
        return self.spiel.legal_actions(player) or [0]  # a player without a choice waits

    def apply_action(self, action: int) -> None:
        self.spiel.apply_action(action)
        self.current = int(self.spiel.current_player())
        self.written = None

    def apply_actions(self, actions: Sequence[int]) -> None:
        self.spiel.apply_actions(list(actions))
        self.current = int(self.spiel.current_player())
        self.written = None

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        if self.current != core.CHANCE:
            return ()
        return sorted([(int(action), float(share)) for action, share in self.spiel.chance_outcomes() if share > 0.0])

    def returns(self) -> list[float]:
        earned: list[float] = list(map(float, self.spiel.returns()))
        return earned

    def clone(self) -> Self:
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        copied.spiel = self.spiel.clone()
        return copied

    def key(self) -> core.Key:
        return tuple(map(int, self.spiel.history()))

    def action_to_string(self, player: int, action: int) -> str:
        found = self.notations(player)[1].get(action)
        return self.plain_notation(player, action) if found is None else found

    def notations(self, player: int) -> tuple[int, dict[int, str], dict[str, int]]:
        """The notations of all that *player* or chance may choose, both ways.

        Where two actions have the same notation in OpenSpiel, their numbers follow.
        """
        if self.written is None or self.written[0] != player:
            choices = self.legal_actions(player)
            if player == core.CHANCE:
                choices = [action for action, _ in self.chance_outcomes()]
            plain = {action: self.plain_notation(player, action) for action in choices}
            counts = Counter(plain.values())
            told = {a: text if counts[text] == 1 else f"{text} #{a}" for a, text in plain.items()}
            self.written = player, told, {text: action for action, text in told.items()}
        return self.written

    def plain_notation(self, player: int, action: int) -> str:
        """OpenSpiel's own notation, in one line; two actions may have the same."""
        return " ".join(self.spiel.action_to_string(player, action).split()) or str(action)

    def string_to_action(self, player: int, text: str) -> int:
        _, notations, numbers = self.notations(player)
        wanted = " ".join(text.split())
        if wanted in numbers:  # in chess bxc3 and Bxc3 are two moves
            return numbers[wanted]
        for action, notation in notations.items():
            if notation.casefold() == wanted.casefold():
                return action
        raise IllegalAction(player, text, list(notations.values())[:9])

    def __reduce__(self) -> tuple[Any, ...]:
        return restore_state, (self.game, self.key())

    def __str__(self) -> str:
        return str(self.spiel).rstrip() or self.spiel.history_str()


def restore_state(game: "OpenSpiel", history: Sequence[int]) -> core.State:
    """The state that a history leads to; where all choose at once it holds one action per player."""
    state, position = game.new_initial_state(), 0
    while position < len(history):
        taken = game.players if state.current_player() == core.SIMULTANEOUS else 1
        state.step(history[position : position + taken])
        position += taken
    return state


class OpenSpiel(core.Game):
    """A game of OpenSpiel (Lanctot et al. 2019), by the name that it has there."""

    def __init__(self, game: str = "tic_tac_toe") -> None:
        self.game = game
        self.spiel = load_game(game)
        kind = self.spiel.get_type()
        self.players = self.spiel.num_players()
        least, most = self.spiel.min_utility(), self.spiel.max_utility()
        self.utility = (least if isfinite(least) else -FAR, most if isfinite(most) and most > least else FAR)
        self.zero_sum = bool(kind.utility == kind.Utility.ZERO_SUM)
        imperfect = kind.information == kind.Information.IMPERFECT_INFORMATION
        alone = self.players == 1 and kind.chance_mode == kind.ChanceMode.DETERMINISTIC
        self.hidden = bool(imperfect and not alone)
        self.max_plies = min(MOST_PLIES, max(1, self.spiel.max_game_length() + _chance_events(self.spiel)))

    def new_initial_state(self) -> BridgedState:
        if self.hidden:
            from kibitz.bridges.openspiel.views import HiddenState

            return HiddenState(self, self.spiel.new_initial_state())
        return BridgedState(self, self.spiel.new_initial_state())

    def infinite_play(self, state: core.State) -> list[float]:
        least, most = self.utility
        earned = [min(most, max(least, value)) for value in state.returns()]
        return [0.0] * self.players if self.zero_sum and abs(sum(earned)) > 1e-9 else earned

    def __reduce__(self) -> tuple[Any, ...]:
        return OpenSpiel, (self.game,)


def _chance_events(spiel: Any) -> int:
    """The most chance events in a match; those of games that do not say it are as many as the moves."""
    try:
        return int(spiel.max_chance_nodes_in_history())
    except pyspiel().SpielError:
        return int(spiel.max_game_length())
