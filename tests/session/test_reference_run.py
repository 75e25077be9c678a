"""The model ``reference``: what comes with the package answers, and nobody is asked."""

import pytest
from support.exporting import FOLDER, answered, batch_lines, result
from support.reference_run import lack
from support.reference_run import pack as packed_from
from support.scenarios import own, records, run, run_files, set_up, write_cases
from support.stub_endpoint import long_case, serving
from support.worker_counts import BOTH

from pytest_compaction.case import load_cases
from pytest_compaction.models.reference import shipped
from pytest_compaction.models.reference.shipped import Manifest

TWO = f"--compactor={own('keep')},anchored"
MODEL = f"--compaction-model={shipped.REFERENCE}"
CONFTEST = """
from pathlib import Path
from pytest_compaction.models.reference import shipped

shipped.PATH = Path({path!r})
"""
"""Every process of a run, workers included, reads the file of the test."""


@pytest.fixture
def project(pytester, monkeypatch):
    """Two cases, of which only ``first`` is in the reference run; and an endpoint that is shut."""
    set_up(pytester, "first", "second")
    write_cases(pytester, long_case("first"), long_case("second"))
    path = pytester.path / "shipped.zip"
    monkeypatch.setattr(shipped, "PATH", path)
    pytester.makeconftest(CONFTEST.format(path=str(path)))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.syspath_prepend(pytester.path)
    return pytester


def asked(pytester, *arguments):
    return run(pytester, MODEL, "--compaction-over-budget=report", *arguments, compactor=None)


def export(pytester, *arguments):
    shown = asked(pytester, TWO, f"--compaction-export={FOLDER}", *arguments)
    assert shown.ret == pytest.ExitCode.OK, shown.stdout.str()
    return shown


def record(pytester, *arguments):
    """Export and answer until nothing is missing; the number of requests of each stage."""
    stages = []
    while True:
        shown = export(pytester, *arguments)
        lines = batch_lines(pytester.path / FOLDER)
        if not lines:
            shown.stdout.fnmatch_lines(["nothing is missing: *"])
            return stages
        assert answered(pytester, map(result, lines)) == 0
        stages.append(len(lines))


def pack(pytester):
    """Pack the store, whose folder goes away; the calls that a replay of the file lacks."""
    case = pytester.path / "cases/first.json"
    strategies = (own("keep"), "anchored")
    digests = {case.id: case.digest for case in load_cases([case]).cases}
    about = Manifest(
        digests, strategies, "a mock of a large language model", "2026-11-23", ("Each alone.",)
    )
    store = pytester.path / ".pytest_compaction/store"
    packed_from(store, shipped.PATH, about)
    store.rename(pytester.path / "recorded")
    return lack([case], strategies).calls


def without_costs(pytester):
    """The records without times, and without what an endpoint counted, which words lack."""
    found = [
        {**r, "latency_s": None, "usage": None, "tokens": {**r["tokens"], "summary": None}}
        for r in records(pytester).records
    ]
    for event in (event for r in found for event in r["compaction"]["events"]):
        for name in ("input_tokens", "output_tokens"):
            event.pop(name, None)
    for r in found:
        r.pop("words")
    return found


@pytest.fixture
def packed(project):
    record(project, "--compaction-cases=cases/first.json")
    assert pack(project) == ()
    return project


def test_what_is_packed_answers_as_the_store_did_and_is_never_written(project):
    record(project, "--compaction-cases=cases/first.json")
    asked(project, TWO, "--compaction-replay", "--compaction-cases=cases/first.json")
    from_store = without_costs(project)
    assert pack(project) == ()
    before = shipped.PATH.read_bytes()
    for workers in ("-n0", "-n2"):
        shown = asked(
            project, TWO, "--compaction-replay", workers, "--compaction-cases=cases/first.json"
        )
        shown.assert_outcomes(passed=8)
        assert without_costs(project) == from_store
    assert shipped.PATH.read_bytes() == before
    assert not list((project.path / ".pytest_compaction").glob("store/??/*"))
    serial, parallel = (path.read_bytes() for path in run_files(project)[-2:])
    assert serial == parallel


@BOTH
def test_without_cases_named_those_of_the_reference_run_are_measured(packed, workers):
    shown = asked(packed, TWO, workers)
    shown.assert_outcomes(passed=8)
    assert {record["case"] for record in records(packed).records} == {"first"}
    words = " ".join(shown.stdout.str().split())
    assert "reference run of 2026-11-23: a mock of a large language model, not reprod" in words
    assert "; without 1 case that is not in it" in words
    about = records(packed).header["reference"]
    assert about["provenance"] == ["Each alone."]
    assert (about["repairs"], about["replies"], list(about["cases"])) == (0, 17, ["first"])


