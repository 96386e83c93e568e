"""The trained parameters of `dbn`: the slices of both players as JSON, small enough to come with a game."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from kibitz.core.errors import BadNetwork
from kibitz.core.files import changed_at, read_versioned, write_file
from kibitz.core.registry import entries, find
from kibitz_lab.learn.discretisation import Discretisation
from kibitz_lab.learn.slices import Floats, Slice, SliceLayout
from kibitz_lab.models.dbn.choices import ChoiceWeights
from kibitz_lab.models.dbn.evidence import Evidence

FORMAT, VERSION = "kibitz dbn", 1
DIGITS = 4
"""Digits of a stored probability."""

Scope = Literal["row", "game"]
Colours = Literal["one", "each"]
Learning = Literal["em", "supervised"]
Power = Annotated[float, msgspec.Meta(gt=0.0, le=10.0)]


class Perspective(msgspec.Struct, frozen=True):
    """What was learned about one player, whose strategy is latent.

    *tables* holds for every layer and feature the rows [before, own, latent]: each is the probability of the states
    not named, then pairs of state and probability; it is empty if all states are equally likely.
    """

    labels: tuple[str, ...]
    """The strategy each latent state was matched to."""
    latent: tuple[float, ...]
    own: tuple[float, ...]
    first: tuple[tuple[float, ...], ...]
    tables: tuple[tuple[tuple[tuple[float, ...], ...], ...], ...]


class Parameters(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A trained network: how numbers become states, the slices, and how it was made."""

    format: str = FORMAT
    version: int = VERSION
    game: str
    strategies: tuple[str, ...]
    """The labels of the strategies in the training games, as records hold them."""
    lag: Literal[1, 2] = 2
    latent_scope: Scope = "row"
    colours: Colours = "one"
    learning: Learning = "em"
    smoothing: float = 0.1
    sharpness: Power = 1.0
    """The power of the likelihood for predicting moves."""
    temper: Power = 1.0
    """The power of the likelihood of each choice for inferring which strategy a player follows."""
    stranger_temper: Power | None = None
    """The power for inferring whether a player follows any of them; without one, the same."""
    unlike: Annotated[float, msgspec.Meta(ge=0.0, lt=1.0)] = 0.0
    """The share of players of a strategy who are described better by what is learned of them (`evidence`)."""
    choices: tuple[ChoiceWeights, ...] = ()
    """How players of each strategy choose, fitted to games; without them, by the network and the sharpness alone."""
    made: dict[str, Any] = {}
    """The command and seed that made it, and how well it predicted games it had not seen."""
    features: tuple[Discretisation, ...]
    players: tuple[Perspective, ...]

    def __deepcopy__(self, memo: dict[int, Any]) -> "Parameters":
        return self  # they never change, so copies of models share them

    def layout(self) -> SliceLayout:
        """The sizes of the slices."""
        latent = len(self.players[0].latent)
        states = tuple(each.size for each in self.features)
        return SliceLayout(states, len(self.strategies), latent, 2 if self.colours == "each" else 1)

    @cached_property
    def slices(self) -> tuple[Slice, ...]:
        """The slice that predicts each player, computed once."""
        return tuple(map(self.slice_of, range(len(self.players))))

    def evidence(self, temper: float | None, strangers: bool) -> Evidence:
        """How much a choice says, where a *temper* given replaces those fitted, and there may be *strangers* or not."""
        power = temper or self.temper
        whether = power if temper is not None or self.stranger_temper is None else self.stranger_temper
        return Evidence(power, whether, self.unlike if strangers else 0.0)

    def choices_of(self, player: int) -> tuple[ChoiceWeights, ...]:
        """How players of each latent state choose in the seat of *player*."""
        plain = ChoiceWeights(self.sharpness, (0.0,) * len(self.features))
        fitted = dict(zip(self.strategies, self.choices, strict=False))
        return tuple(fitted.get(label, plain) for label in self.players[player].labels)

    def slice_of(self, player: int) -> Slice:
        """The slice that predicts *player*."""
        kept, layout = self.players[player], self.layout()
        tables = np.empty(layout.cells)
        for layer, features in enumerate(kept.tables):
            for feature, rows in enumerate(features):
                table = layout.table(tables, feature, layer)
                for number, row in enumerate(rows):
                    before, own, latent = np.unravel_index(number, (table.shape[0], *table.shape[2:]))
                    table[before, :, own, latent] = unpack_row(row, table.shape[1])
        first = tuple(unit(prior) for prior in kept.first)
        return Slice(layout, unit(kept.latent), unit(kept.own), first, tables)


def perspective(model: Slice, labels: tuple[str, ...]) -> Perspective:
    """A learned slice in its stored form."""
    tables = []
    for layer in range(model.layout.layers):
        features = []
        for feature in range(len(model.layout.features)):
            rows = np.moveaxis(model.table(feature, layer), 1, -1).reshape(-1, model.layout.features[feature])
            features.append(tuple(pack_row(row) for row in rows))
        tables.append(tuple(features))
    first = tuple(tuple(_round_digits(prior)) for prior in model.first)
    return Perspective(
        labels, tuple(_round_digits(model.latent)), tuple(_round_digits(model.own)), first, tuple(tables)
    )


