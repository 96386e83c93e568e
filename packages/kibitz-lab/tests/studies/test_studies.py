from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
import tiny_study
from tiny_study import STUDY

from finished_studies import Stopping
from kibitz.core.errors import BadDefinition, BrokenPlugin, ExecutionFailed, UnknownName
from kibitz_lab.arena.executors import make_executor
from kibitz_lab.store import Store
from kibitz_lab.studies.runs import StudyRun
from kibitz_lab.studies.study import Study, Work, cross_factors, find_study, studies

SUMS, CUP, TWICE = 3 * 2 * 2, 4, 2


def changed(**settings: Any) -> Study:
    return msgspec.structs.replace(STUDY, settings={**STUDY.settings, **settings})


def finished(study: Study, database: Path, *, how: str = "inline", quick: bool = False, seed: int = 0) -> StudyRun:
    """A study run to its end, with all it found read from the store."""
    with Store(str(database)) as store, make_executor(how) as executor:
        list(StudyRun(study, store, quick=quick, seed=seed).run_rest(executor))
        run = StudyRun(study, store, quick=quick, seed=seed)
        assert run.complete
        return run


def found(run: StudyRun) -> dict[str, Any]:
    return {name: run.results.rows(name) for name in ("sums", "cup", "twice")}


def test_factors_are_crossed_and_every_case_has_a_seed_of_its_own() -> None:
    cases = cross_factors({"agent": ["a", "b"], "depth": [1, 2]}, repeats=3, seed=5)
    assert len(cases) == 12
    assert len({case["seed"] for case in cases}) == 12
    assert Counter((case["agent"], case["depth"]) for case in cases) == dict.fromkeys(
        [("a", 1), ("a", 2), ("b", 1), ("b", 2)], 3
    )
    assert {case["seed"] for case in cross_factors({"agent": ["a"]}, seed=6)}.isdisjoint(
        {case["seed"] for case in cases}
    )


def test_a_new_level_leaves_the_seeds_of_the_others_alone() -> None:
    few = cross_factors({"agent": ["a", "b"], "depth": [1]}, repeats=2, seed=5)
    many = cross_factors({"agent": ["c", "a", "b"], "depth": [0, 1]}, repeats=3, seed=5)
    assert all(case in many for case in few)


def test_paired_factors_share_their_seeds() -> None:
    cases = cross_factors({"arm": ["plain", "model"], "pair": [1, 2]}, repeats=2, paired=["arm"])
    seeds = {(case["pair"], case["repeat"]): set() for case in cases}
    for case in cases:
        seeds[case["pair"], case["repeat"]].add(case["seed"])
    assert [len(each) for each in seeds.values()] == [1] * 4
    assert len(set.union(*seeds.values())) == 4


def test_parts_run_in_order_and_use_what_came_before(tmp_path: Path) -> None:
    run = finished(STUDY, tmp_path / "a.db")
    sums = run.results.rows("sums")
    assert len(sums) == SUMS
    assert sums[0] == {
        "a": 1,
        "b": 10,
        "repeat": 0,
        "seed": sums[0]["seed"],
        "value": 11 + sums[0]["seed"] % 7,
        "pair": [1, 10],
    }
    assert {row["plies"] for row in run.results.rows("cup")} == {3}
    largest = sorted(row["value"] for row in sums)[-2:]
    assert run.results.rows("twice") == [
        {"value": value, "began": 2, "twice": 2 * value, "plies": 3} for value in largest
    ]


@pytest.mark.long
def test_every_executor_gives_the_same_rows(tmp_path: Path) -> None:
    assert found(finished(STUDY, tmp_path / "a.db")) == found(finished(STUDY, tmp_path / "b.db", how="pool"))


@pytest.mark.long
def test_a_study_stopped_at_any_step_goes_on_to_the_same_rows_and_repeats_nothing(tmp_path: Path) -> None:
    whole = found(finished(changed(log=str(tmp_path / "whole")), tmp_path / "whole.db"))
    for after in (0, 1, SUMS - 1, SUMS, SUMS + 1, SUMS + CUP, SUMS + CUP + 1):
        study, database = changed(log=str(tmp_path / f"log{after}")), tmp_path / f"{after}.db"
        with Store(str(database)) as store:
            run = StudyRun(study, store)
            with pytest.raises(KeyboardInterrupt):
                list(run.run_rest(Stopping(after)))
            assert sum(len(each.rows) for each in run.runs.values()) == after
            done, planned = StudyRun(study, store).steps
            assert done == sum(len(each.rows) * each.part.weight for each in run.runs.values())
            assert planned == SUMS + CUP * 2.5 + TWICE
        resumed = found(finished(study, database))
        assert [each | {"log": ""} for each in resumed.pop("sums")] == [each | {"log": ""} for each in whole["sums"]]
        assert resumed == {name: whole[name] for name in resumed}
        calls = Path(tmp_path / f"log{after}").read_text().split()
        assert len(calls) == len(set(calls)) == SUMS


