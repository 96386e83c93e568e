"""A study small enough to be stopped at every step: some sums, then matches and work that depend on them."""

from pathlib import Path

from kibitz.core.match.play import play
from kibitz.core.records import record_from_bytes
from kibitz_lab.studies.claims import Claim
from kibitz_lab.studies.measures import Column, Measure
from kibitz_lab.studies.study import Case, Results, Row, Settings, Study, Work, cross_factors

AGENTS = ("cooperator", "defector")


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


def parts(settings: Settings, seed: int) -> list[Work]:
    factors = {"a": settings["a"], "b": (10, 20)}
    cases = cross_factors(factors, repeats=settings["repeats"], seed=seed)
    if settings["log"]:
        cases = [{**case, "log": settings["log"]} for case in cases]
    return [
        Work(name="sums", work=summed, cases=cases),
        Work(name="cup", work=played, cases=cup, planned=4, weight=2.5),
        Work(name="twice", work=doubled, cases=best, planned=2),
    ]


def cup(results: Results) -> list[Case]:
    """Matches whose length comes from the sums."""
    rounds = min(row["a"] for row in results.rows("sums")) + 2
    return cross_factors({"rounds": [rounds], "first": AGENTS}, repeats=2, seed=results.seed)


def played(case: Case) -> Row:
    """The length of a match."""
    agents = AGENTS if case["first"] == AGENTS[0] else AGENTS[::-1]
    return {"plies": len(play(f"dilemma(rounds={case['rounds']})", agents, seed=case["seed"]).entries)}


def best(results: Results) -> list[Case]:
    """The two largest sums, with the number of players that began a match, and a match."""
    most = sorted(row["value"] for row in results.rows("sums"))[-2:]
    began = len({row["first"] for row in results.rows("cup")})
    record = play("dilemma(rounds=3)", AGENTS, seed=results.seed).without_times().to_bytes()
    return [{"value": value, "began": began, "record": record, "hidden": {"not": "a level"}} for value in most]


STUDY = Study(
    name="tiny",
    title="Sums & doubles",
    asks="How large are they?\n\nNobody knows.",
    settings={"a": (1, 2, 3), "repeats": 2, "log": ""},
    quick={"a": (1,)},
    parts=parts,
    measures=(
        Measure(
            name="Sums",
            part="sums",
            by=("a", "b", "repeat"),
            columns=(Column(name="value", exact=True),),
            about="Sums of <b> & `a`, with | and * in the text.",
        ),
        Measure(name="Means", part="sums", by=("a",), columns=(Column(name="value", least=4),), shown=True, drawn=True),
        Measure(name="Doubles", part="twice", by=("value",), columns=(Column(name="twice", exact=True),)),
    ),
    claims=(
        Claim(what="mean", source="Nobody 1900, p. 1", there=1e9, within=1.0, measure="Means", cell={"a": 1}),
        Claim(what="it is rare", source="Nobody 1900", there=1.0, measure="Means", apart="another field"),
    ),
    sources=("Nobody (1900). Sums.",),
)
