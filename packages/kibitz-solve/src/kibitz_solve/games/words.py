"""What the words about the recursive games leave open."""

from collections.abc import Callable
from typing import Any

from kibitz.core.kit.about import ActionForm, read_texts
from kibitz_solve.games.bear_brawl import BearBrawl
from kibitz_solve.games.matrix import Matrix
from kibitz_solve.games.oshi_zumo import OshiZumo
from kibitz_solve.games.rules import Recursive


def word_values(game: Recursive) -> dict[str, Any]:
    """The values of a game."""
    values = VALUES.get(type(game))
    return {} if values is None else values(game)


def texts_of(game: str) -> Any:
    """The texts about a game that make up its actions."""
    return read_texts(f"kibitz_solve.games:texts/{game}.toml")


def matrix_values(game: Matrix) -> dict[str, Any]:
    texts = texts_of("matrix")["texts"]
    sides = dict.fromkeys(game.columns, "column") | dict.fromkeys(game.rows, "row")
    sides |= {name: "both" for name in game.rows if name in game.columns}
    names = dict.fromkeys((*game.rows, *game.columns))
    actions = [ActionForm(name, texts[sides[name]].format(name=name), (name,)) for name in names]
    return {"row_count": len(game.rows), "column_count": len(game.columns), "actions": actions}


def bear_brawl_values(game: BearBrawl) -> dict[str, Any]:
    texts = texts_of("bear-brawl")
    moves = {letter: texts["moves"][letter] for letter in game.moves}
    single = [ActionForm(letter, words, (letter,)) for letter, words in moves.items()]
    if game.heroes == game.bears == 1:
        return {"actions": single}
    words = "; ".join(f"{letter}: {words}" for letter, words in moves.items())
    several = ActionForm(
        "<move> <move>", texts["texts"]["several"].format(moves=words), (" ".join(["A"] * max(game.counts)),)
    )
    return {"actions": [several] if min(game.counts) > 1 else [*single, several]}


VALUES: dict[type, Callable[[Any], dict[str, Any]]] = {
    Matrix: matrix_values,
    BearBrawl: bear_brawl_values,
    OshiZumo: lambda game: {"squares": 2 * game.size + 1, "bid": max(1, game.least)},
}
