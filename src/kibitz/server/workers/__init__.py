"""Worker processes that think for live matches: how they are started, stopped and limited.

`template` is the code that runs in them, `forks` starts them, `worker` is the server's side of one, and `turns` decides
who may compute, and for how long. `compute` is the way in, for agents through `worker_agents`.
"""

from kibitz.server.workers.forks import Workers
from kibitz.server.workers.turns import Budget, BudgetSpent, ThinkingStopped
from kibitz.server.workers.worker import Worker, WorkerLost

__all__ = ["Budget", "BudgetSpent", "ThinkingStopped", "Worker", "WorkerLost", "Workers"]
