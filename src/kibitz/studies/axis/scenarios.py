"""The thesis's three scenarios with its teams and simulation counts: how often is each turn right? Figures 18 to 22."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean

from kibitz.arena.plots.charts import dots
from kibitz.arena.statistics import Estimate, mean_interval
from kibitz.studies.axis import thesis
from kibitz.studies.axis.trials import run, thesis_rounds
from kibitz.studies.blocks import Block, Cell, Conclusion, Figure, Paragraph, Table
from kibitz.studies.comparisons import Comparison, comparison_table
from kibitz.studies.results import Results
from kibitz.studies.sentences import percents
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, cross_factors

SETTINGS: Settings = {"runs": 200, "scale": 1.0}
"""*scale* is the factor by which all parts reduce the thesis's simulation counts."""
QUICK: Settings = {"runs": 3, "scale": 0.1}
TITLES = {"s1": "Scenario 1", "s2": "Scenario 2", "s3": "Scenario 3"}
WEST = "West"
MOVES = ("together", "split", "both attack", "one attacks")
TABLES = {"s1": "chapter 5.1", "s2": "table 5", "s3": "table 6"}
Judge = Callable[[Row], bool]


def parts(settings: Settings, seed: int) -> list[Part]:
    """Complete runs of every team on every scenario."""
    return [Work(name="runs", work=run, cases=cases(settings["runs"], settings["scale"], seed), version=2, weight=10)]


def cases(runs: int, scale: float, seed: int) -> list[Case]:
    """Every team of the thesis on every scenario for which it was tried."""
    every = cross_factors({"scenario": tuple(thesis.ROUNDS), "team": tuple(thesis.KINDS)}, repeats=runs, seed=seed)
    tried = [case for case in every if case["team"] in thesis.ROUNDS[case["scenario"]]]
    return [{**case, **thesis_rounds(case["scenario"], case["team"], scale)} for case in tried]


def of(results: Results, scenario: str, team: str) -> list[Row]:
    """The runs of a team on a scenario."""
    return [row for row in results.rows("runs") if row["scenario"] == scenario and row["team"] == team]


def share(rows: Sequence[Row], judge: Judge) -> Estimate:
    """The share of runs that a judge approves."""
    return mean_interval([float(judge(row)) for row in rows], bounds=(0.0, 1.0))


def first_right(row: Row) -> bool:
    return bool(row["first_right"])


def all_right(row: Row) -> bool:
    """Whether every learned turn is optimal."""
    return bool(row["first_right"] and row.get("second_right", True))


def adequate(row: Row) -> bool:
    """Whether at most one unit deviates from optimal play in each turn."""
    return bool(row["first_off"] <= 1 and row.get("second_off", 0) <= 1)


JUDGES: Mapping[str, Judge] = {"first turn right": first_right, "all right": all_right, "adequate": adequate}


def pair_move(row: Row) -> str:
    """What the two infantry of the first scenario do."""
    attacking = row["first"].count(f"> {WEST}")
    moved = row["first"].count("> North")
    return MOVES[3] if attacking == 1 else MOVES[2] if attacking else MOVES[1] if moved == 1 else MOVES[0]


def chosen_share(rows: Sequence[Row], move: str) -> Estimate:
    """How often the two infantry make this move."""
    return share(rows, lambda row: pair_move(row) == move)


def tank_attacks(row: Row) -> bool:
    """Whether the tank of the first scenario moves to an area with infantry."""
    moves = [order.rsplit(" > ", 1)[-1] for order in row["first"].split("; ") if ">" in order]
    held = {*moves, *({"South"} if "South stays" in row["first"] else set())}
    return any(row.get("reply", "").endswith(f"> {area}") for area in held)


def times(results: Results) -> Iterator[Block]:
    """Tables 5 and 6, and the times of chapter 5.1."""
    rows: list[tuple[Cell, ...]] = []
    for scenario, teams in thesis.ROUNDS.items():
        for team, rounds in teams.items():
            found = of(results, scenario, team)
            if found:
                seconds = fmean(row["seconds"] for row in found)
                theirs = thesis.SECONDS[scenario][team]
                counts = " / ".join(map(str, rounds))
                rows.append((TABLES[scenario], TITLES[scenario], team, counts, theirs, seconds, theirs / seconds))
    columns = ("where", "scenario", "team", "simulations by turn", "there, s", "here, CPU s", "times as fast")
    yield Table(columns, rows, "A learning run of the first turn on one core; the thesis had a processor of 2008.")
    if results.settings["scale"] != 1.0:
        yield Paragraph("Here the simulation counts are smaller than those shown, so the times cannot be compared.")
    elif rows:
        slowest = min(float(row[-1]) for row in rows if isinstance(row[-1], float))
        yield Conclusion(f"Every learning run is at least {slowest:.0f} times as fast as the thesis's.")


