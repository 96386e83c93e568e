"""What a game of OpenSpiel is, in words (`ABOUT`), and the games by name (`SCENARIOS`, the choices of a form)."""

from collections.abc import Iterator, Mapping
from typing import Any

from kibitz import core
from kibitz.bridges.openspiel.loading import game_types, is_simultaneous, refusal
from kibitz.bridges.openspiel.rules import OpenSpiel
from kibitz.bridges.packages import CatalogueEntry
from kibitz.core.abilities.about import NO_SECRET, About, ActionForm, numbered_players
from kibitz.core.game import Game


def about(game: Game) -> About:
    """A game in the few words that OpenSpiel has for it."""
    assert isinstance(game, OpenSpiel)
    kind = game.spiel.get_type()
    hidden = "Your view holds what you did and all that you observed." if game.hidden else ""
    order = "All choose at once." if kind.dynamics == kind.Dynamics.SIMULTANEOUS else "Players move in turn."
    chance = "Chance moves, too." if kind.chance_mode != kind.ChanceMode.DETERMINISTIC else ""
    least, most = game.utility
    return About(
        title=f"{kind.long_name} (OpenSpiel)",
        goal=f"Earn as much as you can, between {least:g} and {most:g}.",
        rules=" ".join(filter(None, (f"{kind.long_name}, as OpenSpiel plays it.", order, chance, hidden))),
        players=numbered_players(game),
        actions=(ActionForm("<action>", "an action in OpenSpiel's notation", first_actions(game)),),
        secret="What the others were dealt or chose out of your sight." if game.hidden else NO_SECRET,
        minutes=10,
        opponents={"mcts": "Tries its moves in many simulated games.", "random": "Does anything legal."},
    )


def first_actions(game: OpenSpiel) -> tuple[str, ...]:
    """A notation or two from the beginning of a match."""
    state = game.new_initial_state()
    while state.current_player() == core.CHANCE:
        state.apply_action(state.chance_outcomes()[0][0])
    movers = game.movers(state)
    return tuple(state.action_to_string(movers[0], each) for each in state.legal_actions(movers[0])[:2])


class GameNames(Mapping[str, Any]):
    """The games of OpenSpiel that load without parameters and can be played here, by name; read when asked for."""

    def __getitem__(self, name: str) -> str:
        return str(game_types()[name].long_name)

    def __contains__(self, name: object) -> bool:
        return any(name == each for each in self)

    def __iter__(self) -> Iterator[str]:
        return iter(name for name, kind in game_types().items() if kind.default_loadable and not refusal(kind))

    def __len__(self) -> int:
        return sum(1 for _ in self)


GAME_NAMES = GameNames()


def catalogue() -> list[CatalogueEntry]:
    """All games of OpenSpiel that load without parameters, with those that cannot be played here."""
    return [
        CatalogueEntry(f"openspiel:{name}", kind.long_name, type_words(kind), refusal(kind))
        for name, kind in game_types().items()
        if kind.default_loadable
    ]


def type_words(kind: Any) -> str:
    """The type of a game in a few words: `2 players, in turn, chance, hidden`."""
    least, most = kind.min_num_players, kind.max_num_players
    seats = f"{least}" if least == most else f"{least}–{most}"
    words = [f"{seats} player{'s' if most > 1 else ''}", "at once" if is_simultaneous(kind) else "in turn"]
    words += ["chance"] * (kind.chance_mode != kind.ChanceMode.DETERMINISTIC)
    words += ["hidden information"] * (kind.information == kind.Information.IMPERFECT_INFORMATION)
    return ", ".join(words)
