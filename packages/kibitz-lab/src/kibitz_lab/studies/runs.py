"""A study in a store: runs its parts, resumes them, and reports their progress."""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from functools import partial
from hashlib import blake2b
from time import perf_counter
from types import MappingProxyType
from typing import Any

import msgspec

from kibitz.core.errors import ExecutionFailed, KibitzError, error_text, short_repr
from kibitz.core.seeds import checked_seed
from kibitz.remote.program_agent import sealed_spec
from kibitz_lab.arena.executors import Executor
from kibitz_lab.store import Store, StudyRow, Writer, version
from kibitz_lab.store.claims import Claim
from kibitz_lab.store.results import RunKind
from kibitz_lab.studies.study import ROWS, Case, Results, Row, Study, Work


class PartRun:
    """A part with its run in the store."""

    def __init__(self, part: Work, results: Results, store: Store, study: str, title: str) -> None:
        self.part, self.store = part, store
        self.cases: Sequence[Case] = list(part.cases(results) if callable(part.cases) else part.cases)
        self.planned = len(self.cases)
        self.run = store.begin(RunKind.STUDY, title, definition(study, part, self.cases), self.planned)
        self.rows = store.rows(self.run.run)

    @property
    def complete(self) -> bool:
        """Whether the part is done."""
        return len(self.rows) >= self.planned

    @property
    def working_time(self) -> float:
        """The seconds of work, on all cores together."""
        return sum(row.seconds for row in self.rows)

    @property
    def makers(self) -> dict[str, int]:
        """The versions of the code that made the rows, each with its count."""
        return dict(Counter(row.kibitz or self.run.kibitz for row in self.rows))

    def run_rest(self, executor: Executor) -> Generator[int, None, None]:
        """Do the rest, and yield how many more are done; closing it keeps all that was yielded."""
        with Claim(self.store, self.run.run) as claim:
            if self.store.run(self.run.run).stored > len(self.rows):  # another process has added rows meanwhile
                self.rows = self.store.rows(self.run.run)
            done = {row.index for row in self.rows}
            left = [(index, case) for index, case in enumerate(self.cases) if index not in done]
            work = partial(row_of_case, self.part.work, self.part.name, version.code_version())
            writer = Writer(self.store.add_rows, self.run.run)
            try:
                with closing(executor.run_items(work, left)) as completed:
                    for _, row in completed:
                        claim.check()
                        writer.add([row])
                        self.rows.append(row)
                        yield 1
            finally:
                writer.flush()
                self.rows.sort(key=lambda row: row.index)
            self.store.finish(self.run.run)
        self.run = self.store.run(self.run.run)


def definition(study: str, part: Work, cases: Sequence[Case]) -> str:
    """Everything that decides the rows of a part, as JSON; the cases, which may be large, by their fingerprint."""
    try:
        digest = blake2b(msgspec.json.encode(cases, order="sorted"), digest_size=16).hexdigest()
    except (TypeError, msgspec.MsgspecError) as error:
        raise ExecutionFailed(f"part {part.name} of {study}: a case holds a value that JSON cannot: {error}") from None
    work = f"{part.work.__module__}:{part.work.__qualname__}"
    whole = {"study": study, "part": part.name, "work": work, "version": part.version, "cases": digest}
    return msgspec.json.encode(whole).decode()


def row_of_case(work: Any, part: str, kibitz: str, item: tuple[int, Case]) -> StudyRow:
    """The row of one case: its levels and results, as JSON returns them, and the version of the code."""
    index, case = item
    start = perf_counter()
    try:
        answer = work(case)
        found: Row = {ROWS: answer} if isinstance(answer, list) else answer
        levels = {name: value for name, value in case.items() if isinstance(value, (str, int, float, bool))}
        row = msgspec.json.decode(msgspec.json.encode({**levels, **found}))
    except KibitzError:
        raise
    except Exception as error:
        raise ExecutionFailed(f"part {part}, case {short_repr(case, 300)}: {error_text(error)}") from error
    return StudyRow(index, row, perf_counter() - start, kibitz)


class StudyRun:
    """A study with its settings and seed, and the runs of its parts that can begin."""

    def __init__(
        self,
        study: Study,
        store: Store,
        *,
        quick: bool = False,
        seed: int = 0,
        called: str = "",
        changed: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """*called* is the name of the study on the command line, if it differs; *changed* are settings."""
        self.study, self.store, self.quick, self.seed = study, store, quick, checked_seed(seed)
        agents = {"agents": [each and sealed_spec(each) for each in changed["agents"]]} if "agents" in changed else {}
        changed = {**changed, **agents}  # they go into rows and the report
        self.called, self.changed = called or study.name, changed
        self.now = ""
        """The current part."""
        self.settings = study.effective_settings(quick=quick, changed=changed)
        self.parts = study.checked_parts(self.settings, self.seed)
        self.runs: dict[str, PartRun] = {}
        self.results = Results(self.settings, self.seed, self.runs)
        self.look()

    def look(self) -> None:
        """Begin every part whose earlier parts are done, or resume it; parts that need no results begin at once."""
        options = f"{' --quick' if self.quick else ''}{f' --seed {self.seed}' if self.seed else ''}"
        for number, part in enumerate(self.parts):
            earlier = [each.name for each in self.parts[:number]]
            if part.name not in self.runs and (not callable(part.cases) or self.results.complete(*earlier)):
                title = f"{self.study.name}{options}: {part.name}"
                self.runs[part.name] = PartRun(part, self.results, self.store, self.study.name, title)

    @property
    def complete(self) -> bool:
        """Whether everything is done and all parts are marked as finished."""
        ended = all(run.complete and run.run.finished for run in self.runs.values())
        return ended and len(self.runs) == len(self.parts)

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of cases that are done, and of all."""
        return sum(len(run.rows) for run in self.runs.values()), sum(self.planned_count(part) for part in self.parts)

    @property
    def steps(self) -> tuple[float, float]:
        """The same, weighted by part: how much work is done, and how much there is."""
        done = sum(len(run.rows) * run.part.weight for run in self.runs.values())
        return done, sum(self.planned_count(part) * part.weight for part in self.parts)

    @property
    def strangers(self) -> dict[str, int]:
        """The parts with results of other versions of the code, each with its count."""
        here = version.code_version()
        found = {
            name: sum(count for maker, count in run.makers.items() if maker != here) for name, run in self.runs.items()
        }
        return {name: count for name, count in found.items() if count}

    def version_warning(self) -> str:
        """A note if other versions of the code made some of the results; empty if none did."""
        found = self.strangers
        if not found:
            return ""
        makers = sorted({maker for name in found for maker in self.runs[name].makers} - {version.code_version()})
        made = f"{sum(found.values()):,} of {self.counts[0]:,} cases are by kibitz {', '.join(makers)}"
        away = " and ".join(f"kibitz runs {self.runs[name].run.run} --delete" for name in found)
        return f"{made}, and this is {version.code_version()}; if that matters, make them again after: {away}"

    def planned_count(self, part: Work) -> int:
        """The cases of a part; its own estimate while they cannot be counted."""
        return self.runs[part.name].planned if part.name in self.runs else part.planned or 0

    def run_rest(self, executor: Executor) -> Generator[float, None, None]:
        """Do the rest, part by part, and yield the weight of what was done; closing it keeps all of it."""
        for part in self.parts:
            self.look()
            run, self.now = self.runs[part.name], part.name
            if not run.complete or run.run.finished is None:
                with closing(run.run_rest(executor)) as played:
                    for count in played:
                        yield count * part.weight
        self.look()
