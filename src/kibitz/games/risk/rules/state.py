"""A state with its rules: what may be chosen in each phase, what a choice does, and what is seen of it."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, Self

from kibitz import core
from kibitz.core.errors import IllegalAction
from kibitz.games.risk import phases
from kibitz.games.risk.cards import SET, worth
from kibitz.games.risk.dice import loss_odds
from kibitz.games.risk.notation import action_of, action_text
from kibitz.games.risk.phases import CHANCES, NAMES
from kibitz.games.risk.rules import attacking, fortifying, reinforcing, setup, turns
from kibitz.games.risk.rules.position import NOBODY, UNKNOWN, Position


class State(Position):
    """A position, and what may be done there."""

    def current_player(self) -> int:
        if self.phase in CHANCES:
            return core.CHANCE
        if self.phase == phases.OVER:
            return core.TERMINAL
        return self.owners[self.target] if self.phase == phases.DEFEND else self.mover

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        current = self.current_player()
        if current < 0 or (player is not None and player != current):
            return ()
        return OPTIONS[self.phase](self)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        if self.phase not in CHANCES:
            return []
        if self.phase == phases.DICE:
            return list(enumerate(loss_odds(*self.rolled)))
        if self.phase == phases.FIRST:
            found = list(range(self.game.players))
        elif self.phase == phases.MISSION:
            found = [number for number in range(len(self.game.mission_deck)) if number not in self.missions]
        else:
            found = self.free_territories() if self.phase == phases.DEAL else self.unseen_cards()
        return [(action, count / len(found)) for action, count in sorted(Counter(found).items())]

    def apply_action(self, action: int) -> None:
        EFFECTS[self.phase](self, action)

    def returns(self) -> list[float]:
        if self.phase != phases.OVER:
            return [0.0] * self.game.players
        least = self.game.utility[0]
        return [1.0 if player == self.mover else least for player in range(self.game.players)]

    def view(self, player: int | None) -> Self:
        seen = self.clone()
        seen.hands = [hand if seat == player else (UNKNOWN,) * len(hand) for seat, hand in enumerate(self.hands)]
        shown = {player, self.mover} if self.phase == phases.OVER else {player}
        seen.missions = tuple(each if seat in shown else UNKNOWN for seat, each in enumerate(self.missions))
        return seen

    def complete(self, rng: core.Rng) -> Self:
        full = self.clone()
        cards = iter(self.fitting(rng.permutation(self.unseen_cards()).tolist()))
        hands = {}
        for seat in sorted(range(self.game.players), key=lambda seat: seat != self.mover):
            hands[seat] = tuple(sorted(next(cards) if card == UNKNOWN else card for card in self.hands[seat]))
        full.hands = [hands[seat] for seat in range(self.game.players)]
        left = [number for number in range(len(self.game.mission_deck)) if number not in self.missions]
        missions = iter(rng.permutation(left).tolist())
        full.missions = tuple(next(missions) if each == UNKNOWN else each for each in self.missions)
        return full

    def fitting(self, cards: list[int]) -> list[int]:
        """Cards in another order, so that the mover, who gets the first of them, can complete the set already begun."""
        if not self.shown or UNKNOWN not in self.hands[self.mover]:
            return cards
        symbols = self.board.symbols
        shown = tuple(symbols[card] for card in self.shown)
        for chosen in combinations(range(len(cards)), SET - len(shown)):
            if worth(self.game.cards, shown + tuple(symbols[cards[place]] for place in chosen)):
                return [cards[place] for place in chosen] + [c for n, c in enumerate(cards) if n not in chosen]
        return cards

    def seen_action(self, observer: int | None, player: int, action: int) -> int | None:
        if self.phase == phases.MISSION:
            return action if observer == len(self.missions) else None
        return action if self.phase != phases.DRAW or observer == self.mover else None

    def truth(self, player: int) -> dict[str, Any]:
        told: dict[str, Any] = {"cards": [self.board.card_name(card) for card in self.hands[player]]}
        if player < len(self.missions):
            told["goal"] = self.board.mission_name(self.game.mission_deck[self.missions[player]])
        return told

    def action_to_string(self, player: int, action: int) -> str:
        return action_text(self.board, self.phase, action)

    def string_to_action(self, player: int, text: str) -> int:
        action = action_of(self.board, self.phase, text)
        chance = player == core.CHANCE
        legal = [each for each, _ in self.chance_outcomes()] if chance else self.legal_actions(player)
        if action is None or action not in legal:
            raise IllegalAction(player, text, [self.action_to_string(player, each) for each in legal[:9]])
        return action

    def __str__(self) -> str:
        lines, standings = [self.headline(), self.players_line()], self.standings()
        for continent, members in zip(self.board.continents, self.board.members, strict=True):
            places = (f"{self.board.territories[place].name} {standings[place]}" for place in members)
            lines.append(f"{continent.name} ({continent.bonus}): {', '.join(places)}")
        return "\n".join(lines)

    def players_line(self) -> str:
        """The letter of every player, with the mission and the cards that the view shows."""
        told = []
        for player, hand in enumerate(self.hands):
            mission = self.missions[player] if player < len(self.missions) else UNKNOWN
            known = (
                []
                if mission == UNKNOWN
                else [f"mission {self.board.mission_name(self.game.mission_deck[mission], player)}"]
            )
            cards = [self.board.card_name(card) for card in hand if card != UNKNOWN]
            known += [f"cards {', '.join(cards)}"] if cards else []
            told.append(f"{letter(player)} is player {player}" + (f" ({'; '.join(known)})" if known else ""))
        return ", ".join(told)

    def headline(self) -> str:
        """Whose turn it is, and what they do."""
        if self.phase == phases.OVER:
            return f"player {self.mover} has won"
        who = "" if self.phase in CHANCES and self.phase != phases.DRAW else f"player {self.mover} "
        left = f" {self.to_place}" if self.phase == phases.PLACE else ""
        return f"{who}{NAMES[self.phase]}{left}; cards {' '.join(str(len(hand)) for hand in self.hands)}"

    def standings(self) -> list[str]:
        """Owner and armies of every territory, `b3`; owners are letters."""
        pairs = zip(self.owners, self.armies, strict=True)
        return ["-" if owner == NOBODY else f"{letter(owner)}{armies}" for owner, armies in pairs]


def letter(player: int) -> str:
    """The letter of a player in standings."""
    return chr(ord("a") + player)


OPTIONS: dict[int, Callable[[Position], Sequence[int]]] = {
    phases.DRAFT: Position.free_territories,
    phases.SETUP: Position.own_territories,
    phases.CAPITAL: Position.own_territories,
    phases.TRADE: reinforcing.trades,
    phases.SPOILS: reinforcing.trades,
    phases.PLACE: reinforcing.placements,
    phases.ATTACK: attacking.attacks,
    phases.ROLL: attacking.attack_dice,
    phases.DEFEND: attacking.defence_dice,
    phases.CONQUER: attacking.conquest_moves,
    phases.FORTIFY: fortifying.marches,
}
"""What may be chosen in each phase."""
EFFECTS: dict[int, Callable[[Position, int], None]] = {
    phases.FIRST: setup.begin,
    phases.MISSION: setup.deal_mission,
    phases.DEAL: setup.settle,
    phases.DRAFT: setup.settle,
    phases.SETUP: setup.set_up,
    phases.CAPITAL: setup.choose_capital,
    phases.TRADE: reinforcing.trade,
    phases.SPOILS: reinforcing.trade,
    phases.PLACE: reinforcing.place_armies,
    phases.ATTACK: attacking.attack,
    phases.ROLL: attacking.roll,
    phases.DEFEND: attacking.defend,
    phases.DICE: attacking.fight,
    phases.CONQUER: attacking.move_in,
    phases.FORTIFY: fortifying.march,
    phases.DRAW: turns.draw,
}
"""What a choice does in each phase."""
