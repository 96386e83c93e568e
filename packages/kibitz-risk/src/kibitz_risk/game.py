"""The game, its options, and a state: a `Position` with what players see of it."""

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any, Self

from kibitz import core
from kibitz.core.errors import BadSpec, IllegalAction
from kibitz_risk import phases
from kibitz_risk.actions import action_of, action_text, legal_actions, outcome_count, outcome_kinds, territories_of
from kibitz_risk.board import Board
from kibitz_risk.cards import SET, set_value, unseen_count
from kibitz_risk.dice import loss_odds
from kibitz_risk.options import Options
from kibitz_risk.phases import CHANCES, NAMES
from kibitz_risk.position import NOBODY, UNKNOWN, Position, first_position
from kibitz_risk.rules import play


class Risk(Options):
    """Risk: conquer the world, or fulfil a secret mission, or take all capitals."""

    hidden = True
    worlds = 1
    max_plies = 20_000

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self.parameters()), ()

    def new_initial_state(self) -> "State":
        self.check()
        return State(self, first_position(self))

    def check(self) -> None:
        """Raise BadSpec where the map has too few missions or territories for this game."""
        counts = {"territories": len(self.map.territories)}
        if self.mode == "mission":
            counts["missions"] = len(self.mission_deck)
        for what, count in counts.items():
            if count < self.players:
                instead = "; play it with mode=domination" if what == "missions" else ""
                raise BadSpec(repr(self), f"{self.map.name} has {count} {what} for {self.players} players{instead}")

    @property
    def usual_model(self) -> str:  # type: ignore[override]
        return "risk.choice" if self.mission_deck else "strategy_filter"

    def player_label(self, player: int, label: str) -> str:
        names = {self.map.mission_name(each): each for each in self.mission_deck if each.destroy == player}
        return self.map.mission_name(names[label], player) if label in names else label

    def infinite_play(self, state: core.State) -> list[float]:
        return [0.0] * self.players


