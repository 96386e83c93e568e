"""The settings of one tier: which automata it has, how fast they learn, and how long."""

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, get_args

import msgspec

from kibitz.core.specs import Count, Probability

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind: TypeAlias = Literal["tsetlin", "lri", "bla"]
"""The kinds of Lie (2009): Tsetlin's, linear reward-inaction, and the Bayesian one."""
KINDS: tuple[Kind, ...] = get_args(Kind)
Positive = Annotated[float, msgspec.Meta(gt=0.0, le=1e6)]


class Tier(msgspec.Struct, frozen=True):
    """One tier: *rounds* of learning with automata of one *kind*; the other parameters apply to some kinds only."""

    kind: Kind = "bla"
    rounds: Count = 300
    rate: Probability = 0.05
    """The a of reward-inaction."""
    limiter: Probability = 0.7
    """The probability that a penalty counts (Tsetlin); 1 is the classic automaton."""
    states: Count = 4
    """The number of depths of an action (Tsetlin)."""
    prior: tuple[Positive, Positive, Probability, Positive] = (1.0, 0.25, 0.5, 1.0)
    """Alpha, beta, mu and tau of the Normal-Gamma belief. The prior puts the mean status in the middle and lets
    it vary as much as a number from 0 to 1 can: beta / alpha is its largest variance, 1/4."""
    sure: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)] = 1.0
    """The tier stops early once every automaton is this sure of its choice; 1 means never."""

    def numbers(self) -> "NDArray[np.float64]":
        """The parameters in the form that kernels take, in the order of `kernels.RATE` and those below it."""
        import numpy as np

        return np.array([self.rate, self.limiter, self.states, *self.prior, self.sure])
