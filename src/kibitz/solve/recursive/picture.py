"""A solution on a map: what every state is worth, and where a player goes from there (Keffer 2013, Figure 1)."""

from collections.abc import Iterator

from kibitz.core.drawing import AnyShape, Arrow, Drawing, Label, Rect
from kibitz.core.game import State
from kibitz.core.maps import StateMap
from kibitz.solve.recursive.solution import Solution

MARGIN = 1.2
"""Cells left of the map and below it, for what the axes count."""
PALE, DEEP = (255, 255, 255), (86, 180, 233)
"""What the least and the most that any state shown is worth look like."""
SIGNS = {(0, 1): "↑", (0, -1): "↓", (1, 0): "→", (-1, 0): "←"}
ENDED, STAYS, MIXED = "■", "•", "+"
"""In text: the game is over; an action that points nowhere; several actions."""
SHOWN = 1e-3
"""A share below this gets no arrow of its own: it is the ε of a strategy."""


def draw_solution(solution: Solution, sheet: StateMap, player: int) -> Drawing:
    """Every state's value as a shade and its strategy as arrows, as long as the action is likely."""
    across, upwards = zip(*sheet.cells, strict=True)
    left, top = min(across), max(upwards)
    width, height = max(across) - left + 1, top - min(upwards) + 1
    worth = {cell: _value(solution, state) for cell, state in sheet.cells.items()}
    known = [value for value in worth.values() if value is not None]
    least, most = min(known, default=0.0), max(known, default=1.0)
    shapes: list[AnyShape] = []
    for (x, y), state in sheet.cells.items():
        place = (x - left + MARGIN, top - y)
        value = worth[x, y]
        share = 0.0 if value is None or most == least else (value - least) / (most - least)
        shapes += _cell(solution, sheet, state, player, place, share)
    words = (
        Label(id="across", x=MARGIN + width / 2, y=height + 0.6, text=f"{sheet.across}, {left} to {max(across)}"),
        Label(id="upwards", x=MARGIN / 2, y=0.5, text=f"{top}", size=0.35),
        Label(id="downwards", x=MARGIN / 2, y=height - 0.5, text=f"{min(upwards)}", size=0.35),
    )
    caption = f"values from {least:.4g} (pale) to {most:.4g} (deep); upwards {sheet.upwards}"
    return Drawing(width + MARGIN, height + MARGIN, (*shapes, *words), caption=caption)


def _value(solution: Solution, state: State) -> float | None:
    """The middle of a state's interval; None where the game is over."""
    return None if state.is_terminal() else solution.value(state)


def _cell(
    solution: Solution, sheet: StateMap, state: State, player: int, place: tuple[float, float], share: float
) -> Iterator[AnyShape]:
    """One state: its square, then an arrow per action that is played with more than a little probability."""
    x, y = place
    name = f"{x:g}-{y:g}"
    if state.is_terminal():
        yield Rect(id=f"cell-{name}", x=x, y=y, fill="faint", symbol=ENDED, title=f"{state}: the game is over")
        return
    chosen = {action: odds for action, odds in solution.strategy(state, player).items() if odds > SHOWN}
    ways = [(sheet.arrows[player].get(action), odds) for action, odds in chosen.items()]
    low, high = solution.interval(state)
    words = ", ".join(f"{action} {odds:.4g}" for action, odds in chosen.items())
    sign = MIXED if len(ways) > 1 else SIGNS.get(ways[0][0] or (0, 0), STAYS)
    symbol = sign if high > 0.0 or low < 0.0 else "·"
    yield Rect(
        id=f"cell-{name}", x=x, y=y, fill=_shade(share), stroke="shade", symbol=symbol, title=f"[{low}, {high}] {words}"
    )
    if symbol == "·":
        return
    for number, (way, odds) in enumerate(ways):
        if way is not None:
            reach = 0.12 + 0.3 * odds
            to_x, to_y = x + 0.5 + reach * way[0], y + 0.5 - reach * way[1]
            yield Arrow(id=f"arrow-{name}-{number}", x=x + 0.5, y=y + 0.5, to_x=to_x, to_y=to_y, stroke="ink")


def _shade(share: float) -> str:
    """Between pale and deep."""
    red, green, blue = (round(p + share * (d - p)) for p, d in zip(PALE, DEEP, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"
