"""`Situation`: what a negotiator decides by: what both hold, need and lack, and the history."""

from collections.abc import Sequence
from functools import cached_property

from kibitz.games.trails.board import Board
from kibitz.games.trails.chips import Chips, common, minus, plus, short
from kibitz.games.trails.history import History
from kibitz.games.trails.state import MOVEMENT, STAY, State


class Side:
    """One of two players: where they stand, what they hold, and what they lack of what the other holds."""

    def __init__(self, board: Board, player: int, place: int, chips: Chips, others: Chips) -> None:
        self.board, self.player, self.place, self.chips, self.others = board, player, place, chips, others

    def holding(self, chips: Chips, others: Chips) -> "Side":
        """The same player if both held something else."""
        return Side(self.board, self.player, self.place, chips, others)

    @cached_property
    def best_use(self) -> int:
        """The best score that the player's chips can reach."""
        return self.board.best_use(self.place, self.chips)

    @cached_property
    def need(self) -> Chips:
        """The chips of the cheapest way to the goal, of those that the other can supply if there are any; or none."""
        supplied = self.board.need(self.place, self.chips, self.others)
        return supplied or self.board.need(self.place, self.chips) or (0,) * len(self.chips)

    @cached_property
    def lacking(self) -> Chips:
        """What the player lacks for that way."""
        return short(self.need, self.chips)

    @cached_property
    def spare(self) -> Chips:
        """What the player does not need for that way."""
        return minus(self.chips, common(self.chips, self.need))

    @cached_property
    def missing(self) -> int:
        """How many chips the player lacks."""
        return sum(self.lacking)

    @property
    def independent(self) -> bool:
        """Whether the player can reach the goal with what they hold (TI)."""
        return self.board.independent(self.place, self.chips)

    def step_needed(self) -> Chips | None:
        """The chip that lets a player move who cannot pay any step now: the first that leads nearer to the goal."""
        board = self.board
        near = [target for target in board.neighbours[self.place] if target is not None]
        if self.place == board.goal or any(self.chips[board.grid[target]] for target in near):
            return None
        best = min(near, key=lambda target: board.distances[target])
        return tuple(int(colour == board.grid[best]) for colour in range(len(self.chips)))


class Situation:
    """A decision of *player*: their view, both sides, and what they remember."""

    def __init__(self, view: State, player: int, history: History) -> None:
        self.view, self.history, self.board = view, history, view.board
        pair = view.proposer, view.partner
        talking = player in pair
        other = pair[1 - pair.index(player)] if talking else next(each for each in pair if each != player)
        held, theirs = view.assumed_chips(player), view.assumed_chips(other)
        self.own = Side(self.board, player, view.positions[player], held, theirs)
        self.other = Side(self.board, other, view.positions[other], theirs, held)

    def with_history(self, history: History) -> "Situation":
        """The same decision after another past; both share what was worked out about the position."""
        found = object.__new__(Situation)
        found.__dict__.update(self.__dict__)
        found.history = history
        return found

    @cached_property
    def legal(self) -> Sequence[int]:
        """What the player may do."""
        return self.view.legal_actions(self.own.player)

    def sides_after(self, given: Chips, received: Chips) -> tuple[Side, Side]:
        """Both sides after an exchange; where chips are hidden, an offer may ask for more than the other has."""
        given, received = common(given, self.own.chips), common(received, self.other.chips)
        own = plus(minus(self.own.chips, given), received)
        other = plus(minus(self.other.chips, received), given)
        return self.own.holding(own, other), self.other.holding(other, own)

    def use_after(self, given: Chips, received: Chips) -> int:
        """The player's own BestUse after an exchange."""
        left = minus(self.own.chips, common(given, self.own.chips))
        return self.board.best_use(self.own.place, plus(left, received))

    def gain(self, given: Chips, received: Chips) -> int:
        """What an exchange adds to the player's own BestUse."""
        return self.use_after(given, received) - self.own.best_use

    def other_gain(self, given: Chips, received: Chips) -> int:
        """What an exchange adds to the other's BestUse."""
        return self.sides_after(given, received)[1].best_use - self.other.best_use

    def proposed_exchange(self) -> tuple[Chips, Chips]:
        """What the player gives and receives by the offer on the table."""
        offer = self.view.offer
        assert offer is not None
        return (offer.asked, offer.given) if self.own.player == self.view.partner else (offer.given, offer.asked)

    def promised_exchange(self) -> tuple[Chips, Chips] | None:
        """What the player has promised to send, and what they were promised; None where nothing is agreed."""
        return None if self.view.offer is None else self.proposed_exchange()

    def frees_other(self, sent: Chips) -> bool:
        """Whether sending this makes a dependent opponent independent, whatever they send."""
        other = self.other
        return not other.independent and self.board.independent(other.place, plus(other.chips, sent))

    def must_move(self, player: int) -> bool:
        """Whether the game ends if *player* does not move in this round."""
        return self.view.dormant[player] >= self.view.game.dormancy_limit - 1

    @property
    def counter(self) -> bool:
        """Whether the offer on the table is a counter-offer."""
        return self.view.proposals > 1

    def steps(self) -> list[int]:
        """The steps that the player can pay for."""
        assert self.view.phase == MOVEMENT
        return [step for step in self.view.legal_actions(self.own.player) if step != STAY]

    def side_after_step(self, step: int) -> Side:
        """The player's own side after a step."""
        target = self.view.target(self.own.player, step)
        paid = tuple(int(colour == self.board.grid[target]) for colour in range(len(self.own.chips)))
        return Side(self.board, self.own.player, target, minus(self.own.chips, paid), self.own.others)


def first_of(chips: Chips, most: int) -> Chips:
    """At most *most* of *chips*, in the order of the colours."""
    found = []
    for held in chips:
        found.append(min(held, most))
        most -= found[-1]
    return tuple(found)


def least_needed(chips: Chips, needed: Chips, most: int) -> Chips:
    """At most *most* of *chips*: first those that are not *needed*, then the others, in the order of the colours."""
    free = first_of(minus(chips, common(chips, needed)), most)
    return plus(free, first_of(minus(chips, free), most - sum(free)))
