"""Worker processes that think for live matches: who may compute, and for how long.

`turns` decides that, and `compute` is the way in, for agents through `worker_agents`. What runs in the workers are
functions of `calls`, `watching` and `what_if`.
"""

from kibitz.core.processes import WorkerLost
from kibitz_web.server.workers.turns import Budget, BudgetSpent, ThinkingStopped

__all__ = ["Budget", "BudgetSpent", "ThinkingStopped", "WorkerLost"]
