"""Network and data files: round trips, other programs' files, and one clear line for every bad one."""

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import BadNetwork, Unwritable
from kibitz.learn.bif import bif_text, parse_bif
from kibitz.learn.cases import cases_text, parse_cases, read_cases, write_cases
from kibitz.learn.hugin import net_text, parse_net
from kibitz.learn.network_files import read_network, write_network
from kibitz.learn.networks import Network, Node

NET = """net { name = "egg"; node_size = (50 50); }
node pearl { label = "A pearl?"; position = (10 20); states = ("yes" "no"); }  % a comment
discrete node colour { states = ("blue" "not blue"); }
potential (pearl) { data = (0.4 0.6); }
potential (colour | pearl) { data = ((0.3 0.7)(0.1 0.9)); }
"""
BIF = """network egg { property made by hand; }
// a comment
variable pearl { type discrete [ 2 ] { yes, no }; property position = (1, 2) ; }
variable colour { type discrete[2] {blue, other}; } /* another
comment */
probability ( pearl ) { table 0.4, 0.6; }
probability ( colour | pearl ) { (yes) 0.3, 0.7; (no) 0.1 0.9; }
"""


def random_network(rng: np.random.Generator) -> Network:
    """Five nodes of two to four states with up to three parents."""
    nodes: list[Node] = []
    for number in range(5):
        parents = [node for node in nodes if rng.random() < 0.6][:3]
        table = rng.random([len(node.states) for node in parents] + [int(rng.integers(2, 5))])
        table /= table.sum(axis=-1, keepdims=True)
        states = [f"s{state}" for state in range(table.shape[-1])]
        nodes.append(Node.of(f"n{number}", states, table, [node.name for node in parents]))
    return Network(nodes)


@st.composite
def networks(draw: st.DrawFn, state_text: st.SearchStrategy[str]) -> Network:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    names = draw(st.lists(st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True), min_size=1, unique=True))[:5]
    nodes: list[Node] = []
    for name in names:
        states = draw(st.lists(state_text, min_size=1, max_size=4, unique=True))
        parents = [node for node in nodes if rng.random() < 0.4][:3]
        table = rng.random([len(node.states) for node in parents] + [len(states)])
        table /= table.sum(axis=-1, keepdims=True)
        nodes.append(Node.of(name, states, table, [node.name for node in parents]))
    return Network(nodes)


ANY_STATE = st.text(st.characters(codec="utf-8", exclude_characters='"\n\r'), min_size=1, max_size=6)
WORDS = st.from_regex(r"[A-Za-z0-9_]{1,6}", fullmatch=True)


@pytest.mark.long
@given(networks(ANY_STATE))
def test_hugin_files_give_the_network_back(network: Network) -> None:
    assert parse_net(net_text(network)).same_as(network)


@pytest.mark.long
@given(networks(WORDS))
def test_bif_files_give_the_network_back(network: Network) -> None:
    assert parse_bif(bif_text(network)).same_as(network)


VALUES = st.text(st.characters(codec="utf-8", exclude_characters='"'), min_size=1, max_size=8).filter(
    lambda text: text.isprintable() and text.strip() == text and text not in ("?", "*", "N/A")
)


@pytest.mark.long
@given(st.data())
def test_data_files_give_the_cases_back(data: st.DataObject) -> None:
    names = data.draw(st.lists(VALUES, min_size=1, max_size=5, unique=True))
    row = st.tuples(*[st.none() | VALUES for _ in names])
    rows = data.draw(st.lists(row, max_size=6))
    found = parse_cases(cases_text(names, rows))
    assert found.names == tuple(names)
    assert found.rows == rows


def test_files_written_by_hand_are_read() -> None:
    for network in (parse_net(NET), parse_bif(BIF)):
        assert network.posterior("pearl", {"colour": "blue"})["yes"] == pytest.approx(2 / 3)
    assert parse_net(NET).name == "egg"


def test_a_bif_table_lists_the_own_state_slowest(tmp_path: Path) -> None:
    text = """network x { } variable a { type discrete[2] {p, q}; } variable c { type discrete[3] {u, v, w}; }
    variable b { type discrete[2] {s, t}; } probability (a) { table 0.4, 0.6; } probability (c) { default 0.5 0.3 0.2; }
    probability (b | a, c) { table 0.1 0.2 0.3 0.4 0.5 0.6 0.9 0.8 0.7 0.6 0.5 0.4; }"""
    network = parse_bif(text)
    assert network.node("b").table[1, 2].tolist() == [0.6, 0.4]
    gum = pytest.importorskip("pyagrum", reason="pyagrum is not installed")
    (tmp_path / "table.bif").write_text(text, encoding="utf-8")
    theirs = gum.loadBN(str(tmp_path / "table.bif"))
    assert theirs.cpt("b")[{"a": "q", "c": "w", "b": "s"}] == pytest.approx(0.6, abs=1e-6)


@pytest.mark.parametrize("ending", [".net", ".bif"])
@pytest.mark.parametrize("seed", range(5))
def test_pyagrum_reads_ours_and_we_read_theirs(seed: int, ending: str) -> None:
    gum = pytest.importorskip("pyagrum", reason="pyagrum is not installed")
    network = random_network(np.random.default_rng(seed))
    with TemporaryDirectory() as folder:
        ours, again = Path(folder, f"ours{ending}"), Path(folder, f"theirs{ending}")
        write_network(network, ours)
        theirs = gum.loadBN(str(ours))
        for name, node in network.nodes.items():
            assert theirs.variable(name).labels() == node.states
            assert {theirs.variable(parent).name() for parent in theirs.parents(name)} == set(node.parents)
        gum.saveBN(theirs, str(again))
        back = read_network(again)
    assert back.nodes.keys() == network.nodes.keys()
    for name in network.nodes:
        assert back.posterior(name) == pytest.approx(network.posterior(name), abs=1e-6)  # it reads single precision


