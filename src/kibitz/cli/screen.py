"""The terminal view of a match: the board, the moves, and what every watching model believes."""

from collections.abc import Iterator, Sequence
from functools import partial

from rich.box import ROUNDED
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from kibitz.cli.console import bar, busy, colour, console, plain_table
from kibitz.core import drawing
from kibitz.core.abilities.about import label_name, label_words
from kibitz.core.agent import Agent
from kibitz.core.drawing.positions import deeds, own_drawing
from kibitz.core.errors import printable
from kibitz.core.game import CHANCE, Game, State
from kibitz.core.insight import Beliefs, Explanation, Insight
from kibitz.core.intention_wording import intention_sentence
from kibitz.core.match import Event
from kibitz.core.match.recorded import Moment
from kibitz.core.records import Record
from kibitz.core.records.measures import measures_of
from kibitz.core.wording import brief_sentence, clear_reasons, evidence_words, reason_words

SHOWN = 4
FRAME = 4
"""Columns that the frame of a panel takes."""


def first(moments: Iterator[Moment]) -> Moment:
    """The first moment of a match, with a spinner: agents that solve the game and rules to be compiled take long."""
    with busy("getting ready (before their first game rules are compiled, which may take a minute)"):
        return next(moments)


def board(game: Game, state: State, frame: int = 0) -> str:
    """The position in characters: the game's drawing if it has one, as wide as the screen less a *frame* at most."""
    draw = own_drawing(game)
    return drawing.text(draw(state), most=console.width - frame) if draw is not None else str(state)


def moves_of(event: Event, game: Game, seat: int | None = None, *, all_seen: bool = True) -> Text:
    """One event in words; with a seat, only what that seat may see."""
    line = Text(f"{event.ply:>3} ", style="dim")
    for number, deed in enumerate(deeds(event, game, seat, all_seen=all_seen)):
        line.append(" | " if number else "", style="dim")
        line.append(f"{deed.who} ", style="dim")
        line.append(deed.words, style="" if deed.player == CHANCE else colour(deed.player))
    for fault in event.faults:
        line.append(f"  [{game.player_name(fault.player)}: {fault.kind}; the default was played]", style="red")
    return line


def beliefs(game: Game, held: Beliefs, insights: Sequence[Insight] = ()) -> RenderableType:
    """Bars of the likeliest labels, for each watching model and player; with *insights*, how far to trust them."""
    table = Table.grid(padding=(0, 1))
    explained = {insight.label: insight.explanations for insight in insights}
    for label, players in held.items():
        table.add_row(Text(label_name(game, label), style="bold"))
        for player, belief in enumerate(players):
            if not belief:
                continue
            heading = Text(game.player_name(player), style=colour(player))
            if player < len(explained.get(label, ())):
                heading.append(f" {evidence_words(explained[label][player])}", style="dim")
            table.add_row(heading)
            ranked = sorted(belief.items(), key=lambda item: (-item[1], item[0]))
            rest = [share for _, share in ranked[SHOWN:]]
            ranked[SHOWN:] = [(f"{len(rest)} others", sum(rest))] if len(rest) > 1 else []
            for name, share in ranked:
                table.add_row(
                    Text(f"  {label_name(game, name, player)}"),
                    Text(bar(share), style=colour(player)),
                    Text(f"{share:4.0%}"),
                )
    return table


def expectations(game: Game, insights: Sequence[Insight]) -> Text:
    """The next moves that the models expect, likeliest first."""
    words = Text()
    for insight in insights:
        for player, expected in insight.predictions.items():
            named = ", ".join(f"{each.notation} {each.share:.0%}" for each in expected)
            words.append(f"{label_name(game, insight.label)} expects of {game.player_name(player)}: ", style="dim")
            words.append(named + "\n", style=colour(player))
    return words


def reasons(game: Game, insights: Sequence[Insight]) -> Iterator[Text]:
    """The explanation of each model about each player: how sure it is, what it claims, and what told most."""
    for insight in insights:
        for player, explanation in enumerate(insight.explanations):
            who = f"{label_name(game, insight.label)} on {game.player_name(player)}: "
            yield Text(who, style=colour(player)).append(evidence_words(explanation), style="dim")
            yield from map(Text, (f"  {line}" for line in explanation_lines(game, explanation, player)))


