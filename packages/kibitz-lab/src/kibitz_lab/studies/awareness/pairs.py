"""Plays the pairs of matches: the same seeds, seats and opponents, with a model and without one."""

import time
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

import msgspec

from kibitz import core
from kibitz.core.errors import BadDefinition, KibitzError
from kibitz.core.match.play import play
from kibitz.core.registry import make_agent, make_game, spec_of
from kibitz.core.seeds import derived_seed, stream
from kibitz_lab.arena.comparison import default_opening
from kibitz_lab.studies.awareness.arms import (
    MODEL,
    TRUTH,
    budget_of,
    certain_model,
    require_strategy,
    with_model,
    without_model,
    wrong_strategies,
)
from kibitz_lab.studies.awareness.cells import KNOWN, Cell, cell_of, opponents_of
from kibitz_lab.studies.study import Case, Row

LARGEST = 1_000_000
"""The largest budget of the agent without a model."""
MOST_COST_BLOCKS = 60
"""The most blocks of a measurement of cost."""


class Timed(core.Agent):
    """Another agent, whose CPU time is counted: its model's as well, and that of getting ready."""

    def __init__(self, agent: core.Agent) -> None:
        self.agent = agent
        self.seconds = 0.0
        self.choices = 0
        """How often it had to choose between actions."""

    @property
    def public_spec(self) -> str:
        return self.agent.public_spec

    def count(self, call: Callable[..., Any], *given: Any) -> Any:
        """Call, and add the time that it takes."""
        start = time.thread_time()
        try:
            return call(*given)
        finally:
            self.seconds += time.thread_time() - start

    def begin(self, game: core.Game, player: int, rng: core.Rng) -> None:
        self.count(self.agent.begin, game, player, rng)

    def act(self, view: core.State, clock: core.Clock) -> int:
        self.choices += len(view.legal_actions(self.agent.player)) > 1
        chosen: int = self.count(self.agent.act, view, clock)
        return chosen

    def observe(self, transition: core.Transition) -> None:
        self.count(self.agent.observe, transition)

    def end(self, returns: Sequence[float]) -> None:
        self.count(self.agent.end, returns)


class Played(msgspec.Struct):
    """What an agent earned in a series, as a share of the range, its CPU time, its choices and its strikes."""

    score: float
    seconds: float
    choices: int
    strikes: int


class Block(msgspec.Struct, frozen=True):
    """The conditions of the matches of one block: everything but the agent that is measured."""

    game: str
    opponent: str
    library: tuple[str, ...]
    seeds: tuple[int, ...]
    opening: int
    draw: int


def make_block(case: Case, number: int) -> Block:
    """Block *number* of a cell; blocks of cells that differ in agent, model or arm are alike."""
    cell = cell_of(case)
    seed = derived_seed(case["seed"], "block", cell.game, cell.opponents, number)
    drawn = opponents_of(cell.game, cell.opponents, case["adapters"])
    library = opponents_of(cell.game, KNOWN, ())
    game = make_game(cell.game)
    if not all(isfinite(each) for each in game.utility):  # gains are fractions of their range
        raise BadDefinition("awareness", f"{game!r} has no bounds on returns")
    return Block(
        game=cell.game,
        opponent=drawn[int(stream(seed, "opponent").integers(len(drawn)))],
        library=tuple(library),
        seeds=tuple(derived_seed(seed, "match", match) for match in range(case["series"])),
        opening=case["opening"] or default_opening(game),
        draw=int(stream(seed, "wrong").integers(1 << 30)),
    )


def model_of(cell: Cell, block: Block) -> str:
    """The model of the agent in one block: the cell's, or one that is sure of a strategy."""
    if cell.arm == MODEL:
        return cell.model
    if cell.arm == TRUTH:
        require_strategy(block.opponent, spec_of(make_game(cell.game)).name)
        return certain_model(cell.model, block.opponent, true=True)
    others = wrong_strategies(block.opponent, block.library)
    if not others:
        raise BadDefinition("awareness", f"{cell.game} has no strategy that is not in {block.opponent}")
    return certain_model(cell.model, others[block.draw % len(others)], true=False)


