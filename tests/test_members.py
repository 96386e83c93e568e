"""The packages name what they bring, so that kibitz can name a package that is missing; and they have one version."""

import tomllib
from importlib import import_module

import pytest

import kibitz
from checkout import ROOT
from kibitz.core.errors import MissingPackage
from kibitz.members import MEMBERS, check_installed
from kibitz.plugins import Plugin

PACKAGES = sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))


@pytest.mark.parametrize("member", MEMBERS)
def test_the_names_of_a_package_are_those_of_its_plugin(member: str) -> None:
    plugin: Plugin = import_module(f"kibitz_{member}").plugin
    bridged = (name for bridge in plugin.bridges.values() for name in (*bridge.games, *bridge.agents))
    named = {*plugin.games, *plugin.agents, *plugin.models, *plugin.commands, *bridged}
    assert set(MEMBERS[member].split()) == named


@pytest.mark.parametrize(
    ("name", "member"), [("risk", "risk"), ("trails.perb", "trails"), ("tournament", "lab"), ("openspiel", "lab")]
)
def test_what_is_not_installed_is_named_with_the_command_that_installs_it(
    name: str, member: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_installed(name)
    monkeypatch.setattr("kibitz.members.entry_points", lambda group: import_module("importlib.metadata").EntryPoints())
    with pytest.raises(MissingPackage, match=rf"{name} is in kibitz-{member}, .* pip install 'kibitz\[{member}\]'"):
        check_installed(name)


@pytest.mark.parametrize("package", PACKAGES)
def test_all_packages_have_one_version_and_name_it(package: str) -> None:
    project = tomllib.loads((ROOT / "packages" / package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == kibitz.__version__
    lists = [project["dependencies"], *project.get("optional-dependencies", {}).values()]
    needed = [each for names in lists for each in names if each.startswith("kibitz-")]
    assert all(each.endswith(f"=={kibitz.__version__}") for each in needed)
