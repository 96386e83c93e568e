"""The belief panel: what a model believes of each player, how sure it is, and which moves speak for and against it.

More is shown on request. Visitors choose between models by the question that they answer.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

import msgspec
from nicegui import ui
from nicegui.events import GenericEventArguments

from kibitz.core.drawing import PALETTE
from kibitz.core.errors import KibitzError, printable
from kibitz.core.game import Game
from kibitz.core.insight import UNKNOWN, Explanation, Insight, most_evidence
from kibitz.core.kit.about import label_name, label_words
from kibitz.core.match.watchers import make_watcher
from kibitz.core.registry import entries
from kibitz.core.specs import parse_spec
from kibitz.core.wording import (
    clear_reasons,
    expectation_sentence,
    join_words,
    leading_share,
    question_words,
    reason_words,
    sentence,
    shift_words,
    sure_words,
)
from kibitz_web.page_frame import call, plain_button
from kibitz_web.server.workers.watching import Thought
from kibitz_web.server.workers.what_if import WhatIf

SHOWN = 8
"""Number of likeliest labels that get a bar."""
NOTHING = "Nothing is known yet: it waits for the first choice."
NOTHING_OF_YOU = "Nothing is known of you yet. Play: with your first choice it begins to guess."
NEXT = "action"
"""The question that predictions answer."""
NAMED_MOVES = 3
"""Moves named that would tell most, and that would tell least."""
CHART = {
    "grid": {"left": 40, "right": 12, "top": 10, "bottom": 84},
    "legend": {"bottom": 0, "type": "scroll", "textStyle": {"color": PALETTE["faint"]}},
    "xAxis": {"type": "value", "name": "moves", "nameLocation": "middle", "nameGap": 22, "minInterval": 1},
    "yAxis": {"type": "value", "min": 0, "max": 100, "axisLabel": {"formatter": "{value} %"}},
    "tooltip": {"trigger": "axis"},
    "animation": False,
    "series": [],
}
Ask = Callable[[], Awaitable[Sequence[WhatIf]]]


class Reading(msgspec.Struct, frozen=True, array_like=True):
    """What a kibitzer says of one player; `kibitzer` of pages.js shows it."""

    player: int = 0
    name: str = ""
    claim: str = ""
    sure: float | None = None
    """How sure it is, in percent; None: nothing is known yet."""
    sure_words: str = ""
    meaning: str = ""
    """The leading label in the words of the game."""
    spoken: list[str] = []
    """The moves that told most for the claim, each with its number in the list of moves."""
    against: list[str] = []
    """The moves that told most against it."""
    habits: list[str] = []
    bars: list[tuple[str, float, str | None]] = []
    """The likeliest labels, each in percent and in the words of the game; None: the words that were sent before."""


class Panel:
    """Shows the insights of a match.

    *names* says what the players are called; *you* is the visitor's seat; *ask* finds out what their moves would tell.
    """

    def __init__(
        self,
        game: Game,
        watchers: Sequence[str],
        names: Callable[[], Sequence[str]],
        you: int | None = None,
        ask: Ask | None = None,
    ) -> None:
        self.game, self.names, self.you, self.ask = game, names, you, ask
        self.thoughts, self.meanings = dict[int, Thought](), dict[str, str]()
        self.sent: dict[str, str] = {}
        """The meanings of labels that the page knows: they are most of what is sent."""
        self.now = -1
        """The ply that is shown."""
        self.choices = [(label, question) for label in watchers for question in questions_of(label, game)]
        self.chosen = self.choices[0] if self.choices else ("", "")
        self.player = 0 if you is None else you
        with ui.element("div").classes("kibitzer-panel"):
            self.build()

    def build(self) -> None:
        """Lay the panel out."""
        if not self.choices:
            ui.label("No model is watching.").classes("quiet")
        self.build_questions()
        self.readings = ui.element("div").classes("readings").props('aria-live="polite"')
        if self.ask is not None and self.choices:
            self.build_what_if()
        shown = ui.element("details").classes("more")
        shown.set_visibility(bool(self.choices))
        with shown:
            ui.html("How its belief changed", sanitize=False, tag="summary")
            ui.select(
                dict(enumerate(self.names())), value=self.player, label="about", on_change=self.choose_player
            ).props("dense")
            self.chart = ui.echart(dict(CHART)).classes("w-full").style("height: 16rem")
            self.chart.props('role="img" aria-label="belief over time; the bars say the same in numbers"')
        shown.on("toggle", js_handler="() => kibitz.resized()")

    def build_questions(self) -> None:
        """A button for each question of each kibitzer."""
        if len(self.choices) < 2:
            return
        same = [question_words(question) for _, question in self.choices]
        with ui.element("div").classes("questions").props('role="group" aria-label="questions"') as self.asked:
            for number, (label, question) in enumerate(self.choices):
                words = question_words(question)
                several = f" ({label_name(self.game, label)})" if same.count(words) > 1 else ""
                pressed = str((label, question) == self.chosen).lower()
                chip = plain_button(words + several, partial(self.choose_question, number), "question")
                chip.props(f'aria-pressed="{pressed}" title="{model_words(label)}"')

    def build_what_if(self) -> None:
        """A button that tells what each move would give away."""
        with ui.element("div").classes("what-if"):
            plain_button("What if I …", self.try_moves)
            self.tried = ui.element("div").props('role="status" aria-live="polite"')

    # What the visitor does

    def choose_question(self, number: int, event: GenericEventArguments | None = None) -> None:
        """Show the answers to another question."""
        self.chosen = self.choices[number]
        call(self.asked, "pressedOnly", number)
        self.repaint()
        self.redraw()

    def choose_player(self, event: object) -> None:
        """Draw the lines of another player."""
        wanted = getattr(event, "value", 0)
        if wanted in range(self.game.players):
            self.player = wanted
            self.redraw()

    async def try_moves(self) -> None:
        """Show what the kibitzer would believe after each move that the visitor can make now."""
        assert self.ask is not None, "the button is there for those who may ask"
        call(self.tried, "words", "It thinks each of your moves through …")
        try:
            found = await self.ask()
        except KibitzError as error:
            call(self.tried, "words", str(error))
            return
        call(self.tried, "whatIf", what_if_rows(self.game, found, self.insight_now(), self.you or 0))

    # What is shown

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
        self.now = max(found)
        self.repaint()
        if self.ask is not None and fresh and self.choices:
            call(self.tried, "words", "")
        if fresh:
            call(self.chart, "lines", [point for ply in fresh for point in self.points(ply)], False)

    def insight_now(self) -> Insight | None:
        """The insight of the kibitzer shown."""
        return next((each for each in self.thoughts.get(self.now, ()) if each.label == self.chosen[0]), None)

    def repaint(self) -> None:
        """Show what the chosen kibitzer says now."""
        insight = self.insight_now()
        if insight is None:
            return
        if insight.error:
            words = printable(f"The model stopped watching: {insight.error}")
            call(self.readings, "kibitzer", insight.label, [Reading(claim=words)])
            return
        order = sorted(range(self.game.players), key=lambda player: player != self.you)
        said = [each for player in order if (each := self.reading(insight, player)) is not None]
        said = self.merge_unknown(said, insight)
        call(self.readings, "kibitzer", insight.label, msgspec.to_builtins(said))

    def merge_unknown(self, said: list[Reading], insight: Insight) -> list[Reading]:
        """The readings, with one line for all players of whom no choice was seen."""
        if self.chosen[1] == NEXT:
            return said
        seen = [each for each in said if insight.explanations[each.player].verdict != "nothing seen"]
        unseen = [each for each in said if each not in seen]
        if said and not seen:
            return [Reading(claim=NOTHING if self.you is None else NOTHING_OF_YOU)]
        if len(unseen) < 2:
            return said
        names = join_words([each.name if each.player != self.you else "you" for each in unseen])
        return [*seen, Reading(claim=f"Nothing is known of {names} yet.")]

    def who(self, player: int) -> str:
        """The name of a player, `You` for the visitor."""
        return self.names()[player]

    def reading(self, insight: Insight, player: int) -> Reading | None:
        """What an insight says of one player; None if nothing."""
        if self.chosen[1] == NEXT:
            return self.expectation(insight, player)
        explanation = insight.explanations[player] if player < len(insight.explanations) else Explanation()
        belief = insight.beliefs[player] if player < len(insight.beliefs) else {}
        if not belief and explanation == Explanation():
            return None
        name = partial(self.name, player=player)
        spoken, against = clear_reasons(explanation.reasons)
        leader = explanation.claims[0].label if explanation.claims else ""
        share = leading_share(explanation)
        return Reading(
            player,
            self.who(player),
            printable(sentence(explanation, self.who(player), name)),
            None if share is None else percent(share),
            sure_words(explanation),
            self.meaning(leader) if share is not None and len(explanation.claims) == 1 else "",
            [printable(words) for words in reason_words(spoken, as_listed=True)],
            [printable(words) for words in reason_words(against, as_listed=True)],
            [printable(words) for words in explanation.habits],
            [] if share is None else self.bars(belief, explanation, player),
        )

    def bars(
        self, belief: Mapping[str, float], explanation: Explanation, player: int
    ) -> list[tuple[str, float, str | None]]:
        """The likeliest labels, each in percent and in words."""
        claims = (*explanation.claims, *([explanation.rival] if explanation.rival is not None else []))
        titles = {claim.label: claim.title for claim in claims}
        ranked = sorted(belief.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
        found = []
        for what, share in ranked:
            name, words = self.name(what, player), titles.get(what) or self.meaning(what)
            found.append((name, percent(share), None if self.sent.get(name) == words else words))
            self.sent[name] = words
        return found

    def expectation(self, insight: Insight, player: int) -> Reading | None:
        """What a model expects of one player now; None if it expects nothing."""
        expected = insight.predictions.get(player, ())
        if not expected:
            return None
        bars: list[tuple[str, float, str | None]] = [(each.notation, percent(each.share), "") for each in expected]
        words = printable(expectation_sentence(expected, self.who(player)))
        return Reading(player, self.who(player), words, bars[0][1], f"{bars[0][1]:g} % likely", bars=bars)

    def name(self, label: str, player: int) -> str:
        """A label for people."""
        return "none of these" if label == UNKNOWN else label_name(self.game, label, player)

    def meaning(self, label: str) -> str:
        """A label in the words of the game; empty if it has none."""
        if label not in self.meanings:
            self.meanings[label] = printable(label_words(self.game, label) or "")
        return self.meanings[label]

    def points(self, ply: int) -> list[tuple[str, int, float]]:
        """The points of the lines at *ply*."""
        for insight in self.thoughts[ply]:
            if insight.label == self.chosen[0] and self.player < len(insight.beliefs):
                belief = insight.beliefs[self.player].items()
                return [(self.name(what, self.player), ply, percent(share)) for what, share in belief]
        return []


def questions_of(label: str, game: Game) -> list[str]:
    """The questions that a watching model answers, those about the players first."""
    answers = make_watcher(label.partition("#")[0], game).model.answers
    return sorted(answers, key=lambda question: question == NEXT)


def model_words(label: str) -> str:
    """A model with its seat, by its name and its docstring."""
    name = parse_spec(label.partition("#")[0].partition("@")[0]).name
    return f"{label}: {entries('model')[name].summary()}" if name in entries("model") else label


def what_if_rows(game: Game, found: Sequence[WhatIf], now: Insight | None, player: int) -> list[tuple[str, str, float]]:
    """The moves that would tell most and those that would tell least: the move, the change in words, how much it is."""
    if now is None or player >= len(now.beliefs):
        return []
    belief_before, rows = now.beliefs[player], []
    for each in found:
        after = next((insight for insight in each.insights if insight.label == now.label), None)
        if after is None or after.error or not after.beliefs[player]:
            continue
        belief = after.beliefs[player]
        label, evidence = most_evidence(belief_before, belief)
        name = "none of these" if label == UNKNOWN else label_name(game, label, player)
        rows.append((each.notation, shift_words(name, belief_before.get(label, 0.0), belief[label]), abs(evidence)))
    rows.sort(key=lambda row: -row[2])
    return rows if len(rows) <= 2 * NAMED_MOVES else [*rows[:NAMED_MOVES], *rows[-NAMED_MOVES:]]


def percent(share: float) -> float:
    return round(100.0 * share, 1)
