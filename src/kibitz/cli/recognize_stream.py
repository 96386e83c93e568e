"""`kibitz recognize LIBRARY -`: infers goals while events come, as a live table, as lines or as JSON."""

import sys
from collections import deque
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from kibitz.cli.console import Screen, bar, plain_table, warn
from kibitz.core.errors import BadPlan

if TYPE_CHECKING:
    from kibitz.models.plans.library import Event, PlanLibrary
    from kibitz.models.plans.stream import Ended, PlanMoment, StreamAssumptions

STDIN = Path("-")
SHOWN = 6
"""Number of goals and of next actions shown: the likeliest."""
NEXT = 3
ROWS = 8
"""Number of events, and of goals that ended, on the live screen: the last."""
LIKELY = 0.5
"""On a screen, a goal has ended if that is at least so likely; JSON tells less likely ones, too."""
UNREADABLE = 2
"""The exit status when some lines could not be read."""


class Tally:
    """What a stream came to: counted for the last line."""

    def __init__(self) -> None:
        self.events, self.finished, self.abandoned, self.broken = 0, 0, 0, 0
        self.recent: deque[PlanMoment] = deque(maxlen=ROWS)
        self.ended: deque[tuple[int, str, Ended]] = deque(maxlen=ROWS)

    def add(self, moment: "PlanMoment") -> None:
        """Count a moment."""
        self.events += 1
        self.recent.append(moment)
        for what, each in ended_goals(moment):
            self.finished += what == "finished"
            self.abandoned += what == "abandoned"
            self.ended.append((moment.number, what, each))

    def words(self) -> str:
        """The last line."""
        broken = f"; {self.broken} lines could not be read" if self.broken else ""
        events = f"{self.events} event{'s' * (self.events != 1)}"
        goals = f"{self.finished} goal{'s' * (self.finished != 1)}"
        return f"{events}, {goals} finished, {self.abandoned} abandoned{broken}"


def recognize_stream(plans: "PlanLibrary", story: "StreamAssumptions", beam: int, *, json: bool) -> int:
    """Show what is believed after each event until the stream ends or Ctrl-C; return the exit status."""
    from kibitz.models.plans.stream import StreamRecogniser
    from kibitz.plans.line_sources import read_lines
    from kibitz.plans.watching import moment_data

    console, tally = Screen(highlight=False), Tally()
    watching = StreamRecogniser(plans, story, beam=beam)
    lines = read_lines(sys.stdin.buffer)
    live = Live(console=console, auto_refresh=False) if console.is_terminal and not json else None
    try:
        with live or nullcontext():
            for event in events_of(lines, plans, "stdin", tally):
                moment = watching.observe(event)
                tally.add(moment)
                if json:
                    print(msgspec.json.encode(moment_data(plans, moment)).decode(), flush=True)
                elif live is not None:
                    live.update(stream_screen(tally, console.width), refresh=True)
                else:
                    print(moment_line(moment), flush=True)
    except KeyboardInterrupt:
        pass  # the way to end a stream that does not end
    if not json:
        console.print(tally.words(), markup=False, soft_wrap=True)
    return UNREADABLE if tally.broken else 0


def events_of(
    lines: "Iterator[tuple[int, str | BadPlan]]", plans: "PlanLibrary", source: object, tally: Tally
) -> "Iterator[Event]":
    """The events of some lines; a line that cannot be read is one warning, and is left out."""
    from kibitz.models.plans.formats.observation_text import parse_event

    for number, line in lines:
        try:
            if isinstance(line, BadPlan):
                raise line
            event = parse_event(line, plans, source, number)
        except BadPlan as error:
            tally.broken += 1
            warn(str(error))
            continue
        if event is not None:
            yield event


def ended_goals(moment: "PlanMoment") -> "Iterator[tuple[str, Ended]]":
    """The goals that have probably ended with an event, and how."""
    for what, goals in (("finished", moment.finished), ("abandoned", moment.abandoned)):
        for each in goals:
            if each.probability >= LIKELY:
                yield what, each


def moment_line(moment: "PlanMoment") -> str:
    """A moment as text: the event, the likeliest goals, what comes next, and what has ended."""
    goals = ", ".join(f"{each} {share:.0%}" for each, share in list(moment.instances.items())[:NEXT] if share >= 0.01)
    serves = goals or "no goal under way"
    if moment.explained < 1.0 - LIKELY:
        serves = f"serves no goal ({1.0 - moment.explained:.0%}); {serves}"
    ended = "".join(f"; {what}: {each} {each.probability:.0%}" for what, each in ended_goals(moment))
    following = ", ".join(f"{each} {share:.0%}" for each, share in list(moment.next.items())[:NEXT])
    return f"{moment.number}  {moment.event.observation}: {serves}{ended}; next: {following}"


def stream_screen(tally: Tally, width: int) -> RenderableType:
    """The last events, the goals under way, what comes next, and the goals that ended last."""
    last = tally.recent[-1]
    seen = plain_table()
    for heading in ("", "event", "serves a goal"):
        seen.add_column(heading, justify="right" if heading != "event" else "left", no_wrap=True)
    for moment in tally.recent:
        seen.add_row(str(moment.number), short_text(moment.event.observation, width - 30), f"{moment.explained:.0%}")
    goals = plain_table()
    for heading in ("goal", "", ""):
        goals.add_column(heading, no_wrap=True)
    for instance, share in list(last.instances.items())[:SHOWN]:
        goals.add_row(short_text(instance, width - 30), bar(share), f"{share:.0%}")
    following = ", ".join(f"{each} {share:.0%}" for each, share in list(last.next.items())[:NEXT])
    ended = [
        short_text(f"{number}: {what}, {each.probability:.0%}: {each}", width) for number, what, each in tally.ended
    ]
    rate = Text(f"{last.noise:.0%} of events serve no goal; {last.kept} explanations kept", style="dim")
    return Group(seen, Text(), goals, Text(), short_text(f"next, if anything: {following}", width), *ended, rate)


def short_text(thing: object, width: int) -> Text:
    """A text that fits a width, shortened if it must be."""
    found = Text(str(thing), no_wrap=True)
    found.truncate(max(width, 10), overflow="ellipsis")
    return found
