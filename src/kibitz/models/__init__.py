"""Opponent models that watch any game. To add a model, write its file and add a line here.

The classes that most users need can be imported from here, too: `from kibitz.models import StrategyFilter`.
"""

from typing import TYPE_CHECKING, Any

from kibitz.core.kit import Plugin
from kibitz.lazy_names import lazy_name

if TYPE_CHECKING:
    from kibitz.models.dbn.model import Dbn as Dbn
    from kibitz.models.plans.model import Plans as Plans
    from kibitz.models.rehearsal import Rehearsal as Rehearsal
    from kibitz.models.strategy_filter import StrategyFilter as StrategyFilter

plugin = Plugin(
    models={
        "dbn": "kibitz.models.dbn.model:Dbn",
        "lots": "kibitz.models.lots:RandomLikelihoods",
        "plans": "kibitz.models.plans.model:Plans",
        "rehearsal": "kibitz.models.rehearsal:Rehearsal",
        "strategy_filter": "kibitz.models.strategy_filter:StrategyFilter",
    }
)

_HOME = {
    "Dbn": "kibitz.models.dbn.model",
    "Plans": "kibitz.models.plans.model",
    "Rehearsal": "kibitz.models.rehearsal",
    "StrategyFilter": "kibitz.models.strategy_filter",
}
__all__ = [*_HOME]  # noqa: PLE0604, RUF100


def __getattr__(name: str) -> Any:
    return lazy_name(__name__, _HOME, name)
