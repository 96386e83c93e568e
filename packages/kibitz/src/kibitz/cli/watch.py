"""`kibitz watch`: agents play, models watch and explain, you see both.

The terminal view of a match is here, too: the board, the moves, and what every watching model believes.
"""

import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from rich.box import ROUNDED
from rich.console import Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from kibitz.cli.console import Table, bar, busy, colour, console, dim, print_json, show, warn
from kibitz.cli.options import Agent, Argument, Delay, GameArgument, JsonCommand, Names, Plot, Watched
from kibitz.core import drawing
from kibitz.core.agent import Agent as PlayingAgent
from kibitz.core.errors import BadSpec, printable
from kibitz.core.game import CHANCE, Game, State
from kibitz.core.insight import Beliefs, Explanation, Insight
from kibitz.core.kernels import compile_in_background
from kibitz.core.kit.about import label_name, label_words
from kibitz.core.match import Event, Moment
from kibitz.core.match.play import RecordedMatch
from kibitz.core.pictures.match_pictures import deeds
from kibitz.core.records import Record
from kibitz.core.records.replay import measures_of
from kibitz.core.registry import default_agents, kit_of, make_game, spec_of
from kibitz.core.wording import clear_reasons, intention_sentence, percent, reason_words, remarks, sentence, sure_words
from kibitz.remote.command_lines import allow_network
from kibitz.remote.program_agent import Process

SHOWN = 4
FRAME = 4
"""Columns that the frame of a panel takes."""


def first(moments: Iterator[Moment]) -> Moment:
    """The first moment of a match, with a spinner: an agent may solve the game before it."""
    with busy("getting ready"):
        return next(moments)


def board(game: Game, state: State, frame: int = 0) -> str:
    """The position in characters: the game's drawing if it has one, as wide as the screen less a *frame* at most."""
    draw = kit_of(game).drawing
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


def beliefs(game: Game, believed: Beliefs, insights: Sequence[Insight] = ()) -> RenderableType:
    """Bars of the likeliest labels, for each watching model and player; with *insights*, how far to trust them."""
    table = Grid.grid(padding=(0, 1))
    explained = {insight.label: insight.explanations for insight in insights}
    for label, players in believed.items():
        table.add_row(Text(label_name(game, label), style="bold"))
        for player, belief in enumerate(players):
            if not belief:
                continue
            heading = Text(game.player_name(player), style=colour(player))
            if player < len(explained.get(label, ())):
                heading.append(f" {sure_words(explained[label][player])}", style="dim")
            table.add_row(heading)
            ranked = sorted(belief.items(), key=lambda item: (-item[1], item[0]))
            rest = [probability for _, probability in ranked[SHOWN:]]
            ranked[SHOWN:] = [(f"{len(rest)} others", sum(rest))] if len(rest) > 1 else []
            for name, probability in ranked:
                table.add_row(
                    Text(f"  {label_name(game, name, player)}"),
                    Text(bar(probability), style=colour(player)),
                    Text(percent(probability).rjust(4)),
                )
    return table


def expectations(game: Game, insights: Sequence[Insight]) -> Text:
    """The next moves that the models expect, likeliest first."""
    words = Text()
    for insight in insights:
        for player, expected in insight.predictions.items():
            named = ", ".join(f"{each.notation} {percent(each.share)}" for each in expected)
            words.append(f"{label_name(game, insight.label)} expects of {game.player_name(player)}: ", style="dim")
            words.append(named + "\n", style=colour(player))
    return words


def reasons(game: Game, insights: Sequence[Insight]) -> Iterator[Text]:
    """The explanation of each model about each player: what it claims, how sure it is, and what told most."""
    for insight in insights:
        for player, explanation in enumerate(insight.explanations):
            said = sentence(explanation, game.player_name(player), partial(label_name, game, player=player))
            line = Text(f"{label_name(game, insight.label)}: ").append(printable(said), style=colour(player))
            yield line.append(f" {sure_words(explanation)}", style="dim")
            yield from (Text(f"  {printable(line)}") for line in evidence_lines(game, explanation, player))


