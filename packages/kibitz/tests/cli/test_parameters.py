"""Commands made from structs: fields become arguments and options, sentences under them the help."""

from typing import Annotated

import pytest
from msgspec import Meta

from kibitz.cli.options import Argument, Command, Options, Probability, changes, make_command
from kibitz.core.errors import BadSpec

SEEN: list["Toss"] = []


class Coin(Options, frozen=True):
    """A group of options."""

    weight: Annotated[int, Meta(ge=1)] = 5
    """Weight in grams."""
    bias: Probability = 0.5
    """Probability of heads."""


class Toss(Command, frozen=True):
    """Toss a coin.

    Examples:
      toss ann --times 3
      toss ann bob
    """

    name: Argument[Annotated[str, "WHO"]]
    """Who tosses."""
    others: Argument[tuple[str, ...]] = ()
    """Who watches."""
    times: Annotated[int, "-n"] = 1
    """How often."""
    coin: Annotated[Coin, "The coin"] = Coin()

    def execute(self) -> None:
        SEEN.append(self)


def toss(*words: str) -> Toss:
    make_command("toss", Toss)(list(words), standalone_mode=False)
    return SEEN[-1]


def test_fields_are_read_from_the_command_line() -> None:
    assert toss("ann") == Toss("ann")
    assert toss("ann", "bob", "eve", "-n", "3", "--weight", "7") == Toss("ann", ("bob", "eve"), 3, Coin(weight=7))


def test_help_has_the_sentences_the_groups_and_a_line_for_each_example(capsys: pytest.CaptureFixture[str]) -> None:
    make_command("toss", Toss)(["--help"], standalone_mode=False)
    shown = capsys.readouterr().out
    for words in ("Who tosses.", "WHO", "How often.", "The coin", "Weight in grams.", "x>=1", "default: 5"):
        assert words in shown
    assert [line.strip() for line in shown.splitlines() if "toss ann" in line] == ["toss ann --times 3", "toss ann bob"]


def test_a_value_out_of_bounds_names_its_option() -> None:
    with pytest.raises(BadSpec, match=r"'--bias 1': it is a probability"):
        toss("ann", "--bias", "1")


def test_options_know_what_was_given() -> None:
    asked = Toss("ann", times=3, coin=Coin(bias=0.1))
    assert changes(asked) == {"name": "ann", "times": 3, "bias": 0.1}
    asked.refuse("weight others", "not today")
    with pytest.raises(BadSpec, match="'--times': not today"):
        asked.refuse("weight times", "not today")
