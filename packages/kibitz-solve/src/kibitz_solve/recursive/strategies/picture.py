"""Draw a solution as a map: the value of every state, and a player's moves there (Keffer 2013, Figure 1)."""

from collections.abc import Iterator

import msgspec

from kibitz.core.drawing import AnyShape, Arrow, Drawing, Label, Rect
from kibitz.core.game import State
from kibitz.core.kit.positions import StateMap
from kibitz_solve.recursive.proofs.solution import Solution
from kibitz_solve.recursive.strategies.lowered import HOPELESS, LoweredSolution

MARGIN = 1.2
"""Cells left of the map and below it, for the labels of the axes."""
PALE, DEEP = (255, 255, 255), (86, 180, 233)
"""The colours of the least and the greatest value shown."""
FADING = 0.45
"""How deep the shade of a level is, compared with that of the level below."""
SIGNS = {(0, 1): "↑", (0, -1): "↓", (1, 0): "→", (-1, 0): "←"}
ENDED, STAYS, MIXED, IDLE = "■", "•", "+", "·"
"""In text: the game is over; an action that points nowhere; several actions; nothing to play for."""
ARROW = "#000000"
"""Also in dark mode, because cells stay pale."""
SHOWN = 1e-3
"""A share below this gets no arrow: it is the ε of a strategy."""


class Look(msgspec.Struct, frozen=True):
    """How a state of a map looks, besides its arrows."""

    depth: float
    """Its shade, from 0 (pale) to 1 (deep)."""
    words: str
    playing: bool = True
    """Whether there is something to play for."""
    mark: str = ""
    """The text after the arrow."""


def draw_solution(solution: Solution, sheet: StateMap, player: int) -> Drawing:
    """Every state's value, or its level in lowered expectations, as a shade, and its strategy as arrows.

    The length of an arrow is the probability of the action.
    """
    across, upwards = zip(*sheet.cells, strict=True)
    left, top = min(across), max(upwards)
    width, height = max(across) - left + 1, top - min(upwards) + 1
    going_on = {cell: state for cell, state in sheet.cells.items() if not state.is_terminal()}
    looks, scale = (
        levels_of(solution, going_on) if isinstance(solution, LoweredSolution) else values_of(solution, going_on)
    )
    shapes: list[AnyShape] = []
    for (x, y), state in sheet.cells.items():
        corner = (x - left + MARGIN, top - y)
        shapes += _cell(solution, sheet, state, player, corner, looks.get((x, y)))
    words = (
        Label(id="across", x=MARGIN + width / 2, y=height + 0.6, text=f"{sheet.across}, {left} to {max(across)}"),
        Label(id="upwards", x=MARGIN / 2, y=0.5, text=f"{top}", size=0.35),
        Label(id="downwards", x=MARGIN / 2, y=height - 0.5, text=f"{min(upwards)}", size=0.35),
    )
    caption = f"{scale}; upwards {sheet.upwards}"
    return Drawing(width + MARGIN, height + MARGIN, (*shapes, *words), caption=caption)


Cells = dict[tuple[int, int], State]
Looks = dict[tuple[int, int], Look]


def values_of(solution: Solution, cells: Cells) -> tuple[Looks, str]:
    """The look of every cell by its value, and the legend of the shades."""
    bounds = {cell: solution.interval(state) for cell, state in cells.items()}
    values = {cell: (low + high) / 2.0 for cell, (low, high) in bounds.items()}
    least, most = min(values.values(), default=0.0), max(values.values(), default=1.0)
    scale = (most - least) or 1.0
    looks = {
        cell: Look((values[cell] - least) / scale, f"[{low}, {high}]", high > 0.0 or low < 0.0)
        for cell, (low, high) in bounds.items()
    }
    return looks, f"values from {least:.4g} (pale) to {most:.4g} (deep)"


def levels_of(solution: LoweredSolution, cells: Cells) -> tuple[Looks, str]:
    """The look of every cell by its level, with brinks a little deeper, and the legend of the shades."""
    levels = {cell: solution.level(state) for cell, state in cells.items()}
    most = max(levels.values(), default=0)
    looks = {}
    for cell, state in cells.items():
        level, (low, high) = levels[cell], solution.hope(state)
        if level == HOPELESS:
            looks[cell] = Look(0.0, "hopeless", playing=False)
        else:
            depth = FADING ** (level - 0.4 * solution.on_brink(state))
            looks[cell] = Look(depth, f"level {level}, hope [{low:.6g}, {high:.6g}]", mark=str(level))
    return looks, f"levels from 0 (deep) to {most} (pale), the brink of each a little deeper"


def _cell(
    solution: Solution, sheet: StateMap, state: State, player: int, corner: tuple[float, float], look: Look | None
) -> Iterator[AnyShape]:
    """One state: its square, then an arrow per action with more than a tiny probability."""
    x, y = corner
    name = f"{x:g}-{y:g}"
    if look is None:
        yield Rect(id=f"cell-{name}", x=x, y=y, fill="faint", symbol=ENDED, title=f"{state}: the game is over")
        return
    chosen = {action: odds for action, odds in solution.strategy(state, player).items() if odds > SHOWN}
    arrows = [(sheet.arrows[player].get(action), odds) for action, odds in chosen.items()]
    words = ", ".join(f"{action} {odds:.4g}" for action, odds in chosen.items())
    sign = MIXED if len(arrows) > 1 else SIGNS.get(arrows[0][0] or (0, 0), STAYS)
    symbol = sign + look.mark if look.playing else IDLE
    title = f"{look.words} {words}"
    yield Rect(id=f"cell-{name}", x=x, y=y, fill=_shade(look.depth), stroke="shade", symbol=symbol, title=title)
    if not look.playing:
        return
    for number, (arrow, odds) in enumerate(arrows):
        if arrow is not None:
            reach = 0.12 + 0.3 * odds
            to_x, to_y = x + 0.5 + reach * arrow[0], y + 0.5 - reach * arrow[1]
            yield Arrow(id=f"arrow-{name}-{number}", x=x + 0.5, y=y + 0.5, to_x=to_x, to_y=to_y, stroke=ARROW)


def _shade(share: float) -> str:
    """A colour between pale and deep."""
    red, green, blue = (round(p + share * (d - p)) for p, d in zip(PALE, DEEP, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"
