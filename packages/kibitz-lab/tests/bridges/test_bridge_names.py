"""Games and agents of other packages are found by name; what is not installed is said in one line."""

import pytest

from kibitz.core import registry
from kibitz.core.bridges import bridge_status, load_package
from kibitz.core.errors import BadSpec, MissingPackage, UnknownName
from kibitz.core.registry import bridged_entries, entries, find
from kibitz.core.specs import parse_spec
from kibitz.plugins import Bridge
from kibitz_lab.bridges import BRIDGES


def test_a_shorthand_is_everything_behind_the_prefix() -> None:
    spec = parse_spec(" openspiel: goofspiel(num_cards=4,points_order=descending) ")
    assert (spec.name, spec.parameters) == ("openspiel", {"game": "goofspiel(num_cards=4,points_order=descending)"})
    assert parse_spec(str(spec)) == spec


def test_an_unknown_prefix_is_no_shorthand() -> None:
    with pytest.raises(BadSpec, match="found ':chess' at column 7"):
        parse_spec("ludii1:chess")


def test_what_bridges_name_is_found_and_not_listed_as_ours() -> None:
    for kind in ("game", "agent"):
        bridged = bridged_entries(kind)
        assert not {*bridged} & {*entries(kind)}
        for name, entry in bridged.items():
            assert find(name, kind) is entry
            assert entry.bridge in BRIDGES
    named = {*bridged_entries("game"), *bridged_entries("agent")}
    assert {name for bridge in BRIDGES.values() for name in bridge.shorthands} <= named


def test_an_absent_package_is_one_line_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BRIDGES, "nowhere", Bridge(package="no_such_package", least="1.0"))
    registry.forget()
    assert bridge_status("nowhere").words == "install it with: pip install 'kibitz[bridges]'"
    with pytest.raises(MissingPackage, match=r"no_such_package is not installed; .* pip install 'kibitz\[bridges\]'"):
        load_package("nowhere", "no_such_package")


def test_a_package_that_is_too_old_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BRIDGES, "future", Bridge(package="msgspec", least="999.0"))
    registry.forget()
    assert "is older than 999.0; install it with" in bridge_status("future").words
    with pytest.raises(MissingPackage, match=r"msgspec>=999\.0 is not installed"):
        load_package("future", "msgspec")


def test_an_unknown_bridge_is_told_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match="openspiel"):
        bridge_status("openspeil")
