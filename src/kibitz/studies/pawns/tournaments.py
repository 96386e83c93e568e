"""Tables 10.2 and 11.1 to 11.3: all strategies against all, black searching plainly and with an asymmetric tree."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.studies.blocks import Block, Paragraph, Table
from kibitz.studies.pawns.games import plain_tournament
from kibitz.studies.pawns.thesis import DISTINCT, GAMES, PLAIN, SOURCE, STRATEGIES, Pairing
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, crossed


def parts(settings: Settings, seed: int) -> list[Part]:
    """The plain tournaments."""
    return [Work(name="plain", work=plain_tournament, cases=plain_cases(settings, seed), weight=1.0)]


def plain_cases(settings: Settings, seed: int) -> list[Case]:
    """A case per tournament; those to be compared come first, those to be learned from last."""
    factors = {"wins": settings["wins"], "player": ["plain"], "depth": [settings["depth"]]}
    return crossed(factors, repeats=settings["tournaments"] + settings["learned"], seed=seed, paired=["player"])


def games_of(rows: Sequence[Row], wins: str) -> dict[Pairing, list[Row]]:
    """The games of all tournaments with one win value, by pairing, in the order of the tournaments."""
    found: dict[Pairing, list[Row]] = {(black, white): [] for black in STRATEGIES for white in STRATEGIES}
    for row in rows:
        if row["wins"] == wins:
            for game in row["games"]:
                found[game["black"], game["white"]].append(game)
    return found


def won(games: Sequence[Row]) -> Estimate:
    """The share of games that black won."""
    return mean_interval([game["result"] > 0 for game in games], bounds=(0.0, 1.0))


def drawn(games: Sequence[Row]) -> float:
    """The share of draws."""
    return fmean(game["result"] == 0 for game in games)


def compared(results: Results) -> list[Row]:
    """The plain tournaments that are compared, without those that are only learned from."""
    return [row for row in results.rows("plain") if row["repeat"] < results.settings["tournaments"]]


def plain_section(results: Results) -> Iterator[Block]:
    """Table 10.2 beside ours."""
    for wins in results.settings["wins"]:
        cells = games_of(compared(results), wins)
        rows = [
            (f"{black} v {white}", str(PLAIN[black, white]), won(games), f"{drawn(games):.0%}", distinct(games))
            for (black, white), games in cells.items()
        ]
        columns = ("black v white", f"{SOURCE}, Table 10.2", "ours (95 % interval)", "draws", "distinct games")
        yield Table(columns, rows, f"Games that black won; theirs with draws in brackets. Win value `{wins}`.")
    yield Paragraph(
        f"Theirs are {GAMES} games of each pairing, yet every share is a multiple of a third, as if only {DISTINCT} "
        "games of each had differed."
    )


def distinct(games: Sequence[Row]) -> str:
    """How many of the games differ."""
    return f"{len({game['moves'] for game in games})} of {len(games)}"


SECTIONS = (Section(title="Plain search (Table 10.2)", parts=("plain",), blocks=plain_section),)
