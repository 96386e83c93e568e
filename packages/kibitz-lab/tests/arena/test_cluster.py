import importlib
import importlib.util
import os
import socket
import sys
import threading
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import kibitz
from kibitz.core.errors import BadSeed, BadSpec, ExecutionFailed, MissingPackage
from kibitz.core.processes.supervisor import descendants
from kibitz_lab.arena.executors import make_executor
from kibitz_lab.arena.executors.cluster import Cluster
from kibitz_lab.arena.executors.executor import Inline
from kibitz_lab.arena.plan import Plan
from kibitz_lab.arena.runs import open_run, standings
from kibitz_lab.arena.tournament import Tournament
from kibitz_lab.store import Store
from processes import wait_for_exit

pytestmark = pytest.mark.system
needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed")
HERE = str(Path(__file__).parent)


@pytest.fixture(scope="module", autouse=True)
def remote_work() -> Iterator[Any]:
    """The module of work, where workers find it too."""
    sys.path.insert(0, HERE)
    try:
        yield importlib.import_module("remote_work")
    finally:
        sys.path.remove(HERE)


@pytest.fixture(scope="module")
def local(remote_work: Any) -> Iterator[Cluster]:
    """A Ray of this machine."""
    pytest.importorskip("ray", reason="ray is not installed")
    with Cluster(workers=2) as cluster:
        yield cluster


