"""Network and data files: round trips, and one clear line for every bad one."""

import sys
from pathlib import Path

import numpy as np
import pytest

from kibitz.core.errors import BadNetwork, MissingPackage
from kibitz.learn.example_tables import cases_text
from kibitz.learn.network_files import read_network, write_network
from kibitz.learn.networks import Network, Node


@pytest.mark.parametrize("ending", [".net", ".bif", ".bifxml"])
@pytest.mark.parametrize("seed", range(3))
def test_a_network_is_read_as_it_was_written(seed: int, ending: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    shares = [rng.dirichlet([1.0] * 2), rng.dirichlet([1.0] * 3), rng.dirichlet([1.0] * 4, (2, 3))]
    nodes = [Node.of(name, [f"s{n}" for n in range(len(one))], one) for name, one in zip("ab", shares, strict=False)]
    network = Network([*nodes, Node.of("c", ["u", "v", "w", "x"], shares[2], ["a", "b"])])
    write_network(network, tmp_path / f"network{ending}")
    found = read_network(tmp_path / f"network{ending}").nodes
    assert {name: node.states for name, node in found.items()} == {n.name: n.states for n in network.nodes.values()}
    axes = [found["c"].parents.index(parent) for parent in "ab"]
    for name, table in (("a", found["a"].table), ("b", found["b"].table), ("c", found["c"].table.transpose(*axes, 2))):
        assert table == pytest.approx(network.nodes[name].table, abs=1e-5)  # pyAgrum keeps single precision
        assert table.sum(axis=-1) == pytest.approx(1.0, abs=1e-15)


def test_a_bad_network_file_is_one_clear_line(tmp_path: Path) -> None:
    for name, why in (("none.net", "No such file"), ("cut.bif", "yntax error"), ("x.xyz", "extension")):
        path = tmp_path / name
        if name == "cut.bif":
            path.write_text("network x { } variable a { type discrete[2] {p, q; }")
        with pytest.raises(BadNetwork, match=why) as caught:
            read_network(path)
        assert str(caught.value).startswith(str(path))
        assert "\n" not in str(caught.value)
    with pytest.raises(BadNetwork, match="extension"):
        write_network(Network([Node.of("a", ["x"], [1.0])]), tmp_path / "x.xyz")


def test_without_pyagrum_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyagrum", None)
    with pytest.raises(MissingPackage, match=r"pip install 'kibitz\[networks\]'"):
        read_network("milk.net")


def test_cases_are_lines_below_their_names() -> None:
    assert cases_text(["a", "b c"], [["1", None], ["x,y", "=2"]]) == 'a,"b c"\n1,?\n"x,y","\'=2"\n'


def test_a_value_that_a_data_file_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadNetwork, match="cannot hold the value"):
        cases_text(["a"], [["?"]])
