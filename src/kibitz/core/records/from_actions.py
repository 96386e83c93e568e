"""Makes a record from a list of actions, for matches that were played elsewhere."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

from kibitz import __version__
from kibitz.core.game import Game, State, digest
from kibitz.core.records import HASH_EVERY, Ending, Entry, Header, Record, Truths


def record_from_actions(
    game: Game,
    actions: Iterable[int],
    agents: Sequence[str],
    truths: Sequence[dict[str, Any]] = (),
    started: str = "",
) -> Record:
    """The record of *actions*, all of them legal in their order, chance included; it ends if the game does.

    *truths* hold what the game does not know of each player, such as their name. The seed is unknown, so the record
    gets one derived from the match: training groups records by seed.
    """
    actions = list(actions)
    state = game.new_initial_state()
    known = [dict(each) for each in truths] or [{} for _ in agents]
    told = _truths(state, agents, known)
    header = Header(
        kibitz=__version__,
        game=repr(game),
        seed=_seed(actions),
        agents=tuple(agents),
        max_plies=game.max_plies,
        strikes=1,
        started=started,
        hash=digest(state),
        truths=told,
    )
    record = Record(header)
    for ply, action in enumerate(actions):
        player = state.current_player()
        text = state.action_to_string(player, action)
        state.apply_action(action)
        now_true = _truths(state, agents, known)
        changed, told = now_true if now_true != told else None, now_true
        hashed = digest(state) if ply % HASH_EVERY == HASH_EVERY - 1 else None
        record.add(Entry(ply, player, (text,), truths=changed, hash=hashed))
    if state.is_terminal():
        strikes = (0,) * game.players
        record.add(Ending(state.returns(), "terminal", len(record.entries), strikes, (), digest(state)))
    return record


def _truths(state: State, agents: Sequence[str], known: Sequence[dict[str, Any]]) -> Truths:
    return [{**known[player], **state.truth(player), "strategy": agent} for player, agent in enumerate(agents)]


def _seed(actions: Sequence[int]) -> int:
    """A seed derived from these actions."""
    return int.from_bytes(blake2b(repr(actions).encode(), digest_size=7).digest())
