"""The thesis's three scenarios with its teams and simulation counts: how often is each turn right? Figures 18 to 22."""

from collections.abc import Iterator, Mapping

from kibitz_axis.study import thesis
from kibitz_axis.study.trials import run, thesis_rounds
from kibitz_lab.studies.claims import Claim
from kibitz_lab.studies.measures import Column, Measure, fractions
from kibitz_lab.studies.study import Case, Results, Row, Settings, Work, cross_factors

SETTINGS: Settings = {"runs": 200, "scale": 1.0}
"""*scale* is the factor by which all parts reduce the thesis's simulation counts."""
QUICK: Settings = {"runs": 6, "scale": 0.1}
WEST = "West"
TOGETHER, SPLIT, BOTH_ATTACK, ONE_ATTACKS = MOVES = ("together", "split", "both attack", "one attacks")
TABLES = {"s1": "ch. 5.1", "s2": "Table 5", "s3": "Table 6"}
PLAYED, FIRST, TIMES = "Figures 21 and 22: right turns", "Figures 18 to 20: scenario 1", "Tables 5 and 6: run times"
WITHIN = 0.1
"""The thesis does not say of how many runs its percentages are; such a difference counts as none."""


def parts(settings: Settings, seed: int) -> list[Work]:
    """Complete runs of every team on every scenario."""
    return [Work(name="runs", work=run, cases=cases(settings["runs"], settings["scale"], seed), version=3, weight=10)]


def cases(runs: int, scale: float, seed: int) -> list[Case]:
    """Every team of the thesis on every scenario for which it was tried."""
    every = cross_factors({"scenario": tuple(thesis.ROUNDS), "team": tuple(thesis.KINDS)}, repeats=runs, seed=seed)
    tried = [case for case in every if case["team"] in thesis.ROUNDS[case["scenario"]]]
    return [{**case, **thesis_rounds(case["scenario"], case["team"], scale)} for case in tried]


def pair_move(row: Row) -> str:
    """What the two infantry of the first scenario do."""
    attacking = row["first"].count(f"> {WEST}")
    moved = row["first"].count("> North")
    if attacking:
        return ONE_ATTACKS if attacking == 1 else BOTH_ATTACK
    return SPLIT if moved == 1 else TOGETHER


def tank_attacks(row: Row) -> bool:
    """Whether the tank of the first scenario moves to an area with infantry."""
    moves = [order.rsplit(" > ", 1)[-1] for order in row["first"].split("; ") if ">" in order]
    held = {*moves, *({"South"} if "South stays" in row["first"] else set())}
    return any(row.get("reply", "").endswith(f"> {area}") for area in held)


def first_rows(results: Results) -> Iterator[Row]:
    """The runs of the first scenario: what the infantry do, and how the tank replies."""
    for row in results.rows("runs"):
        if row["scenario"] == "s1":
            move, reply = pair_move(row), float(tank_attacks(row))
            answered = {f"tank attacks, {each}": reply for each in (TOGETHER, SPLIT) if each == move}
            chosen = {each: float(each == move) for each in MOVES}
            yield {**row, **chosen, "any attacks": float("attack" in move), **answered}


MEASURES = (
    Measure(
        name=FIRST,
        part="runs",
        by=("team",),
        rows=first_rows,
        columns=fractions(*MOVES, "any attacks", "tank attacks, together", "tank attacks, split", "all right"),
        about=(
            "What the two infantry do, as fractions of runs, and how often the tank attacks them. To split is right: "
            "against a tank that looks at its own turn it is worth +0.25, to stay together −0.25; against a perfect "
            "tank it is worth −0.25. The thesis considers standing still best, which is true only "
            "of an endless game. A tank that looks only at its own turn attacks a pair that has split, and loses by it "
            "in the next."
        ),
    ),
    Measure(
        name=PLAYED,
        part="runs",
        by=("scenario", "team"),
        columns=(*fractions("all right", "first turn right", "adequate"), Column(name="IPC lost", of="first_lost")),
        about=(
            "Fractions of runs, judged by the exact solution; adequate: at most one unit deviates in each turn. The "
            "teams are reactive by design: they learn every turn from the current position, and the second turn of "
            "scenarios 2 and 3 is judged that way. `IPC lost` is what the first turn gives away."
        ),
        shown=True,
        drawn=True,
    ),
    Measure(
        name=TIMES,
        part="runs",
        by=("scenario", "team"),
        columns=(Column(name="CPU seconds", of="seconds"),),
        about="A learning run of the first turn on one core.",
    ),
)


def percents(
    measure: str, column: str, what: str, source: str, printed: Mapping[str, float | None], **cell: str
) -> Iterator[Claim]:
    """Percentages of the thesis by team."""
    for team, percent in printed.items():
        if percent is not None:
            yield Claim(
                what=f"{team}: {what}",
                source=f"{thesis.AUTHOR}, {source}",
                there=percent / 100.0,
                within=WITHIN,
                measure=measure,
                column=column,
                cell={**cell, "team": team},
            )


ALONE, ATTACKED = ({team: both[place] for team, both in thesis.ATTACKS.items()} for place in (0, 1))
CLAIMS = (
    *percents(FIRST, "any attacks", "any infantry attacks", "ch. 5.1", ATTACKED),
    *percents(FIRST, ONE_ATTACKS, "one infantry attacks alone", "ch. 5.1", ALONE),
    *percents(FIRST, "tank attacks, together", "tank attacks the pair", "ch. 5.1", thesis.PAIR_ATTACKED),
    *percents(PLAYED, "all right", "all units right", "Figure 21", thesis.DEFENDED, scenario="s2"),
    *percents(PLAYED, "all right", "both turns right", "Figure 22", thesis.BOTH_TURNS, scenario="s3"),
    *percents(PLAYED, "first turn right", "first turn right", "Figure 22", thesis.FIRST_TURN, scenario="s3"),
    *(
        Claim(
            what=f"{team}, scenario {scenario[1]}: seconds of a run",
            source=f"{thesis.AUTHOR}, {TABLES[scenario]}",
            there=float(seconds),
            measure=TIMES,
            cell={"scenario": scenario, "team": team},
            apart="a processor of 2008",
        )
        for scenario, teams in thesis.SECONDS.items()
        for team, seconds in teams.items()
    ),
)