def evidence_lines(game: Game, explanation: Explanation, player: int) -> Iterator[str]:
    """The model's remarks, the meaning of the leading label, the moves that told most, and habits."""
    if found := remarks(explanation):
        yield "; ".join(found)
    leader = explanation.claims[0].label if explanation.claims else ""
    if explanation.enough and (meaning := label_words(game, leader)):
        yield f"{label_name(game, leader, player)}: {meaning}"
    spoken, against = clear_reasons(explanation.reasons)
    moves = [*(f"▲ {words}" for words in reason_words(spoken)), *(f"▼ {words}" for words in reason_words(against))]
    if moves:
        yield ", ".join(moves)
    if explanation.habits:
        yield f"habits: {'; '.join(explanation.habits)}"


def intentions(game: Game, agents: Sequence[PlayingAgent]) -> Iterator[Text]:
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
    agents: Sequence[PlayingAgent] = (),
) -> RenderableType:
    """Board, moves and beliefs side by side, or stacked if the terminal is narrow; below, what all expect."""
    state, believed, below = (
        moment.state,
        moment.beliefs,
        Group(expectations(game, insights), *intentions(game, agents)),
    )
    drawn = board(game, state, FRAME)
    wide = console.width >= 100 and 3 * (max(map(len, drawn.splitlines()), default=0) + FRAME) <= console.width
    shown = max(2, min(14, console.height - 8)) if wide else 4  # what does not fit on the screen is cut off below
    panels = [
        Panel(Text(drawn), title=title, box=ROUNDED, border_style="dim"),  # its brackets are no markup
        Panel(Group(*moves[-shown:]), title="moves", box=ROUNDED, border_style="dim"),
        Panel(
            beliefs(game, moment.beliefs, insights), title="what the kibitzers believe", box=ROUNDED, border_style="dim"
        ),
    ]
    if not any(believed.values()):
        panels.pop()
    if not wide:
        return Group(*panels, below)
    table = Grid.grid(expand=True)
    for _ in panels:
        table.add_column(ratio=1)
    table.add_row(*panels)
    return Group(table, below)


def outcome(game: Game, record: Record) -> RenderableType:
    """How the match ended, a line per player."""
    if record.ending is None:
        return Text(f"unfinished: it ends after {len(record.entries)} events")
    ending = record.ending
    struck = any(ending.strikes)
    rows = []
    for player, (agent, earned) in enumerate(zip(record.header.agents, ending.returns, strict=True)):
        strikes = f"{ending.strikes[player]}{' (forfeit)' if player in ending.forfeits else ''}" if struck else ""
        name = Text(game.player_name(player), style=colour(player))
        rows.append((name, agent, f"{earned:g}", *[strikes] * struck))
    table = Table(("player", "agent", "earned", *["strikes"] * struck), rows)
    why = "" if ending.reason == "terminal" else f" (cut off: {ending.reason})"
    lines: list[RenderableType] = [Text(f"{ending.plies} events{why}", style="dim"), table]
    for measure in measures_of(record):
        who = "" if measure.player is None else f" by {game.player_name(measure.player)}"
        lines.append(Text(f"{measure.name}{who}: {measure.value:.3g} ({measure.words})", style="dim"))
    lines += [Text(f"{label} stopped: {error}", style="red") for label, error in ending.model_errors.items()]
    return Group(*lines)


