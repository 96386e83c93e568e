"""Repeated matching pennies: both show a coin at once; a lead of *lead* rounds wins. Play may go in circles."""

from collections.abc import Sequence

from kibitz import core

HEADS, TAILS = 0, 1
NAMES = ("heads", "tails")


class State(core.State):
    """How many rounds player 0, who wants the coins to match, is ahead."""

    def __init__(self, game: "Pennies", ahead: int = 0) -> None:
        self.game, self.ahead = game, ahead

    def current_player(self) -> int:
        return core.TERMINAL if abs(self.ahead) >= self.game.lead else core.SIMULTANEOUS

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        return () if self.is_terminal() else (HEADS, TAILS)

    def apply_action(self, action: int) -> None:
        raise TypeError("both show their coins at once: apply_actions")

    def apply_actions(self, actions: Sequence[int]) -> None:
        self.ahead += 1 if actions[0] == actions[1] else -1

    def returns(self) -> list[float]:
        won = float(self.ahead >= self.game.lead) - float(self.ahead <= -self.game.lead)
        return [won, -won]

    def key(self) -> core.Key:
        return self.ahead

    def action_to_string(self, player: int, action: int) -> str:
        return NAMES[action]

    def __str__(self) -> str:
        track = ["·"] * (2 * self.game.lead + 1)
        track[self.game.lead - self.ahead] = "o"
        return f"player 0 [{''.join(track)}] player 1"


class Pennies(core.Game):
    """Matching pennies until one player is *lead* rounds ahead; simultaneous moves, and no end is certain."""

    max_plies, action_bound = 1000, 2

    def __init__(self, lead: core.Count = 3) -> None:
        self.lead = lead

    def new_initial_state(self) -> State:
        return State(self)

    def infinite_play(self, state: core.State) -> list[float]:
        return [0.0, 0.0]

    def player_name(self, player: int) -> str:
        return ("matcher", "mismatcher")[player]
