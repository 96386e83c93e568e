"""Compares all kinds of automata, and what helps if states give similar feedback: exact odds, stopping."""

from collections.abc import Iterator
from statistics import fmean

from kibitz.agents.automata.tier import KINDS
from kibitz.arena.plots.charts import dots
from kibitz.arena.statistics import Estimate
from kibitz.studies.axis.scenarios import TITLES, all_right, of, share
from kibitz.studies.axis.thesis import ROUNDS
from kibitz.studies.axis.trials import FEWEST, run
from kibitz.studies.blocks import Block, Conclusion, Figure, Paragraph, Table
from kibitz.studies.results import Results
from kibitz.studies.sentences import percents
from kibitz.studies.study import Case, Part, Row, Section, Settings, Work, cross_factors

SETTINGS: Settings = {"family_runs": 200, "help_runs": {"s1": 20, "s2": 20, "s3": 200}}
QUICK: Settings = {"family_runs": 3, "help_runs": {"s1": 1, "s2": 1, "s3": 2}}
COUNTS = (800, 400, 200)
"""Simulations by turn of the kinds that the thesis does not have."""
SURE = 0.999
DICE, DICE_STOPPING, ODDS, ODDS_STOPPING = HELPS = (
    "dice",
    "dice, stopping early",
    "exact odds",
    "exact odds, stopping early",
)
OUTCOMES = {DICE_STOPPING: "dice", ODDS: "odds", ODDS_STOPPING: "odds"}
THESIS = {"tsetlin": "Tsetlin", "lri": "L_RI", "bla": "BLA"}
HARDEST = "s3"
SURE_ONES = ("lri", "bla")
"""The thesis's kinds that can say how sure they are."""


def parts(settings: Settings, seed: int) -> list[Part]:
    """All kinds by exact odds; the thesis's kinds with every help except dice, which its own runs have."""
    cases: list[Case] = []
    for scenario in ROUNDS:
        many, few = settings["family_runs"], settings["help_runs"][scenario]
        for help_, kinds, runs in (
            (ODDS, KINDS, many),
            (ODDS_STOPPING, SURE_ONES, many),
            (DICE_STOPPING, SURE_ONES, few),
        ):
            factors = {"scenario": [scenario], "kind": kinds, "help": [help_]}
            cases += cross_factors(factors, repeats=runs, seed=seed, paired=["help"])
    scaled = [{**case, "scale": settings["scale"]} for case in cases]
    return [Work(name="family", work=helped_run, cases=scaled, version=2)]


def helped_run(case: Case) -> Row:
    """A run of one kind of automaton on all tiers, with the named help."""
    team = THESIS.get(case["kind"])
    rounds = [max(FEWEST, round(each * case["scale"])) for each in (ROUNDS[case["scenario"]][team] if team else COUNTS)]
    more = {"sure": SURE} if case["help"] in (DICE_STOPPING, ODDS_STOPPING) else {}
    kinds = (case["kind"], case["kind"])
    return run({**case, "kinds": kinds, "rounds": rounds, "outcomes": OUTCOMES[case["help"]], **more})


def family_rows(results: Results, scenario: str, kind: str, help_: str) -> list[Row]:
    """The runs of a kind on a scenario with a help."""
    if help_ == DICE:
        return of(results, scenario, THESIS[kind])
    wanted = scenario, kind, help_
    return [row for row in results.rows("family") if (row["scenario"], row["kind"], row["help"]) == wanted]


def kinds_table(results: Results) -> Iterator[Block]:
    """How often each kind gets all turns right by exact odds, and how long it takes."""
    groups: dict[str, dict[str, Estimate]] = {TITLES[scenario]: {} for scenario in ROUNDS}
    rows = []
    for kind in KINDS:
        cells: list[Estimate | float | None] = []
        for scenario in ROUNDS:
            found = family_rows(results, scenario, kind, ODDS)
            cells.append(share(found, all_right) if found else None)
            if found:
                groups[TITLES[scenario]][kind] = share(found, all_right)
        every = [row for scenario in ROUNDS for row in family_rows(results, scenario, kind, ODDS)]
        rows.append((kind, *cells, fmean(row["seconds"] for row in every) if every else None))
    yield Table(("kind", *TITLES.values(), "CPU s"), rows, "Share of runs that are all right, learned by exact odds.")
    yield Figure("family", "Share of runs that are all right, by exact odds.", lambda: dots(groups, label="all right"))
    worst = {
        kind: min((groups[title][kind] for title in groups), key=lambda each: each.mean)
        for kind in KINDS
        if all(kind in group for group in groups.values())
    }
    if worst:
        best = max(worst, key=lambda kind: worst[kind].mean)
        yield Conclusion(f"By exact odds `{best}` is best: all right in at least {percents(worst[best])} of runs.")


def helps_table(results: Results) -> Iterator[Block]:
    """The thesis's kinds with every help."""
    rows = []
    for scenario in ROUNDS:
        for kind, team in THESIS.items():
            for help_ in HELPS:
                found = family_rows(results, scenario, kind, help_)
                if found:
                    seconds, rounds = fmean(row["seconds"] for row in found), fmean(row["rounds"] for row in found)
                    rows.append((TITLES[scenario], team, help_, len(found), share(found, all_right), rounds, seconds))
    columns = ("scenario", "team", "outcomes", "runs", "all right", "rounds of the first turn", "CPU s")
    yield Table(columns, rows, "What helps when states give similar feedback.")
    best = {help_: family_rows(results, HARDEST, "bla", help_) for help_ in HELPS}
    if all(best.values()):
        told = ", ".join(f"{percents(share(found, all_right))} with {help_}" for help_, found in best.items())
        yield Conclusion(f"{TITLES[HARDEST]}, where feedback is most similar: BLA gets all turns right in {told}.")
    yield Paragraph(
        "Exact odds: a status is the expectation over all outcomes, and every position is learned once, the last "
        f"first; this is not the thesis's algorithm. Stopping early: once every automaton is {SURE:.1%} sure."
    )


SECTIONS = (
    Section(title="The whole family, by exact odds", parts=("family",), blocks=kinds_table),
    Section(title="What helps when feedback is similar", parts=("runs", "family"), blocks=helps_table),
)
