"""Writes games as Gambit's files: the whole tree as `.efg`, one simultaneous choice as `.nfg`."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from kibitz.core.errors import BadSpec
from kibitz.core.game import CHANCE, SIMULTANEOUS, Game, State
from kibitz_lab.extensive.building import event_token
from kibitz_lab.extensive.table import Memory, memory_key

MOST_CELLS = 1_000_000
DEEPEST = 80
"""Most events from the beginning of a game to its end; endless games have no tree."""


def efg_text(game: Game, most: int) -> str:
    """The whole tree of a game; raises BadSpec if it has more than *most* nodes."""
    return _TreeWriter(game, most).text()


class _TreeWriter:
    """Walks through all states. Information sets are those of `solve.extensive`."""

    def __init__(self, game: Game, most: int) -> None:
        self.game, self.most = game, most
        self.lines: list[str] = []
        self.outcomes: dict[tuple[float, ...], int] = {}
        self.memories: list[Memory] = [{} for _ in range(game.players)]
        self.sets: list[dict[int, int]] = [{} for _ in range(game.players)]
        self.chances = self.depth = 0

    def text(self) -> str:
        self.visit(self.game.new_initial_state(), [0] * self.game.players)
        names = " ".join(quote(self.game.player_name(player)) for player in range(self.game.players))
        return "\n".join([f'EFG 2 R {quote(repr(self.game))} {{ {names} }} ""', *self.lines]) + "\n"

    def add(self, line: str) -> None:
        if len(self.lines) >= self.most:
            raise BadSpec(repr(self.game), f"its tree has more than {self.most:,} nodes")
        self.lines.append(line)

    def visit(self, state: State, known: list[int]) -> None:
        """Write the node of a state, and all below it; *known* is what each player has seen."""
        mover = state.current_player()
        if state.is_terminal() or self.depth >= self.game.max_plies:
            returns = state.returns() if state.is_terminal() else self.game.infinite_play(state)
            self.add(f't "" {self.outcome(returns)}')
        elif mover == CHANCE:
            outcomes = state.chance_outcomes()
            self.chances += 1
            shares = exact_shares([share for _, share in outcomes])
            names = [state.action_to_string(CHANCE, action) for action, _ in outcomes]
            listed = " ".join(f"{quote(name)} {share}" for name, share in zip(names, shares, strict=True))
            self.add(f'c "" {self.chances} "" {{ {listed} }} 0')
            for action, _ in outcomes:
                self.follow(state, (action,), known)
        else:
            self.choose(state, self.game.movers(state), (), known)

    def choose(self, state: State, movers: Sequence[int], chosen: tuple[int, ...], known: list[int]) -> None:
        """Write the choice of the next mover; those who choose at once do not see each other's choices."""
        if len(chosen) == len(movers):
            self.follow(state, chosen, known)
            return
        player = movers[len(chosen)]
        own = self.sets[player]
        number = own.setdefault(known[player], len(own) + 1)
        legal = state.legal_actions(player)
        if len(legal) > self.most:
            raise BadSpec(repr(self.game), f"its tree has more than {self.most:,} nodes")
        names = " ".join(quote(state.action_to_string(player, action)) for action in legal)
        self.add(f'p "" {player + 1} {number} "" {{ {names} }} 0')
        for action in legal:
            self.choose(state, movers, (*chosen, action), known)

    def follow(self, state: State, actions: tuple[int, ...], known: list[int]) -> None:
        """Write what comes after an event, which everyone sees as they may."""
        after = state.clone()
        after.step(actions)
        seen = []
        for player, memory in enumerate(self.memories):
            token = event_token(self.game, state, after, state.current_player(), actions, player)
            seen.append(memory.setdefault(memory_key(self.game, known[player], token), len(memory) + 1))
        self.depth += 1
        if self.depth > DEEPEST:
            raise BadSpec(
                repr(self.game), f"it may go on for more than {DEEPEST} events, so its tree cannot be written"
            )
        self.visit(after, seen)
        self.depth -= 1

    def outcome(self, returns: list[float]) -> str:
        """The outcome of these returns; its payoffs are written where it occurs first."""
        payoffs = tuple(returns)
        if payoffs in self.outcomes:
            return str(self.outcomes[payoffs])
        self.outcomes[payoffs] = len(self.outcomes) + 1
        return f'{self.outcomes[payoffs]} "" {{ {", ".join(map(number_text, payoffs))} }}'


def nfg_text(game: Game) -> str:
    """A game in which all choose once and at once; raises BadSpec for any other."""
    state = game.new_initial_state()
    if state.current_player() != SIMULTANEOUS:
        raise BadSpec(repr(game), "only games of one simultaneous choice have a normal form here; write it as efg")
    legal = [state.legal_actions(player) for player in range(game.players)]
    cells = 1
    for own in legal:
        cells *= len(own)
    if cells > MOST_CELLS:
        raise BadSpec(repr(game), f"it has more than {MOST_CELLS:,} combinations of choices")
    payoffs = []
    for actions in product(*reversed(legal)):
        after = state.clone()
        after.step(actions[::-1])
        payoffs.append(" ".join(number_text(value) for value in mean_returns(game, after)))
    names = " ".join(quote(game.player_name(player)) for player in range(game.players))
    own_names = (
        " ".join(quote(state.action_to_string(player, action)) for action in own) for player, own in enumerate(legal)
    )
    strategies = " ".join(f"{{ {each} }}" for each in own_names)
    return f'NFG 1 R {quote(repr(game))} {{ {names} }} {{ {strategies} }} ""\n' + "\n".join(payoffs) + "\n"


def mean_returns(game: Game, state: State) -> list[float]:
    """The returns of a finished game, or their mean over what chance may still do."""
    if state.is_terminal():
        return state.returns()
    if state.current_player() != CHANCE:
        raise BadSpec(repr(game), "it goes on after the first choice; write it as efg")
    found = [0.0] * game.players
    for action, share in state.chance_outcomes():
        for player, value in enumerate(mean_returns(game, state.child(action))):
            found[player] += share * value
    return found


def exact_shares(shares: Sequence[float]) -> list[Fraction]:
    """Probabilities as fractions that add up to 1 exactly."""
    found = [Fraction(share).limit_denominator(1_000_000) for share in shares]
    if all(abs(float(one) - other) < 1e-12 for one, other in zip(found, shares, strict=True)) and sum(found) == 1:
        return found
    found = [Fraction(repr(share)) for share in shares]
    largest = max(range(len(found)), key=found.__getitem__)
    found[largest] += 1 - sum(found)
    return found


def number_text(value: float) -> str:
    """A number as a fraction."""
    found = Fraction(value).limit_denominator(1_000_000)
    near = abs(float(found) - value) <= 1e-12 * max(1.0, abs(value))  # what only rounding has made long
    return str(found if near else Fraction(repr(float(value))))


def quote(words: str) -> str:
    """A name in quotes."""
    return '"' + words.replace("\\", "\\\\").replace('"', '\\"') + '"'
