"""The watch over the event loop, under which all tests of the server run, sees what stalls it."""

import time
from typing import Any

import pytest

from event_loop import LoopWatch

House = Any


def test_the_watch_sees_what_waits_and_what_computes(
    new_house: House, loop_watch: LoopWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compute(number: int) -> None:
        end = time.thread_time() + 2.0 * loop_watch.longest
        while time.thread_time() < end:
            pass

    with new_house.client() as client:
        for work, words in ((time.sleep, "time.sleep (1,) on the event loop"), (compute, "s of computing")):
            client.get("/api/matches/1")
            assert loop_watch.stalls == []
            with monkeypatch.context() as patch:
                patch.setattr(new_house.lobby.finished, "find", work)
                client.get("/api/matches/1")
            assert [words in each for each in loop_watch.stalls] == [True]
            loop_watch.stalls.clear()
