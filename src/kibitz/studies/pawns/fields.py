"""The games of many tournaments by pairing: what black won, and how that differs between kinds of players."""

from collections.abc import Sequence
from statistics import fmean

from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.studies.pawns.games import PLAIN
from kibitz.studies.pawns.networks import THEIRS
from kibitz.studies.pawns.thesis import PAIRINGS, STRATEGIES, Pairing
from kibitz.studies.results import Results
from kibitz.studies.study import Row

SHARE, DIFFERENCE = (0.0, 1.0), (-1.0, 1.0)
"""The ranges of a share and of a difference of two."""


class Field:
    """The games of all tournaments of one kind of black player with one win value."""

    def __init__(self, rows: Sequence[Row], wins: str, player: str, repeats: int) -> None:
        self.rows = [row for row in rows if (row["wins"], row["player"]) == (wins, player) and row["repeat"] < repeats]
        self.games: dict[Pairing, list[Row]] = {(black, white): [] for black in STRATEGIES for white in STRATEGIES}
        for row in self.rows:
            for game in row["games"]:
                self.games[game["black"], game["white"]].append(game)

    def win_share(self, pairing: Pairing) -> Estimate:
        """The share of a pairing's games that black won."""
        return mean_interval([game["result"] > 0 for game in self.games[pairing]], bounds=SHARE)

    def draw_share(self, pairing: Pairing) -> str:
        """Games of a pairing that were drawn."""
        return f"{fmean(game['result'] == 0 for game in self.games[pairing]):.0%}"

    def distinct(self, pairing: Pairing) -> int:
        """How many games of a pairing differ from all earlier ones."""
        return len({game["moves"] for game in self.games[pairing]})

    def overall(self, black: str = "") -> Estimate:
        """The share of games that black won, over all pairings or those of one strategy, by tournaments."""
        found = [
            (game["result"] > 0, row["repeat"])
            for row in self.rows
            for game in row["games"]
            if black in ("", game["black"])
        ]
        scores, blocks = zip(*found, strict=True)
        return mean_interval(scores, blocks, bounds=SHARE)


def field_of(results: Results, player: str, wins: str, repeats: str = "tournaments") -> Field:
    """The compared tournaments of a kind of player, without those used only for learning."""
    part = {PLAIN: "plain", THEIRS: "asymmetric"}.get(player, "variants")
    return Field(results.rows(part), wins, player, results.settings[repeats])


def change(before: Field, after: Field, pairing: Pairing, level: float = 0.95) -> Estimate:
    """How much more black won, game by game on the same seeds."""
    pairs = zip(before.games[pairing], after.games[pairing], strict=True)
    differences = [(b["result"] > 0) - (a["result"] > 0) for a, b in pairs]
    return mean_interval(differences, level=level, bounds=DIFFERENCE)


def overall_change(before: Field, after: Field, black: str = "", level: float = 0.95) -> Estimate:
    """The same over all pairings, or those of one strategy, by tournaments."""
    differences, blocks = [], []
    for first, second in zip(before.rows, after.rows, strict=True):
        for a, b in zip(first["games"], second["games"], strict=True):
            if black in ("", a["black"]):
                differences.append((b["result"] > 0) - (a["result"] > 0))
                blocks.append(first["repeat"])
    return mean_interval(differences, blocks, level=level, bounds=DIFFERENCE)


def direction(before: Field, after: Field, pairing: Pairing) -> str:
    """Whether a change is more than chance, with the level divided among all pairings (Bonferroni)."""
    found = change(before, after, pairing, 1.0 - 0.05 / PAIRINGS)
    return "up" if found.low > 0.0 else "down" if found.high < 0.0 else "chance can explain it"


def per_search(field: Field, what: str) -> Estimate:
    """Nodes or seconds of a search of black, by tournaments."""
    sums = [sum(game[what][0] for game in row["games"]) for row in field.rows]
    return ratio_estimate(sums, [sum(game["searches"][0] for game in row["games"]) for row in field.rows])


def ratio_estimate(sums: Sequence[float], counts: Sequence[float]) -> Estimate:
    """The ratio of two columns' sums, with a row as a block; its error comes from how rows deviate from that ratio."""
    ratio, size = sum(sums) / sum(counts), fmean(counts)
    return mean_interval([ratio + (one - ratio * count) / size for one, count in zip(sums, counts, strict=True)])


def overlap(one: Estimate, other: Estimate) -> bool:
    """Whether two intervals overlap."""
    return one.low <= other.high and other.low <= one.high


def pairing_name(pairing: Pairing) -> str:
    """`S1 v S2`: black first."""
    return f"{pairing[0]} v {pairing[1]}"


def points(difference: Estimate) -> str:
    """`+2.1 points (0.3 to 3.9)` of a hundred."""
    return f"{100 * difference.mean:+.1f} points ({100 * difference.low:.1f} to {100 * difference.high:.1f})"
