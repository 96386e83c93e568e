"""The debrief of a match that is over: who won and why, what was believed of you, which moves told it, and what now."""

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any

from nicegui import ui

from kibitz.core.drawing import PALETTE
from kibitz.core.errors import KibitzError
from kibitz.core.game import Game
from kibitz.core.insight import UNKNOWN
from kibitz.core.kit.about import described_game, label_name, label_words
from kibitz.core.records import Record
from kibitz.core.records.replay import Replay, measures_of
from kibitz.core.specs import parse_spec
from kibitz.core.wording import percent, question_words
from kibitz_web.analysis.debrief_facts import Choice, Debrief, PlayerDebrief, debrief_of
from kibitz_web.analysis.debrief_sentences import (
    cause_sentence,
    found_sentence,
    readable_sentence,
    result_sentence,
    shift_sentence,
    truth_sentence,
    whom,
)
from kibitz_web.page_frame import call, errors_shown, heading, plain_button
from kibitz_web.parts.belief_panel import CHART, questions_of
from kibitz_web.parts.seat_names import seat_names
from kibitz_web.server.live.archive import names_of
from kibitz_web.server.live.participants import Participant
from kibitz_web.server.live.setup import allowed_setup
from kibitz_web.server.workers.watching import Thought, replay_with_insights
from kibitz_web.visit import Visit, open_match

COLOURS = (PALETTE["player0"], PALETTE["player1"], "#7a7a7a")


class DebriefPart:
    """The debrief of one record for one visitor; *you* is their seat."""

    def __init__(self, visit: Visit, name: str, game: Game, record: Record, you: int | None) -> None:
        self.visit, self.name, self.game, self.record, self.you = visit, name, game, record, you
        self.names = seat_names(game, names_of(record), you)
        people = [player for player in range(game.players) if is_person(record.header.agents[player])]
        self.player = you if you is not None else next(iter(people), 0)
        """The player whom it is about."""

    def build(self, thoughts: Sequence[Thought]) -> None:
        """Lay it out."""
        label = next((thought[0].label for thought in thoughts if thought), "")
        question = questions_of(label, self.game)[0] if label else "strategy"
        found = debrief_of(self.game, self.record, thoughts, question, self.player)
        own = found.players[self.player]
        with ui.element("section").classes("debrief").props('aria-label="debrief"'):
            heading(result_sentence(found, self.who), 2)
            about = described_game(self.game)
            lead = f"{cause_sentence(found, self.who, about.goal)} {found_sentence(found, own, self.who, self.label)}"
            ui.label(lead).classes("lead")
            self.build_buttons()
            with ui.element("div").classes("debrief-grid"):
                self.build_belief(found, own)
                self.build_readability(own)
            self.build_moves(found)
            self.build_truths(found)
            self.build_measures()
            call(self.readable, "reveal")

    # Its parts

    def build_buttons(self) -> None:
        """What to do now."""
        header = self.record.header
        with ui.element("div").classes("row"):
            plain_button("Rematch", lambda: self.play_again(0), "go")
            if len(header.agents) > 1 and any(map(is_person, header.agents)):
                plain_button("Swap seats", lambda: self.play_again(1))
            path = address(f"/replay/{self.name}?ply=0")
            ui.html(f'<a class="plain-button" href="{path}">Analyse from any move</a>', sanitize=False)
            plain_button("Share", self.share)
            plain_button("Download", self.download)

    def build_belief(self, found: Debrief, own: PlayerDebrief) -> None:
        """The belief in the truth over time, with the moves that told most, and the strongest rivals."""
        with ui.element("div").classes("panel"):
            heading(f"What it believed of {whom(self.who(self.player))}", 3)
            ui.label(f"{question_words(found.question)} {self.name_of(own.label, own.known)}").classes("quiet")
            telling = [move.choice.ply + 1 for move in found.moves if move.choice.player == self.player]
            chart = ui.echart(belief_chart(own, self.label, telling)).classes("w-full").style("height: 15rem")
            last = percent(own.line[-1]) if own.line else "nothing"
            chart.props(f'role="img" aria-label="belief over time, {last} in the end"')

    def name_of(self, label: str, known: bool) -> str:
        """A label, and whether it is the truth."""
        return f"{self.label(label)} ({'the truth' if known else 'its last guess'})" if label else "no claim"

    def build_readability(self, own: PlayerDebrief) -> None:
        """How predictable the player was."""
        with ui.element("div").classes("panel"):
            whose = "you were" if self.who(self.player) == "You" else f"{self.who(self.player)} was"
            heading(f"How readable {whose}", 3)
            share = percent(own.guessed / own.predicted) if own.predicted else "not predicted"
            ui.label(share).classes("large")
            self.readable = ui.label(readable_sentence(own, self.who)).classes("quiet")

    def build_moves(self, found: Debrief) -> None:
        """The moves that told most."""
        rows = []
        for move in found.moves:
            at = move.choice.ply + 1
            link = f'<a class="at" href="{address(f"/replay/{self.name}?ply={at}")}">Move {at}</a>'
            words = bold_row(self.choice_words(move.choice), shift_sentence(move, self.label))
            rows.append(f"{link}<span>{words}</span>")
        list_panel("The three moves that told most", "telling", rows or ["No player chose anything."])

    def choice_words(self, choice: Choice) -> str:
        """A choice with its player, if that is not the one it is about."""
        own = choice.player == self.player
        return f"{choice.notation}." if own else f"{self.who(choice.player)}: {choice.notation}."

    def build_truths(self, found: Debrief) -> None:
        """What was true of every player, and when the kibitzer found it out."""
        list_panel(
            "The truth",
            "truths",
            [
                bold_row(
                    truth_sentence(each, self.who, self.label_in_words),
                    found_sentence(found, each, self.who, self.label),
                )
                for each in found.players
            ],
        )

    def build_measures(self) -> None:
        """What the game measures of the match, where it measures anything."""
        rows = [
            bold_row(f"{', '.join(filter(None, (each.name, whose)))}: {each.value:.3g}", each.words)
            for each in measures_of(self.record)
            for whose in ["" if each.player is None else self.who(each.player)]
        ]
        if rows:
            list_panel("In numbers", "measures", rows)

    # Words

    def who(self, player: int) -> str:
        """The name of a player, `You` for the visitor."""
        return self.names[player]

    def label(self, label: str) -> str:
        """A label for people."""
        return "none it knows" if label == UNKNOWN else label_name(self.game, label, self.player)

    def label_in_words(self, label: str) -> str:
        """A label with what it means."""
        words = label_words(self.game, label)
        return f"{self.label(label)} ({words})" if words and "." in label else words or self.label(label)

    # What the visitor does

    async def play_again(self, turned: int) -> None:
        """Open a match with the same players; *turned* moves everybody on by so many seats."""
        header = self.record.header
        seats = [None if is_person(spec) else spec for spec in header.agents]
        seats = [seats[(player + turned) % len(seats)] for player in range(len(seats))]
        with errors_shown():
            make = partial(allowed_setup, models=header.models or None, agents=self.visit.service.lobby.agents)
            await open_match(self.visit, await self.visit.run_thread(make, header.game, seats))

    def share(self) -> None:
        """Copy the address of the record to the clipboard."""
        call(self.readable, "copy", f"/replay/{self.name}")
        ui.notify("The link is in your clipboard.")

    def download(self) -> None:
        """Send the record as a file."""
        ui.download.content(self.record.to_bytes(), f"match-{self.name}.krec")


