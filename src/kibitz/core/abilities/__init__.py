"""Abilities: what a game may offer besides its rules. This is the list of them, each with its type.

A manifest names an ability as `NAME = "module:object"`; `ability(game, "NAME")` loads the object. A new ability is a
type in this folder, a line in `ABILITIES`, and an overload below.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from kibitz.core.registry.registry import load_ability

if TYPE_CHECKING:
    from kibitz.core.abilities.about import About
    from kibitz.core.abilities.compiled import CompiledGame
    from kibitz.core.abilities.evaluation import Evaluation, Features
    from kibitz.core.abilities.fields import Fields
    from kibitz.core.abilities.heuristics import Heuristic
    from kibitz.core.abilities.importer import Importer
    from kibitz.core.abilities.measures import Measures
    from kibitz.core.abilities.odds import OddsMaker
    from kibitz.core.abilities.policies import CompiledMatches
    from kibitz.core.abilities.preview import Preview
    from kibitz.core.abilities.stage import Stage
    from kibitz.core.abilities.state_map import StateMap
    from kibitz.core.abilities.state_table import StateTable
    from kibitz.core.abilities.units import Units
    from kibitz.core.abilities.variables import Variables
    from kibitz.core.agent import Agent
    from kibitz.core.drawing import Drawing
    from kibitz.core.game import Game, State
    from kibitz.core.model import Model

ABILITIES = {
    "ABOUT": "what the game is, in words",
    "FIELDS": "boards and positions as named fields, for programs that do not know the game",
    "FAST": "a compiled twin of the game, played by default",
    "KERNELS": "states as words and rules as kernels, for compiled search",
    "POLICIES": "batches of matches that kernels play from start to end",
    "FEATURES": "named numbers of a position",
    "EVALUATION": "the value of a position, by weights",
    "HEURISTICS": "bounds on the value of a position, by name",
    "VARIABLES": "what programs about the game may use",
    "UNITS": "turns that are one action per unit",
    "TABLE": "all states by number, for solvers",
    "MAP": "states laid out on a sheet, to draw a solution on",
    "DRAWING": "the picture of a position",
    "PREVIEW": "what a choice would bring, in words",
    "SCENARIOS": "boards and positions by name",
    "ODDS": "the odds of a contest that dice decide",
    "IMPORT": "files of another program",
    "PLANS": "a plan library",
    "CONSTRAINT": "the actions that serve a player's goal",
    "KIBITZER": "the model that watches by default",
    "AWARE": "the agent that `aware` is in this game",
    "STAGE": "the round that the game repeats",
    "MEASURES": "what may be said of a whole match besides its result, as named numbers",
}


@overload
def ability(game: str, name: Literal["ABOUT"]) -> "Callable[[Game], About]": ...
@overload
def ability(game: str, name: Literal["FIELDS"]) -> "Fields": ...
@overload
def ability(game: str, name: Literal["FAST"]) -> "type[Game]": ...
@overload
def ability(game: str, name: Literal["KERNELS"]) -> "CompiledGame": ...
@overload
def ability(game: str, name: Literal["POLICIES"]) -> "CompiledMatches": ...
@overload
def ability(game: str, name: Literal["FEATURES"]) -> "Features": ...
@overload
def ability(game: str, name: Literal["EVALUATION"]) -> "Evaluation": ...
@overload
def ability(game: str, name: Literal["HEURISTICS"]) -> "Mapping[str, Heuristic]": ...
@overload
def ability(game: str, name: Literal["VARIABLES"]) -> "Callable[[State], Variables]": ...
@overload
def ability(game: str, name: Literal["UNITS"]) -> "Units": ...
@overload
def ability(game: str, name: Literal["TABLE"]) -> "Callable[[Game], StateTable]": ...
@overload
def ability(game: str, name: Literal["MAP"]) -> "Callable[[Game, State], StateMap]": ...
@overload
def ability(game: str, name: Literal["DRAWING"]) -> "Callable[[State], Drawing]": ...
@overload
def ability(game: str, name: Literal["PREVIEW"]) -> "Callable[[State, int, int], Preview | None]": ...
@overload
def ability(game: str, name: Literal["SCENARIOS"]) -> Mapping[str, Any]: ...
@overload
def ability(game: str, name: Literal["ODDS"]) -> "type[OddsMaker]": ...
@overload
def ability(game: str, name: Literal["IMPORT"]) -> "type[Importer]": ...
@overload
def ability(game: str, name: Literal["PLANS"]) -> Any: ...  # its type lives with the models
@overload
def ability(game: str, name: Literal["CONSTRAINT"]) -> "Callable[[State, int], Sequence[int]]": ...
@overload
def ability(game: str, name: Literal["KIBITZER"]) -> "Callable[[Game], str]": ...
@overload
def ability(game: str, name: Literal["AWARE"]) -> "Callable[[Game, Model | None, int | None, bool], Agent | None]": ...
@overload
def ability(game: str, name: Literal["MEASURES"]) -> "Measures": ...
@overload
def ability(game: str, name: Literal["STAGE"]) -> "Callable[[State], Stage | None]": ...
def ability(game: str, name: str) -> Any:
    """The ability *name* of *game*, loaded; raises UnknownName if the game does not offer it."""
    return load_ability(game, name)
