"""The game of the moment: two agents play, and what a kibitzer believes of them moves before one's eyes.

One match serves all visitors of a server. It is played in the workers, a short while after the last one, and only while
somebody looks at it.
"""

import asyncio
from functools import partial
from html import escape
from itertools import count

import msgspec
from nicegui import ui

from kibitz.core.abilities.about import described_game, label_name
from kibitz.core.drawing import svg
from kibitz.core.drawing.positions import deeds, drawn_after
from kibitz.core.errors import KibitzError
from kibitz.core.game import Game
from kibitz.core.headline_wording import headline, leading_share, sure_words
from kibitz.core.insight import Explanation, Insight
from kibitz.core.match.play import play
from kibitz.core.match.recorded import Moment
from kibitz.core.registry import make_game
from kibitz.server.workers.watching import replay_with_insights
from kibitz.web.look import call
from kibitz.web.parts.game_cards import Gallery, GameCard

LONGEST = 3
"""Minutes of the games that are shown: longer ones may need kernels that must be compiled first."""
PAUSE = 2.0
"""Seconds between two events."""
REST = 6.0
"""Seconds for which the end of a game is shown."""


class Shown(msgspec.Struct, frozen=True):
    """What all visitors see now."""

    title: str = ""
    picture: str = ""
    words: str = ""
    claim: str = ""
    sure: float = 0.0
    sure_words: str = ""


class MomentShow:
    """Plays one game after another for those who look."""

    def __init__(self, gallery: Gallery) -> None:
        self.gallery, self.now, self.changed = gallery, Shown(), asyncio.Event()
        self.viewers = 0
        self.task: asyncio.Task[None] | None = None

    def join(self) -> None:
        """Somebody looks: go on, or begin."""
        self.viewers += 1
        if self.task is None or self.task.done():
            self.task = asyncio.get_running_loop().create_task(self.run())

    def leave(self) -> None:
        """Somebody looks no more."""
        self.viewers -= 1

    async def run(self) -> None:
        """Show games as long as anybody looks."""
        await self.gallery.drawn.wait()  # what visitors wait for comes first
        cards = [card for card in self.gallery.known.values() if card.own_agents and 0 < card.minutes <= LONGEST]
        for number in count() if cards else ():
            card = cards[number % len(cards)]
            try:
                match = await self.gallery.compute.run_cpu(shown_match, card, number)
            except KibitzError:  # the server closes, or its workers are busy
                return
            for shown in match:
                self.show(shown)
                await asyncio.sleep(PAUSE)
                if not self.viewers:
                    return
            await asyncio.sleep(REST)

    def show(self, shown: Shown) -> None:
        """Show something else to everybody."""
        self.now = shown
        self.changed.set()
        self.changed = asyncio.Event()


def shown_match(card: GameCard, seed: int) -> list[Shown]:
    """A match of a card's opponents, event by event, as a model sees it; in a worker."""
    agents = [[*card.opponents][player % len(card.opponents)] for player in range(card.seats)]
    record = play(card.game, agents, seed=seed)
    game = make_game(card.game)
    moments, thoughts = replay_with_insights(record, [card.kibitzer], "the game of the moment")
    pairs = list(zip(moments, thoughts, strict=True))[1:]
    shown = [shown_at(game, moment, thought[0]) for moment, thought in pairs]
    truths = ", ".join(f"{game.player_name(player)} was {agent}" for player, agent in enumerate(agents))
    if shown:
        shown[-1] = msgspec.structs.replace(shown[-1], words=f"It is over: {truths}.")
    return shown


def shown_at(game: Game, moment: Moment, insight: Insight) -> Shown:
    """What visitors see after an event: the position, and what the kibitzer makes of the player who acted last."""
    assert moment.event is not None, "the first moment is not shown"
    done = deeds(moment.event, game)
    actor = max((deed.player for deed in done), default=0)
    explanations = insight.explanations or (Explanation(),) * game.players
    surest = max(range(game.players), key=lambda each: leading_share(explanations[each]) or 0.0)
    player = actor if actor >= 0 else surest
    explanation, name = explanations[player], game.player_name(player).capitalize()
    return Shown(
        f"Live: {described_game(game).title}",
        svg(drawn_after(game, moment.event), 30.0),
        "; ".join(f"{deed.who}: {deed.words}" for deed in done),
        headline(explanation, name, partial(label_name, game)),
        round(100.0 * (leading_share(explanation) or 0.0), 1),
        sure_words(explanation),
    )


class MomentCard:
    """The card of one visitor."""

    def __init__(self, show: MomentShow, area: ui.element) -> None:
        self.show, self.area = show, area
        with area:
            self.body = ui.html("", sanitize=False)

    async def follow(self) -> None:
        """Show what happens until the visitor leaves."""
        self.show.join()
        try:
            while True:
                changed = self.show.changed
                if self.show.now.title:
                    self.area.set_visibility(True)
                    call(self.body, "moment", card_html(self.show.now))
                await changed.wait()
        finally:
            self.show.leave()


def card_html(shown: Shown) -> str:
    """The card as HTML."""
    return (
        f'<div class="moment-head"><h2>{escape(shown.title)}</h2><span class="tag">agents playing</span></div>'
        f'<div class="picture">{shown.picture}</div><p class="moved">{escape(shown.words)}</p>'
        f'<p class="claim">{escape(shown.claim)}</p>'
        f'<div class="meter"><span style="width:{shown.sure}%"></span></div>'
        f'<p class="how-sure">{escape(shown.sure_words)}</p>'
    )
