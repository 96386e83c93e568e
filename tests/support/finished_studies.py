"""Small studies run to their end, for tests that look at what came of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec

from kibitz_lab.arena.executors import Executor, make_executor
from kibitz_lab.store import Store
from kibitz_lab.studies.runs import StudyRun
from kibitz_lab.studies.study import ROWS, Results, Settings, Study, Work


class Stopping(Executor):
    """Does so many items in all, then gives up, as Ctrl-C would."""

    def __init__(self, after: int) -> None:
        self.left = after

    def run_items(self, work: Any, items: Any) -> Iterator[Any]:  # type: ignore[override]
        for position, item in enumerate(items):
            if self.left == 0:
                raise KeyboardInterrupt
            self.left -= 1
            yield position, work(item)


def alone(study: Study, module: Any, **settings: Any) -> Study:
    """One module of a study, its small version with these settings."""
    small = {**module.QUICK, **settings}
    parts = {name.lower(): getattr(module, name, ()) for name in ("MEASURES", "CLAIMS")}
    return msgspec.structs.replace(study, quick=small, parts=module.parts, **parts)


class FinishedPart:
    """A part of a study that is done here and kept nowhere."""

    complete = True

    def __init__(self, part: Work, results: Results) -> None:
        cases = part.cases(results) if callable(part.cases) else part.cases
        rows = ((case, part.work(case)) for case in cases)
        self.rows = [
            SimpleNamespace(row={**case, **(row if isinstance(row, dict) else {ROWS: row})}) for case, row in rows
        ]


def all_results(study: Study, settings: Settings) -> Results:
    """What all parts of a study find."""
    parts: dict[str, Any] = {}
    results = Results(settings, 3, parts)
    for part in study.checked_parts(settings, 3):
        parts[part.name] = FinishedPart(part, results)
    return results


@contextmanager
def finished(study: Study, module: Any, folder: Path, **settings: Any) -> Iterator[StudyRun]:
    """One module of a study alone, run to its end."""
    with Store(str(folder / "study.db")) as store, make_executor("inline") as executor:
        run = StudyRun(alone(study, module, **settings), store, quick=True, seed=1)
        list(run.run_rest(executor))
        yield run
