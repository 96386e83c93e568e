"""Makes the parameters that come with a game: `python -m kibitz.models.dbn pawns --games 40 --seed 1`.

Every house strategy of the game meets every other, itself included; three of four games are learned from, and the rest
are foretold.
"""

import argparse
import shlex
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import msgspec

from kibitz.core.play import play
from kibitz.core.records import Record
from kibitz.core.registry import house_agents, make_model
from kibitz.core.seeds import derived_seed, stream
from kibitz.models.dbn.model import Dbn
from kibitz.models.dbn.parameters import parameters_path, write_parameters
from kibitz.models.dbn.positions import export_cases, positions_of
from kibitz.models.dbn.training import split, train


def house_games(
    game: str, count: int, seed: int, opening: int = 0, agents: Sequence[str] | None = None
) -> list[Record]:
    """*count* games of each ordered pair of *agents*, or of the game's own."""
    pairs = list(product(agents or house_agents(game), repeat=2))
    return [
        play(game, pair, seed=derived_seed(seed, "dbn", *pair, number), opening=opening)
        for pair in pairs
        for number in range(count)
    ]


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m kibitz.models.dbn", description=__doc__)
    parser.add_argument("game")
    parser.add_argument("--model", default="dbn", help="the spec that says how to train: dbn(learning=supervised)")
    parser.add_argument("--variant", default="", help="kept as data/dbn_VARIANT.json")
    parser.add_argument("--agent", action="append", help="who plays, given once or more; the game's own otherwise")
    parser.add_argument("--games", type=int, default=40, help="games of each pairing")
    parser.add_argument("--opening", type=int, default=0, help="moves drawn at random at the start of each game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", help="the file to write; the game's own otherwise")
    parser.add_argument("--cases", help="also write the training rows as a .dat file")
    given = parser.parse_args(words)
    model = make_model(given.model)
    assert isinstance(model, Dbn), "--model is a dbn"
    records = house_games(given.game, given.games, given.seed, given.opening, given.agent)
    trained = train(model, records, stream(given.seed, "dbn", "train"), lambda said: print(said, file=sys.stderr))
    made = {"command": f"python -m kibitz.models.dbn {shlex.join(words)}", "seed": given.seed, "games": len(records)}
    parameters = msgspec.structs.replace(trained.parameters, made={**made, "foretold": trained.figures})
    name = f"{given.game}.{given.variant}" if given.variant else given.game
    path = Path(given.out) if given.out else parameters_path(name, given.game)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_parameters(parameters, path)
    if given.cases:
        played = [positions_of(record) for record in split(records)[0]]
        export_cases(given.cases, played, [each.name for each in parameters.features])
    print(f"{path}: {path.stat().st_size:,} bytes")
    for name, value in trained.figures.items():
        print(f"  {name:16} {value:.3f}")


if __name__ == "__main__":
    main(sys.argv[1:])
