"""Which tests run together in one of the processes of `pytest -n`.

The tests of a file share its fixtures, so a file is one piece of work, but for those files whose tests share nothing.
All tests with a PostgreSQL are one piece, so that one server is started in a run. What waits the most comes first.
"""

from typing import Any

import pytest

APART = ("tests/test_contracts.py", "tests/test_docs.py", "tests/system/")
"""Files whose tests share nothing and take long: each test is a piece of work."""
TOGETHER = tuple(f"tests/system/test_{name}.py" for name in ("clients", "hostile_pages", "proxy"))
"""Files among them whose tests share a server, which takes longer to start than they take."""


def piece(test: str) -> str:
    """The name of the piece of work that a test belongs to."""
    if "[postgresql" in test or test.startswith("packages/kibitz-lab/tests/store/test_store.py"):
        return "postgresql"
    return test if test.startswith(APART) and not test.startswith(TOGETHER) else test.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out the pieces in the order of the tests."""
    if config.getvalue("dist") != "load":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Pieces(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return piece(nodeid)

    config.option.loadscopereorder = False
    return Pieces(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the tests that wait for other processes first, so that the others fill the time they wait."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.get_closest_marker("system") is None)