def explanation_lines(game: Game, explanation: Explanation, player: int | None = None) -> Iterator[str]:
    """What a model claims about a player, the meaning of the leading label, the moves that told most, and habits."""
    yield printable(brief_sentence(explanation, partial(label_name, game, player=player)))
    leader = explanation.claims[0].label if explanation.claims else ""
    if explanation.enough and (meaning := label_words(game, leader)):
        yield printable(f"{label_name(game, leader, player)}: {meaning}")
    spoken, against = clear_reasons(explanation.reasons)
    moves = [*(f"▲ {words}" for words in reason_words(spoken)), *(f"▼ {words}" for words in reason_words(against))]
    if moves:
        yield printable(", ".join(moves))
    if explanation.habits:
        yield printable(f"habits: {'; '.join(explanation.habits)}")


def intentions(game: Game, agents: Sequence[Agent]) -> Iterator[Text]:
    """What each agent that says so meant by its last action, and whom it takes the others for."""
    for player, agent in enumerate(agents):
        intention = agent.explain()
        if intention is not None:
            words = intention_sentence(intention, game.player_name, partial(label_name, game))
            yield Text(f"{game.player_name(player)} ", style=colour(player)).append(printable(words), style="dim")


def frame(
    game: Game,
    moment: Moment,
    moves: Sequence[Text],
    insights: Sequence[Insight],
    *,
    title: str,
    agents: Sequence[Agent] = (),
) -> RenderableType:
    """Board, moves and beliefs side by side, or stacked if the terminal is narrow; below, what all expect."""
    state, held, below = moment.state, moment.beliefs, Group(expectations(game, insights), *intentions(game, agents))
    drawn = board(game, state, FRAME)
    wide = console.width >= 100 and 3 * (max(map(len, drawn.splitlines()), default=0) + FRAME) <= console.width
    shown = max(2, min(14, console.height - 8)) if wide else 4  # what does not fit on the screen is cut off below
    panels = [
        Panel(Text(drawn), title=title, box=ROUNDED, border_style="dim"),  # its brackets are no markup
        Panel(Group(*moves[-shown:]), title="moves", box=ROUNDED, border_style="dim"),
        Panel(beliefs(game, held, insights), title="what the kibitzers believe", box=ROUNDED, border_style="dim"),
    ]
    if not any(held.values()):
        panels.pop()
    if not wide:
        return Group(*panels, below)
    table = Table.grid(expand=True)
    for _ in panels:
        table.add_column(ratio=1)
    table.add_row(*panels)
    return Group(table, below)


def outcome(game: Game, record: Record) -> RenderableType:
    """How the match ended, a line per player."""
    if record.ending is None:
        return Text(f"unfinished: it ends after {len(record.entries)} events")
    ending = record.ending
    table = plain_table()
    table.add_column("player")
    table.add_column("agent")
    table.add_column("earned", justify="right")
    if any(ending.strikes):
        table.add_column("strikes", justify="right")
    for player, (agent, earned) in enumerate(zip(record.header.agents, ending.returns, strict=True)):
        row: list[RenderableType] = [Text(game.player_name(player), style=colour(player)), Text(agent), f"{earned:g}"]
        if any(ending.strikes):
            row.append(f"{ending.strikes[player]}{' (forfeit)' if player in ending.forfeits else ''}")
        table.add_row(*row)
    why = "" if ending.reason == "terminal" else f" (cut off: {ending.reason})"
    lines: list[RenderableType] = [Text(f"{ending.plies} events{why}", style="dim"), table]
    for measure in measures_of(record):
        who = "" if measure.player is None else f" by {game.player_name(measure.player)}"
        lines.append(Text(f"{measure.name}{who}: {measure.value:.3g} ({measure.words})", style="dim"))
    lines += [Text(f"{label} stopped: {error}", style="red") for label, error in ending.model_errors.items()]
    return Group(*lines)
