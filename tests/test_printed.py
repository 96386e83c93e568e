"""Printed figures are compared up to one unit of their last digit."""

import re

import pytest

from printed import pattern


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("loss 0.587", "loss 0.586", True),
        ("loss 0.587", "loss 0.585", False),
        ("0.999", "1.000", True),
        ("won 24%", "won 25%", True),
        ("won 24 %", "won 26 %", False),
        ("24 games", "25 games", False),
        ("1,234.5 s", "1,234.4 s", True),
        ("a ██▉ b", "a ██▊ b", True),
        ("a ... c 0.2", "a 17 b c 0.1", True),
        ("model  A", "model   A", True),
        ("in 31 games", "in 31 games.", False),
    ],
)
def test_figures_may_differ_by_one_unit_of_their_last_digit(shown: str, printed: str, same: bool) -> None:
    assert bool(re.fullmatch(pattern(shown), printed, re.DOTALL)) == same
