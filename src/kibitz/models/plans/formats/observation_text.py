"""Read and write observations in kibitz's own text form: one per line, an action with its values in brackets."""

from collections.abc import Sequence

from kibitz.core.errors import short_list
from kibitz.models.plans.formats.text_form import ANY, Line, in_quotes, lines, quote_name
from kibitz.models.plans.library import Observation, PlanLibrary


def parse_observations(
    text: str, library: PlanLibrary, source: object = "observations", *, strange: bool = False
) -> list[Observation]:
    """Parse observations, one per line: an action with its values in brackets; a number may come first.

    With *strange*, actions that the library does not have are accepted as well, without their values.

    >>> from kibitz.models.plans.formats.text_form import parse_text
    >>> library = parse_text("goal tea\\naction fill(pot)\\ntea -> fill boil")
    >>> parse_observations("1 fill(red)\\n2 boil", library)
    [Observation(action='fill', values=('red',)), Observation(action='boil', values=())]
    """
    return [parse_observation(line, library, strange=strange) for line in lines(text, source)]


def parse_observation(line: Line, library: PlanLibrary, *, strange: bool = False) -> Observation:
    """Take the observation of a line."""
    name = line.name("an action")
    if name.isdecimal() and line.is_name():
        name = line.name("an action")
    if name not in library.actions:
        if not strange:
            raise line.error(library.unknown_action_text(name))
        return Observation(name)
    values = parse_values(line, name, library.actions[name].parameters)
    line.end()
    return Observation(name, values)


def parse_values(line: Line, name: str, parameters: Sequence[str]) -> tuple[str | None, ...]:
    """Take the values of parameters in brackets, if they come next."""
    values: dict[str, str] = {}
    if line.take("("):
        while not line.take(")"):
            if values and not line.take(","):
                raise line.expected_error("',' or ')'")
            _value(line, name, parameters, values)
    return tuple(None if values.get(each, ANY) == ANY else values[each] for each in parameters)


def _value(line: Line, action: str, parameters: Sequence[str], values: dict[str, str]) -> None:
    """Take one value, named or by its place."""
    text = line.value()
    if line.take("="):
        parameter, text = text, line.value()
    elif len(values) < len(parameters):
        parameter = parameters[len(values)]
    else:
        raise line.error(f"{action!r} has more values than parameters, which are: {short_list(parameters)}")
    if parameter not in parameters or parameter in values:
        raise line.error(f"{action!r} has no parameter {parameter!r}, or it is given twice")
    values[parameter] = text


def observations_text(observations: Sequence[Observation]) -> str:
    """Observations in the text form."""
    found = []
    for each in observations:
        known = ", ".join(ANY if value is None else in_quotes(value) for value in each.values)
        brackets = f"({known})" if any(value is not None for value in each.values) else ""
        found.append(quote_name(each.action) + brackets)
    return "\n".join(found) + "\n"
