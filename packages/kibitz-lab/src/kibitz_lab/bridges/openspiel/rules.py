"""The game `openspiel`: any game of OpenSpiel as a game of kibitz, its states wrapped as thinly as possible."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, NamedTuple, Self
from weakref import WeakKeyDictionary

from kibitz import core
from kibitz.core.bridges import bridge_status
from kibitz.core.errors import IllegalAction
from kibitz.core.kit.positions import Stage
from kibitz_lab.bridges.openspiel.loading import load_game, playable_games, pyspiel

MOST_PLIES = 100_000
"""The most plies of a match of any bridged game."""
OPEN = ("deep_sea", "solitaire")
"""Games that are said to hide something and hide nothing: what is not seen is not drawn yet."""
MOST_WORLDS = 20
"""Most possible states that models keep: what each observer sees of one takes long to find out."""
FAR = 1e6
"""Stands for a utility that OpenSpiel calls infinite."""


class Notations(NamedTuple):
    """The notations of one player's choices in a state, both ways; *here* is the move number and the player."""

    here: tuple[int, int]
    texts: dict[int, str]
    actions: dict[str, int]


NOTATIONS: "WeakKeyDictionary[core.State, Notations]" = WeakKeyDictionary()
"""What was worked out of states that are still in use; beside them, because reading a state must not change it."""


class BridgedState(core.State):
    """A state of OpenSpiel; its key is its history, so that equal keys always have equal futures."""

    game: "OpenSpiel"

    def __init__(self, game: "OpenSpiel", spiel: Any) -> None:
        self.game, self.spiel = game, spiel
        self.current = int(spiel.current_player())

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

    def apply_actions(self, actions: Sequence[int]) -> None:
        self.spiel.apply_actions(list(actions))
        self.current = int(self.spiel.current_player())

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
        found = self.notations(player).texts.get(action)
        return self.plain_notation(player, action) if found is None else found

    def notations(self, player: int) -> Notations:
        """The notations of all that *player* or chance may choose.

        Where two actions have the same notation in OpenSpiel, their numbers follow.
        """
        here = self.spiel.move_number(), player
        known = NOTATIONS.get(self)
        if known is not None and known.here == here:
            return known
        choices = self.legal_actions(player)
        if player == core.CHANCE:
            choices = [action for action, _ in self.chance_outcomes()]
        plain = {action: self.plain_notation(player, action) for action in choices}
        counts = Counter(plain.values())
        texts = {action: text if counts[text] == 1 else f"{text} #{action}" for action, text in plain.items()}
        found = NOTATIONS[self] = Notations(here, texts, {text: action for action, text in texts.items()})
        return found

    def plain_notation(self, player: int, action: int) -> str:
        """OpenSpiel's own notation, in one line; two actions may have the same."""
        return " ".join(self.spiel.action_to_string(player, action).split()) or str(action)

    def string_to_action(self, player: int, text: str) -> int:
        known = self.notations(player)
        wanted = " ".join(text.split())
        if wanted in known.actions:  # in chess bxc3 and Bxc3 are two moves
            return known.actions[wanted]
        for action, notation in known.texts.items():
            if notation.casefold() == wanted.casefold():
                return action
        raise IllegalAction(player, text, list(known.actions)[:9])

    def stage(self) -> Stage | None:
        """The round that `repeated_game` repeats now, for two players; None in all other games."""
        if self.game.spiel.get_type().short_name != "repeated_game" or self.game.players != 2 or self.is_terminal():
            return None
        options = self.game.spiel.get_parameters()
        inner = dict(options["stage_game"])
        first = pyspiel().load_game(inner.pop("name"), inner).new_initial_state()
        rows, columns = (len(first.legal_actions(player)) for player in (0, 1))
        table = tuple(tuple(_stage_payoffs(first, one, other) for other in range(columns)) for one in range(rows))
        return Stage(table, int(options["num_repetitions"]) - len(self.spiel.history()) // 2)

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
        self.hidden = bool(imperfect and kind.short_name not in OPEN)
        self.worlds = MOST_WORLDS
        self.packages = {"open_spiel": bridge_status("openspiel").installed}
        self.action_bound = self.spiel.num_distinct_actions()
        self.max_plies = min(MOST_PLIES, max(1, self.spiel.max_game_length() + _chance_events(self.spiel)))

    @classmethod
    def known_values(cls, parameter: str) -> Iterable[str]:
        return playable_games() if parameter == "game" else ()

    def new_initial_state(self) -> BridgedState:
        if self.hidden:
            from kibitz_lab.bridges.openspiel.views import HiddenState

            return HiddenState(self, self.spiel.new_initial_state())
        return BridgedState(self, self.spiel.new_initial_state())

    def infinite_play(self, state: core.State) -> list[float]:
        least, most = self.utility
        earned = [min(most, max(least, value)) for value in state.returns()]
        return [0.0] * self.players if self.zero_sum and abs(sum(earned)) > 1e-9 else earned

    def __reduce__(self) -> tuple[Any, ...]:
        return OpenSpiel, (self.game,)


def _stage_payoffs(first: Any, one: int, other: int) -> tuple[float, float]:
    """What both earn in a stage game of OpenSpiel."""
    played = first.clone()
    played.apply_actions([one, other])
    mine, theirs = played.returns()
    return float(mine), float(theirs)


def _chance_events(spiel: Any) -> int:
    """The most chance events in a match; those of games that do not say it are as many as the moves."""
    try:
        return int(spiel.max_chance_nodes_in_history())
    except pyspiel().SpielError:
        return int(spiel.max_game_length())
