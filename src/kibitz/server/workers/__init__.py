"""Worker processes that think for live matches: how they are started, stopped, limited and given their turns.

`template` is the code that runs in them, `forks` starts them, `worker` is the server's side of one, `scheduler` decides
who may use a core, and `budgets` what each person and each match may use. `compute` is the way in, for agents through
`worker_agents`.
"""

from kibitz.server.workers.budgets import Budget, Budgets, BudgetSpent, ThinkingStopped
from kibitz.server.workers.forks import Workers
from kibitz.server.workers.worker import Worker, WorkerLost

__all__ = ["Budget", "BudgetSpent", "Budgets", "ThinkingStopped", "Worker", "WorkerLost", "Workers"]
