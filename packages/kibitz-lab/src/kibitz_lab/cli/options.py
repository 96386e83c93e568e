"""Options that several commands of the laboratory share: runs and their database, where matches are played, plans."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from kibitz.cli.options import Folder, Options, Probability, Written

if TYPE_CHECKING:
    from kibitz_lab.arena.executors import Executor
    from kibitz_lab.plans.assumptions import Assumptions
    from kibitz_lab.store.store import Store

MOST = 100
"""The largest number of goals, instances and levels of plans."""

Fresh = Annotated[bool, Meta(description="Start a new run even if this one was played before.")]
Run = Annotated[int | None, Meta(description="The matches of a run; see kibitz runs.")]
Database = Annotated[
    str | None, "DB", Meta(description="A file, or postgresql://…; else KIBITZ_DB, else kibitz.db here.")
]
MATCHES = Path("matches")
MatchFolder = Annotated[Folder, "$KIBITZ_FOLDER", Meta(description="The server's folder of matches in play.")]


def open_store(db: str | None, *, make: bool = True) -> "Store":
    """The database; its packages load when it is opened, so that help does not wait for them."""
    from kibitz_lab.store.store import Store

    return Store(db, make=make)


class Compute(Options, frozen=True):
    """Where matches are played."""

    executor: Annotated[str, "HOW"] = "pool"
    """inline, pool (processes on this machine) or ray."""
    workers: Annotated[int | None, "-w"] = None
    """Number of processes (default: one per core)."""
    ray_address: Annotated[str | None, "HOST:PORT"] = None
    """A running Ray cluster (default: start a local one)."""

    def make(self) -> "Executor":
        """The executor."""
        from kibitz_lab.arena.executors import make_executor

        options = {"workers": self.workers, "address": self.ray_address}
        return make_executor(self.executor, **{key: value for key, value in options.items() if value is not None})


class RunFiles(Options, frozen=True):
    """The files that hold the matches of a run."""

    csv: Written | None = None
    """Write all matches as CSV."""
    records: Folder | None = None
    """Write all records, one file each."""


class PlanOptions(Options, frozen=True):
    """What may happen while plans are carried out."""

    instances: Annotated[int, Meta(ge=1, le=MOST)] = 1
    """Maximum instances of one goal."""
    roots: Annotated[int, Meta(ge=1, le=MOST)] | None = None
    """Maximum goals (default: one per observation)."""
    depth: Annotated[int, Meta(ge=1, le=MOST)] | None = None
    """A bound for recursive plans."""
    noise: Probability = 0.0
    """Prior of a noise action; in a stream their share."""
    slip: Probability = 0.0
    """Probability that an action serves no goal."""
    miss: Probability = 0.0
    """Probability that an action goes unseen."""
    abandon: Probability = 0.0
    """Abandon a goal when its silence has probability below P."""

    def assumptions(self, observations: int, **more: Any) -> "Assumptions":
        """The assumptions: each observation, and the next action, may begin a goal, or two if some are missed."""
        from kibitz_lab.plans.assumptions import Assumptions

        most = min((observations + 1) * (2 if self.miss else 1), MOST)
        names = ("instances", "depth", "slip", "miss", "abandon")
        said = {"roots": most if self.roots is None else self.roots} | {name: getattr(self, name) for name in names}
        return Assumptions(**(said | more), noises=min(observations + 1, MOST))
