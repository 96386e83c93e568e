"""Gambit's files: extensive games (`.efg`) and games in normal form (`.nfg`), read as games and written from ours."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kibitz.core.game import Game


def efg(game: "str | Game", *, most: int = 100_000) -> str:
    """A game as the text of an `.efg` file; raises BadSpec if it has more than *most* nodes."""
    from kibitz.core.registry import make_game
    from kibitz_lab.bridges.gambit.writing import efg_text

    return efg_text(make_game(game), most)


def nfg(game: "str | Game") -> str:
    """A game of one simultaneous choice as the text of an `.nfg` file; raises BadSpec for other games."""
    from kibitz.core.registry import make_game
    from kibitz_lab.bridges.gambit.writing import nfg_text

    return nfg_text(make_game(game))