class WatchCommand(JsonCommand, frozen=True):
    """Watch agents play, with the board, the moves and live belief bars.

    Examples:
      kibitz watch dilemma tit_for_tat pavlov
      kibitz watch kuhn solid rock maniac --seed 7 --record poker.krec
      kibitz watch dilemma --model 'strategy_filter(drift=0.05)' --json
      kibitz watch trails kibitzer tit_for_tat --model trails.types --plot belief.svg
      kibitz watch kuhn solid rock maniac --memory players
    """

    game: GameArgument
    agents: Argument[tuple[Agent, ...]] = ()
    """One per seat (default: the game's own)."""
    watched: Watched = Watched()
    name: Names = ()
    delay: Delay = None
    plot: Plot = None

    def execute(self) -> None:
        check_plot(self.plot)
        compile_in_background()
        game, record = make_game(self.game), self.watched.record
        insights = record is not None or self.json
        options = self.watched.match(game.usual_model, names=self.name, insights=insights)
        table = RecordedMatch(game, self.agents or seated_by_default(game), options)
        check_programs(table.agents, self.watched.network)
        if any(agent.interactive for agent in table.agents):
            raise BadSpec("human", "a watched match shows every player's secrets; to play yourself: kibitz play")
        if self.json:
            for _ in table.moments(record):
                pass
            draw_beliefs(table.record, self.plot)
            print_json(table.record)
            return
        heading = f"{game!r}, seed {table.options.seed}: {', '.join(table.seats.specs)}"
        show_match(game, table.moments(record), heading, self.delay, table.agents)
        console.print(outcome(game, table.record))
        draw_beliefs(table.record, self.plot)
        if record is not None:
            show(None, [dim(f"saved in {record}; to see it again: kibitz replay {record}")])


def check_plot(plot: Path | None) -> None:
    """Raise an error for a missing package before the match, not after it."""
    if plot is not None:
        from kibitz.plots.style import check_picture

        check_picture(plot)


def draw_beliefs(record: Record, plot: Path | None) -> None:
    """Draw the beliefs over time, if a plot is wanted."""
    if plot is not None:
        from kibitz.plots.beliefs import plot_beliefs

        plot_beliefs(record, plot)


def seated_by_default(game: Game) -> list[str]:
    """The game's own agents that can play it as it is, in the order of its kit, repeated as needed."""
    house = default_agents(game)
    return [house[player % len(house)] for player in range(game.players)]


def show_match(
    game: Game, moments: Iterator[Moment], heading: str, delay: float | None, agents: Sequence[PlayingAgent] = ()
) -> None:
    """Show a match as it is played: a live screen on a terminal, otherwise a line per event."""
    start = first(moments)  # an agent that cannot play raises here, before anything is shown
    moments = chain((start,), moments)
    console.print(heading, style="bold", markup=False)
    if console.is_terminal:
        _show_live(game, moments, 0.25 if delay is None else delay, agents)
    else:
        _show_lines(game, moments, agents)


def _show_live(game: Game, moments: Iterator[Moment], delay: float, agents: Sequence[PlayingAgent]) -> None:
    moves: list[Text] = []
    insights: tuple[Insight, ...] = ()
    with Live(console=console, auto_refresh=False) as live:
        for moment in moments:
            if moment.event is not None:
                moves.append(moves_of(moment.event, game))
            draw = partial(frame, title=f"{spec_of(game).name}, {len(moves)} events", agents=agents)
            live.update(draw(game, moment, moves, insights), refresh=True)  # a belief may take seconds
            insights = moment.insights()
            live.update(draw(game, moment, moves, insights), refresh=True)
            time.sleep(delay)
    print_reasons(game, insights)


def _show_lines(game: Game, moments: Iterator[Moment], agents: Sequence[PlayingAgent]) -> None:
    last: Moment | None = None
    for moment in moments:
        last = moment
        if moment.event is not None:
            console.print(moves_of(moment.event, game))
    if last is not None:
        console.print(board(game, last.state), markup=False)
        console.print(beliefs(game, last.beliefs))
        print_reasons(game, last.insights())
    for line in intentions(game, agents):
        console.print(line, soft_wrap=True)


def print_reasons(game: Game, insights: Sequence[Insight]) -> None:
    """Print the explanation of each model about each player."""
    for line in reasons(game, insights):
        console.print(line)


def check_programs(agents: Sequence[PlayingAgent], networked: Sequence[str]) -> None:
    """Let programs use the network by name; say which programs have all rights of their user, and why."""
    allow_network(networked)
    for agent in agents:
        if isinstance(agent, Process) and (trouble := agent.trouble()) is not None:
            warn(f"{agent.public_name} is not confined, it has all your rights: {trouble}")
