"""What `solve` is asked for: options that mean nothing are refused, and none is ignored."""

from typing import Any

import pytest
from games_by_hand import guan, purgatory

from kibitz.core.errors import BadGame
from kibitz_solve import iterate, recursive_game, solve, survival_operator


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"objective": "surival"}, "'surival'.*did you mean 'survival'"),
        ({"objective": None}, "objective.*None"),
        ({"limit": 0}, "limit.*at least 1.*0"),
        ({"limit": -5}, "limit.*at least 1.*-5"),
        ({"limit": 2.5}, "limit.*whole number.*2.5"),
        ({"limit": 2}, "more than 2 states"),
        ({"infinite_play": float("nan")}, "infinite play.*nan"),
        ({"discount": float("nan")}, "discount.*nan"),
        ({"width": float("nan")}, "width.*nan"),
        ({"seconds": -1.0}, "seconds.*-1"),
    ],
)
def test_options_without_meaning_are_refused(options: dict[str, Any], why: str) -> None:
    for game in ("purgatory(levels=3)", purgatory(3)):
        with pytest.raises(BadGame, match=why):
            solve(game, **options)


def test_infinite_play_can_be_set_for_a_game_that_was_built_before() -> None:
    for before in (0.0, -3.0):
        model = recursive_game({"a": [["a"], ["x"]]}, {"x": -0.5}, infinite_play=before)
        for worth in (-1.0, 0.0, 2.0):
            low, high = solve(model, infinite_play=worth).interval("a")
            assert low == pytest.approx(max(-0.5, worth))
            assert high == pytest.approx(low)


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(BadGame, match=r"'newtn'.*did you mean 'newton'"):
        iterate(guan(), survival_operator(0.9), method="newtn")  # type: ignore[arg-type]
