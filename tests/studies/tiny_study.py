"""A study small enough to be stopped at every step: some sums, then a tournament and work that depend on them."""

from collections.abc import Iterator
from pathlib import Path

from kibitz.arena.plots.charts import dots
from kibitz.arena.statistics import mean_interval
from kibitz.arena.tournament import Tournament
from kibitz.core.records import record_from_bytes
from kibitz.studies.blocks import Block, Conclusion, Figure, Paragraph, Table
from kibitz.studies.comparisons import Comparison, comparison_table
from kibitz.studies.results import Results
from kibitz.studies.study import Case, Matches, Part, Row, Section, Settings, Study, Work, cross_factors


def summed(case: Case) -> Row:
    """A number that depends on the levels and the seed; where it is asked to, it notes that it was called."""
    if "log" in case:
        with Path(case["log"]).open("a") as file:
            file.write(f"{case['a']}{case['b']}{case['repeat']}\n")
    return {"value": case["a"] + case["b"] + case["seed"] % 7, "pair": (case["a"], case["b"])}


def doubled(case: Case) -> Row:
    """Twice the value, and the length of the match that came with the case."""
    return {"twice": 2 * case["value"], "plies": len(record_from_bytes(case["record"]).entries)}


def broken(case: Case) -> Row:
    return {"value": 1 // (case["a"] - 2)}


def parts(settings: Settings, seed: int) -> list[Part]:
    factors = {"a": settings["a"], "b": (10, 20)}
    cases = cross_factors(factors, repeats=settings["repeats"], seed=seed)
    if settings["log"]:
        cases = [{**case, "log": settings["log"]} for case in cases]
    return [
        Work(name="sums", work=summed, cases=cases),
        Matches(name="cup", tournament=cup, planned=4, weight=2.5),
        Work(name="twice", work=doubled, cases=best, planned=2),
    ]


def cup(results: Results) -> Tournament:
    """A tournament whose length comes from the sums."""
    rounds = min(row["a"] for row in results.rows("sums")) + 2
    agents = {"kind": "cooperator", "nasty": "defector"}
    return Tournament(games=(f"dilemma(rounds={rounds})",), agents=agents, repeats=2, seed=results.seed)


def best(results: Results) -> list[Case]:
    """The two largest sums, and what the tournament says of them."""
    most = sorted(row["value"] for row in results.rows("sums"))[-2:]
    won = len({result.names for result in results.matches("cup")})
    records = [record.to_bytes() for _, record in results.records("cup")]
    return [{"value": value, "won": won, "record": records[0], "hidden": {"not": "a level"}} for value in most]


def told(results: Results) -> Iterator[Block]:
    rows = results.rows("sums")
    values = [row["value"] for row in rows]
    mean = mean_interval(values)
    yield Paragraph("Sums of <b> & `a`, with | and * in the text.")
    yield Table(("a", "b", "value"), [(row["a"], row["b"], row["value"]) for row in rows], "All | sums.")
    yield comparison_table([Comparison(what="mean", source="Nobody 1900, p. 1", there=1e9, here=mean)])
    yield Figure("sums", "The mean.", lambda: dots({"here": {"sums": mean}}, label="mean"))
    yield Conclusion(f"The largest sum is {max(values)}.")


def doubles(results: Results) -> Iterator[Block]:
    first, second = results.rows("twice")
    yield Conclusion(f"Twice the largest is {second['twice']}, and {first['twice']} comes before it.")


STUDY = Study(
    name="tiny",
    title="Sums & doubles",
    asks="How large are they?\n\nNobody knows.",
    settings={"a": (1, 2, 3), "repeats": 2, "log": ""},
    quick={"a": (1,)},
    parts=parts,
    sections=(
        Section(title="Sums", parts=("sums",), blocks=told),
        Section(title="Doubles", parts=("twice",), blocks=doubles),
    ),
    sources=("Nobody (1900). Sums.",),
)
