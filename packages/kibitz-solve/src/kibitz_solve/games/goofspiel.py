"""Goofspiel (Flood, in the 1930s; Rhoads and Bartholdi 2012): both bid a card for the prize turned up.

A position is `(own, others, prizes, prize, ahead)`: the cards of player 0, those of player 1 and the prizes to come,
each as a set of bits (`cards_in` lists them); the prize turned up, NO_PRIZE before the first and after the last; and by
how much player 0 is ahead.
"""

from typing import Annotated, Literal

from msgspec import Meta

from kibitz_solve.games.rules import Outcomes, Position, Recursive, merge_outcomes

NO_PRIZE = 0


class Goofspiel(Recursive):
    """Goofspiel: the higher of two cards wins the prize turned up, equal cards lose it; cards are played once.

    *order*: prizes come at `random` or `descending`. *head_start*: player 0 holds 1 + *head_start* to *cards* +
    *head_start* instead of 1 to *cards*. *points*: the `difference` of the prizes won counts, or only who is the
    `winner`.
    """

    def __init__(
        self,
        cards: Annotated[int, Meta(ge=1, le=13)] = 4,
        order: Literal["random", "descending"] = "random",
        head_start: Annotated[int, Meta(ge=0, le=13)] = 0,
        points: Literal["difference", "winner"] = "difference",
    ) -> None:
        self.cards, self.order, self.head_start, self.points = cards, order, head_start, points
        most = cards * (cards + 1) / 2 if points == "difference" else 1.0
        self.utility = (-most, most)

    @property
    def action_bound(self) -> int:  # type: ignore[override]
        return self.cards + self.head_start + 1

    def openings(self) -> Outcomes:
        hand = bits_of(range(1, self.cards + 1))
        return self.turned_up((hand << self.head_start, hand, hand, NO_PRIZE, 0))

    def turned_up(self, position: Position) -> Outcomes:
        """The position with the next prize turned up."""
        own, others, prizes, _, ahead = position
        left = cards_in(prizes)
        if not left:
            return (((own, others, 0, NO_PRIZE, ahead), 1.0),)
        next_ones = left if self.order == "random" else left[-1:]
        return merge_outcomes(
            ((own, others, prizes & ~(1 << prize), prize, ahead), 1 / len(next_ones)) for prize in next_ones
        )

    def options(self, position: Position, player: int) -> list[int]:
        return cards_in(position[player])

    def outcomes(self, position: Position, actions: tuple[int, ...]) -> Outcomes:
        own, others, prizes, prize, ahead = position
        bid, other_bid = actions
        won = (bid > other_bid) - (bid < other_bid)
        return self.turned_up((own & ~(1 << bid), others & ~(1 << other_bid), prizes, prize, ahead + won * prize))

    def payoff(self, position: Position) -> float | None:
        own, _, _, _, ahead = position
        if own:
            return None
        return float(ahead) if self.points == "difference" else float((ahead > 0) - (ahead < 0))

    def action_name(self, player: int, action: int) -> str:
        return str(action)

    def chance_name(self, position: Position) -> str:
        return f"turn up {position[3]}"

    def variables(self, position: Position) -> dict[str, int]:
        own, others, prizes, prize, ahead = position
        hands = {"own": own, "other": others, "prize": prizes}
        cards = range(1, self.cards + self.head_start + 1)
        in_hand = {f"{whose}{card}": hand >> card & 1 for whose, hand in hands.items() for card in cards}
        return {"prize": prize, "ahead": ahead, **in_hand}

    def describe(self, position: Position) -> str:
        own, others, _, prize, ahead = position
        turned = f"prize {prize}, " if prize else ""
        return f"{turned}hands {cards_in(own)} and {cards_in(others)}, player 0 ahead by {ahead}"


def bits_of(cards: range) -> int:
    """Cards as a set of bits."""
    return sum(1 << card for card in cards)


def cards_in(bits: int) -> list[int]:
    """The cards of a set of bits, sorted."""
    return [card for card in range(bits.bit_length()) if bits >> card & 1]
