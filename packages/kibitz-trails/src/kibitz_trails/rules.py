"""Colored Trails, Alternating Offers (Pozin 2010): the game and its options, a position and its rules.

In each round one pair of players talks: the proposer makes an offer, the partner accepts, or rejects and then
may make a counter-offer. Then both send each other any part of what they hold, at once, whatever was agreed. Then all
may move one square, which costs a chip of its colour. With two players it is always the same pair; more players take
turns.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property, partial
from typing import Any, Literal

from kibitz import core
from kibitz_trails.board import Board, Chips, in_words, minus, plus, within, zeros
from kibitz_trails.board_file import BOARDS, load
from kibitz_trails.notation import action_words, read_action, state_lines
from kibitz_trails.offers import Offer, Offers, sendings

PREPARATION, DEAL, OFFER, ANSWER = "preparation", "deal", "offer", "answer"
EXCHANGE, MOVEMENT, OVER = "exchange", "movement", "over"
"""The phases."""
READY, REJECT, ACCEPT, STAY = 0, 0, 1, 0
"""Actions; those of movement are STAY, or one more than the number of a step in STEPS."""
MOST_PROPOSALS = 2
"""Proposals of a round: an offer and a counter-offer."""
ONLY = (READY,)
"""The action of players who have nothing to decide while others do."""


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
        self.round = 0
        self.proposer, self.partner, self.proposals = 0, 1, 0
        """Who talks, and how many proposals there were in this round."""
        self.offer: Offer | None = None
        """What is on the table, or was agreed."""
        self.phase = PREPARATION if game.preparation else DEAL if game.hidden else OFFER

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
        return core.SIMULTANEOUS

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
        return Offers(self.board.colours, self.most(self.proposer), self.askable(self.partner), self.game.bases)

    def steps(self, player: int) -> list[int]:
        """Where *player* may go: they stay, or pay for a square beside their own."""
        board, place = self.board, self.positions[player]
        if place == board.goal:
            return [STAY]
        held = self.most(player)
        near = enumerate(board.neighbours[place], 1)
        return [STAY, *(number for number, target in near if target is not None and held[board.grid[target]])]

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
        return self.legal_actions(player)[0]

    # What happens.

    def apply_action(self, action: int) -> None:
        match self.phase:
            case "deal":
                self.chips = (*self.chips, self.board.hands[len(self.chips)][action])
                if len(self.chips) == self.board.players:
                    self.talk()
            case "offer":
                self.propose(Offer(*self.offers().sides(action)))
            case _:
                self.answer(action)

    def apply_actions(self, actions: Sequence[int]) -> None:
        match self.phase:
            case "preparation":
                self.phase = DEAL if self.game.hidden else OFFER
            case "exchange":
                self.exchange(actions)
            case _:
                for player, step in enumerate(actions):
                    self.walk(player, step)
                self.end_round()

    def talk(self) -> None:
        """Begin a round with the pair whose turn it is."""
        players = self.board.players
        turn = self.round % players
        self.proposer, self.partner = turn, (turn + 1 + self.round // players % (players - 1)) % players
        self.offer, self.proposals, self.phase = None, 0, OFFER

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
            self.next_proposal()

    def next_proposal(self) -> None:
        """Clear the table: the other player proposes, or chips are exchanged without an agreement."""
        self.offer = None
        if self.proposals < MOST_PROPOSALS:
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
            self.finish()
        else:
            self.phase = MOVEMENT

    def walk(self, player: int, step: int) -> None:
        """Go one step and pay for it, or stay and grow dormant; who is on the goal does not."""
        board = self.board
        if step == STAY:
            asleep = 0 if self.positions[player] == board.goal else self.dormant[player] + 1
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
        too_long = max(self.dormant) >= game.dormancy_limit or self.round == game.max_rounds
        if too_long or self.all_independent():
            self.finish()
        else:
            self.talk()

    def all_independent(self) -> bool:
        """Whether all players can reach the goal with what they hold."""
        return all(
            chips is not None and self.board.independent(place, chips)
            for place, chips in zip(self.positions, self.chips, strict=True)
        )

    def finish(self) -> None:
        """Put all players where their chips earn them their best score."""
        board = self.board
        ends: list[tuple[int, Chips | None]] = []
        for place, chips in zip(self.positions, self.chips, strict=True):
            if chips is None:
                ends.append((place, chips))
            else:
                best = board.frontier(place).best(chips)
                ends.append((best.end, minus(chips, best.need)))
        self.positions, self.chips = tuple(end for end, _ in ends), tuple(left for _, left in ends)
        self.phase, self.offer = OVER, None

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
                plus((hands := self.possible_hands(player))[int(rng.random() * len(hands))], self.changed[player])
                if chips is None
                else chips
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

    def key(self) -> core.Key:
        seen = (self.changed, self.proved) if self.game.hidden else ()
        talk = self.proposer, self.partner, self.proposals, self.offer and tuple(self.offer)
        return self.phase, self.turn, *talk, self.positions, self.chips, self.dormant, seen

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


class Trails(core.Game):
    """Colored Trails, Alternating Offers: trade chips by promises that do not bind, and reach the goal.

    *board* is the name of one that comes with the game, a TOML file, or `layers(rows=7, cols=5, missing=[3, 3])`.
    With `hidden_chips` players see only their own. The game ends when a player has not moved for *dormancy_limit*
    rounds, and after *max_rounds* if that is given. *preparation* adds a phase before the first round, to plan in.
    """

    zero_sum = False
    usual_model = "trails.types"

    def __init__(
        self,
        board: str = "dd",
        visibility: Literal["full", "hidden_chips"] = "full",
        dormancy_limit: core.Count = 3,
        max_rounds: core.Count | None = None,
        preparation: bool = False,
    ) -> None:
        self.board, self.visibility, self.dormancy_limit = board, visibility, dormancy_limit
        self.max_rounds, self.preparation = max_rounds, preparation
        self.hidden = visibility == "hidden_chips"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self.parameters()), ()  # a process reads the board once for all its states

    @classmethod
    def known_values(cls, parameter: str) -> Iterable[str]:
        return BOARDS if parameter == "board" else ()

    @cached_property
    def layout(self) -> Board:
        """The board itself."""
        return load(self.board)

    @cached_property
    def players(self) -> int:  # type: ignore[override]
        return self.layout.players

    @cached_property
    def utility(self) -> tuple[float, float]:  # type: ignore[override]
        board = self.layout
        most = max(board.best_use(start, board.in_play) for start in board.starts)
        return float(board.scoring.distance * max(board.distances)), float(most)

    @cached_property
    def bases(self) -> tuple[int, ...]:
        """The radix of each colour in actions that name chips."""
        return tuple(most + 1 for most in self.layout.in_play)

    def new_initial_state(self) -> State:
        return State(self)

    def player_name(self, player: int) -> str:
        return self.layout.names[player]
