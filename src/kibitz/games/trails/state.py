"""A position of Colored Trails and its rules: where players stand, what they hold, and the phase of the round.

In each round one pair of players talks: the proposer makes an offer, the partner accepts, or rejects and then
may make a counter-offer. Then both send each other any part of what they hold, at once, whatever was agreed. Then all
may move one square, which costs a chip of its colour. With two players it is always the same pair; more players take
turns.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kibitz import core
from kibitz.games.trails.board import Board, zeros
from kibitz.games.trails.chips import Chips, in_words, minus, plus, within
from kibitz.games.trails.notation import action_words, read_action, state_lines
from kibitz.games.trails.offers import PASS, Offers, sendings

if TYPE_CHECKING:
    from kibitz.games.trails.rules import Trails

PREPARATION, DEAL, OFFER, ANSWER = "preparation", "deal", "offer", "answer"
EXCHANGE, MOVEMENT, OVER = "exchange", "movement", "over"
"""The phases."""
READY, REJECT, ACCEPT, STAY = 0, 0, 1, 0
"""Actions; those of movement are STAY, or one more than the number of a step in STEPS."""
ONLY = (READY,)
"""The action of players who have nothing to decide while others do."""


class Offer(NamedTuple):
    """What the proposer gives, and what they ask their partner for."""

    given: Chips
    asked: Chips


class State(core.State):
    """Where all players stand, what they hold, how long they have not moved, and the phase of the round.

    `chips` of a player are None where the viewer may not see them; `changed` and `proved` are then what all have
    seen of them: what came and went since the deal, and the least that must have been dealt for that.
    """

    def __init__(self, game: "Trails") -> None:
        self.game = game
        board = game.layout
        none: tuple[Chips, ...] = (zeros(board),) * board.players
        self.positions = board.starts
        self.chips: tuple[Chips | None, ...] = () if game.hidden else board.chips
        self.changed, self.proved = none, none
        self.dormant = (0,) * board.players
        self.round, self.rejecter = 0, -1
        """The number of the round, and who rejected last."""
        self.proposer, self.partner, self.proposals = 0, 1, 0
        """Who talks, and how many proposals there were in this round."""
        self.offer: Offer | None = None
        """What is on the table, or was agreed."""
        self.moving: tuple[int, ...] = ()
        """Who is still to move, where players move one after the other."""
        self.phase = PREPARATION if game.preparation else DEAL if game.hidden else OFFER
        if self.phase == OFFER:
            self.begin()

    @property
    def board(self) -> Board:
        return self.game.layout

    # What players see and may do.

    def current_player(self) -> int:
        match self.phase:
            case "offer":
                return self.proposer
            case "answer":
                return self.partner
            case "deal":
                return core.CHANCE
            case "over":
                return core.TERMINAL
        return self.moving[0] if self.moving else core.SIMULTANEOUS

    def legal_actions(self, player: int | None = None) -> Sequence[int]:
        current = self.current_player()
        who = current if player is None else player
        if who < 0 or current not in (who, core.SIMULTANEOUS):
            return ()
        match self.phase:
            case "offer":
                return self.offers()
            case "answer":
                return (REJECT, ACCEPT)
            case "exchange":
                talking = who in (self.proposer, self.partner)
                return sendings(self.board.colours, self.most(who), self.game.bases) if talking else ONLY
            case "movement":
                return self.steps(who)
        return ONLY

    def offers(self) -> Offers:
        """What the proposer may offer: any part of what they hold for any part of what their partner may hold."""
        asked = self.askable(self.partner)
        game = self.game
        return Offers(
            game.layout.colours, self.most(self.proposer), asked, game.bases, game.allow_pass, game.one_sided_offers
        )

    def steps(self, player: int) -> list[int]:
        """Where *player* may go: they stay, or pay for a square beside their own."""
        board, game, place = self.board, self.game, self.positions[player]
        if place == board.goal and not game.leave_goal:
            return [STAY]
        held, found = self.most(player), [STAY]
        for number, target in enumerate(board.neighbours[place], 1):
            if target is None or not held[board.grid[target]]:
                continue
            if not game.backward_moves and board.distances[target] > board.distances[place]:
                continue
            if game.share_square or target == board.goal or target not in self.positions:
                found.append(number)
        return found

    def most(self, player: int) -> Chips:
        """The chips of a player; on a view that hides them, the most that they may have."""
        chips = self.chips[player] if player < len(self.chips) else None
        return self.askable(player) if chips is None else chips

    def askable(self, player: int) -> Chips:
        """The most that others know a player may have."""
        chips = self.chips[player] if player < len(self.chips) else None
        if not self.game.hidden and chips is not None:
            return chips
        return tuple(
            map(max, *(plus(hand, self.changed[player]) for hand in self.possible_hands(player)), zeros(self.board))
        )

    def possible_hands(self, player: int) -> list[Chips]:
        """What a player may have been dealt, by all that they have shown."""
        return [hand for hand in self.board.hands[player] if within(self.proved[player], hand)]

    def assumed_chips(self, player: int) -> Chips:
        """The chips of a player; where they are hidden, those of the first hand that they may have been dealt."""
        chips = self.chips[player]
        return plus(self.possible_hands(player)[0], self.changed[player]) if chips is None else chips

    def promise(self, player: int) -> Chips | None:
        """What *player* has promised to send, where something is agreed."""
        if self.phase != EXCHANGE or self.offer is None or player not in (self.proposer, self.partner):
            return None
        return self.offer.given if player == self.proposer else self.offer.asked

    def chance_outcomes(self) -> list[tuple[int, float]]:
        if self.phase != DEAL:
            return []
        hands = self.board.hands[len(self.chips)]
        return [(number, 1.0 / len(hands)) for number in range(len(hands))]

    def returns(self) -> list[float]:
        board = self.board
        held = [self.chips[player] if player < len(self.chips) else None for player in range(board.players)]
        return [
            float(board.score(place, chips if chips is not None else zeros(board)))
            for place, chips in zip(self.positions, held, strict=True)
        ]

    def default_action(self, player: int) -> int:
        """A player who fails to choose passes, rejects, sends nothing or stays."""
        legal = self.legal_actions(player)
        return PASS if PASS in legal else legal[0]

    # What happens.

    def apply_action(self, action: int) -> None:
        match self.phase:
            case "deal":
                self.chips = (*self.chips, self.board.hands[len(self.chips)][action])
                if len(self.chips) == self.board.players:
                    self.begin()
            case "offer":
                self.propose(Offer(*self.offers().sides(action)))
            case "answer":
                self.answer(action)
            case _:
                self.walk(self.moving[0], action)
                self.moving = self.moving[1:]
                if not self.moving:
                    self.end_round()

    def apply_actions(self, actions: Sequence[int]) -> None:
        match self.phase:
            case "preparation":
                self.phase = DEAL if self.game.hidden else OFFER
                if self.phase == OFFER:
                    self.begin()
            case "exchange":
                self.exchange(actions)
            case _:
                before = self.positions
                for player in self.talking_first():
                    step = actions[player]
                    if self.free(player, step, before):
                        self.walk(player, step)
                self.end_round()

    def begin(self) -> None:
        """Begin the first round, unless all players can reach the goal already and the rules check that."""
        if self.game.ti_end_check == "also_at_start" and not self.game.hidden and self.all_independent():
            self.finish(self.game.auto_advance == "goal")
        else:
            self.talk()

    def talk(self) -> None:
        """Begin a round with the pair whose turn it is; where one of them may not trade they only move."""
        players, game = self.board.players, self.game
        turn = self.round % players
        if game.first_proposer == "always_p0":
            turn = 0
        elif game.first_proposer == "last_rejecter" and self.rejecter >= 0:
            turn = self.rejecter
        self.proposer, self.partner = turn, (turn + 1 + self.round // players % (players - 1)) % players
        self.offer, self.proposals, self.phase = None, 0, OFFER
        pair = self.proposer, self.partner
        if not game.goal_can_trade and any(self.positions[player] == self.board.goal for player in pair):
            self.start_moving()

    def propose(self, offer: Offer) -> None:
        """Put an offer on the table; a pass counts as a proposal."""
        self.proposals += 1
        if not any(offer.given) and not any(offer.asked):
            self.next_proposal()
            return
        self.offer, self.phase = offer, ANSWER
        self.prove(self.proposer, offer.given)

    def answer(self, action: int) -> None:
        """Agree on the offer, or let the player who rejects it make their own while there are proposals left."""
        if action == ACCEPT:
            self.phase = EXCHANGE
        else:
            self.rejecter = self.partner
            self.next_proposal()

    def next_proposal(self) -> None:
        """Clear the table: the other player proposes, or chips are exchanged without an agreement."""
        self.offer = None
        if self.proposals < self.game.max_proposals:
            self.proposer, self.partner, self.phase = self.partner, self.proposer, OFFER
        else:
            self.phase = EXCHANGE

    def exchange(self, actions: Sequence[int]) -> None:
        """Both send what they chose, at once."""
        pair = self.proposer, self.partner
        sent = {player: core.digits(actions[player], self.game.bases) for player in pair}
        for player in pair:
            self.prove(player, sent[player])
        for player, other in (pair, pair[::-1]):
            self.change(player, minus(sent[other], sent[player]))
        self.offer = None
        if self.all_independent():
            self.finish(self.game.auto_advance == "goal")
        else:
            self.start_moving()

    def start_moving(self) -> None:
        """Begin the last phase of the round."""
        self.phase, self.offer = MOVEMENT, None
        self.moving = self.talking_first() if self.game.move_order == "proposer_first" else ()

    def talking_first(self) -> tuple[int, ...]:
        """The players in the order of the round: the first proposer, their partner, then the others."""
        pair = (self.proposer, self.partner) if self.proposals % 2 else (self.partner, self.proposer)
        return *pair, *(player for player in range(self.board.players) if player not in pair)

    def free(self, player: int, step: int, before: tuple[int, ...]) -> bool:
        """Whether a square is still free for a player who moves there at the same time as others."""
        target = self.target(player, step)
        if self.game.share_square or step == STAY or target == self.board.goal:
            return True
        others = [*self.positions[:player], *self.positions[player + 1 :], *before]
        return target not in others

    def walk(self, player: int, step: int) -> None:
        """Go one step and pay for it, or stay and grow dormant."""
        board, game = self.board, self.game
        place = self.positions[player]
        if step == STAY:
            on_goal = place == board.goal and not game.goal_counts_dormant
            stuck = not game.stuck_counts_dormant and len(self.steps(player)) == 1
            asleep = 0 if on_goal else self.dormant[player] + (0 if stuck else 1)
        else:
            target = self.target(player, step)
            paid = tuple(int(colour == board.grid[target]) for colour in range(len(board.colours)))
            self.prove(player, paid)
            self.change(player, tuple(-one for one in paid))
            self.positions = replace_item(self.positions, player, target)
            asleep = 0
        self.dormant = replace_item(self.dormant, player, asleep)

    def target(self, player: int, step: int) -> int:
        """Where a step leads."""
        target = self.positions[player] if step == STAY else self.board.neighbours[self.positions[player]][step - 1]
        assert target is not None
        return target

    def end_round(self) -> None:
        """End the game if all can reach the goal or a player has not moved for too long; else begin the next round."""
        game = self.game
        self.round += 1
        if game.ti_end_check != "after_exchange" and self.all_independent():
            self.finish(game.auto_advance == "goal")
        elif max(self.dormant) >= game.dormancy_limit or self.round == game.max_rounds:
            self.finish(False)
        else:
            self.talk()

    def all_independent(self) -> bool:
        """Whether all players can reach the goal with what they hold."""
        return all(
            chips is not None and self.board.independent(place, chips)
            for place, chips in zip(self.positions, self.chips, strict=True)
        )

    def finish(self, to_goal: bool) -> None:
        """Put all players where their chips earn them their best score, or take them by the shortest way *to_goal*."""
        board = self.board
        ends: list[tuple[int, Chips | None]] = []
        for place, chips in zip(self.positions, self.chips, strict=True):
            if chips is None:
                ends.append((place, chips))
            elif to_goal:
                need = board.need(place, chips)
                assert need is not None
                ends.append((board.goal, minus(chips, need)))
            else:
                best = board.frontier(place).best(chips)
                ends.append((best.end, minus(chips, best.need)))
        self.positions, self.chips = tuple(end for end, _ in ends), tuple(left for _, left in ends)
        self.phase, self.offer, self.moving = OVER, None, ()

    def change(self, player: int, change: Chips) -> None:
        """Give chips to a player, or take them."""
        chips = self.chips[player]
        self.chips = replace_item(self.chips, player, None if chips is None else plus(chips, change))
        self.changed = replace_item(self.changed, player, plus(self.changed[player], change))

    def prove(self, player: int, held: Chips) -> None:
        """Record that all players see a player hold at least this much, which tells what they were dealt."""
        if self.game.hidden:
            dealt = minus(held, self.changed[player])
            self.proved = replace_item(self.proved, player, tuple(map(max, self.proved[player], dealt)))

    # Views and notation.

    def view(self, player: int | None) -> "State":
        if not self.game.hidden or self.phase == OVER:
            return self.clone()
        return self.copy_with(chips=tuple(held if seat == player else None for seat, held in enumerate(self.chips)))

    def complete(self, rng: core.Rng) -> "State":
        """Hands drawn for those whose chips are hidden; if all could reach the goal the game would be over."""
        full = self.clone()
        for _ in range(100):
            full.chips = tuple(
                plus(draw_hand(self.possible_hands(player), rng), self.changed[player]) if chips is None else chips
                for player, chips in enumerate(self.chips)
            )
            fresh = self.round == 0 and self.phase in (PREPARATION, DEAL, OFFER, ANSWER, EXCHANGE)
            if fresh or not full.all_independent():
                break
        return full

    def seen_action(self, observer: int | None, player: int, action: int) -> int | None:
        return action if player != core.CHANCE or observer == len(self.chips) else None

    def truth(self, player: int) -> dict[str, str]:
        """The hand that was dealt, where that is hidden."""
        chips = self.chips[player] if player < len(self.chips) else None
        if not self.game.hidden or chips is None or self.phase == OVER:
            return {}
        return {"hand": in_words(self.board.colours, minus(chips, self.changed[player]))}

    @property
    def turn(self) -> int:
        """The number of the round, as far as the future depends on it: from 0 again when every pair has talked."""
        return self.round if self.game.max_rounds else self.round % (self.board.players * (self.board.players - 1))

    @property
    def last_rejecter(self) -> int | None:
        """Who rejected last, if that decides who proposes."""
        return self.rejecter if self.game.first_proposer == "last_rejecter" else None

    def key(self) -> core.Key:
        seen = (self.changed, self.proved) if self.game.hidden else ()
        talk = self.proposer, self.partner, self.proposals, self.offer and tuple(self.offer)
        turn = self.turn, self.last_rejecter
        return self.phase, *turn, *talk, self.moving, self.positions, self.chips, self.dormant, seen

    def action_to_string(self, player: int, action: int) -> str:
        return action_words(self, player, action)

    def string_to_action(self, player: int, text: str) -> int:
        legal = self.legal_actions(player)
        if not isinstance(legal, core.ProductActions):
            return super().string_to_action(player, text)
        return read_action(self, legal, player, text)

    def __str__(self) -> str:
        return "\n".join(state_lines(self))


def replace_item(items: tuple[Any, ...], place: int, item: Any) -> tuple[Any, ...]:
    """The same tuple with another item at one place."""
    return (*items[:place], item, *items[place + 1 :])


def draw_hand(hands: Sequence[Chips], rng: core.Rng) -> Chips:
    """One of the hands, all equally likely."""
    return hands[int(rng.random() * len(hands))]