def test_pyagrum_reads_our_cases(tmp_path: Path) -> None:
    gum = pytest.importorskip("pyagrum", reason="pyagrum is not installed")
    rows = [("a", "x"), ("b", None), ("a", "y"), ("b", "x")]
    write_cases(tmp_path / "cases.csv", ["first", "second"], rows)
    learner = gum.BNLearner(str(tmp_path / "cases.csv"), ["?"])
    assert learner.nbRows() == 4
    assert learner.hasMissingValues()
    assert set(learner.names()) == {"first", "second"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("0.3 0.7", "0.3 0.8"), r"line 5: node 'colour': probabilities in its table add up to 1.1"),
        (("0.3 0.7", "0.3"), r"line 5: the data of node 'colour' has 3 numbers, but 4 are needed"),
        (("0.3 0.7", "0.3 x"), r"line 5: the data of node 'colour'"),
        (("potential (pearl) { data = (0.4 0.6); }", ""), r"line 2: node 'pearl' has no table"),
        (("(colour | pearl)", "(colour | yolk)"), r"line 5: the table of 'colour' names an unknown node 'yolk'"),
        (("(pearl) { data = (0.4 0.6); }", "(pearl | colour) { data = (.4 .6 .4 .6); }"), "cycle"),
        (('states = ("yes" "no");', ""), r"line 2: node 'pearl' has no states"),
        (("discrete node colour", "discrete node pearl"), r"line 3: two nodes are called 'pearl'"),
        (("discrete node", "utility"), r"line 3: expected net, node or potential, found 'utility'"),
        (("(0.1 0.9)); }\n", ""), r"expected .*; it may be cut off"),
        (('"yes" "no"', '"yes" "no'), r"line 2: cannot read"),
        (("data = (0.4 0.6);", "model_nodes = ();"), r"line 4: node 'pearl' has no data, only model_nodes"),
        ((NET, ""), "it has no node"),
    ],
)
def test_a_bad_hugin_file_is_one_clear_line(change: tuple[str, str], why: str, tmp_path: Path) -> None:
    _complains(tmp_path / "bad.net", NET.replace(*change), why)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("0.3, 0.7", "0.3, 0.8"), r"line 7: node 'colour': probabilities in its table add up to 1.1"),
        (("0.3, 0.7", "0.3"), r"line 7: the table of 'colour' has 1 numbers here, but 2 are needed"),
        (("(yes) 0.3, 0.7;", ""), r"line 7: the table of 'colour' lacks 1 of its rows"),
        (("(yes) 0.3", "(maybe) 0.3"), r"line 7: expected a parent's state \(yes, no\), found 'maybe'"),
        (("(yes) 0.3", "() 0.3"), r"expected the states of 1 parents"),
        (("probability ( pearl ) { table 0.4, 0.6; }", ""), r"line 3: node 'pearl' has no table"),
        (("( colour | pearl )", "( colour | yolk )"), r"line 7: .* unknown variable 'yolk'"),
        (("discrete[2]", "discrete[3]"), r"line 4: variable 'colour' lists 2 states, but says it has 3"),
        (("(no) 0.1 0.9; }\n", ""), r"expected .*; it may be cut off"),
        (("probability ( pearl )", "likelihood ( pearl )"), r"line 6: expected network, variable or probability"),
        (("table 0.4, 0.6;", "table 0.4, x;"), r"line 6: expected a number, found 'x'"),
        ((BIF, "variable"), "the name of a variable, but the file ends"),
    ],
)
def test_a_bad_bif_file_is_one_clear_line(change: tuple[str, str], why: str, tmp_path: Path) -> None:
    _complains(tmp_path / "bad.bif", BIF.replace(*change), why)


def _complains(path: Path, text: str, why: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadNetwork, match=why) as caught:
        read_network(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@given(st.sampled_from([NET, BIF]), st.integers(0, 400), st.text(max_size=3))
def test_a_damaged_file_never_breaks_the_reader(text: str, place: int, junk: str) -> None:
    place %= len(text)
    for damaged in (text[:place], text[:place] + junk + text[place + 1 :]):
        for reader in (parse_net, parse_bif):
            with suppress(BadNetwork):
                assert reader(damaged).nodes


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "empty"), ("a,b\n1,2\n3\n", "line 3: 1 values, but 2 columns; is it cut off"), ("a,a\n", "line 1")],
)
def test_a_bad_data_file_is_one_clear_line(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.dat"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadNetwork, match=why):
        read_cases(path)


def test_blanks_and_other_marks_for_missing_are_read() -> None:
    assert parse_cases("a b\n1 ?\n* 2\n").rows == [("1", None), (None, "2")]
    assert parse_cases("a;b\n1;\n").rows == [("1", None)]


def test_what_a_format_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadNetwork, match="cannot hold a node called 'a b'"):
        net_text(Network([Node.of("a b", ["x"], [1.0])]))
    with pytest.raises(BadNetwork, match=r"cannot hold the state '2.5'"):
        bif_text(Network([Node.of("a", ["2.5"], [1.0])]))
    with pytest.raises(BadNetwork, match="cannot hold the value"):
        write_cases(tmp_path / "x.dat", ["a"], [["?"]])
    with pytest.raises(BadNetwork, match=r"ends in .net or .bif"):
        read_network("x.xml")
    with pytest.raises(BadNetwork, match="cannot be read"):
        read_network(tmp_path / "nothing.net")
    with pytest.raises(Unwritable):
        write_network(parse_net(NET), tmp_path / "no" / "folder.net")
