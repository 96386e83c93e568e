"""Worker processes: calls, time and memory limits, and an end together with the process that needs them.

`pool` starts workers and calls them, `template` is the code that runs in them, and `supervisor` runs a program that is
not Python.
"""

from kibitz.core.processes.pool import TimeSpent, Worker, WorkerLost, Workers, cores
from kibitz.core.processes.template import Limits, tell

__all__ = ["Limits", "TimeSpent", "Worker", "WorkerLost", "Workers", "cores", "tell"]