def first_scenario(results: Results) -> Iterator[Block]:
    """Figures 18 to 20: what the infantry do, and how the tank replies."""
    rows: list[tuple[Cell, ...]] = []
    claims: list[Comparison] = []
    groups: dict[str, dict[str, Estimate]] = {}
    for team in thesis.ROUNDS["s1"]:
        found = of(results, "s1", team)
        if not found:
            continue
        groups[team] = {move: chosen_share(found, move) for move in MOVES}
        together, split = ([row for row in found if pair_move(row) == move] for move in MOVES[:2])
        replies = [share(some, tank_attacks) if some else None for some in (together, split)]
        rows.append((team, len(found), *groups[team].values(), *replies, share(found, first_right)))
        alone, any_attack = thesis.ATTACKS[team]
        attacks = share(found, lambda row: "attack" in pair_move(row))
        claims += percent_claims(team, "any infantry attacks", "5.1", any_attack, attacks)
        claims += percent_claims(team, "one infantry attacks alone", "5.1", alone, groups[team][MOVES[3]])
        claims += percent_claims(team, "tank attacks the pair", "5.1", thesis.PAIR_ATTACKED.get(team), replies[0])
    columns = ("team", "runs", *MOVES, "tank attacks the pair", "tank attacks when split", "exactly right")
    yield Table(columns, rows, "Figures 18 to 20: shares of runs. Right is to split, worth +0.25; together −0.25.")
    yield Figure("scenario-1", "What the two infantry do.", lambda: dots(groups, label="share of runs"))
    yield comparison_table(claims)
    yield Paragraph(
        "The thesis considers standing still best, which is true only of an endless game. A tank that looks only at "
        "its own turn attacks a pair that has split (+0.25 for it in that turn), and loses by it in the next."
    )


def percent_claims(team: str, what: str, where: str, there: float | None, here: Estimate | None) -> list[Comparison]:
    """A percentage of the thesis beside ours, if both are known."""
    if there is None or here is None:
        return []
    return [Comparison(what=f"{team}: {what}", source=where, there=there / 100.0, here=here)]


def others(results: Results) -> Iterator[Block]:
    """Figures 21 and 22: how often the teams play right in the second and third scenario."""
    yield from success(results, "s2", "figure 21", thesis.DEFENDED, {})
    yield from success(results, "s3", "figure 22", thesis.BOTH_TURNS, thesis.FIRST_TURN)


def success(
    results: Results, scenario: str, figure: str, whole: Mapping[str, float], first: Mapping[str, float]
) -> Iterator[Block]:
    """How often the teams play right in a scenario; *whole* and *first* are the thesis's percentages."""
    rows: list[tuple[Cell, ...]] = []
    claims: list[Comparison] = []
    groups: dict[str, dict[str, Estimate]] = {name: {} for name in JUDGES}
    for team in thesis.ROUNDS[scenario]:
        found = of(results, scenario, team)
        if not found:
            continue
        for name, judge in JUDGES.items():
            groups[name][team] = share(found, judge)
        lost = fmean(row["first_lost"] for row in found)
        rows.append((team, len(found), *(groups[name][team] for name in JUDGES), lost))
        claims += percent_claims(team, "all units right", figure, whole.get(team), groups["all right"][team])
        claims += percent_claims(team, "first turn right", figure, first.get(team), groups["first turn right"][team])
    columns = ("team", "runs", *JUDGES, "IPC lost by the first turn")
    yield Table(columns, rows, f"{figure.capitalize()}: {TITLES[scenario]}, judged by the exact solution.")
    yield Figure(scenario, f"{TITLES[scenario]}.", partial(dots, groups, label="share of runs"))
    yield comparison_table(claims)
    if "BLA" in groups["all right"]:
        right = percents(groups["all right"]["BLA"])
        yield Conclusion(f"{TITLES[scenario]}: BLA gets all turns right in {right} of runs.")


SECTIONS = (
    Section(title="How long a run takes", parts=("runs",), blocks=times),
    Section(title="Scenario 1: a simple battle", parts=("runs",), blocks=first_scenario),
    Section(title="Scenarios 2 and 3: defence and opportunity", parts=("runs",), blocks=others),
)
