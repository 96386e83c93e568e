"""Risk for two to six: a turn is trading cards, placing armies, attacks with dice, and one march at its end.

Every choice is an action of its own, in the phase it belongs to (`phases`); what leaves no choice happens by itself, as
a conquest move of which only one size is legal. Missions and cards are hidden: what a viewer may not see is UNKNOWN.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import combinations
from math import floor
from typing import Annotated, Any, Literal, Self

from msgspec import Meta

from kibitz import core
from kibitz.core.errors import BadSpec, IllegalAction
from kibitz.games.risk import phases
from kibitz.games.risk.board import Board, Mission
from kibitz.games.risk.cards import SET, CardRule, begins_set, worth
from kibitz.games.risk.dice import MOST_DICE, loss_odds
from kibitz.games.risk.maps import load
from kibitz.games.risk.missions import ALIVE, fulfilled, held_continents
from kibitz.games.risk.notation import action_of, action_text
from kibitz.games.risk.phases import AMOUNTS, CHANCES, NAMES, ends, pair

UNKNOWN = NOBODY = -1
MUST_TRADE, MUST_TRADE_SPOILS = 5, 6
"""With so many cards a player trades at the start of his turn, and after he has destroyed another."""
Limit = Annotated[int, Meta(ge=0, le=100_000)]


class Risk(core.Game):
    """Risk: conquer the world, or fulfil a secret mission, or take all capitals.

    *board* is a preset or a Domination `.map` file. In mode `domination` who holds *territories* wins (0: all of them).
    *missions* leaves only the missions about continents in, if asked. *blow*: who must destroy the victim of a mission;
    *victory*: whether a game ends at once, or at the end of the winner's turn. *defence*: the most dice a defender
    rolls (0: three by the Italian card rule, else two). *recycle*: whether discards become the deck when it is empty.
    """

    hidden = True
    worlds = 6
    max_plies = 50_000

    def __init__(
        self,
        players: core.Seats = 3,
        mode: Literal["domination", "mission", "capital"] = "mission",
        board: str = "classic83",
        setup: Literal["deal", "draft"] = "deal",
        cards: CardRule = "increasing",
        fortify: Literal["adjacent", "connected", "unlimited"] = "adjacent",
        missions: Literal["all", "continents"] = "all",
        territories: Limit = 0,
        recycle: bool = True,
        defence: Annotated[int, Meta(ge=0, le=MOST_DICE)] = 0,
        blow: Literal["own", "any"] = "own",
        victory: Literal["at-once", "turn-end"] = "at-once",
    ) -> None:
        self.players, self.mode, self.board, self.setup, self.cards = players, mode, board, setup, cards
        self.fortify, self.missions, self.territories, self.recycle = fortify, missions, territories, recycle
        self.defence, self.blow, self.victory = defence, blow, victory
        self.utility = (-1.0 / (players - 1), 1.0)

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (type(self), self.parameters())

    @cached_property
    def map(self) -> Board:
        """The map that is played on."""
        return load(self.board)

    @cached_property
    def mission_deck(self) -> tuple[Mission, ...]:
        """The missions that may be dealt: none against a player who is not there."""
        if self.mode != "mission":
            return ()
        left = [each for each in self.map.deck.missions if each.destroy is None or each.destroy < self.players]
        if self.missions == "continents":
            left = [each for each in left if each.asks_continents]
        return tuple(left)

    @cached_property
    def start_armies(self) -> int:
        """What every player begins with: 35 of three on the classic map."""
        count = len(self.map.territories)
        return max((10 - self.players) * floor(0.12 * count + 0.5), -(-count // self.players))

    @cached_property
    def defence_dice(self) -> int:
        """The most dice a defender rolls."""
        return self.defence or (3 if self.cards == "italian" else 2)

    @cached_property
    def wanted(self) -> int:
        """So many territories win."""
        most = len(self.map.territories)
        return min(self.territories, most) if self.mode == "domination" and self.territories else most

    def new_initial_state(self) -> "State":
        self.check()
        return State(self)

    def check(self) -> None:
        """Raise BadSpec where the map has too little for this game."""
        counts = {"territories": len(self.map.territories)}
        if self.mode == "mission":
            counts["missions"] = len(self.mission_deck)
        for what, count in counts.items():
            if count < self.players:
                raise BadSpec(repr(self), f"{self.map.name} has {count} {what} for {self.players} players")

    def infinite_play(self, state: core.State) -> list[float]:
        return [0.0] * self.players


def _remade(kind: type[Risk], parameters: dict[str, Any]) -> Risk:
    return kind(**parameters)


class State(core.State):
    """Owners and armies by territory, hands, missions, and where in the turn the mover is."""

    def __init__(self, game: Risk) -> None:
        self.game = game
        self.phase, self.mover, self.first = phases.FIRST, 0, 0
        self.owners = [NOBODY] * len(game.map.territories)
        self.armies = [0] * len(game.map.territories)
        self.hands: list[tuple[int, ...]] = [()] * game.players
        """Cards by their territory or `wild`, sorted."""
        self.shown: tuple[int, ...] = ()
        """Cards of a set that is being put down."""
        self.discards: tuple[int, ...] = ()
        self.missions: tuple[int, ...] = ()
        self.capitals: tuple[int, ...] = ()
        self.destroyers = [ALIVE] * game.players
        self.traded = 0
        """Sets so far, where that makes them dearer."""
        self.to_place = 0
        self.origin = self.target = NOBODY
        """The two sides of the battle."""
        self.rolled = (0, 0)
        """Dice of attacker and defender."""
        self.captured = False
        self.settled: tuple[int, ...] = ()
        """Territories that armies have marched to this turn, where marches are unlimited; none goes on from there."""

    @property
    def board(self) -> Board:
        """The map that is played on."""
        return self.game.map

    # Who moves, and what he may do.

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

    def territories_of(self, player: int) -> list[int]:
        """Where *player* stands; nobody's territories belong to NOBODY."""
        return [place for place, owner in enumerate(self.owners) if owner == player]

    def own_territories(self) -> list[int]:
        return self.territories_of(self.mover)

    def free_territories(self) -> list[int]:
        return self.territories_of(NOBODY)

    def trades(self) -> list[int]:
        """Cards with which a set can be begun or gone on with; where hands are unknown, those they may hold."""
        hand = self.hands[self.mover]
        known = [card for card in hand if card != UNKNOWN]
        held = Counter(known + self.unseen() if UNKNOWN in hand else known)
        symbols = self.board.symbols
        counts = Counter(dict.fromkeys(symbols, 0))
        for card, count in held.items():
            counts[symbols[card]] += count
        shown = [symbols[card] for card in self.shown]
        rule = self.game.cards
        found = []
        for card in sorted(held):
            counts[symbols[card]] -= 1
            if begins_set(rule, [*shown, symbols[card]], counts):
                found.append(card)
            counts[symbols[card]] += 1
        if not self.shown and not self.must_trade():
            found.append(self.board.wild + 1)
        return found

    def must_trade(self) -> bool:
        """Whether the mover may not keep his cards."""
        if self.game.cards == "italian":
            return False
        return self.phase == phases.SPOILS or len(self.hands[self.mover]) >= MUST_TRADE

    def placements(self) -> core.RangedActions:
        starts = (place * AMOUNTS for place in self.own_territories())
        return core.RangedActions([range(start + 1, start + self.to_place + 1) for start in starts])

    def attacks(self) -> list[int]:
        count, owners = len(self.owners), self.owners
        found = [phases.END_ATTACK]
        for origin in self.own_territories():
            if self.armies[origin] > 1:
                ways = self.board.neighbours[origin]
                found += [pair(origin, to, count) for to in ways if owners[to] != self.mover]
        return found

    def attack_dice(self) -> range:
        return range(phases.RETREAT, min(MOST_DICE, self.armies[self.origin] - 1) + 1)

    def defence_dice(self) -> range:
        return range(1, min(self.game.defence_dice, self.armies[self.target]) + 1)

    def conquest_moves(self) -> range:
        return range(self.rolled[0], self.armies[self.origin])

    def marches(self) -> core.RangedActions:
        count = len(self.owners)
        found = [range(phases.STAY, phases.STAY + 1)]
        for origin in self.own_territories():
            if self.armies[origin] > 1 and origin not in self.settled:
                starts = (pair(origin, to, count) * AMOUNTS for to in self.reachable(origin))
                found += [range(start + 1, start + self.armies[origin]) for start in starts]
        return core.RangedActions(found)

    def reachable(self, origin: int) -> list[int]:
        """Where armies of the mover may march to."""
        neighbours, owners, mover = self.board.neighbours, self.owners, self.mover
        near = [to for to in neighbours[origin] if owners[to] == mover]
        if self.game.fortify == "adjacent":
            return near
        found, edge = {origin, *near}, near
        while edge:
            edge = [to for place in edge for to in neighbours[place] if owners[to] == mover and to not in found]
            found.update(edge)
        return sorted(found - {origin})

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
            found = self.free_territories() if self.phase == phases.DEAL else self.unseen()
        return [(action, count / len(found)) for action, count in sorted(Counter(found).items())]

    def unseen(self) -> list[int]:
        """Cards that are nowhere to be seen: those of the deck, and on a view those in unknown hands."""
        left = Counter(self.board.cards)
        left.subtract(self.discards + self.shown)
        for hand in self.hands:
            left.subtract(card for card in hand if card != UNKNOWN)
        return sorted(left.elements())

    def deck_size(self) -> int:
        """Cards left to draw."""
        gone = len(self.discards) + len(self.shown) + sum(map(len, self.hands))
        return len(self.board.cards) - gone

    # What happens.

    def apply_action(self, action: int) -> None:
        EFFECTS[self.phase](self, action)

    def begin(self, player: int) -> None:
        """Let *player* be the first."""
        self.first = self.mover = player
        self.phase = phases.MISSION if self.game.mode == "mission" else self.settling_phase()

    def settling_phase(self) -> int:
        return phases.DEAL if self.game.setup == "deal" else phases.DRAFT

    def deal_mission(self, mission: int) -> None:
        self.missions += (mission,)
        if len(self.missions) == self.game.players:
            self.phase = self.settling_phase()

    def settle(self, place: int) -> None:
        """A territory gets its first owner."""
        self.owners[place] = self.mover
        self.armies[place] = 1
        self.mover = (self.mover + 1) % self.game.players
        if NOBODY not in self.owners:
            self.phase = phases.SETUP
            self.end_setup()

    def set_up(self, place: int) -> None:
        self.armies[place] += 1
        self.mover = (self.mover + 1) % self.game.players
        self.end_setup()

    def end_setup(self) -> None:
        """Go on to the first turn once all armies stand."""
        if sum(self.armies) == self.game.start_armies * self.game.players:
            if self.game.mode == "capital":
                self.phase = phases.CAPITAL
            else:
                self.start_turn(self.mover)

    def choose_capital(self, place: int) -> None:
        self.capitals += (place,)
        self.mover = (self.mover + 1) % self.game.players
        if len(self.capitals) == self.game.players:
            chosen = {(self.first + turn) % self.game.players: place for turn, place in enumerate(self.capitals)}
            self.capitals = tuple(chosen[player] for player in range(self.game.players))
            self.start_turn(self.mover)

    def start_turn(self, player: int) -> None:
        """Reinforcements, and a look at the cards."""
        self.mover, self.first = player, 0
        self.captured, self.settled = False, ()
        self.to_place = self.reinforcements(player)
        self.phase = phases.TRADE if len(self.hands[player]) >= SET else phases.PLACE

    def reinforcements(self, player: int) -> int:
        """Armies for territories and continents."""
        bonus = sum(self.board.continents[each].bonus for each in held_continents(self.board, self.owners, player))
        return max(3, self.owners.count(player) // 3) + bonus

    def trade(self, card: int) -> None:
        """Put down a card, the third of which makes a set; or keep them."""
        if card > self.board.wild:
            self.phase = phases.PLACE
            return
        hand = list(self.hands[self.mover])
        hand.remove(card if card in hand else UNKNOWN)
        self.hands[self.mover] = tuple(hand)
        self.shown += (card,)
        if len(self.shown) == SET:
            self.trade_in()

    def trade_in(self) -> None:
        """Armies for a set; the first card of an own territory puts two there."""
        self.to_place += worth(self.game.cards, tuple(self.board.symbols[card] for card in self.shown), self.traded)
        own = [card for card in self.shown if card < self.board.wild and self.owners[card] == self.mover]
        if own:
            self.armies[own[0]] += 2
        self.discards = tuple(sorted(self.discards + self.shown))
        self.shown = ()
        self.traded += self.game.cards == "increasing"
        enough = MUST_TRADE if self.phase == phases.SPOILS else SET
        if len(self.hands[self.mover]) < enough:
            self.phase = phases.PLACE

    def place(self, action: int) -> None:
        place, count = divmod(action, AMOUNTS)
        self.armies[place] += count
        self.to_place -= count
        if not self.end_if_won() and self.to_place == 0:
            self.phase = phases.ATTACK

    def attack(self, action: int) -> None:
        if action == phases.END_ATTACK:
            self.phase = phases.FORTIFY
        else:
            self.origin, self.target = ends(action, len(self.owners))
            self.phase = phases.ROLL

    def roll(self, dice: int) -> None:
        if dice == phases.RETREAT:
            self.end_battle()
            return
        self.rolled = dice, 1
        self.phase = phases.DEFEND if self.armies[self.target] > 1 else phases.DICE

    def defend(self, dice: int) -> None:
        self.rolled = self.rolled[0], dice
        self.phase = phases.DICE

    def fight(self, lost: int) -> None:
        """Armies fall; where none is left the territory changes hands."""
        self.armies[self.target] -= lost
        self.armies[self.origin] -= min(self.rolled) - lost
        if self.armies[self.target] == 0:
            self.capture()
        elif self.armies[self.origin] == 1:
            self.end_battle()
        else:
            self.phase, self.rolled = phases.ROLL, (0, 0)

    def capture(self) -> None:
        loser = self.owners[self.target]
        self.owners[self.target], self.captured = self.mover, True
        if loser not in self.owners:
            self.hands[self.mover] = tuple(sorted(self.hands[self.mover] + self.hands[loser]))
            self.hands[loser] = ()
            if self.game.mode == "mission":
                self.destroyers[loser] = self.mover
        self.phase = phases.CONQUER
        sizes = self.conquest_moves()
        if len(sizes) == 1:
            self.move_in(sizes[0])

    def move_in(self, count: int) -> None:
        self.armies[self.origin] -= count
        self.armies[self.target] += count
        self.end_battle()
        if not self.end_if_won() and len(self.hands[self.mover]) >= MUST_TRADE_SPOILS and self.game.cards != "italian":
            self.phase = phases.SPOILS

    def end_battle(self) -> None:
        self.origin = self.target = NOBODY
        self.rolled = (0, 0)
        self.phase = phases.ATTACK

    def march(self, action: int) -> None:
        """The move at the end of a turn."""
        way, count = divmod(action, AMOUNTS)
        if action != phases.STAY:
            origin, to = ends(way, len(self.owners))
            self.armies[origin] -= count
            self.armies[to] += count
            if self.end_if_won():
                return
            if self.game.fortify == "unlimited":
                self.settled = tuple(sorted({*self.settled, to}))
                return
        self.end_turn()

    def end_turn(self) -> None:
        """A card for a turn with a conquest, if there is one."""
        if self.end_if_won(at_end=True):
            return
        self.reshuffle()
        if self.captured and self.deck_size() > 0:
            self.phase = phases.DRAW
        else:
            self.next_turn()

    def draw(self, card: int) -> None:
        self.hands[self.mover] = tuple(sorted((*self.hands[self.mover], card)))
        self.reshuffle()
        self.next_turn()

    def reshuffle(self) -> None:
        """Make a deck of the discards as soon as the last card is drawn; what is traded later waits for the next."""
        if self.game.recycle and self.deck_size() == 0:
            self.discards = ()

    def next_turn(self) -> None:
        following = (self.mover + 1) % self.game.players
        while following not in self.owners:
            following = (following + 1) % self.game.players
        self.start_turn(following)

    def end_if_won(self, *, at_end: bool = False) -> bool:
        """Let the game be over if the mover has won."""
        if (at_end or self.game.victory == "at-once" or self.conquered()) and self.won():
            self.phase, self.to_place = phases.OVER, 0
        return self.phase == phases.OVER

    def conquered(self) -> bool:
        """Whether the mover holds everything."""
        return self.owners.count(self.mover) == len(self.owners)

    def won(self) -> bool:
        """Whether the mover has done what the mode asks."""
        if self.owners.count(self.mover) >= self.game.wanted:
            return True
        if self.game.mode == "capital":
            return all(self.owners[place] == self.mover for place in self.capitals)
        if self.game.mode != "mission" or self.missions[self.mover] == UNKNOWN:
            return False
        mission = self.game.mission_deck[self.missions[self.mover]]
        facts = self.owners, self.armies, self.destroyers
        return fulfilled(self.board, mission, self.mover, *facts, any_blow=self.game.blow == "any")

    def returns(self) -> list[float]:
        if self.phase != phases.OVER:
            return [0.0] * self.game.players
        least = self.game.utility[0]
        return [1.0 if player == self.mover else least for player in range(self.game.players)]

    # What is seen of it.

    def view(self, player: int | None) -> Self:
        seen = self.clone()
        seen.hands = [hand if seat == player else (UNKNOWN,) * len(hand) for seat, hand in enumerate(self.hands)]
        shown = {player, self.mover} if self.phase == phases.OVER else {player}
        seen.missions = tuple(each if seat in shown else UNKNOWN for seat, each in enumerate(self.missions))
        return seen

    def complete(self, rng: core.Rng) -> Self:
        full = self.clone()
        cards = iter(self.fitting(rng.permutation(self.unseen()).tolist()))
        hands = {}
        for seat in sorted(range(self.game.players), key=lambda seat: seat != self.mover):
            hands[seat] = tuple(sorted(next(cards) if card == UNKNOWN else card for card in self.hands[seat]))
        full.hands = [hands[seat] for seat in range(self.game.players)]
        left = [number for number in range(len(self.game.mission_deck)) if number not in self.missions]
        missions = iter(rng.permutation(left).tolist())
        full.missions = tuple(next(missions) if each == UNKNOWN else each for each in self.missions)
        return full

    def fitting(self, cards: list[int]) -> list[int]:
        """Cards in another order, so that the mover, who gets the first of them, can end the set he has begun."""
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

    # Copies, keys and words.

    def clone(self) -> Self:
        copied = super().clone()
        copied.owners, copied.armies = self.owners[:], self.armies[:]
        copied.hands, copied.destroyers = self.hands[:], self.destroyers[:]
        return copied

    def key(self) -> core.Key:
        turn = self.phase, self.mover, self.first, self.to_place, self.captured
        battle = self.origin, self.target, self.rolled
        cards = tuple(self.hands), self.shown, self.discards, self.traded
        goals = self.missions, self.capitals, tuple(self.destroyers)
        return turn, tuple(self.owners), tuple(self.armies), battle, cards, goals, self.settled

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
        lines = [self.headline()]
        for continent, members in zip(self.board.continents, self.board.members, strict=True):
            places = (f"{self.board.territories[place].name} {self.standing(place)}" for place in members)
            lines.append(f"{continent.name} ({continent.bonus}): {', '.join(places)}")
        return "\n".join(lines)

    def headline(self) -> str:
        """Whose turn it is, and what he does."""
        if self.phase == phases.OVER:
            return f"player {self.mover} has won"
        who = "" if self.phase in CHANCES and self.phase != phases.DRAW else f"player {self.mover} "
        left = f" {self.to_place}" if self.phase == phases.PLACE else ""
        return f"{who}{NAMES[self.phase]}{left}; cards {' '.join(str(len(hand)) for hand in self.hands)}"

    def standing(self, place: int) -> str:
        """Owner and armies of a territory, `b3`; owners are letters."""
        owner = self.owners[place]
        return "-" if owner == NOBODY else f"{chr(ord('a') + owner)}{self.armies[place]}"


OPTIONS: dict[int, Callable[[State], Sequence[int]]] = {
    phases.DRAFT: State.free_territories,
    phases.SETUP: State.own_territories,
    phases.CAPITAL: State.own_territories,
    phases.TRADE: State.trades,
    phases.SPOILS: State.trades,
    phases.PLACE: State.placements,
    phases.ATTACK: State.attacks,
    phases.ROLL: State.attack_dice,
    phases.DEFEND: State.defence_dice,
    phases.CONQUER: State.conquest_moves,
    phases.FORTIFY: State.marches,
}
"""What may be chosen in each phase."""
EFFECTS: dict[int, Callable[[State, int], None]] = {
    phases.FIRST: State.begin,
    phases.MISSION: State.deal_mission,
    phases.DEAL: State.settle,
    phases.DRAFT: State.settle,
    phases.SETUP: State.set_up,
    phases.CAPITAL: State.choose_capital,
    phases.TRADE: State.trade,
    phases.SPOILS: State.trade,
    phases.PLACE: State.place,
    phases.ATTACK: State.attack,
    phases.ROLL: State.roll,
    phases.DEFEND: State.defend,
    phases.DICE: State.fight,
    phases.CONQUER: State.move_in,
    phases.FORTIFY: State.march,
    phases.DRAW: State.draw,
}
"""What a choice does in each phase."""
