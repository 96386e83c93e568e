"""What models keep of named players from match to match: a small versioned file for each player and game.

It is off unless a folder is named (`MatchOptions.memory`, `--memory`), and no score uses it.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

import msgspec

from kibitz.core.errors import BadSource, BadSpec, short_repr
from kibitz.core.files import make_folder, read_versioned, write_file
from kibitz.core.game import Game
from kibitz.core.registry import entries, spec_of

FORMAT, VERSION = "kibitz memory", 1
TEMPER = 0.9
"""The power of what an earlier match told: that of the match before it counts this much again, and so on."""
CHANGED = 0.05
"""How likely a player plays otherwise than in the match before."""
MOST = 1e12
"""The largest number that a model may keep."""
LONGEST = 100
"""The longest name of a file, without its ending; longer names of players are shortened to a hash."""

Learned: TypeAlias = dict[str, float]
"""What a model learned of a player: numbers by name, such as labels with their probabilities."""


class ModelMemory(msgspec.Struct, frozen=True):
    """What one model learned of a player, and in how many matches."""

    matches: int
    learned: Learned


class PlayerMemory(msgspec.Struct, frozen=True, kw_only=True):
    """What models learned of one player in one game: the content of a file."""

    format: str = FORMAT
    version: int = VERSION
    game: str
    player: str
    models: dict[str, ModelMemory] = {}
    """By the spec of the model."""


class Memory:
    """The files of the players of one match, in *folder*; read at once, so that a bad one is refused before it.

    A player whose name is empty is called after their agent, with a number if others are.
    """

    def __init__(self, folder: Path | str, game: Game, names: Sequence[str], agents: Sequence[str]) -> None:
        self.folder, self.game = Path(folder), spec_of(game).name
        if self.game not in entries("game"):
            raise BadSpec(repr(game), "only players of a registered game are remembered")
        if len(names) != game.players:
            raise BadSpec(repr(game), f"it has {game.players} players, you named {len(names)}")
        given = [name for name in names if name]
        for number, name in enumerate(given):
            if not name.strip() or not name.isprintable():
                raise BadSpec(short_repr(name), "a player to remember needs a name in one line")
            if name in given[:number]:
                raise BadSpec(name, "two players have this name; to remember them, give each another")
        counted = zip(agents, (agents[:seat].count(agent) + 1 for seat, agent in enumerate(agents)), strict=True)
        numbered = [agent if count == 1 else f"{agent} {count}" for agent, count in counted]
        self.names = tuple(name or agent for name, agent in zip(names, numbered, strict=True))
        make_folder(self.folder)
        self.players = [self.read(name) for name in self.names]

    def path(self, name: str) -> Path:
        """The file of a player."""
        words = quote(name, safe=" (),=")
        if len(words) > LONGEST:
            words = f"{words[: LONGEST - 17]}-{sha256(name.encode()).hexdigest()[:16]}"
        return self.folder / f"{self.game}-{words}.json"

    def read(self, name: str) -> PlayerMemory:
        """What is known of a player; nothing if there is no file."""
        path = self.path(name)
        if not path.exists():
            return PlayerMemory(game=self.game, player=name)
        found = read_versioned(path, PlayerMemory, (FORMAT, VERSION), BadSource, "memory of a player")
        if (found.game, found.player) != (self.game, name):
            raise BadSource(path, f"it is about {found.player!r} in {found.game}, not {name!r} in {self.game}")
        for model, notes in found.models.items():
            if notes.matches < 1 or not is_learned(notes.learned):
                why = f"what {short_repr(model)} learned is not numbers from 0 to {MOST:g} from some match"
                raise BadSource(path, why)
        return found

    def keep(self, player: int, learned: Mapping[str, Learned]) -> None:
        """Write what models learned of a player in a match, by the specs of the models."""
        before = self.players[player]
        matches = {model: notes.matches for model, notes in before.models.items()}
        now = {model: ModelMemory(matches.get(model, 0) + 1, numbers) for model, numbers in learned.items()}
        if now:
            self.players[player] = msgspec.structs.replace(before, models={**before.models, **now})
            text = msgspec.json.format(msgspec.json.encode(self.players[player]), indent=1)
            write_file(self.path(self.names[player]), text + b"\n")


def recalled_prior(prior: Mapping[str, float], learned: Learned) -> dict[str, float]:
    """A belief to begin with: what an earlier match ended with, tempered, unless the player has changed since.

    Labels that are not in *prior* are left out; those that are new keep their share of it.

    >>> {label: round(share, 2) for label, share in recalled_prior({"a": 0.5, "b": 0.5}, {"a": 0.9, "b": 0.1}).items()}
    {'a': 0.86, 'b': 0.14}
    """
    known = sum(probability for label, probability in prior.items() if label in learned)
    weights = {
        label: start ** (1.0 - TEMPER) * learned[label] ** TEMPER for label, start in prior.items() if label in learned
    }
    total = sum(weights.values())
    if total <= 0.0:
        return dict(prior)
    recalled = {label: known * weight / total for label, weight in weights.items()}
    return {label: (1.0 - CHANGED) * recalled.get(label, start) + CHANGED * start for label, start in prior.items()}


def is_learned(learned: object) -> bool:
    """Whether something can be kept: numbers from 0 to MOST by name."""
    return isinstance(learned, dict) and all(
        isinstance(name, str) and isinstance(value, int | float) and 0.0 <= value <= MOST
        for name, value in learned.items()
    )