@pytest.fixture
def on_two_nodes(two_nodes: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The two nodes, with the environment that a driver needs."""
    for name, value in two_nodes.environment.items():
        monkeypatch.setenv(name, value)
    return two_nodes


def listening(pids: list[int]) -> set[str]:
    """The addresses in /proc's notation on which these processes listen."""
    inodes = set()
    for pid in pids:
        for link in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                inodes.add(os.readlink(link))
            except OSError:
                continue
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return {row[1].partition(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in inodes}


def test_a_ray_of_this_machine_gives_the_same_results_as_no_executor(local: Cluster, remote_work: Any) -> None:
    expected = Inline().results(remote_work.square, range(5000))
    assert local.results(remote_work.square, range(5000)) == expected
    assert list(local.run_items(remote_work.square, [])) == []


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs Linux's /proc")
def test_a_ray_of_this_machine_listens_on_loopback_only(local: Cluster, remote_work: Any) -> None:
    list(local.run_items(remote_work.square, range(10)))
    found = listening(descendants(os.getpid()))
    assert found
    assert found <= {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


def test_an_error_of_ours_comes_through_and_another_names_its_item(local: Cluster, remote_work: Any) -> None:
    with pytest.raises(BadSeed) as found:
        list(local.run_items(remote_work.fussy, range(20)))
    assert found.value.seed == 7
    with pytest.raises(ExecutionFailed, match="item 1 failed: ValueError: no eights") as failed:
        list(local.run_items(remote_work.fussy, [1, 8, 2]))
    assert "\n" not in str(failed.value)


def test_a_worker_that_is_killed_once_is_replaced(
    local: Cluster, remote_work: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    paths = [str(tmp_path / name) for name in "abc"]
    assert local.results(remote_work.deadly_once, paths[:1]) == paths[:1]
    assert "a worker process died: WorkerCrashedError; its work is repeated item by item" in caplog.text


def test_an_item_that_always_kills_its_worker_is_named(local: Cluster, remote_work: Any) -> None:
    with pytest.raises(ExecutionFailed, match=r"item 3 ended 3 workers \(.*WorkerCrashedError\): 3"):
        list(local.run_items(remote_work.deadly, range(6)))


def test_closing_ends_all_that_was_started(local: Cluster, remote_work: Any) -> None:
    list(local.run_items(remote_work.square, range(3)))
    assert local.ray is not None
    pids, folder = descendants(local.ray.pid), Path(local.output.name).parent
    assert len(pids) > 3
    local.close()
    assert wait_for_exit(pids)
    assert not folder.exists()


SILENT = pytest.param("freeze", "a node was lost", marks=pytest.mark.slow)


@pytest.mark.parametrize(("end", "said"), [("kill", "a worker process died"), SILENT])
def test_two_nodes_share_the_work_and_one_that_dies_or_falls_silent_costs_nothing(
    end: str, said: str, on_two_nodes: Any, remote_work: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    if "second" not in on_two_nodes.nodes:
        on_two_nodes.start_second_node()
    busy = tmp_path / "busy"

    def end_when_busy() -> None:
        while not busy.exists():
            time.sleep(0.1)
        getattr(on_two_nodes, f"{end}_second_node")()

    ender = threading.Thread(target=end_when_busy, daemon=True)
    ender.start()
    with Cluster(on_two_nodes.address) as cluster:
        items = [(number, str(busy)) for number in range(300)]
        found = list(cluster.run_items(remote_work.named_square, items))
    ender.join(10.0)
    assert not ender.is_alive()
    assert sorted((position, result) for position, (result, _) in found) == [(each, each * each) for each in range(300)]
    assert {node for _, (_, node) in found} == {"head", "second"}
    assert said in caplog.text


@pytest.mark.parametrize(("repeats", "kill"), [(60, False), pytest.param(150, True, marks=pytest.mark.slow)])
def test_a_tournament_on_a_cluster_gives_the_same_table_also_if_a_node_is_killed(
    repeats: int, kill: bool, on_two_nodes: Any, tmp_path: Path
) -> None:
    if kill and "second" not in on_two_nodes.nodes:  # starting it takes long
        on_two_nodes.start_second_node()
    agents = {name: name for name in ("generous", "random", "defector", "tit_for_tat")}
    tournament = Tournament(games=("dilemma(rounds=100)",), agents=agents, repeats=repeats)
    games = []
    for name, executor in (("inline", make_executor("inline")), ("ray", Cluster(on_two_nodes.address))):
        with Store(str(tmp_path / f"{name}.db")) as store, executor:
            running = open_run(Plan.of(tournament), store)
            for _ in running.play_matches(executor):
                if kill and name == "ray" and len(running.results) >= 2 * repeats and "second" in on_two_nodes.nodes:
                    on_two_nodes.kill_second_node()
            assert store.run(1).complete
            games.append(standings([structs.replace(result, seconds=(0.0, 0.0)) for result in running.results]))
    assert not kill or "second" not in on_two_nodes.nodes
    assert games[0] == games[1]


def test_a_token_that_is_wrong_or_missing_is_one_line(
    on_two_nodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = tmp_path / "token"
    wrong.write_text("0" * 64)
    for path in (wrong, tmp_path / "none"):
        monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(path))
        with Cluster(on_two_nodes.address) as cluster, pytest.raises(ExecutionFailed) as found:
            list(cluster.run_items(abs, [1]))
        assert "name it in RAY_AUTH_TOKEN_PATH" in str(found.value)
        assert "\n" not in str(found.value)


def test_another_version_of_kibitz_on_a_node_is_said(on_two_nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    version = kibitz.__version__
    monkeypatch.setattr(kibitz, "__version__", "9.9")
    with Cluster(on_two_nodes.address) as cluster:
        with pytest.raises(ExecutionFailed, match=f"has kibitz {version} and we have 9.9; install the same"):
            list(cluster.run_items(abs, [1]))
        monkeypatch.undo()
        with pytest.raises(ExecutionFailed, match="cannot load the work: ModuleNotFoundError: No module named 'only_"):
            list(cluster.run_items(only_here(), [1]))


def only_here() -> Any:
    """A function of a module that no worker has."""
    module = types.ModuleType("only_here")
    exec("def work(item): return item", module.__dict__)
    sys.modules["only_here"] = module
    return module.work


def test_a_head_that_goes_away_is_said(on_two_nodes: Any, remote_work: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz_lab.arena.executors.cluster.SILENCE", 5.0)
    with Cluster(on_two_nodes.address) as cluster:
        stream = cluster.run_items(remote_work.square, range(10**9))
        next(stream)
        on_two_nodes.end()
        with pytest.raises(ExecutionFailed, match=r"the Ray cluster at .* disconnected"):
            list(stream)


@needs_ray
def test_an_address_where_nobody_listens_is_one_line() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{closed.getsockname()[1]}"
        with Cluster(address) as cluster, pytest.raises(ExecutionFailed, match=r"no server listens at 127\.0\.0\.1:"):
            list(cluster.run_items(abs, [1]))


@needs_ray
@pytest.mark.parametrize("address", ["nowhere", "ray://host:10001", "host:port", ":1"])
def test_what_is_no_address_is_said(address: str) -> None:
    with pytest.raises(BadSpec, match="host:port"):
        list(make_executor("ray", address=address).run_items(abs, [1]))


def test_without_ray_the_package_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz_lab.arena.executors.cluster.find_spec", lambda name: None)
    with pytest.raises(MissingPackage, match=r"pip install 'kibitz\[ray\]'"):
        list(Cluster().run_items(abs, [1]))
