"""Lowered expectations: levels, maps, and what they are worth against an opponent who makes mistakes."""

from collections.abc import Iterator

import numpy as np

from kibitz.solve import (
    LoweredSolution,
    best_response,
    build_game,
    expand_game,
    graph_sets,
    held_values,
    lower_expectations,
    lowerable,
    solve,
)
from kibitz.solve.recursive.advice.lowered import SLIP
from kibitz.studies.blocks import Block, Conclusion, Figure, Paragraph, Table
from kibitz.studies.comparisons import Comparison, comparison_table
from kibitz.studies.recursive.maps import map_figure, map_of
from kibitz.studies.recursive.proposal import SOURCE
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work

SETTINGS: Settings = {
    "lowered_games": (
        "right-turn(radius=12)",
        "chauffeur(radius=10)",
        "bear-brawl(hero_hp=3, bear_hp=3, radius=6, start=(1, 3, 4, 2))",
        "bear-brawl(hero_hp=1, bear_hp=2, radius=3, dimensions=2)",
        "right-turn(radius=60)",
    ),
    "lowered_maps": 4,
    "blunders": (0.01, 0.1, 0.3),
}
"""The first few games are drawn; a blunder is an action drawn evenly from all, with this probability."""
QUICK: Settings = {
    "lowered_games": ("right-turn(radius=6)", "bear-brawl(hero_hp=2, bear_hp=2, radius=4, start=(1, 2, 4, 2))"),
    "lowered_maps": 2,
    "blunders": (0.1,),
}
WIDTH, ROUGH = 1e-5, 1e-3
"""Target width of intervals; and the one for states that count with their value, which is slow to prove."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """Levels of every game, and play against blunders on those that are drawn."""
    games, drawn = settings["lowered_games"], settings["lowered_maps"]
    levels = [{"game": game, "drawn": place < drawn} for place, game in enumerate(games)]
    blunders = [{"game": game, "blunders": settings["blunders"]} for game in games[:drawn]]
    return [
        Work(name="levels", work=levels_of, cases=levels, weight=5.0),
        Work(name="blunders", work=against_blunders, cases=blunders, weight=5.0),
    ]


def lowered_game(game: str) -> LoweredSolution:
    """A game with its levels."""
    return lower_expectations(solve(lowerable(build_game(game)), width=WIDTH), width=WIDTH)


def levels_of(case: Case) -> Row:
    """The sizes of the levels, hopes and distances, and the maps of both players."""
    found = lowered_game(case["game"])
    game, count = found.game, len(found)
    winnable = graph_sets(game).positive
    alpha = graph_sets(expand_game(game, winnable)).positive[:count]
    above = found.levels[:count] > 0
    distances = found.together.distances[:count][found.levels[:count] >= 0]
    return {
        "states": count,
        "sizes": {str(level): size for level, size in found.sizes().items()},
        "brink": int(found.brinks[:count][found.levels[:count] == 1].sum()),
        "alpha_new": int((alpha != winnable[:count]).sum()),
        "least_hope": float(found.hopes[0][:count][above].min(initial=1.0)),
        "surely": int((found.hopes[0][:count][above] >= 1.0 - WIDTH).sum()),
        "farthest": int(distances.max(initial=0)),
        "maps": [map_of(case["game"], found, player) for player in (0, 1)] if case["drawn"] else [],
    }


def against_blunders(case: Case) -> Row:
    """The mean probability of a win from states where none can be forced, against perfect defence with blunders."""
    plain = solve(lowerable(build_game(case["game"])), width=WIDTH)
    found = lower_expectations(plain, width=WIDTH)
    players = {
        "plain": plain,
        "lowered": found,
        "by_value": lower_expectations(plain, by_value=True, width=ROUGH),
    }
    rows = {name: player.policy(0).shares for name, player in players.items()}
    return {"rows": [{"blunder": blunder, **won_by(found, rows, blunder)} for blunder in case["blunders"]]}


def won_by(found: LoweredSolution, rows: dict[str, np.ndarray], blunder: float) -> Row:
    """What each of player 0's strategies wins against this rate of blunders, and the most possible."""
    game, starts = found.game, found.game.mix_starts(1)
    even = np.repeat(1.0 / np.diff(starts), np.diff(starts))
    columns = (1.0 - blunder) * found.policy(1).shares + blunder * even
    above = np.flatnonzero(found.levels[: len(found)] != 0)
    won = {name: held_values(game, shares, columns) for name, shares in rows.items()}
    won["most"] = best_response(game, columns, 1).values
    return {name: float(values[above].mean()) for name, values in won.items()}


