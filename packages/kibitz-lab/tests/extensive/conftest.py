"""The tables that several tests use, made once."""

import pytest

from kibitz_lab.extensive import InformationTable, build_table


@pytest.fixture(scope="session")
def kuhn() -> InformationTable:
    return build_table("kuhn(players=2)")


@pytest.fixture(scope="session")
def leduc() -> InformationTable:
    return build_table("leduc")