async def debrief_match(visit: Visit, name: str, record: Record, you: int | None, thoughts: Sequence[Thought]) -> None:
    """Lay out the debrief of a match; if no model watched, the usual one reads the record first."""
    game = Replay(record, source=name).game
    if not any(thoughts):
        waiting = ui.label("A kibitzer reads the match …").props('role="status"')
        try:
            moments = await visit.run_cpu(replay_with_insights, record, [game.usual_model], name)
            thoughts = [moment.insights() for moment in moments]
        except KibitzError:  # it cannot watch this game: the rest of the debrief needs no model
            thoughts = []
        waiting.delete()
    DebriefPart(visit, name, game, record, you).build(thoughts)


def belief_chart(own: PlayerDebrief, label: Any, telling: Sequence[int]) -> dict[str, Any]:
    """The belief in the truth as a line with the telling moves as points, and its rivals."""
    marks = [{"coord": [ply, round(100 * own.line[ply], 1)]} for ply in telling if ply < len(own.line)]
    name = f"{label(own.label)}{' (true)' if own.known else ''}"
    lines = [(name, own.line, "solid", 3, marks)]
    lines += [(label(each), line, "dashed", 2, []) for each, line in own.rivals.items()]
    return {
        **CHART,
        "grid": {"left": 44, "right": 16, "top": 12, "bottom": 58},
        "series": [
            {
                "name": words,
                "type": "line",
                "showSymbol": False,
                "data": [[ply, round(100 * share, 1)] for ply, share in enumerate(line)],
                "lineStyle": {"width": width, "type": stroke, "color": COLOURS[number]},
                "itemStyle": {"color": COLOURS[number]},
                "markPoint": {"symbol": "circle", "symbolSize": 12, "data": points, "label": {"show": False}},
            }
            for number, (words, line, stroke, width, points) in enumerate(lines)
        ],
    }


def is_person(spec: str) -> bool:
    """Whether the player of a record came from outside."""
    return parse_spec(spec).name == Participant.__name__


def list_panel(title: str, kind: str, rows: Sequence[str]) -> None:
    """A panel with a list, whose rows are HTML."""
    with ui.element("div").classes("panel"):
        heading(title, 3)
        ui.html(f'<ul class="{kind}">{"".join(f"<li>{row}</li>" for row in rows)}</ul>', sanitize=False)


def bold_row(words: str, more: str) -> str:
    """A row that begins in bold, as HTML."""
    return f'<b>{escape(words)}</b> <span class="quiet">{escape(more)}</span>'


def address(path: str) -> str:
    """The address of another page, behind the path in front of ours."""
    return escape(str(ui.context.client.request.scope.get("root_path", "")) + path)