def section(results: Results) -> Iterator[Block]:
    """Sizes of levels, the maps, and the gain against blunders."""
    rows = results.rows("levels")
    yield Paragraph(
        "In states that cannot be won against perfect play, the plain solution gives no advice. Level 0 may be won. A "
        "state is on the brink of a level if it lies outside it and some pair of actions leads in, so that one "
        "mistake of the other is enough. Level 1 holds the brink of level 0 and the states from which play can reach "
        "it with some probability; level 2 is the same for level 1, and so on. Both play as if player 1 slipped on a "
        f"brink with probability {SLIP}; a state's hope is the probability of then reaching the level below. Near "
        "the edge of a board of Right Turn the monkey can step off it, which costs levels."
    )
    yield Table(
        ("game", "states", "by level", "on the brink of level 0", "hope 1", "least hope", "farthest"),
        [
            (
                row["game"],
                row["states"],
                ", ".join(
                    f"{'hopeless' if level == '-1' else level}: {size:,}" for level, size in row["sizes"].items()
                ),
                row["brink"],
                row["surely"],
                row["least_hope"],
                row["farthest"],
            )
            for row in rows
        ],
        "Levels. Of the states above level 0, `hope 1` counts those whose hope is 1; `farthest` is the most rounds to "
        "level 0 if both go there.",
    )
    new = sum(row["alpha_new"] for row in rows)
    yield comparison_table(
        [
            Comparison(
                what="states that the α-expansion adds",
                source=f"{SOURCE}, section 4.2.1 (Right Turn)",
                there="none; open in general",
                here=f"{new} of {sum(row['states'] for row in rows):,}",
                holds=new == 0,
            )
        ],
        "It is a theorem that it adds none: see the page on lowered expectations.",
    )
    reached = sum(row["states"] - row["sizes"].get("-1", 0) for row in rows)
    states = sum(row["states"] for row in rows)
    yield Conclusion(
        f"Lowered level by level, expectations give advice in {reached:,} of {states:,} states of {len(rows)} games; "
        f"the plain solution gives some in the {sum(row['sizes'].get('0', 0) for row in rows):,} that may be won."
    )
    yield from drawn_maps(results)
    yield from blunder_blocks(results)


def drawn_maps(results: Results) -> Iterator[Block]:
    """The maps of both players in every game with a map."""
    for number, row in enumerate(results.rows("levels")):
        for player, kept in enumerate(row["maps"]):
            yield Figure(
                f"levels-{number}-{player}",
                f"`{row['game']}`: what player {player} does; {kept['caption']}. In grey cells the game is over.",
                map_figure(kept),
            )


def blunder_blocks(results: Results) -> Iterator[Block]:
    """What lowered expectations win against blunders."""
    rows = [{"game": case["game"], **row} for case in results.rows("blunders") for row in case["rows"]]
    yield Table(
        ("game", "blunders", "plain", "lowered", "lowered, p′ = v", "the most possible"),
        [(row["game"], *(row[name] for name in ("blunder", "plain", "lowered", "by_value", "most"))) for row in rows],
        "The exact probability of a win, as a mean over all states from which none can be forced, against a defender "
        "who plays optimally except for blunders: actions drawn evenly with this probability. With p′ = v, states "
        "that may be won count with their value, not 1.",
    )
    better = sum(row["lowered"] > row["plain"] for row in rows)
    shares = [row["lowered"] / row["most"] for row in rows if row["most"] > 0.0]
    yield Conclusion(
        f"Against blunders lowered expectations win more than the plain solution in {better} of {len(rows)} cases, and "
        f"{min(shares):.0%} to {max(shares):.0%} of what a player who knows the blunders beforehand can win."
    )


SECTIONS = (Section(title="Lowered expectations", parts=("levels", "blunders"), blocks=section),)
