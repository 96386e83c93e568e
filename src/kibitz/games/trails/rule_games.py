"""Matches between rule players, for batches: a match of players who leave nothing to chance is the same for every seed.

Some of them have compiled twins, which play thousands of games a second; the others play one match as in the loop.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from kibitz.core.abilities.policies import BatchPlayed, CompiledMatches, PlayerFailed, Seeds
from kibitz.core.actions import from_digits
from kibitz.core.errors import Unsupported
from kibitz.core.game import Game, State
from kibitz.core.match.recorded import RecordedMatch
from kibitz.core.records.packed import PackedRecord
from kibitz.core.registry import make_agent
from kibitz.games.trails import rule_kernels
from kibitz.games.trails.agents.acceptors import Gaining
from kibitz.games.trails.agents.movers import Patient
from kibitz.games.trails.agents.negotiator import Design, Negotiator, Sender
from kibitz.games.trails.agents.proposers import Trade
from kibitz.games.trails.agents.senders import Deceives, Keeps, KeepsWhileDependent, Reneges
from kibitz.games.trails.packed_board import chips_of, pack_board, word
from kibitz.games.trails.rules import Trails
from kibitz.games.trails.state import State as TrailsState

TWINS: dict[Sender, int] = {
    Keeps(): rule_kernels.KEEPS,
    Reneges(): rule_kernels.RENEGES,
    KeepsWhileDependent(): rule_kernels.WHILE_DEPENDENT,
    Deceives(): rule_kernels.DECEIVES,
}
"""The senders with compiled twins."""
SENDERS = ("trails.honest", "trails.always_renege", "trails.renege_when_independent", "trails.deceiver")
"""The agents with compiled twins, which differ in what they send."""


class RuleGame(msgspec.Struct, frozen=True):
    """How a game ended: what each player earned, after how many full rounds, and how many deals were made."""

    returns: tuple[float, float]
    rounds: int
    deals: int


class RulePolicy(msgspec.Struct, frozen=True, eq=False):
    """A negotiator that leaves nothing to chance, and what its compiled twin sends, if it has one."""

    agent: Negotiator
    sender: int | None


def rule_policy(agent: Negotiator) -> RulePolicy | None:
    """The policy of a negotiator; None if it may draw."""
    return None if agent.traits.stochastic else RulePolicy(agent, twin_of(agent.design))


def twin_of(design: Design) -> int | None:
    """What the compiled twin of a design sends; None if it has no twin."""
    traded = (design.proposer, design.acceptor, design.mover) == (Trade(), Gaining(), Patient())
    return TWINS.get(design.sender) if traded else None


def by_default_rules(game: Trails) -> bool:
    """Whether no rule is changed; the board may be any."""
    return not game.parameters().keys() - {"board"}


def most_events(game: Trails) -> int:
    """More events than a game by the default rules has.

    In as many rounds as players may stay, one of them takes a step, which costs a chip.
    """
    chips = sum(map(sum, game.layout.chips))
    return rule_kernels.MOST_EVENTS * (rule_kernels.DORMANCY_LIMIT * (chips + 1) + 1)


def play_compiled(game: Trails, agents: Sequence[str]) -> RuleGame:
    """One game between two agents with compiled twins, by the default rules on any board for two."""
    made = [make_agent(agent, "trails") for agent in agents]
    senders = [twin_of(agent.design) if isinstance(agent, Negotiator) else None for agent in made]
    if game.players != 2 or not by_default_rules(game):
        raise Unsupported("compiled play", game, "it knows two players and the default rules only")
    for agent, sender in zip(made, senders, strict=True):
        if sender is None:
            raise Unsupported(agent, game, f"it has no compiled twin; these have: {', '.join(SENDERS)}")
    scores, found, _ = logged_game(game, [sender for sender in senders if sender is not None])
    if found < 0:
        raise Unsupported("compiled play", game, "promises have too many parts on this board")
    deals, rounds = divmod(found, 1000)
    return RuleGame((float(scores[0]), float(scores[1])), rounds, deals)


def logged_game(game: Trails, senders: Sequence[int]) -> tuple[NDArray[np.int64], int, NDArray[np.uint64]]:
    """The scores of a game of compiled twins, its rounds and deals as `rule_kernels.play` says, and its log."""
    board, scores = game.layout, np.zeros(2, np.int64)
    log = np.zeros((most_events(game), 2), np.uint64)
    found = rule_kernels.play(
        pack_board(board).tables,
        np.array(board.starts, np.int64),
        np.array([word(chips) for chips in board.chips], np.uint64),
        np.array(senders, np.int64),
        np.empty(rule_kernels.MOST_PARTS, np.uint64),
        scores,
        log,
    )
    return scores, int(found), log


class RuleMatches(CompiledMatches):
    """Batches of matches between negotiators that leave nothing to chance: each pair plays once, for all seeds."""

    def plays(self, game: Game, policies: Sequence[object]) -> bool:
        assert isinstance(game, Trails)
        return by_default_rules(game) and all(isinstance(policy, RulePolicy) for policy in policies)

    def most_plies(self, game: Game) -> int:
        assert isinstance(game, Trails)
        return most_events(game) if by_default_rules(game) else game.max_plies + 1

    def play(self, game: Game, matches: Sequence[Sequence[RulePolicy]], seeds: Seeds) -> BatchPlayed:
        assert isinstance(game, Trails)
        found = BatchPlayed()
        known: dict[tuple[str, ...], BatchPlayed] = {}
        for policies in matches:
            names = tuple(repr(policy.agent) for policy in policies)
            if names not in known:
                known[names] = one_match(game, policies)
            for field in ("plies", "bits", "actions", "returns", "hashes", "reasons"):
                getattr(found, field).extend(getattr(known[names], field))
        return found


MATCHES = RuleMatches()


def one_match(game: Trails, policies: Sequence[RulePolicy]) -> BatchPlayed:
    """The match of some negotiators."""
    senders = [policy.sender for policy in policies if policy.sender is not None]
    if game.players == 2 == len(senders):
        _, found, log = logged_game(game, senders)
        if found >= 0:
            moves, plies, last = written_out(game, log)
            played = BatchPlayed()
            played.add_match(game, np.array(moves, np.uint64), last, plies)
            return played
    record = RecordedMatch(game, [policy.agent.clone() for policy in policies]).play_packed()
    ending = record.ending
    if not isinstance(record, PackedRecord) or ending is None or any(ending.strikes):
        raise PlayerFailed
    return BatchPlayed(
        [record.plies], [record.bits], [record.actions], [ending.returns], [ending.hash], [ending.reason]
    )


def written_out(game: Trails, log: NDArray[np.uint64]) -> tuple[list[int], int, State]:
    """The actions of a logged game, one after another, the number of its events, and its last state."""
    state, actions, plies = game.new_initial_state(), list[int](), 0
    while not state.is_terminal():
        done = logged_actions(state, log[plies].tolist())
        state.step(done)
        actions += done
        plies += 1
    return actions, plies, state


def logged_actions(state: TrailsState, words: Sequence[int]) -> list[int]:
    """The actions that two words of a log stand for."""
    if state.phase == "answer":
        return [words[0]]
    if state.phase == "movement":
        return list(words)
    given, asked = (chips_of(each, len(state.board.colours)) for each in words)
    if state.phase == "offer":
        return [state.offers().of(given, asked)]
    return [from_digits(chips, state.game.bases) for chips in (given, asked)]
