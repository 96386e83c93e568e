"""Kuhn poker (Kuhn 1950) for n players: a card each from a deck of n + 1, one chip in, one bet, highest card wins."""

from kibitz import core

PASS, BET, UNKNOWN = 0, 1, -1
RANKS = "89TJQKA"


class State(core.State):
    """The cards dealt so far (UNKNOWN where the viewer may not see one) and the passes and bets made."""

    def __init__(self, game: "Kuhn", cards: tuple[int, ...] = (), moves: tuple[int, ...] = ()) -> None:
        self.game, self.cards, self.moves = game, cards, moves

    def current_player(self) -> int:
        if len(self.cards) < self.game.players:
            return core.CHANCE
        first = self.moves.index(BET) if BET in self.moves else 0
        return core.TERMINAL if len(self.moves) == first + self.game.players else len(self.moves) % self.game.players

    def legal_actions(self, player: int | None = None) -> tuple[int, ...]:
        return (PASS, BET) if self.current_player() >= 0 else ()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        left = self.game.deck - set(self.cards) if self.current_player() == core.CHANCE else ()
        return [(card, 1.0 / len(left)) for card in sorted(left)]

    def apply_action(self, action: int) -> None:
        if len(self.cards) < self.game.players:
            self.cards += (action,)
        else:
            self.moves += (action,)

    def stakes(self) -> list[int]:
        return [1 + (BET in self.moves[player :: self.game.players]) for player in range(self.game.players)]

    def contenders(self) -> list[int]:
        """The players in for the pot at the end: those who met the bet, or all where there was no bet."""
        return [player for player, chips in enumerate(self.stakes()) if chips == max(self.stakes())]

    def returns(self) -> list[float]:
        pot = sum(self.stakes()) if self.is_terminal() else 0
        winner = max(self.contenders(), key=self.cards.__getitem__) if pot else None
        return [float(pot * (player == winner) - chips) * bool(pot) for player, chips in enumerate(self.stakes())]

    def view(self, player: int | None) -> "State":
        shown = {player, *self.contenders()} if self.is_terminal() and len(self.contenders()) > 1 else {player}
        cards = (card if seat in shown else UNKNOWN for seat, card in enumerate(self.cards))
        return State(self.game, tuple(cards), self.moves)

    def complete(self, rng: core.Rng) -> "State":
        drawn = iter(rng.permutation(sorted(self.game.deck - set(self.cards))).tolist())
        return State(self.game, tuple(next(drawn) if card == UNKNOWN else card for card in self.cards), self.moves)

    def seen_action(self, observer: int | None, player: int, action: int) -> int | None:
        return action if player != core.CHANCE or observer == len(self.cards) else None

    def truth(self, player: int) -> dict[str, str]:
        return {"card": RANKS[self.cards[player]]} if player < len(self.cards) else {}

    def key(self) -> core.Key:
        return self.cards, self.moves

    def action_to_string(self, player: int, action: int) -> str:
        return f"deal {RANKS[action]}" if player == core.CHANCE else ("pass", "bet")[action]

    def __str__(self) -> str:
        cards = ["?" if card == UNKNOWN else RANKS[card] for card in self.cards]
        hands = "  ".join(f"player {player}: {card}" for player, card in enumerate(cards)) or "no cards are dealt"
        done = ", ".join(("pass", "bet")[move] for move in self.moves) or "nothing yet"
        return f"{hands}\nplayed: {done}; {sum(self.stakes())} chips in the pot"


class Kuhn(core.Game):
    """Kuhn poker: hidden cards dealt without replacement, one round of passing and betting."""

    hidden, action_bound = True, 2

    def __init__(self, players: core.Seats = 3) -> None:
        self.players, self.utility = players, (-2.0, 2.0 * (players - 1))
        self.deck = set(range(len(RANKS) - 1 - players, len(RANKS)))

    def new_initial_state(self) -> State:
        return State(self)