def test_a_part_killed_just_before_it_was_marked_as_finished_is_marked_later(tmp_path: Path) -> None:
    finished(STUDY, tmp_path / "a.db")
    with Store(str(tmp_path / "a.db")) as store:
        with store.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE runs SET finished = NULL")
        run = StudyRun(STUDY, store)
        assert not run.complete
        assert list(run.run_rest(Stopping(0))) == []
        assert run.complete
        assert all(each.finished for each in store.runs())


def other_sums(case: dict[str, Any]) -> dict[str, Any]:
    return {"value": -case["a"]}


@pytest.mark.long
def test_another_definition_is_another_run(tmp_path: Path) -> None:
    def with_work(**changes: Any) -> Study:
        def parts(settings: Any, seed: int) -> list[Any]:
            first, *others = tiny_study.parts(settings, seed)
            assert isinstance(first, Work)
            return [msgspec.structs.replace(first, **changes), *others]

        return msgspec.structs.replace(STUDY, parts=parts)

    database = tmp_path / "a.db"
    sums = [
        finished(STUDY, database),
        finished(STUDY, database, quick=True),
        finished(STUDY, database, seed=1),
        finished(with_work(version=2), database),
        finished(with_work(work=other_sums), database),
        finished(changed(repeats=1), database),
        finished(msgspec.structs.replace(STUDY, name="other"), database),
    ]
    assert len({run.runs["sums"].run.run for run in sums}) == len(sums)
    assert finished(STUDY, database).runs["sums"].run.run == sums[0].runs["sums"].run.run
    assert len(sums[1].results.rows("sums")) == 4
    assert sums[4].results.rows("sums")[0]["value"] == -1


@pytest.mark.long
def test_work_that_fails_says_which_case_and_keeps_the_others(tmp_path: Path) -> None:
    def parts(settings: Any, seed: int) -> list[Any]:
        return [Work(name="sums", work=tiny_study.broken, cases=cross_factors({"a": (1, 3, 2)}))]

    study = msgspec.structs.replace(STUDY, parts=parts, measures=(), claims=())
    with Store(str(tmp_path / "a.db")) as store:
        for how in ("inline", "pool"):
            with (
                make_executor(how) as executor,
                pytest.raises(ExecutionFailed, match=r"part sums, case \{'a': 2.*ZeroDivisionError"),
            ):
                list(StudyRun(study, store).run_rest(executor))
        assert [row["value"] for row in StudyRun(study, store).results.rows("sums")] == [-1, 1]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"quick": {"c": 1}}, "quick: c is not a setting"),
        ({"parts": lambda *_: [Work(name="a", work=other_sums, cases=[])] * 2}, "a unique name"),
        ({"parts": lambda *_: [Work(name="../a", work=other_sums, cases=[])]}, "of letters and digits"),
        ({"parts": lambda *_: []}, "there is no part 'sums'"),
    ],
)
def test_mistakes_in_a_study_are_named(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    with Store(str(tmp_path / "a.db")) as store, pytest.raises(BadDefinition, match=words):
        StudyRun(msgspec.structs.replace(STUDY, **changes), store)


def test_a_part_cannot_use_one_that_comes_later(tmp_path: Path) -> None:
    def parts(settings: Any, seed: int) -> list[Any]:
        sums, cup, twice = tiny_study.parts(settings, seed)
        return [cup, sums, twice]

    with Store(str(tmp_path / "a.db")) as store, pytest.raises(UnknownName, match="only earlier parts"):
        StudyRun(msgspec.structs.replace(STUDY, parts=parts), store)


def test_studies_are_found_by_name() -> None:
    assert all(find_study(name).name == name for name in studies())
    assert find_study("tiny_study:STUDY") is STUDY
    with pytest.raises(UnknownName, match="did you mean 'risk'"):
        find_study("riskk")
    for name in ("tiny_study:NONE", "no_such_module:STUDY", "tiny_study:parts", ":"):
        with pytest.raises(BrokenPlugin):
            find_study(name)
