"""Small studies run to their end, for tests that look at what came of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from kibitz.arena.executors import make_executor
from kibitz.store import Store
from kibitz.studies.runs import StudyRun
from kibitz.studies.study import Study


@contextmanager
def finished(study: Study, module: Any, folder: Path, **settings: Any) -> Iterator[StudyRun]:
    """One module of a study alone, its small version with these settings."""
    small = {**module.QUICK, **settings}
    alone = msgspec.structs.replace(study, quick=small, parts=module.parts, sections=module.SECTIONS)
    with Store(str(folder / "study.db")) as store, make_executor("inline") as executor:
        run = StudyRun(alone, store, quick=True, seed=1)
        list(run.played(executor))
        yield run
