"""The versions of the thesis's tables: another agent's design with one part exchanged."""

from functools import cached_property
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from kibitz import core
from kibitz.games.trails.agents.negotiator import Design, Negotiator
from kibitz.games.trails.agents.perb import Perb
from kibitz.games.trails.agents.senders import Deceives, Reliable, Removal

VERSIONS = {
    "PERB": "trails.perb",
    "PERB + deception": "trails.deception",
    "Reliability": "trails.reliability",
    "Reliability + deception": "trails.deception(base=trails.reliability)",
    "Reliability + deception + tree": (
        "trails.tree(base=trails.deception(base=trails.reliability), model=trails.predictors(features=thesis))"
    ),
}
"""The five agents of Tables 5.1, 5.2 and 5.5 of Pozin (2010), by their names there."""


class Version(Negotiator):
    """Another negotiator with a part of its design exchanged; PERB where no *base* is given."""

    def __init__(self, base: Negotiator | None = None) -> None:
        self.base = base

    @cached_property
    def base_design(self) -> Design:
        """The design that is changed."""
        return (self.base or Perb()).design


class Reliability(Version):
    """PERB, or another *base*, that sends by the myopic reliability model: tit for tat over two rounds (3.2.1)."""

    def __init__(
        self,
        base: Negotiator | None = None,
        w: core.Probability = 0.7,
        default_reliability: Annotated[float, Meta(ge=0.0, le=2.0)] = 1.0,
    ) -> None:
        super().__init__(base)
        self.w, self.default_reliability = w, default_reliability

    @cached_property
    def design(self) -> Design:  # type: ignore[override]
        return replace(self.base_design, sender=Reliable(self.w, self.default_reliability))


class Deception(Version):
    """PERB, or another *base*, that never completes a transfer that makes the other independent (Algorithm 3.1)."""

    def __init__(self, base: Negotiator | None = None, removal: Removal = "pairs") -> None:
        super().__init__(base)
        self.removal = removal

    @cached_property
    def design(self) -> Design:  # type: ignore[override]
        base = self.base_design
        return replace(base, sender=Deceives(base.sender, self.removal))
