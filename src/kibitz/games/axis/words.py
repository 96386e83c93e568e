"""What the words about Axis & Allies leave open."""

from typing import Any

from kibitz.core.kit.about import read_texts
from kibitz.games.axis.rules import Axis


def word_values(game: Axis) -> dict[str, Any]:
    """The powers and sides of a scenario or of the whole game, and orders that can be given at its beginning."""
    texts = read_texts("kibitz.games.axis:words.toml")["texts"]
    if game.rules == "full":
        powers, sides = game.world.powers, game.world.sides
        names = [[power.name for power in powers if power.side == side] for side in range(len(sides))]
        values: dict[str, Any] = {"opposed": texts["against"].join(map(", ".join, names))}
    else:
        powers, sides, switches = game.board.powers, game.board.sides, game.board.switches
        values = {"blitz": switches.blitz, "steps": switches.steps, "cities": switches.victory, **order_examples(game)}
    players = [texts["power"].format(name=power.name, side=sides[power.side]) for power in powers]
    return {"players": players, "sides": (sides[0], sides[-1]), **values}


def order_examples(game: Axis) -> dict[str, str]:
    """Orders to the first units that have a choice: the notation of one of each kind."""
    state = game.new_initial_state()
    while state.legal_actions() and len(state.legal_actions()) < 2 and not state.fights:
        state.apply_action(state.legal_actions()[0])
    found = {"going": "", "staying": "", "through": ""}
    for action in reversed(state.legal_actions()):
        notation = state.action_to_string(state.mover, action)
        kind = "staying" if " > " not in notation else "through" if action >= len(game.board.areas) else "going"
        found[kind] = notation
    return found
