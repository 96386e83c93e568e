"""Executors do the same work on many items: here, in a pool of processes, or on a Ray cluster.

    with make_executor("pool", workers=2) as executor:
        for position, result in executor.run_items(work, items):
            ...

*work* is a function of a module and every item and result can be pickled. Results come as they are completed, each with
the position of its item; `results` gives them in order. An error in *work*, or a worker that keeps dying, ends the
iteration. Workers stay for the next call until `close`.
"""

from kibitz_lab.arena.executors.executor import Executor, make_executor

__all__ = ["Executor", "make_executor"]
