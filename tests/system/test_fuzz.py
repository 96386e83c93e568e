"""Everything that a server may be told, right and mostly wrong: its log has no error, and it always answers soon."""

import asyncio
from pathlib import Path

import pytest

from fuzzing import Fuzzer
from running_server import running_server

pytestmark = pytest.mark.system
PROXY = ("--trust-proxy", "127.0.0.1")
"""Lets every connection have an address of its own, so that no rate limit slows the test."""


def fuzz(folder: Path, messages: int, seed: int, accounts: bool, kills: int) -> None:
    """Say so many messages to a new server, and to those that go on when it is killed."""
    with running_server(folder, *PROXY, accounts=accounts) as server:
        if accounts:
            server.sign_in("teacher", "operator")
        report = asyncio.run(Fuzzer(server, seed).run(messages, kills))
        print(report.words())
        assert not report.wrongs, "\n\n".join({each[-900:]: each for each in report.wrongs[:40]}.values())
        assert report.messages.total() >= messages
        assert report.kills == kills


@pytest.mark.parametrize("accounts", [False, True], ids=["open", "accounts"])
def test_a_server_takes_everything_it_is_told(tmp_path: Path, accounts: bool) -> None:
    fuzz(tmp_path, 500, seed=1, accounts=accounts, kills=int(accounts))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_server_takes_a_million_messages(tmp_path: Path, seed: int) -> None:
    fuzz(tmp_path, 100_000, seed=100 + seed, accounts=seed % 2 == 0, kills=5)
