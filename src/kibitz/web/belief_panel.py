"""The panel of the watching models: bars for now, lines over time, and explanations."""

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec
from nicegui import ui

from kibitz.core.abilities.about import label_name, label_words
from kibitz.core.drawing import DARK, PALETTE
from kibitz.core.errors import printable
from kibitz.core.game import Game
from kibitz.core.insight import Explanation, Insight
from kibitz.core.wording import brief_sentence, clear_reasons, evidence_words, reason_words
from kibitz.server.workers.watching import Thought
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


class PlayerRows(msgspec.Struct, frozen=True, array_like=True):
    """What a page shows of one model about one player; `bars` of kibitz.js draws it."""

    player: int = 0
    name: str = ""
    heading: str = ""
    """The verdict, the number of choices and the lead."""
    enough: bool = False
    """Whether the evidence decides."""
    bars: list[tuple[str, float, str]] = []
    """The likeliest labels, each in percent and in the words of the game."""
    words: str = ""
    meaning: str = ""
    """The leading label in the words of the game, if the evidence decides."""
    spoken: list[str] = []
    """The moves that told most for the claim, each with its number in the list of moves."""
    against: list[str] = []
    """The moves that told most against it."""
    habits: list[str] = []


class Panel:
    """Shows the insights of a match; *thoughts* grows from outside."""

    def __init__(self, game: Game, watchers: Sequence[str]) -> None:
        self.game, self.thoughts, self.meanings = game, dict[int, Thought](), dict[str, str]()
        players = range(game.players)
        self.pairs = {
            f"{label_name(game, label)} · {game.player_name(p)}": (label, p) for label in watchers for p in players
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
        self.show_all({ply: thought})

    def show_all(self, found: Mapping[int, Thought]) -> None:
        """Show the insights at some moments, of which the last is now."""
        if not found:
            return
        fresh = [ply for ply in found if ply not in self.thoughts]
        self.thoughts |= found
        now = found[max(found)]
        call(self.bars, "bars", msgspec.to_builtins([self.rows(insight) for insight in now]))
        if fresh:
            call(self.chart, "lines", [point for ply in fresh for point in self.points(ply)], False)

    def rows(self, insight: Insight) -> tuple[str, list[PlayerRows]]:
        """The rows of one model: for each player how sure it is, the likeliest labels, and what told most."""
        label = label_name(self.game, insight.label)
        if insight.error:
            return label, [PlayerRows(words=printable(f"stopped: {insight.error}"))]
        players = [self.player_rows(insight, player) for player in range(len(insight.beliefs))]
        return label, [each for each in players if each.bars or each.words]

    def player_rows(self, insight: Insight, player: int) -> PlayerRows:
        """The rows about one player."""
        explanation = insight.explanations[player] if player < len(insight.explanations) else Explanation()
        claims = (*explanation.claims, *([explanation.rival] if explanation.rival is not None else []))
        titles = {claim.label: claim.title for claim in claims}
        ranked = sorted(insight.beliefs[player].items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
        bars = [
            (label_name(self.game, what, player), percent(share), titles.get(what) or self.meaning(what))
            for what, share in ranked
        ]
        rows = PlayerRows(player, self.game.player_name(player), bars=bars)
        if explanation == Explanation():
            return rows
        spoken, against = clear_reasons(explanation.reasons)
        leader = explanation.claims[0].label if explanation.claims else ""
        return msgspec.structs.replace(
            rows,
            heading=evidence_words(explanation),
            enough=explanation.enough,
            words=printable(brief_sentence(explanation, partial(label_name, self.game, player=player))),
            meaning=self.meaning(leader) if explanation.enough else "",
            spoken=[printable(words) for words in reason_words(spoken, as_listed=True)],
            against=[printable(words) for words in reason_words(against, as_listed=True)],
            habits=[printable(words) for words in explanation.habits],
        )

    def meaning(self, label: str) -> str:
        """A label in the words of the game; empty if it has none."""
        if label not in self.meanings:
            self.meanings[label] = printable(label_words(self.game, label) or "")
        return self.meanings[label]

    def points(self, ply: int) -> list[tuple[str, int, float]]:
        """The points of the lines at *ply*."""
        label, player = self.pair
        for insight in self.thoughts[ply]:
            if insight.label == label and player < len(insight.beliefs):
                return [
                    (label_name(self.game, what, player), ply, percent(share))
                    for what, share in insight.beliefs[player].items()
                ]
        return []


def percent(share: float) -> float:
    return round(100.0 * share, 1)
