"""Numbers about a running server in the text format of Prometheus: counters, gauges and a histogram of answer times."""

import os
import resource
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Upper limits of the histogram's classes, in seconds."""
Labels = tuple[tuple[str, str], ...]
Gauge = tuple[str, str, Callable[[], float | Mapping[str, float]]]
"""What a number is, its label if it has one, and the function that returns it."""
TICK = os.sysconf("SC_CLK_TCK")


class Histogram:
    """How many times lie below each bound."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        """Count one time."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.sum += seconds

    def lines(self, name: str, labels: Labels) -> Iterator[str]:
        """The histogram as text: counts up to each bound, their sum and their number."""
        total = 0
        for bound, count in zip((*BOUNDS, float("inf")), self.counts, strict=True):
            total += count
            limit = "+Inf" if bound == float("inf") else f"{bound:g}"
            yield f"{name}_bucket{label_text((*labels, ('le', limit)))} {total}"
        yield f"{name}_sum{label_text(labels)} {self.sum:.6f}"
        yield f"{name}_count{label_text(labels)} {total}"


class Metrics:
    """The numbers of one server. A gauge is a function that is asked when somebody looks."""

    def __init__(self) -> None:
        self.started = time.time()
        self.requests: Counter[Labels] = Counter()
        self.seconds: dict[Labels, Histogram] = {}
        self.sockets = 0
        self.gauges: dict[str, Gauge] = {}

    def add_gauge(self, name: str, words: str, ask: Callable[[], float | Mapping[str, float]], label: str = "") -> None:
        """Show the number that *ask* returns, or one for each value of a label.

        A *name* that ends in `_total` is of a number that only rises.
        """
        self.gauges[name] = words, label, ask

    def count_request(self, method: str, status: int, kind: str, seconds: float) -> None:
        """Count an answered request."""
        self.requests[("method", method), ("status", str(status))] += 1
        self.seconds.setdefault((("kind", kind),), Histogram()).add(seconds)

    def text(self) -> str:
        """All numbers."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from heading("kibitz_requests_total", "Answered requests.", "counter")
        for labels, count in sorted(self.requests.items()):
            yield f"kibitz_requests_total{label_text(labels)} {count}"
        yield from heading("kibitz_request_seconds", "Seconds from a request to the start of its answer.", "histogram")
        for labels, histogram in sorted(self.seconds.items()):
            yield from histogram.lines("kibitz_request_seconds", labels)
        own: dict[str, Gauge] = {
            "kibitz_sockets": ("Open sockets.", "", lambda: self.sockets),
            "kibitz_started_seconds": ("When the server started, in seconds since 1970.", "", lambda: self.started),
            "kibitz_cpu_seconds_total": ("CPU seconds of the server and of the processes it runs.", "", cpu_seconds),
            "kibitz_memory_bytes": ("Memory of the server's own process.", "", memory_bytes),
        }
        for name, (words, label, ask) in sorted({**own, **self.gauges}.items()):
            yield from heading(name, words, "counter" if name.endswith("_total") else "gauge")
            found = ask()
            if isinstance(found, Mapping):
                yield from (f"{name}{label_text(((label, key),))} {number(value)}" for key, value in found.items())
            else:
                yield f"{name} {number(found)}"


def heading(name: str, words: str, kind: str) -> tuple[str, str]:
    """The lines that say what a number is."""
    return f"# HELP {name} {words}", f"# TYPE {name} {kind}"


def label_text(labels: Labels) -> str:
    """Labels as text."""
    escaped = [(name, value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")) for name, value in labels]
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped) + "}" if labels else ""


def number(value: float) -> str:
    """A number as text."""
    return str(int(value)) if value == int(value) else f"{value:.6f}"


def cpu_seconds() -> float:
    """CPU seconds of this process, of its ended children and of its living descendants."""
    own = os.times()
    return own.user + own.system + own.children_user + own.children_system + sum(map(_used_by, _descendants("self")))


def memory_bytes() -> float:
    """Memory of this process; its peak where the system does not say how much it is now."""
    try:
        return float(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0


def _descendants(pid: str) -> Iterator[str]:
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = path.read_text().split()
        except OSError:  # it has ended
            continue
        for child in children:
            yield child
            yield from _descendants(child)


def _used_by(pid: str) -> float:
    """CPU seconds of a process and of its ended children."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICK
