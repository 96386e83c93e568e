"""What models would believe of a player after each of their possible moves, asked before any is made."""

from copy import deepcopy
from time import process_time

import msgspec

from kibitz.core.actions import ProductActions
from kibitz.core.game import State
from kibitz.core.insight import Insight
from kibitz.core.match import Event, Moment, Position
from kibitz.core.match.watchers import Watchers
from kibitz.core.seeds import stream
from kibitz_web.server.workers.watching import insights_after

MOST = 30
"""The most moves that are tried; of more, those that the models expect."""
SECONDS = 4.0
"""Seconds of computing after which no further move is tried."""


class WhatIf(msgspec.Struct, frozen=True):
    """A move that was tried in thought, and the insights after it."""

    notation: str
    insights: tuple[Insight, ...]


def insights_if(watchers: Watchers, position: Position, ply: int, player: int, seed: int) -> list[WhatIf]:
    """The insights about *player* after each of their moves here.

    What the player does not know is drawn at random, so that the answers tell them nothing of the others' secrets; so
    is what the others do at the same time, unless a model expects it.
    """
    game, rng = watchers.game, stream(seed, "what if", ply)
    view = position.state.view(player)
    world = view.complete(rng) if game.hidden else position.state.clone()
    before, found = Position(world, game.hidden), list[WhatIf]()
    began, expected = process_time(), expected_actions(watchers, position.state)
    for action in tried_actions(world, player, expected.get(player, [])):
        if found and process_time() - began > SECONDS:
            break
        movers = tuple(game.movers(world))
        chosen = {mover: next(iter(expected.get(mover, [])), world.legal_actions(mover)[0]) for mover in movers}
        actions = tuple({**chosen, player: action}[mover] for mover in movers)
        event = Event(ply, world.current_player(), movers, actions, before, before.after(actions))
        thought = insights_after(deepcopy(watchers), Moment(event.after.state, event))
        insights = tuple(each.about([player]) for each in thought)
        found.append(WhatIf(view.action_to_string(player, action), insights))
    return found


def tried_actions(state: State, player: int, expected: list[int]) -> list[int]:
    """The moves to try: all of a few, of many those that a model expects, and the first others."""
    legal = state.legal_actions(player)
    if len(legal) <= MOST and not isinstance(legal, ProductActions):
        return list(legal)
    step = max(1, len(legal) // MOST)
    return list(dict.fromkeys([*expected, *(legal[index] for index in range(0, len(legal), step))]))[:MOST]


def expected_actions(watchers: Watchers, state: State) -> dict[int, list[int]]:
    """For each player to move, the actions that the first predicting model expects."""
    for watcher in watchers.seated:
        if watcher.error is None and (found := watchers.predictions(watcher, state)):
            return {player: [each.action for each in top] for player, top in found.items()}
    return {}
