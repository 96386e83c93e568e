"""One process plays a run at a time; one that is gone holds nothing up."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import update

from child_process import child_process
from kibitz.core.errors import RunInUse
from kibitz_lab.store import Store, claims, schema
from kibitz_lab.store.claims import Claim, check_free, check_unused, holders, own_database, playing, release, start_of

pytestmark = pytest.mark.long


def new_run(store: Store) -> int:
    return store.begin("tournament", "a", "{}", 4).run


def rewrite(store: Store, **columns: object) -> None:
    """Change the claim in the store, as if another process had made it."""
    store.write_change(lambda connection: connection.execute(update(schema.claims).values(**columns)))


def test_a_second_claim_is_refused_until_the_first_is_over(database: str) -> None:
    with Store(database) as store, Store(database) as other:
        run, another = new_run(store), store.begin("tournament", "b", '"b"', 4).run
        with Claim(store, run):
            with pytest.raises(RunInUse) as caught, Claim(other, run):
                pass
            words = str(caught.value)
            assert words.startswith(f"run {run} is being played by process {os.getpid()} on ")
            assert words.endswith(f"wait for it, stop it, or take the run from it: kibitz runs {run} --release")
            assert set(playing(other)) == {run}
            with pytest.raises(RunInUse):
                check_free(other, run)
            with Claim(other, another):
                assert set(playing(store)) == {run, another}
        assert holders(store) == {}
        with Claim(other, run):
            pass


def test_of_many_that_claim_at_once_one_gets_it(database: str) -> None:
    with Store(database) as store:
        run = new_run(store)
    got, refused, done = [], [], threading.Barrier(6)

    def attempt() -> None:
        with Store(database) as store:
            try:
                with Claim(store, run):
                    got.append(1)
                    done.wait(60)
            except RunInUse:
                refused.append(1)
                done.wait(60)

    threads = [threading.Thread(target=attempt) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(got), len(refused)) == (1, 5)


def test_a_process_that_is_gone_holds_nothing(database: str) -> None:
    waiting = [sys.executable, "-c", "input()"]
    with child_process(waiting, stdin=subprocess.PIPE) as child, Store(database) as store:
        run = new_run(store)
        with Claim(store, run):
            rewrite(store, token="theirs", pid=child.pid, started=start_of(child.pid) or "")
            with pytest.raises(RunInUse, match=f"process {child.pid} on "):
                check_free(store, run)
            child.kill()
            child.wait()
            check_free(store, run)
            assert playing(store) == {}
            with Claim(store, run):
                check_free_is_refused(store, run)


def test_a_server_that_lost_its_database_changes_nothing(database: str, tmp_path: Path) -> None:
    with Store(database) as store, Store(database) as other:
        run = new_run(store)
        with own_database((store,), run, tmp_path):
            with pytest.raises(RunInUse, match=f"by a server with the folder {tmp_path} \\(process {os.getpid()} on"):
                check_unused(other)
            store.begin("tournament", "b", '"b"', 4)
            release(other, run)
            check_unused(other)
            with pytest.raises(RunInUse, match="was taken from this process"):
                store.begin("tournament", "c", '"c"', 4)
            assert len(other.runs()) == 2


def check_free_is_refused(store: Store, run: int) -> None:
    with pytest.raises(RunInUse):
        check_free(store, run)


@pytest.mark.skipif(start_of(os.getpid()) is None, reason="this system does not say when a process was started")
def test_another_process_of_the_same_number_holds_nothing(database: str) -> None:
    with Store(database) as store:
        run = new_run(store)
        with Claim(store, run):
            rewrite(store, token="theirs", started="1")
            with Claim(store, run):
                check_free_is_refused(store, run)


def test_another_machine_holds_a_run_as_long_as_it_is_heard_of(database: str) -> None:
    with Store(database) as store:
        run = new_run(store)
        with Claim(store, run):
            rewrite(store, token="theirs", machine="elsewhere/1", pid=1, started="1")
            with pytest.raises(RunInUse, match="process 1 on elsewhere since"), Claim(store, run):
                pass
            rewrite(store, beat=claims.clock(store) - claims.EXPIRES - 1.0)
            with Claim(store, run):
                check_free_is_refused(store, run)


def test_a_claim_is_renewed(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "BEAT", 0.05)
    with Store(database) as store:
        run = new_run(store)
        with Claim(store, run):
            rewrite(store, beat=0.0)
            end = time.monotonic() + 30.0
            while holders(store)[run].age > 60.0:
                assert time.monotonic() < end, "it is not renewed"
                time.sleep(0.02)


def test_who_lost_a_run_is_told(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "BEAT", 0.05)
    with Store(database) as store:
        run = new_run(store)
        with Claim(store, run) as first:
            first.check()
            assert release(store, run).startswith(f"process {os.getpid()} on ")
            with Claim(store, run) as second:
                end = time.monotonic() + 30.0
                while not first.lost:
                    assert time.monotonic() < end, "it does not notice"
                    time.sleep(0.02)
                with pytest.raises(RunInUse, match="was taken from this process"):
                    first.check()
                second.check()
                first.__exit__(None, None, None)
                check_free_is_refused(store, run)  # who lost it does not free it for others
    with Store(database) as store:
        assert release(store, run) == ""
