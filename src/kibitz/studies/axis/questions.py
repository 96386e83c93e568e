"""Answers the thesis's research questions: are teams reactive and proactive, does depth pay, what does a turn cost?"""

from collections.abc import Iterator
from statistics import fmean

from kibitz.studies.axis.scenarios import TITLES, first_right, share
from kibitz.studies.axis.thesis import KINDS, ROUNDS, THIRD_TURN
from kibitz.studies.axis.trials import FEWEST, run
from kibitz.studies.blocks import Block, Cell, Conclusion, Paragraph, Table
from kibitz.studies.comparisons import Comparison, comparison_table
from kibitz.studies.results import Results
from kibitz.studies.sentences import percents
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, cross_factors

SETTINGS: Settings = {"depth_runs": 200, "third_runs": 3}
QUICK: Settings = {"depth_runs": 4, "third_runs": 1}
TEAMS = ("Tsetlin", "L_RI", "BLA")
THIRD = {"Tsetlin": (500, 300, 150), "L_RI": (700, 400, 200), "BLA": (800, 400, 200)}
"""Simulations of the third scenario with a third turn; the thesis does not give its numbers."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """Every scenario with one, two and three turns of look-ahead; the third one with a third turn."""
    factors = {"scenario": tuple(ROUNDS), "team": TEAMS, "depth": (1, 2, 3)}
    every = cross_factors(factors, repeats=settings["depth_runs"], seed=seed, paired=["depth"])
    cases = [case for case in every if case["depth"] <= len(ROUNDS[case["scenario"]][case["team"]])]
    third = cross_factors({"team": TEAMS, "turns": (2, 3)}, repeats=settings["third_runs"], seed=seed, paired=["turns"])
    return [
        Work(name="depth", work=by_odds, cases=cases, version=3),
        Work(
            name="third",
            work=longer,
            cases=[{**case, "scale": settings["scale"]} for case in third],
            version=2,
            weight=5,
        ),
    ]


def by_odds(case: Case) -> Row:
    """A run with the case's number of turns of look-ahead, by exact odds."""
    return run({**case, "outcomes": "odds"})


def longer(case: Case) -> Row:
    """A run of the third scenario with the case's number of turns."""
    rounds = [max(FEWEST, round(each * case["scale"])) for each in THIRD[case["team"]][: case["turns"]]]
    return run({**case, "scenario": "s3", "rounds": rounds})


def depth(results: Results) -> Iterator[Block]:
    """Reactive, proactive, and what looking ahead is worth."""
    groups = results.groups("depth", "scenario", "team", "depth")
    rows: list[tuple[Cell, ...]] = []
    for (scenario, team, turns), found in sorted(groups.items()):
        lost = fmean(row["first_lost"] for row in found)
        rows.append((TITLES[scenario], team, turns, len(found), share(found, first_right), lost))
    columns = ("scenario", "team", "turns ahead", "runs", "first turn right", "IPC lost")
    yield Table(columns, rows, "Does depth pay? The first turn by how far a team looks ahead, by exact odds.")
    if ("s2", "BLA", 1) in groups and ("s2", "BLA", 3) in groups:
        one, three = (share(groups["s2", "BLA", turns], first_right) for turns in (1, 3))
        yield Conclusion(
            f"Proactive: in scenario 2, where nothing is gained before the third turn, BLA starts right in "
            f"{percents(three)} of runs when it looks three turns ahead, in {percents(one)} when it looks one."
        )
    yield Paragraph(
        f"The teams {', '.join(KINDS)} are reactive by design: they learn every turn from the current position, "
        "and the second turn of scenarios 2 and 3 is judged that way."
    )


def third_turn(results: Results) -> Iterator[Block]:
    """What a third turn costs in the third scenario."""
    claims: list[Comparison] = []
    rows: list[tuple[Cell, ...]] = []
    groups = results.groups("third", "team", "turns")
    for team in TEAMS:
        found = [groups.get((team, turns), []) for turns in (2, 3)]
        if all(found):
            two, three = (fmean(row["seconds"] for row in some) for some in found)
            rows.append((team, two, three, three / two, *(share(some, first_right) for some in found)))
            claims.append(
                Comparison(
                    what=f"{team}: a third turn",
                    source="5.3",
                    there=f"at least {THIRD_TURN[team]:.0f} times as long",
                    here=f"{three / two:.0f} times",
                    holds=three / two >= THIRD_TURN[team],
                )
            )
    columns = ("team", "two turns, CPU s", "three turns, CPU s", "times", "right with two", "right with three")
    yield Table(columns, rows, "Scenario 3 with a third turn, which does not change the best play.")
    yield comparison_table(claims)


SECTIONS = (
    Section(title="Reactive, proactive: does depth pay?", parts=("depth",), blocks=depth),
    Section(title="What a third turn costs", parts=("third",), blocks=third_turn),
)
