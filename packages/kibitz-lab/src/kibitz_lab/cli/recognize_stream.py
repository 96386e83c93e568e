"""`kibitz recognize LIBRARY -`: infers goals while events come; a line or JSON for each."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from kibitz.cli.console import print_json, warn
from kibitz.core.errors import BadPlan
from kibitz_lab.plans.formats.observation_text import parse_event
from kibitz_lab.plans.library import Event, PlanLibrary
from kibitz_lab.plans.stream import Ended, PlanMoment, StreamAssumptions, StreamRecogniser
from kibitz_lab.plans.watching import moment_data

STDIN = Path("-")
NEXT = 3
"""Number of goals and of next actions shown: the likeliest."""
LIKELY = 0.5
"""A line tells of a goal that has ended if that is at least so likely; JSON tells less likely ones, too."""
UNREADABLE = 2
"""The exit status when some lines could not be read."""


class Tally:
    """What a stream came to: counted for the last line."""

    def __init__(self) -> None:
        self.events = self.broken = 0
        self.ended = {"finished": 0, "abandoned": 0}

    def add(self, moment: PlanMoment) -> None:
        """Count a moment."""
        self.events += 1
        for what, _ in ended_goals(moment):
            self.ended[what] += 1

    def words(self) -> str:
        """The last line."""
        broken = f"; {self.broken} lines could not be read" if self.broken else ""
        finished, abandoned = self.ended.values()
        events = f"{self.events} event{'s' * (self.events != 1)}"
        goals = f"{finished} goal{'s' * (finished != 1)}"
        return f"{events}, {goals} finished, {abandoned} abandoned{broken}"


def recognize_stream(plans: PlanLibrary, assumptions: StreamAssumptions, beam: int, *, json: bool) -> int:
    """Print what is believed after each event until the stream ends or Ctrl-C; return the exit status."""
    tally = Tally()
    watching = StreamRecogniser(plans, assumptions, beam=beam)
    try:
        for event in events_of(read_lines(sys.stdin.buffer), plans, "stdin", tally):
            moment = watching.observe(event)
            tally.add(moment)
            if json:
                print_json(moment_data(plans, moment))
            else:
                print(moment_line(moment), flush=True)
    except KeyboardInterrupt:
        pass  # the way to end a stream that does not end
    if not json:
        print(tally.words())
    return UNREADABLE if tally.broken else 0


def events_of(
    lines: Iterator[tuple[int, str | BadPlan]], plans: PlanLibrary, source: object, tally: Tally
) -> Iterator[Event]:
    """The events of some lines; a line that cannot be read is one warning, and is left out."""
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


def ended_goals(moment: PlanMoment) -> Iterator[tuple[str, Ended]]:
    """The goals that have probably ended with an event, and how."""
    for what, goals in (("finished", moment.finished), ("abandoned", moment.abandoned)):
        for each in goals:
            if each.probability >= LIKELY:
                yield what, each


def moment_line(moment: PlanMoment) -> str:
    """A moment as text: the event, the likeliest goals, what comes next, and what has ended."""
    goals = ", ".join(f"{each} {share:.0%}" for each, share in list(moment.instances.items())[:NEXT] if share >= 0.01)
    serves = goals or "no goal under way"
    if moment.explained < 1.0 - LIKELY:
        serves = f"serves no goal ({1.0 - moment.explained:.0%}); {serves}"
    ended = "".join(f"; {what}: {each} {each.probability:.0%}" for what, each in ended_goals(moment))
    following = ", ".join(f"{each} {share:.0%}" for each, share in list(moment.next.items())[:NEXT])
    return f"{moment.number}  {moment.event.observation}: {serves}{ended}; next: {following}"


LONGEST = 1_000_000
"""The most bytes of a line; a longer one is told as a broken line."""


def read_lines(stream: BinaryIO, source: object = "stdin") -> Iterator[tuple[int, str | BadPlan]]:
    """The lines of a stream until it ends, with their numbers; of a line that is not text, the error."""
    number = 0
    while raw := stream.readline(LONGEST):
        number += 1
        if len(raw) >= LONGEST and not raw.endswith(b"\n"):
            while len(more := stream.readline(LONGEST)) >= LONGEST and not more.endswith(b"\n"):
                pass
            yield number, BadPlan(source, f"the line is longer than {LONGEST:,} bytes", number)
        else:
            yield number, decode_line(raw, source, number)


def decode_line(raw: bytes, source: object, number: int) -> str | BadPlan:
    """The text of a line, or the error."""
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        return BadPlan(source, "it is not text in UTF-8", number)
    return BadPlan(source, "it is binary data", number) if "\0" in text else text