def play_series(block: Block, agent: str, seat: int) -> Played:
    """The matches of a block with *agent* in *seat*; the same objects play all of them, so they may remember."""
    game = make_game(block.game)
    name = spec_of(game).name
    measured = Timed(make_agent(agent, name))
    players: list[core.Agent] = [make_agent(block.opponent, name) for _ in range(game.players)]
    players[seat] = measured
    low, high = game.utility
    score, strikes = 0.0, 0
    for seed in block.seeds:
        ending = play(game, players, seed=seed, opening=block.opening).ending
        assert ending is not None, "a match that was played has ended"
        score += (ending.returns[seat] - low) / (high - low)
        strikes += ending.strikes[seat] if ending.strikes else 0
    return Played(score / len(block.seeds), measured.seconds, measured.choices, strikes)


def play_pairs(case: Case) -> Row:
    """Some blocks of a cell: in each, a pair of matches (or of series) in every seat."""
    cell, start = cell_of(case), time.process_time()
    name = spec_of(make_game(cell.game)).name
    gains, earned, strikes = [], [], 0
    for number in range(case["first"], case["first"] + case["blocks"]):
        block = make_block(case, number)
        model = model_of(cell, block)
        aware = with_model(cell.agent, name, model)
        plain = without_model(cell.agent, name, model, case["amount"] or None)
        found = [
            (play_series(block, aware, seat), play_series(block, plain, seat))
            for seat in range(make_game(cell.game).players)
        ]
        gains.append(sum(with_it.score - without.score for with_it, without in found) / len(found))
        earned.append(sum(without.score for _, without in found) / len(found))
        strikes += sum(with_it.strikes for with_it, _ in found)
    return {"gains": gains, "plain": earned, "strikes": strikes, "cpu": time.process_time() - start}


def measure_cost(case: Case) -> Row:
    """How many times as long the agent takes for a choice with its model as without; or why it refuses the game.

    An agent with a budget gets a second measurement, against the agent without the model that has the budget which the
    first one suggests: what it costs need not grow in proportion.
    """
    cell = cell_of(case)
    try:
        name = spec_of(make_game(cell.game)).name
        budget = budget_of(cell.agent, name)
        longer, shorter = seconds_of(case, budget=None)
        ratio = longer / max(shorter, 1e-9)
        amount = 0 if budget is None else scale_budget(budget[1], ratio)
        if amount:
            with_it, without = seconds_of(case, budget=amount)
            amount = scale_budget(amount, with_it / max(without, 1e-9))
    except KibitzError as error:
        return {"refused": getattr(error, "why", "") or str(error), "ratio": 0.0, "amount": 0}
    return {"refused": "", "ratio": ratio, "amount": amount, "longer": longer, "shorter": shorter}


def seconds_of(case: Case, budget: int | None) -> tuple[float, float]:
    """The CPU time for one choice in the first seat of the agent with its model, and without it at this budget.

    They play in turn, so that other work on the machine slows down both. The first block only loads code and solutions.
    Where matches are short, more blocks are played until there are enough choices.
    """
    cell, found, choices = cell_of(case), [], 0
    name = spec_of(make_game(cell.game)).name
    for number in range(MOST_COST_BLOCKS):
        block = make_block(case, number)
        model = model_of(cell, block)
        agents = with_model(cell.agent, name, model), without_model(cell.agent, name, model, budget)
        played = [play_series(block, agent, 0) for agent in agents]
        if number > 0:
            found.append(played)
            choices += played[0].choices
        if len(found) >= case["blocks"] and choices >= case["choices"]:
            break
    longer, shorter = (
        sum(each.seconds for each in side) / max(1, sum(each.choices for each in side))
        for side in zip(*found, strict=True)
    )
    return longer, shorter


def scale_budget(amount: int, ratio: float) -> int:
    """The budget of the agent without a model that takes as long."""
    return max(1, min(LARGEST, round(amount * ratio)))
