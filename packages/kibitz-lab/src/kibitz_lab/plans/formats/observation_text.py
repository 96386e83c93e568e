"""Read observations and events, one per line: kibitz's own text form, or JSON objects.

    fetch(chair)
    glue(chair) [0.8] @ 12.5
    {"action": "glue", "values": {"thing": "chair"}, "confidence": 0.8, "time": 12.5}

In brackets stands the probability that the observation is right, after @ its time in any unit.
"""

from collections.abc import Mapping, Sequence
from math import isfinite

import msgspec

from kibitz.core.errors import BadPlan, short_list, short_repr
from kibitz.core.kit.plans import Observation
from kibitz_lab.plans.formats.text_form import ANY
from kibitz_lab.plans.formats.tokens import Line, lines
from kibitz_lab.plans.library import Event, PlanLibrary

AT = "@"
"""Comes before the time of an event."""


class EventFields(msgspec.Struct, forbid_unknown_fields=True):
    """An event as a JSON object."""

    action: str
    values: dict[str, str | int | float | bool | None] | list[str | int | float | bool | None] = []
    confidence: float = 1.0
    time: float | None = None


def parse_events(
    text: str, library: PlanLibrary, source: object = "observations", *, lenient: bool = False
) -> list[Event]:
    """Parse events, one per line; with *lenient*, actions that the library does not have are accepted as well.

    >>> from kibitz_lab.plans.formats.text_form import parse_text
    >>> library = parse_text("goal tea\\naction fill(pot)\\ntea -> fill boil")
    >>> parse_events("1 fill(red) [0.9] @ 20", library)
    [Event(observation=Observation(action='fill', values=('red',)), confidence=0.9, time=20.0)]
    """
    raw = text.split("\n")
    if any(line.lstrip().startswith("{") for line in raw):
        return [
            json_event(line, library, source, number, lenient)
            for number, line in enumerate(raw, 1)
            if line.strip() and not line.lstrip().startswith("#")
        ]
    return [text_event(line, library, lenient) for line in lines(text, source)]


def parse_event(text: str, library: PlanLibrary, source: object = "observations", number: int = 1) -> Event | None:
    """Parse one line of a stream, in which any action may occur; None for an empty line or a comment."""
    if text.lstrip()[:1] == "{":
        return json_event(text, library, source, number, True)
    found = list(lines(text.lstrip(), source, number))
    return text_event(found[0], library, True) if found else None


def text_event(line: Line, library: PlanLibrary, lenient: bool) -> Event:
    """The event of a line in the text form."""
    name = line.name("an action")
    if name.isdecimal() and line.is_name() and line.words[line.place].text != AT:
        name = line.name("an action")
    given = given_values(line)
    confidence = line.number_in("[", "]")
    time = _time(line)
    line.end()
    observation = make_observation(name, given, library, lenient, line.source, line.number)
    return checked_event(observation, 1.0 if confidence is None else confidence, time, line.source, line.number)


def given_values(line: Line) -> list[tuple[str | None, str]]:
    """Take the values in brackets that come next, each with the name of its parameter if that is given."""
    given: list[tuple[str | None, str]] = []
    if line.take("("):
        while not line.take(")"):
            if given and not line.take(","):
                raise line.expected_error("',' or ')'")
            text = line.value()
            given.append((text, line.value()) if line.take("=") else (None, text))
    return given


def _time(line: Line) -> float | None:
    """Take a time if one comes next."""
    if not line.is_name() or not line.words[line.place].text.startswith(AT):
        return None
    text = line.name("a time").removeprefix(AT) or line.name("a time")
    try:
        return float(text)
    except ValueError:
        raise line.error(f"expected a time after {AT}, but found {short_repr(text)}") from None


def json_event(text: str, library: PlanLibrary, source: object, number: int, lenient: bool) -> Event:
    """The event of a JSON object."""
    try:
        fields = msgspec.json.decode(text, type=EventFields)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BadPlan(source, f"it is not an event: {error}", number) from None
    values = fields.values
    pairs = list(values.items()) if isinstance(values, dict) else [(None, value) for value in values]
    given = [(name, ANY if value is None else _json_text(value)) for name, value in pairs]
    observation = make_observation(fields.action, given, library, lenient, source, number)
    return checked_event(observation, fields.confidence, fields.time, source, number)


def _json_text(value: str | int | float | bool) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def make_observation(
    action: str,
    given: Sequence[tuple[str | None, str]],
    library: PlanLibrary,
    lenient: bool,
    source: object,
    number: int,
) -> Observation:
    """An observation from values, each with the name of its parameter or by its place."""
    if action not in library.actions:
        if not lenient:
            raise BadPlan(source, library.unknown_action_text(action), number)
        return Observation(action)
    return Observation(action, values_of(action, library.actions[action].parameters, given, source, number))


def values_of(
    symbol: str, parameters: Sequence[str], given: Sequence[tuple[str | None, str]], source: object, number: int
) -> tuple[str | None, ...]:
    """The values of the parameters of a symbol, None for those that were not given."""
    values = dict[str, str]()
    for name, value in given:
        if name is None and len(values) >= len(parameters):
            why = f"{symbol!r} has more values than parameters, which are: {short_list(parameters)}"
            raise BadPlan(source, why, number)
        parameter = parameters[len(values)] if name is None else name
        if parameter not in parameters or parameter in values:
            raise BadPlan(source, f"{symbol!r} has no parameter {parameter!r}, or it is given twice", number)
        values[parameter] = value
    return tuple(None if values.get(each, ANY) == ANY else values[each] for each in parameters)


def checked_event(
    observation: Observation, confidence: float, time: float | None, source: object, number: int
) -> Event:
    """An event whose confidence is a probability and whose time is finite."""
    if not 0.0 <= confidence <= 1.0:
        raise BadPlan(source, f"the confidence must be from 0 to 1, not {confidence:g}", number)
    if time is not None and not isfinite(time):
        raise BadPlan(source, f"the time must be finite, not {time:g}", number)
    return Event(observation, confidence, time)


def event_of(given: Event | Observation | str | Mapping[str, object], library: PlanLibrary, number: int) -> Event:
    """An event from what Python code has: a line of text, a mapping like the JSON object, or an observation."""
    if isinstance(given, Event):
        return given
    if isinstance(given, Observation):
        return Event(given)
    if isinstance(given, str):
        found = parse_event(given, library, "events", number)
        if found is None:
            raise BadPlan("events", "it is empty", number)
        return found
    try:
        text = msgspec.json.encode(given).decode()
    except (TypeError, ValueError) as error:
        raise BadPlan("events", f"it is not an event: {error}", number) from None
    return json_event(text, library, "events", number, True)