@BOTH
def test_without_the_option_it_is_a_replay_too(packed, workers):
    with serving() as stub, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", stub.url)
        shown = asked(packed, TWO, workers, "--compaction-cases=cases")
        assert stub.calls == []
    shown.assert_outcomes(passed=8, failed=8)
    reasons = {r["reason"] for r in records(packed).records if r["case"] == "second"}
    for reason in reasons:
        assert "this request is not in the reference run: " in reason
        assert f"covers the cases first with the strategies {own('keep')}, anchored" in reason
        assert "--compaction-model=NAME" in reason


def test_beside_a_model_that_can_be_asked_it_is_still_not_asked(packed):
    with serving() as stub, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", stub.url)
        shown = asked(packed, TWO, "--compaction-judge=gpt-4o-mini", "--compaction-cases=cases")
        assert len(stub.calls) == 8, "judgements of the answers on record"
    shown.assert_outcomes(passed=8, failed=8)


def test_a_case_that_has_changed_since_is_left_out(packed):
    changed = long_case("first")
    changed["probes"][0]["question"] = "What may the retry limit be?"
    write_cases(packed, changed)
    shown = asked(packed, TWO)
    assert shown.ret == pytest.ExitCode.USAGE_ERROR
    said = " ".join("\n".join(shown.errlines).split())
    assert "none of these cases is in the reference run: it covers first, each as it was" in said
    assert "--pyargs pytest_compaction.benchmark" in said


@pytest.mark.exhaustive
def test_a_later_export_asks_only_for_what_the_shipped_run_lacks(packed):
    shown = export(packed, "--compaction-cases=cases/first.json")
    shown.stdout.fnmatch_lines(["nothing is missing: *"])
    export(packed)
    lines = batch_lines(packed.path / FOLDER)
    assert len(lines) == 5, "one summary and four answers of the other case"
    assert record(packed)[0] == 5
    asked(packed, TWO, "--compaction-cases=cases").assert_outcomes(passed=16)


def test_what_a_packed_run_lacks_is_found_by_a_replay(project):
    record(project, "--compaction-cases=cases/first.json")
    store = project.path / ".pytest_compaction/store"
    judgement = next(
        p for p in sorted(store.glob("??/*.json")) if b"response_format" in p.read_bytes()
    )
    judgement.unlink()
    assert [call.digest for call in pack(project)] == [judgement.stem]


def test_without_a_reference_run_the_store_is_all_there_is(project):
    shown = asked(project, TWO, "-k", "first and limit")
    shown.assert_outcomes(failed=2)
    words = " ".join(shown.stdout.str().split())
    assert "no reference run comes with this version; only .pytest_compaction/store is" in words
    reason = records(project).records[0]["reason"]
    assert "is not in the store .pytest_compaction/store: " in reason


def test_a_damaged_run_ends_the_session_with_a_sentence(packed):
    shipped.PATH.write_bytes(b"PK" + bytes(100))
    shown = asked(packed, TWO)
    assert shown.ret == pytest.ExitCode.USAGE_ERROR
    said = " ".join("\n".join(shown.errlines).split())
    assert "cannot be used: " in said
    assert "install the package again" in said


def test_nobody_can_be_asked_again_and_nothing_is_charged(packed):
    shown = asked(packed, TWO, "--compaction-refresh")
    assert shown.ret == pytest.ExitCode.USAGE_ERROR
    assert "nobody can be asked for the model 'reference'" in "\n".join(shown.errlines)
    asked(packed, TWO, "--compaction-max-cost=0").assert_outcomes(passed=8)


def test_a_misspelt_name_is_told(packed):
    shown = run(packed, TWO, "--compaction-model=referense", compactor=None)
    assert shown.ret == pytest.ExitCode.USAGE_ERROR
    assert "did you mean 'reference' (the replies that come" in "\n".join(shown.errlines)


@pytest.mark.exhaustive
def test_a_second_judgement_is_exported_alone_and_kept_beside_the_first(packed):
    arguments = ("--compaction-cases=cases/first.json", "--compaction-judgements=2")
    export(packed, *arguments)
    bodies = [line["body"] for line in batch_lines(packed.path / FOLDER)]
    assert len(bodies) == 8, "one for each judgement on record"
    assert {body["seed"] for body in bodies} == {1001}
    assert all("response_format" in body for body in bodies)
    assert record(packed, *arguments) == [8]
    shown = asked(packed, TWO, *arguments)
    shown.assert_outcomes(passed=8)
    for found in records(packed).records:
        assert [judge["name"] for judge in found["judges"]] == ["reference", "reference#2"]
    assert "Krippendorff's alpha" in shown.stdout.str()
    asked(packed, TWO, "--compaction-cases=cases/first.json").assert_outcomes(passed=8)
    assert records(packed).records[0]["judges"] == []


def test_the_offline_judge_is_not_asked_twice(project):
    shown = run(
        project, TWO, "--compaction-over-budget=report", "--compaction-judgements=2", compactor=None
    )
    shown.assert_outcomes(passed=16)
    assert records(project).records[0]["judges"] == []
    assert "has no effect on the offline judge, which always says the same" in shown.stdout.str()
