"""What the automata of one tier are, how fast they learn, and how long."""

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, get_args

import msgspec

from kibitz.core.registry.specs import Count, Probability

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind: TypeAlias = Literal[
    "tsetlin",
    "krinsky",
    "krylov",
    "lri",
    "slri",
    "lrp",
    "lrep",
    "dlri",
    "cprp",
    "cpri",
    "dpri",
    "seri",
    "bpa",
    "dbpa",
    "exp3",
    "beta",
    "bla",
    "bla6",
    "bla2",
    "ucb1",
]
"""The family; `bla6` and `bla2` are the Bayesian automaton with the misprints of Lie's algorithm 6 and chapter 2."""
KINDS: tuple[Kind, ...] = get_args(Kind)
Positive = Annotated[float, msgspec.Meta(gt=0.0, le=1e6)]


class Tier(msgspec.Struct, frozen=True):
    """One tier: *rounds* of learning with automata of one *kind*; the other parameters matter to some kinds only."""

    kind: Kind = "bla"
    rounds: Count = 300
    rate: Probability = 0.05
    """The a of the linear family and of pursuit, and EXP3's share of exploration."""
    limiter: Probability = 0.7
    """With this probability a penalty counts (Tsetlin's family); 1 is the classic one."""
    states: Count = 4
    """How deep an action of Tsetlin's family can settle."""
    steps: Count = 100
    """The N of discretised kinds: a probability moves by 1 / (options * N)."""
    tries: Count = 10
    """How often pursuit tries every option before it begins."""
    prior: tuple[Positive, Positive, Probability, Positive] = (1.0, 0.25, 0.5, 1.0)
    """Alpha, beta, mu and tau of the Normal-Gamma belief. Before anything is seen, a status is thought to lie in the
    middle and to vary as much as a number from 0 to 1 can: beta / alpha is its largest variance, 1/4."""
    sure: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)] = 1.0
    """It stops before all rounds are played once every automaton is so sure of its choice; 1 is never."""

    def numbers(self) -> "NDArray[np.float64]":
        """The parameters as kernels want them, in the order of `kernels.RATE` and those below it."""
        import numpy as np

        return np.array([self.rate, self.limiter, self.states, self.steps, self.tries, *self.prior, self.sure])