class Number:
    """A number of the position as an attribute of the state."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, state: "State", owner: type) -> int:
        number: int = getattr(state.position, self.name)
        return number

    def __set__(self, state: "State", number: int) -> None:
        setattr(state.position, self.name, number)


class State(core.State):
    """A position of a game, and what players see of it."""

    phase, mover, first, to_place, traded, origin, target = (Number() for _ in range(7))

    def __init__(self, game: Risk, position: Position) -> None:
        self.game, self.position = game, position

    @property
    def board(self) -> Board:
        """The map that is played on."""
        return self.game.map

    @property
    def owners(self) -> list[int]:
        return self.position.owners

    @owners.setter
    def owners(self, owners: Sequence[int]) -> None:
        self.position.owners = list(owners)
        self.position.holdings = [owners.count(player) for player in range(self.game.players)]

    @property
    def armies(self) -> list[int]:
        return self.position.armies

    @armies.setter
    def armies(self, armies: list[int]) -> None:
        self.position.armies = armies

    @property
    def destroyers(self) -> list[int]:
        """Who destroyed each player; NOBODY for those who are left."""
        return self.position.destroyers

    @property
    def captured(self) -> bool:
        """Whether the mover has taken a territory this turn."""
        return bool(self.position.captured)

    @property
    def rolled(self) -> tuple[int, int]:
        """Dice of attacker and defender."""
        return self.position.rolled, self.position.defended

    @property
    def shown(self) -> tuple[int, ...]:
        """Cards of the set that the mover is putting down."""
        return tuple(self.position.shown_cards[: self.position.shown])

    @property
    def hands(self) -> list[tuple[int, ...]]:
        """Cards by their territory or `wild`, sorted; unknown ones first."""
        kinds = self.position.kinds
        return [(UNKNOWN,) * hand[kinds] + cards_of(hand[:kinds]) for hand in self.position.hands]

    @hands.setter
    def hands(self, hands: Sequence[tuple[int, ...]]) -> None:
        position = self.position
        for player, hand in enumerate(hands):
            position.hands[player] = [0] * position.slots
            for card in hand:
                position.hands[player][card] += 1  # an unknown card is -1, the last slot
        position.hand_sizes = list(map(len, hands))
        self._count_deck()

    @property
    def discards(self) -> tuple[int, ...]:
        return cards_of(self.position.discards)

    @discards.setter
    def discards(self, cards: Sequence[int]) -> None:
        self.position.discards = [cards.count(card) for card in range(self.position.kinds)]
        self._count_deck()

    def _count_deck(self) -> None:
        gone = sum(self.position.discards) + self.position.shown + sum(self.position.hand_sizes)
        self.position.left_to_draw = len(self.board.cards) - gone

    @property
    def missions(self) -> tuple[int, ...]:
        return tuple(self.position.missions[: self.position.missions_dealt])

    @missions.setter
    def missions(self, missions: Sequence[int]) -> None:
        self.position.missions[: len(missions)] = missions
        self.position.missions_dealt = len(missions)

    @property
    def capitals(self) -> tuple[int, ...]:
        return tuple(self.position.capitals[: self.position.capitals_chosen])

    @property
    def settled(self) -> tuple[int, ...]:
        """Territories that armies have marched to this turn, where marches are unlimited; none goes on from there."""
        return tuple([place for place, mark in enumerate(self.position.settled) if mark])

    def territories_of(self, player: int) -> list[int]:
        """The territories of *player*; unowned ones belong to NOBODY."""
        return territories_of(self.position, player)

    def unseen_cards(self) -> list[int]:
        """Unseen cards: those of the deck, and on a view those in unknown hands."""
        kinds = range(self.position.kinds)
        return [card for card in kinds for _ in range(unseen_count(self.game.setting, self.position, card))]

    def current_player(self) -> int:
        position = self.position
        if position.phase in CHANCES:
            return core.CHANCE
        if position.phase == phases.OVER:
            return core.TERMINAL
        return position.owners[position.target] if position.phase == phases.DEFEND else position.mover

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        current = self.current_player()
        if current < 0 or (player is not None and player != current):
            return ()
        return legal_actions(self.game.setting, self.position)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        if self.phase not in CHANCES:
            return []
        if self.phase == phases.DICE:
            return list(enumerate(loss_odds(*self.rolled)))
        setting, position = self.game.setting, self.position
        counts = [outcome_count(setting, position, action) for action in range(outcome_kinds(setting, position))]
        total = sum(counts)
        return [(action, count / total) for action, count in enumerate(counts) if count]

    def apply_action(self, action: int) -> None:
        play(self.game.setting, self.position, action)

    def clone(self) -> Self:
        copied = object.__new__(type(self))
        copied.game, copied.position = self.game, self.position.copy()
        return copied

    def key(self) -> core.Key:
        turn = self.phase, self.mover, self.first, self.to_place, self.captured
        battle = self.origin, self.target, self.rolled
        cards = tuple(self.hands), self.shown, self.discards, self.traded
        goals = self.missions, self.capitals, tuple(self.destroyers)
        return turn, tuple(self.owners), tuple(self.armies), battle, cards, goals, self.settled

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
            one, two, three = (*shown, *(symbols[cards[number]] for number in chosen))
            if set_value(self.game.setting.cards, one, two, three, 0):
                rest = [card for number, card in enumerate(cards) if number not in chosen]
                return [cards[number] for number in chosen] + rest
        return cards

    def seen_action(self, observer: int | None, player: int, action: int) -> int | None:
        if self.phase == phases.MISSION:
            return action if observer == len(self.missions) else None
        return action if self.phase != phases.DRAW or observer == self.mover else None

    def truth(self, player: int) -> dict[str, Any]:
        truth: dict[str, Any] = {"cards": [self.board.card_name(card) for card in self.hands[player]]}
        if player < len(self.missions):
            truth["goal"] = self.board.mission_name(self.game.mission_deck[self.missions[player]])
        return truth

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
        descriptions = []
        for player, hand in enumerate(self.hands):
            mission = self.missions[player] if player < len(self.missions) else UNKNOWN
            known = []
            if mission != UNKNOWN:
                known.append(f"mission {self.board.mission_name(self.game.mission_deck[mission], player)}")
            if cards := [self.board.card_name(card) for card in hand if card != UNKNOWN]:
                known.append(f"cards {', '.join(cards)}")
            descriptions.append(f"{letter(player)} is player {player}" + (f" ({'; '.join(known)})" if known else ""))
        return ", ".join(descriptions)

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


def cards_of(counts: Sequence[int]) -> tuple[int, ...]:
    """Cards by how many there are of each kind, sorted."""
    return tuple([card for card, count in enumerate(counts) if count for _ in range(count)])


def turn_ended(before: State, after: State) -> bool:
    """Whether a turn is over, single placements of the setup included, cards drawn."""
    setting = before.phase in (phases.DRAFT, phases.SETUP, phases.CAPITAL)
    ends_here = before.phase in (phases.FORTIFY, phases.DRAW) and after.phase not in (phases.DRAW, phases.OVER)
    return setting or (ends_here and after.phase != phases.FORTIFY)
