"""What the words about a game of OpenSpiel leave open, and the list of its games."""

from typing import Any

from kibitz import core
from kibitz.core.bridges import CatalogueEntry
from kibitz_lab.bridges.openspiel.loading import game_types, is_simultaneous, refusal
from kibitz_lab.bridges.openspiel.rules import OpenSpiel


def word_values(game: OpenSpiel) -> dict[str, Any]:
    """The few words that OpenSpiel has for a game."""
    kind = game.spiel.get_type()
    return {
        "name": kind.long_name,
        "at_once": kind.dynamics == kind.Dynamics.SIMULTANEOUS,
        "chance": kind.chance_mode != kind.ChanceMode.DETERMINISTIC,
        "examples": first_actions(game),
    }


def first_actions(game: OpenSpiel) -> tuple[str, str]:
    """A notation or two (else empty) from the beginning of a match."""
    state = game.new_initial_state()
    while state.current_player() == core.CHANCE:
        state.apply_action(state.chance_outcomes()[0][0])
    movers = game.movers(state)
    notations = [state.action_to_string(movers[0], each) for each in state.legal_actions(movers[0])[:2]]
    return notations[0], notations[-1] if len(notations) > 1 else ""


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
