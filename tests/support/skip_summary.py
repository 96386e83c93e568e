"""One line at the end of a run that says what to install for the tests that were skipped."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

import pytest

PACKAGES = {"pyspiel": "open_spiel", "sklearn": "scikit-learn"}
"""Modules whose package has another name."""


def remedy(reason: str) -> tuple[str, str]:
    """The command that a reason for skipping asks for, and what to give it; a reason without one stands for itself."""
    reason = reason.removeprefix("Skipped: ")
    if found := re.search(r"(apt-get install|make) ([\w.-]+)", reason):
        return found[1], found[2]
    if found := re.search(r"could not import '(\w+)|^([\w-]+) is not installed", reason):
        module = found[1] or found[2]
        return "pip install", PACKAGES.get(module, module)
    if found := re.match(r"[A-Z]+_[A-Z_]+", reason):
        return "set", found[0]
    return reason, ""


def skip_line(reasons: Iterable[str]) -> str:
    """How many tests were skipped, and what each kind of them needs, the most wanted first."""
    wanted = Counter(remedy(reason) for reason in reasons)
    commands: dict[str, list[str]] = defaultdict(list)
    for (command, thing), number in wanted.most_common():
        commands[command].append(f"{thing} ({number})".strip())
    told = "; ".join(f"{command} {', '.join(things)}" for command, things in commands.items())
    return f"{wanted.total()} skipped: {told}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write the line, where anything was skipped."""
    reports = [report.longrepr for report in terminalreporter.stats.get("skipped", [])]
    reasons = [report[2] for report in reports if isinstance(report, tuple)]
    if reasons:
        terminalreporter.write_line(skip_line(reasons), yellow=True)
