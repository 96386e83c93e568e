"""The phases of the setup: first player, missions, first owners, armies one by one, capitals."""

from kibitz.games.risk import phases
from kibitz.games.risk.rules.position import NOBODY, Position
from kibitz.games.risk.rules.turns import start_turn


def begin(state: Position, player: int) -> None:
    """Make *player* the first."""
    state.first = state.mover = player
    state.phase = phases.MISSION if state.game.mode == "mission" else settling_phase(state)


def settling_phase(state: Position) -> int:
    return phases.DEAL if state.game.setup == "deal" else phases.DRAFT


def deal_mission(state: Position, mission: int) -> None:
    state.missions += (mission,)
    if len(state.missions) == state.game.players:
        state.phase = settling_phase(state)


def settle(state: Position, place: int) -> None:
    """Give a territory its first owner."""
    state.owners[place] = state.mover
    state.armies[place] = 1
    state.mover = (state.mover + 1) % state.game.players
    if NOBODY not in state.owners:
        state.phase = phases.SETUP
        end_setup(state)


def set_up(state: Position, place: int) -> None:
    state.armies[place] += 1
    state.mover = (state.mover + 1) % state.game.players
    end_setup(state)


def end_setup(state: Position) -> None:
    """Go on to the first turn once all armies stand."""
    if sum(state.armies) == state.game.start_armies * state.game.players:
        if state.game.mode == "capital":
            state.phase = phases.CAPITAL
        else:
            start_turn(state, state.mover)


def choose_capital(state: Position, place: int) -> None:
    state.capitals += (place,)
    state.mover = (state.mover + 1) % state.game.players
    if len(state.capitals) == state.game.players:
        chosen = {(state.first + turn) % state.game.players: place for turn, place in enumerate(state.capitals)}
        state.capitals = tuple(chosen[player] for player in range(state.game.players))
        start_turn(state, state.mover)
