"""Loads games of OpenSpiel by name, after checking name and parameters, so that one line says what is wrong."""

import re
from functools import lru_cache
from typing import Any

from kibitz.core.bridges import load_package
from kibitz.core.errors import BadSpec, advice
from kibitz.core.specs import Spec, parse_spec

KINDS: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
PYTHON_GAMES = "open_spiel.python.games"
"""Importing this module registers the games that OpenSpiel writes in Python."""


def pyspiel() -> Any:
    """OpenSpiel's module; raises MissingPackage if it is not installed."""
    return load_package("openspiel", "pyspiel")


def game_types() -> dict[str, Any]:
    """The types of all games of OpenSpiel by name, those written in Python among them."""
    spiel = pyspiel()
    load_package("openspiel", PYTHON_GAMES)
    return {each.short_name: each for each in spiel.registered_games()}


def playable_games() -> list[str]:
    """The games that load without parameters and can be played here."""
    return [name for name, kind in game_types().items() if kind.default_loadable and not refusal(kind)]


@lru_cache(maxsize=64)
def load_game(text: str) -> Any:
    """The game that *text* names in OpenSpiel, `breakthrough(rows=6,columns=6)`; raises BadSpec with the reason.

    A game with hidden information in which all choose at once is played in turns: each choice stays hidden until all
    have chosen.
    """
    spiel = pyspiel()
    check_text(text)
    try:
        game = spiel.load_game(text)
        kind = game.get_type()
        refused = refusal(kind)
        if not refused:  # some parameters are checked only when play begins
            begun = game.new_initial_state()
            if begun.is_terminal() or not (begun.is_simultaneous_node() or begun.legal_actions()):
                refused = "no player can choose anything at its beginning"
            elif is_simultaneous(kind) and kind.information == kind.Information.IMPERFECT_INFORMATION:
                game = spiel.convert_to_turn_based(game)
    except Exception as error:  # games of OpenSpiel fail in any way
        why = re.sub(r"^/\S+ ", "", " ".join(str(error).split()))  # the file of theirs that refuses it
        takes = ", ".join(game_types()[text.partition("(")[0].strip()].parameter_specification) or "nothing"
        refused = f"OpenSpiel cannot load it ({why}); its parameters are {takes}"
    if refused:
        raise BadSpec(f"openspiel:{text}", refused)
    return game


def refusal(kind: Any) -> str:
    """Why games of a type cannot be played here; empty if they can."""
    if kind.dynamics == kind.Dynamics.MEAN_FIELD:
        return "it is a mean-field game, which has a population instead of players"
    if kind.chance_mode == kind.ChanceMode.SAMPLED_STOCHASTIC:
        return "it draws its own random numbers instead of naming the outcomes of chance, so no match could be repeated"
    if kind.action_structs_only:
        return "its actions have no numbers"
    return ""


def is_simultaneous(kind: Any) -> bool:
    """Whether all players choose at once in games of this type."""
    return bool(kind.dynamics == kind.Dynamics.SIMULTANEOUS)


def check_text(text: str) -> None:
    """Raise BadSpec if OpenSpiel has no such game or the game no such parameter, or a parameter has the wrong type."""
    name = text.partition("(")[0].strip()
    if text.count("(") != text.count(")"):
        raise BadSpec(f"openspiel:{text}", "a bracket has no partner")
    spiel = pyspiel()
    known = spiel.registered_names()
    if name not in known:
        known = list(game_types())
    if name not in known:
        raise BadSpec(f"openspiel:{text}", f"OpenSpiel has no game {name!r}; {advice(name, known)}")
    try:
        spec = parse_spec(text)
    except BadSpec:
        return  # OpenSpiel's texts may hold what specs cannot; it will tell
    takes = game_types()[name].parameter_specification if name.startswith("python_") else _specification(name)
    for key, value in spec.parameters.items():
        _check_parameter(text, name, takes, key, value)


def _specification(name: str) -> dict[str, Any]:
    kinds = {each.short_name: each for each in pyspiel().registered_games()}
    found: dict[str, Any] = kinds[name].parameter_specification
    return found


def _check_parameter(text: str, name: str, takes: dict[str, Any], key: str, value: Any) -> None:
    if key not in takes:
        raise BadSpec(f"openspiel:{text}", f"{name} has no parameter {key!r}; {advice(key, takes, 20)}")
    wanted = type(takes[key])
    given = str if isinstance(value, Spec) and not value.parameters else type(value)
    fits = given is wanted or (wanted is float and given is int) or wanted not in KINDS
    if not fits:
        raise BadSpec(f"openspiel:{text}", f"{key}={value}: expected {KINDS[wanted]}")
