"""Leduc poker (Southey et al. 2005): a private card each, one public card, two rounds of betting, a pair beats all.

The cards, actions and chances are those of OpenSpiel's `leduc_poker`.
"""

from kibitz import core

FOLD, CALL, RAISE = range(3)
UNKNOWN = -1
RANKS, SUITS = "789TJQK", "sh"
ANTE, MOST_RAISES = 1, 2
BETS = (2, 4)
"""The chips of a raise in each round."""
NAMES = ("fold", "call", "raise")


class State(core.State):
    """The private cards (UNKNOWN where the viewer may not see one), the public card, and the moves of both rounds."""

    def __init__(self, game: "Leduc") -> None:
        self.game = game
        self.cards: tuple[int, ...] = ()
        self.public: int | None = None
        self.moves: tuple[tuple[int, ...], ...] = ((),)
        """The moves of each round begun so far."""
        self.stakes: tuple[int, ...] = (ANTE,) * game.players
        self.folded: tuple[bool, ...] = (False,) * game.players
        self.mover = core.CHANCE
        self.raises = self.calls = 0
        """The raises of this round, and the calls since the last of them."""

    def current_player(self) -> int:
        return self.mover

    def legal_actions(self, player: int | None = None) -> list[int]:
        if self.mover < 0:
            return []
        fold = [FOLD] if max(self.stakes) > self.stakes[self.mover] else []
        return [*fold, CALL, RAISE] if self.raises < MOST_RAISES else [*fold, CALL]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        if self.mover != core.CHANCE:
            return []
        left = [card for card in range(self.game.deck) if card not in self.cards]
        return [(card, 1.0 / len(left)) for card in left]

    def apply_action(self, action: int) -> None:
        if self.mover == core.CHANCE:
            self.deal(action)
        else:
            self.bet(action)

    def deal(self, card: int) -> None:
        """Deal a private card, or the public one if everyone has theirs."""
        if len(self.cards) < self.game.players:
            self.cards += (card,)
            self.mover = core.CHANCE if len(self.cards) < self.game.players else 0
        else:
            self.public, self.moves = card, (*self.moves, ())
            self.mover = self.next_player(-1)

    def bet(self, action: int) -> None:
        """Play the move of the player whose turn it is."""
        mover, most = self.mover, max(self.stakes)
        if action == FOLD:
            self.folded = (*self.folded[:mover], True, *self.folded[mover + 1 :])
        else:
            chips = most if action == CALL else most + BETS[len(self.moves) - 1]
            self.stakes = (*self.stakes[:mover], chips, *self.stakes[mover + 1 :])
            self.raises, self.calls = (self.raises, self.calls + 1) if action == CALL else (self.raises + 1, 0)
        self.moves = (*self.moves[:-1], (*self.moves[-1], action))
        left = self.folded.count(False)
        if left == 1:
            self.mover = core.TERMINAL
        elif self.calls < left - (self.raises > 0):
            self.mover = self.next_player(mover)
        else:
            self.raises = self.calls = 0
            self.mover = core.CHANCE if len(self.moves) == 1 else core.TERMINAL

    def next_player(self, after: int) -> int:
        """The next player still in."""
        players = self.game.players
        return next(seat % players for seat in range(after + 1, after + 1 + players) if not self.folded[seat % players])

    def contenders(self) -> list[int]:
        """The players still in for the pot."""
        return [player for player, folded in enumerate(self.folded) if not folded]

    def winners(self) -> list[int]:
        """The players who share the pot at the end."""
        contenders = self.contenders()
        if len(contenders) == 1:
            return contenders
        strength = {player: self.strength(player) for player in contenders}
        return [player for player in contenders if strength[player] == max(strength.values())]

    def strength(self, player: int) -> tuple[bool, int]:
        """How good a hand is: a pair with the public card, then the rank of the private card."""
        rank = rank_of(self.cards[player])
        return self.public is not None and rank == rank_of(self.public), rank

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0] * self.game.players
        winners = self.winners()
        share = sum(self.stakes) / len(winners)
        return [share * (player in winners) - chips for player, chips in enumerate(self.stakes)]

    def view(self, player: int | None) -> "State":
        shown = {player, *self.contenders()} if self.is_terminal() and len(self.contenders()) > 1 else {player}
        cards = tuple([card if seat in shown else UNKNOWN for seat, card in enumerate(self.cards)])
        return self.copy_with(cards=cards)

    def complete(self, rng: core.Rng) -> "State":
        known = {*self.cards, self.public}
        drawn = iter(rng.permutation([card for card in range(self.game.deck) if card not in known]).tolist())
        return self.copy_with(cards=tuple([next(drawn) if card == UNKNOWN else card for card in self.cards]))

    def seen_action(self, observer: int | None, player: int, action: int) -> int | None:
        private = player == core.CHANCE and len(self.cards) < self.game.players
        return action if not private or observer == len(self.cards) else None

    def truth(self, player: int) -> dict[str, str]:
        return {"card": card_name(self.cards[player], self.game)} if player < len(self.cards) else {}

    def key(self) -> core.Key:
        return self.cards, self.public, self.moves

    def action_to_string(self, player: int, action: int) -> str:
        return f"deal {card_name(action, self.game)}" if player == core.CHANCE else NAMES[action]

    def __str__(self) -> str:
        cards = ["?" if card == UNKNOWN else card_name(card, self.game) for card in self.cards]
        hands = "  ".join(f"player {player}: {card}" for player, card in enumerate(cards)) or "no cards are dealt"
        public = "" if self.public is None else f"  public: {card_name(self.public, self.game)}"
        rounds = "; then ".join(", ".join(NAMES[move] for move in moves) or "nothing yet" for moves in self.moves)
        return f"{hands}{public}\nplayed: {rounds}; {sum(self.stakes)} chips in the pot"


class Leduc(core.Game):
    """Leduc poker: a private card each, one public card, and a round of betting before and after it."""

    hidden, action_bound = True, 3

    def __init__(self, players: core.Seats = 2) -> None:
        self.players = players
        self.deck = 2 * (players + 1)
        """The number of cards: one rank more than there are players, in two suits."""
        most = ANTE + MOST_RAISES * sum(BETS)
        self.utility = (-float(most), float(most * (players - 1)))

    def new_initial_state(self) -> State:
        return State(self)


def rank_of(card: int) -> int:
    """The rank of a card, 0 for the lowest of the deck."""
    return card // len(SUITS)


def card_name(card: int, game: Leduc) -> str:
    """The name of a card: `Ks` and `Kh` are the two kings."""
    return RANKS[rank_of(card) + len(RANKS) - 1 - game.players] + SUITS[card % len(SUITS)]
