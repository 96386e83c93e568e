"""The rules of nim with one heap: take one, two or three stones; the player who takes the last one wins."""

import kibitz


class State(kibitz.State):
    """The stones that are left, and the player to move."""

    def __init__(self, game, stones, player=0):
        self.game, self.stones, self.player = game, stones, player

    def current_player(self):
        return self.player if self.stones else self.TERMINAL

    def legal_actions(self, player=None):
        return list(range(1, min(3, self.stones) + 1))

    def apply_action(self, action):
        self.stones -= action
        self.player = 1 - self.player

    def returns(self):
        mine = 0.0 if self.stones else -1.0  # the other player has taken the last stone
        return [mine, -mine] if self.player == 0 else [-mine, mine]

    def key(self):
        return self.stones, self.player

    def action_to_string(self, player, action):
        return f"take {action}"

    def __str__(self):
        return "|" * self.stones


class Nim(kibitz.Game):
    """Nim: take one, two or three stones; the player who takes the last one wins."""

    def __init__(self, stones: int = 21):
        self.stones = stones

    def new_initial_state(self):
        return State(self, self.stones)