def pack_row(row: Floats) -> tuple[float, ...]:
    """A row of probabilities in its stored form: the commonest one, then the states that differ."""
    short = _round_digits(row)
    floor = min(short)
    named = [number for state, share in enumerate(short) if share != floor for number in (float(state), share)]
    return (floor, *named) if named else ()


def unpack_row(row: tuple[float, ...], states: int) -> Floats:
    """A stored row as probabilities that add up to 1."""
    found: Floats = np.full(states, row[0] if row else 1.0)
    for state, share in zip(row[1::2], row[2::2], strict=True):
        found[int(state)] = share
    found /= found.sum()
    return found


def unit(numbers: Sequence[float]) -> Floats:
    """Rounded numbers, rescaled to add up to 1."""
    found = np.array(numbers, np.float64)
    found /= found.sum()
    return found


def _round_digits(numbers: Floats) -> list[float]:
    return [float(f"{number:.{DIGITS}g}") for number in numbers]


def write_parameters(parameters: Parameters, path: Path | str) -> None:
    """Write parameters as JSON."""
    write_file(path, msgspec.json.encode(parameters).decode() + "\n")


def read_parameters(path: Path | str) -> Parameters:
    """Read parameters from a file, and check them."""
    found = read_versioned(path, Parameters, (FORMAT, VERSION), BadNetwork, "parameters of a dbn")
    why = _mistake(found)
    if why:
        raise BadNetwork(path, why)
    return found


def slices_in(path: Path | str) -> tuple[Parameters, tuple[Slice, ...]]:
    """The parameters in a file and the slice of each player; an unchanged file is read only once."""
    return _slices_in(path, changed_at(path, BadNetwork, "train some first"))


@lru_cache(maxsize=8)
def _slices_in(path: Path | str, changed: int) -> tuple[Parameters, tuple[Slice, ...]]:
    found = read_parameters(path)
    return found, found.slices


def _mistake(found: Parameters) -> str:
    """What is wrong with parameters, if anything; all other code trusts them."""
    if len(found.players) != 2 or not (found.features and found.strategies):
        return "it does not name two players, or names no features or strategies"
    for each in found.features:
        if any(low >= high for low, high in pairwise(each.edges)) or len(each.values) not in (0, each.size):
            return f"the edges of {each.name} do not rise, or do not fit its values"
    layout, states = found.layout(), [each.size for each in found.features]
    for player, kept in enumerate(found.players):
        where = f"player {player}: "
        if not len(kept.labels) == len(kept.latent) == layout.latent or len(kept.own) != layout.own:
            return where + "the priors do not fit the number of strategies"
        if not set(kept.labels) <= set(found.strategies):
            return where + "the name of a latent state is not a strategy"
        if [len(prior) for prior in kept.first] != states:
            return where + "the first features do not fit the states"
        for prior in (kept.latent, kept.own, *kept.first):
            if min(prior, default=-1.0) < 0.0 or abs(sum(prior) - 1.0) > 0.01:
                return where + f"a prior adds up to {sum(prior):.4g}, not to 1"
        rows = [[size * layout.own * layout.latent for size in states]] * layout.layers
        if [[len(feature) for feature in layer] for layer in kept.tables] != rows:
            return where + "the tables do not fit the states"
        for feature, size in enumerate(states):
            for layer in kept.tables:
                for row in layer[feature]:
                    if (row and len(row) % 2 == 0) or any(not 0 <= state < size for state in row[1::2]):
                        return where + f"a row of {found.features[feature].name} names a state that does not exist"
                    if min(row, default=0.0) < 0.0 or (row and row[0] + sum(row[2::2]) <= 0.0):
                        return where + f"a row of {found.features[feature].name} holds no probabilities"
    if len(found.choices) not in (0, len(found.strategies)):
        return "the weights of choices are not those of the strategies"
    count = len(found.features)
    allowed = {(count, 0, 0), (count, count, count)}
    if any((len(each.features), len(each.least), len(each.most)) not in allowed for each in found.choices):
        return "the weights of choices do not fit the features"
    return ""


def parameters_path(name: str, game: str) -> Path:
    """The file for a name: a path that ends in .json, or `game` or `game.variant` for what comes with a game."""
    if name.endswith(".json"):
        return Path(name)
    owner, _, variant = (name or game).partition(".")
    if owner not in entries("game"):
        raise BadNetwork(f"dbn(trained={name!r})", "name a game, or a file that ends in .json")
    folder = files(find(owner, "game").target.partition(":")[0].rpartition(".")[0])
    return Path(str(folder)) / "data" / f"dbn{'_' if variant else ''}{variant}.json"
