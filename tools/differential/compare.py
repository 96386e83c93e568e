"""Differences between the answers of two sides, and whether each is intended."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

Answers = dict[str, Any]
CLOSE = 1e-9
CLOSE_IN = {"values": 1e-6, "scenarios": 1e-6}
"""Parts whose values are certified within an interval."""
GONE = "(gone)"
END_OF_PHASE = re.compile(r"(?<=\d done) .+")
"""What the end of a phase of Axis & Allies now says after `done` (axis: end phases by name)."""
LONGEST = 60


class Difference(NamedTuple):
    """An answer, where in it the two sides differ first, and what each says there."""

    name: str
    where: str
    old: Any
    new: Any


class Intended(NamedTuple):
    """What `intended.toml` lists: patterns of names with a commit and a reason."""

    lines: Sequence[Mapping[str, str]]

    def reason(self, name: str) -> str | None:
        """The first line that names an answer."""
        fitting = (each for each in self.lines if fnmatchcase(name, each["name"]))
        return next((f"{each['commit']} ({each['reason']})" for each in fitting), None)


def intended(path: Path) -> Intended:
    """Read the list; in its patterns `*` is any text, and brackets mean themselves."""
    lines = tomllib.loads(path.read_text(encoding="utf-8")).get("difference", [])
    return Intended([{**each, "name": each["name"].replace("[", "[[]")} for each in lines])


def differences(part: str, old: Answers, new: Answers) -> Iterator[Difference]:
    """Every answer that differs by more than rounding, also those that only one side gives."""
    for name in dict.fromkeys([*old, *new]):
        first = next(unequal(old.get(name, GONE), new.get(name, GONE), CLOSE_IN.get(part, CLOSE)), None)
        if first is not None:
            yield Difference(f"{part}/{name}", *first)


def unequal(old: Any, new: Any, close: float, where: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two values differ, in their order; an error is compared as a whole."""
    failed = ["error" in each for each in (old, new) if isinstance(each, dict)]
    if any(failed) and not all(failed):
        yield "error", old.get("error", "none"), new.get("error", "none")
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from unequal(old.get(key, GONE), new.get(key, GONE), close, f"{where}.{key}" if where else key)
    elif isinstance(old, list) and isinstance(new, list):
        for number, (one, other) in enumerate(zip(old, new, strict=False)):
            yield from unequal(one, other, close, f"{where}[{number}]")
        if len(old) != len(new):
            yield f"length of {where}", len(old), len(new)
    elif isinstance(old, (int, float)) and isinstance(new, (int, float)):
        if abs(old - new) > close * max(1.0, abs(old)):
            yield where, old, new
    elif old != (END_OF_PHASE.sub("", new) if isinstance(new, str) else new):
        yield where, old, new


def table(found: Sequence[Difference], expected: Intended, answers: Mapping[str, int]) -> str:
    """All differences, those that are not intended first, then a line for each part."""
    lines = []
    for each in sorted(found, key=lambda each: expected.reason(each.name) is not None):
        reason = expected.reason(each.name)
        lines.append(f"{each.name}: {each.where}: {short(each.old)} -> {short(each.new)}")
        lines.append(f"    intended: {reason}" if reason else "    NOT INTENDED")
    meant = Counter(each.name.split("/")[0] for each in found if expected.reason(each.name))
    other = Counter(each.name.split("/")[0] for each in found if not expected.reason(each.name))
    lines.append(f"{'part':14}{'answers':>9}{'intended':>10}{'not':>6}")
    lines += [f"{part:14}{number:9}{meant[part]:10}{other[part]:6}" for part, number in answers.items()]
    unused = [each["name"] for each in expected.lines if not any(fnmatchcase(f.name, each["name"]) for f in found)]
    lines += [f"listed as intended, but no difference in these parts: {name.replace('[[]', '[')}" for name in unused]
    return "\n".join(lines)


def short(value: Any) -> str:
    """A value in few characters."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
