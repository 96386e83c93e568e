"""The panel of the watching models: bars for now, lines over time, and explanations."""

from collections.abc import Sequence

from nicegui import ui

from kibitz.core.drawing import DARK, PALETTE
from kibitz.core.errors import printable
from kibitz.core.game import Game
from kibitz.core.insight import Explanation, Insight
from kibitz.core.registry import spec_of
from kibitz.core.wording import sentence
from kibitz.server.insights import Thought
from kibitz.web.look import call

SHOWN = 5
"""Number of likeliest labels that get a bar."""
CHART = {
    "grid": {"left": 36, "right": 8, "top": 8, "bottom": 64},
    "legend": {"bottom": 0, "type": "scroll", "textStyle": {"color": PALETTE["faint"]}},
    "xAxis": {"type": "value", "name": "events", "nameLocation": "middle", "nameGap": 22, "minInterval": 1},
    "yAxis": {"type": "value", "min": 0, "max": 100},
    "tooltip": {"trigger": "axis"},
    "color": [DARK[f"player{number}"] for number in range(6)],
    "animation": False,
    "series": [],
}


class Panel:
    """Shows the insights of a match; *thoughts* grows from outside."""

    def __init__(self, game: Game, watchers: Sequence[str]) -> None:
        self.game, self.thoughts = game, dict[int, Thought]()
        players = range(game.players)
        self.pairs = {
            f"{short(label, game)} · {game.player_name(p)}": (label, p) for label in watchers for p in players
        }
        self.pair = next(iter(self.pairs.values()), ("", 0))
        self.bars = ui.element("div").classes("beliefs").props('aria-live="off"')
        with ui.element("section").props('aria-label="belief over time"'):
            if self.pairs:
                ui.select([*self.pairs], value=next(iter(self.pairs)), label="over time", on_change=self.choose).props(
                    "dense options-dense"
                ).classes("w-full")
            else:
                ui.label("No model is watching.").classes("quiet")
            self.chart = ui.echart(dict(CHART)).classes("w-full").style("height: 14rem")
            self.chart.set_visibility(bool(self.pairs))

    def choose(self, event: object) -> None:
        """Draw the lines of another model or player."""
        self.pair = self.pairs.get(str(getattr(event, "value", "")), self.pair)  # a browser may send anything
        self.redraw()

    def redraw(self) -> None:
        """Draw all lines again."""
        points = [point for ply in sorted(self.thoughts) for point in self.points(ply)]
        call(self.chart, "lines", points, True)

    def show(self, ply: int, thought: Thought) -> None:
        """Show the insights after *ply* events."""
        fresh = ply not in self.thoughts
        self.thoughts[ply] = thought
        call(self.bars, "bars", [self.rows(insight) for insight in thought])
        if fresh:
            call(self.chart, "lines", self.points(ply), False)

    def rows(self, insight: Insight) -> tuple[str, list[object]]:
        """The bars of one model: for each player the likeliest labels in percent, and the explanation."""
        if insight.error:
            return short(insight.label, self.game), [(0, "", [], f"stopped: {insight.error}")]
        players: list[object] = []
        for player, belief in enumerate(insight.beliefs):
            words = words_about(insight, player)
            ranked = sorted(belief.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
            bars = [(short(what, self.game), percent(share)) for what, share in ranked]
            if bars or words:
                players.append((player, self.game.player_name(player), bars, words))
        return short(insight.label, self.game), players

    def points(self, ply: int) -> list[tuple[str, int, float]]:
        """The points of the lines at *ply*."""
        label, player = self.pair
        for insight in self.thoughts[ply]:
            if insight.label == label and player < len(insight.beliefs):
                return [
                    (short(what, self.game), ply, percent(share)) for what, share in insight.beliefs[player].items()
                ]
        return []


def words_about(insight: Insight, player: int) -> str:
    """The explanation of a model about a player."""
    said = player < len(insight.explanations) and insight.explanations[player] != Explanation()
    return printable(sentence(insight.explanations[player])) if said else ""


def short(label: str, game: Game) -> str:
    """A label without the name of the game it belongs to."""
    return label.removeprefix(f"{spec_of(game).name}.")


def percent(share: float) -> float:
    return round(100.0 * share, 1)
