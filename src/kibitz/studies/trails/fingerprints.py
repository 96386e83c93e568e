"""Fingerprints: what agents earn from opponents, by how many promises they keep and how much they give for a chip."""

from collections.abc import Iterator, Sequence

import numpy as np

from kibitz.arena.plots.charts import heat_map
from kibitz.games.trails.agents.versions import VERSIONS
from kibitz.studies.blocks import Block, Figure, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.study import Matches, Part, Section, Settings
from kibitz.studies.trails.fields import Meeting, against_field, meetings, own_mean

SETTINGS: Settings = {"keeps": (0.0, 0.25, 0.5, 0.75, 1.0), "gives": (0.5, 1.0, 1.5, 2.0), "grid_repeats": 20}
QUICK: Settings = {"keeps": (0.0, 0.5, 1.0), "gives": (0.5, 1.0), "grid_repeats": 1}


def opponent(keeps: float, gives: float) -> str:
    """An opponent who keeps a promise with probability *keeps* and gives *gives* chips for each chip they ask for."""
    return f"trails.coin_keeper(keeps={keeps}, ratio={gives})"


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every version with every opponent of the grid, on DD."""
    field = [opponent(keeps, gives) for keeps in settings["keeps"] for gives in settings["gives"]]
    return [
        Matches(name="fingerprints", tournament=against_field(VERSIONS, field, ("dd",), settings["grid_repeats"], seed))
    ]


def fingerprint_blocks(results: Results) -> Iterator[Block]:
    """A grid for every agent."""
    settings = results.settings
    games = list(meetings(results.matches("fingerprints"), list(VERSIONS), ("dd",)))
    yield Paragraph(
        "An opponent of the grid trades on DD, keeps each promise with the probability of its row, and gives as many "
        "spare chips for each it asks for as its column says."
    )
    for version in VERSIONS:
        yield from fingerprint(version, [game for game in games if game.agent == version], settings)


def fingerprint(version: str, games: Sequence[Meeting], settings: Settings) -> Iterator[Block]:
    """The grid of one agent, as a table and as a picture."""
    means = [
        [
            own_mean([game for game in games if game.opponent == opponent(keeps, gives)], by="block")
            for gives in settings["gives"]
        ]
        for keeps in settings["keeps"]
    ]
    rows, columns = ([f"{level:g}" for level in settings[name]] for name in ("keeps", "gives"))
    yield Table(
        ("keeps", *(f"gives {column}" for column in columns)),
        [(keeps, *line) for keeps, line in zip(rows, means, strict=True)],
        f"{version}: points per game (95 % interval).",
    )
    cells = np.array([[each.mean for each in line] for line in means])
    name = "fingerprint-" + "-".join(word for word in version.lower().split() if word.isalpha())
    yield Figure(
        name,
        f"Fingerprint of {version}.",
        lambda: heat_map(rows, columns, cells, row="keeps promises", column="gives for a chip"),
    )


SECTIONS = (Section(title="Fingerprints", parts=("fingerprints",), blocks=fingerprint_blocks),)
