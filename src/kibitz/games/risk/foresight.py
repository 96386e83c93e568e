"""Games played to their end inside a kernel by players on their missions; `risk.aware` values its choices with them."""

from kibitz.core.kernels import kernel
from kibitz.core.kernels.random import Rng, next_below, next_unit, restart
from kibitz.games.risk.chance import armies_lost, nth_card
from kibitz.games.risk.mission_player import Ints, MapKnowledge, on_mission
from kibitz.games.risk.phases import DICE, DRAW, OVER
from kibitz.games.risk.position import Position, Setting
from kibitz.games.risk.rules import play


@kernel
def draw_chance(game: Setting, position: Position, draws: Rng) -> int:
    """What chance draws after the setup: losses by dice, or a card."""
    if position.phase == DICE:
        return armies_lost(position.rolled, position.defended, next_unit(draws))
    return nth_card(game, position, next_below(draws, position.left_to_draw))


@kernel(entry=True)
def play_missions(game: Setting, position: Position, draws: Rng, most: int, lore: MapKnowledge, weight: float) -> int:
    """Let all play as `risk.mission` from any turn to the end, in place, or for *most* plies; return how many."""
    plies = 0
    while plies < most and position.phase != OVER:
        plies += 1
        if position.phase in (DICE, DRAW):
            play(game, position, draw_chance(game, position, draws))
        else:
            play(game, position, on_mission(game, position, lore, weight))
    return plies


@kernel(entry=True)
def try_choices(
    game: Setting,
    worlds: list[Position],
    position: Position,
    draws: Rng,
    luck: Rng,
    choices: Ints,
    times: int,
    most: int,
    player: int,
    lore: MapKnowledge,
    weight: float,
    earned: Ints,
) -> int:
    """Play every choice out *times* times, in the worlds by turns, with the same luck; add what *player* earns.

    All players put in 1 and the winner takes all; after *most* plies without a winner all get their own back.
    *position* and *luck* are overwritten.
    """
    plies = 0
    for time in range(times):
        restart(luck, draws)
        for number in range(len(choices)):
            restart(draws, luck)
            position.assign(worlds[time % len(worlds)])
            play(game, position, choices[number])
            plies += play_missions(game, position, draws, most, lore, weight)
            if position.phase != OVER:
                earned[number] += 1
            elif position.mover == player:
                earned[number] += game.players
    return plies
