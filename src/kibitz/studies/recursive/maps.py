"""Maps of solved games, as entries of a study's rows and as figures of its report."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from kibitz.arena.plots.charts import paint_drawing
from kibitz.core.abilities import ability
from kibitz.core.drawing import Drawing
from kibitz.core.registry import make_game, spec_of
from kibitz.solve import Solution, draw_solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def map_of(game: str, solution: Solution, player: int) -> Any:
    """The map of a game around its first state with a choice, with a player's arrows, as JSON."""
    made = make_game(game)
    state = made.new_initial_state()
    while player not in made.movers(state):
        state = state.child(state.legal_actions()[0])
    sheet = ability(spec_of(made).name, "MAP")(made, state)
    return msgspec.to_builtins(draw_solution(solution, sheet, player))


def map_figure(kept: Any) -> "Callable[[], Figure]":
    """A function that draws the figure of a map from a row."""
    drawing = msgspec.convert(kept, Drawing)
    return lambda: paint_drawing(drawing)
