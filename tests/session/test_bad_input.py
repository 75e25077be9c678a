"""Bad input: a clear message in the right place, while everything else goes on."""

import json

import pytest
from support.scenarios import (
    PROBES,
    case,
    failure,
    flat,
    own,
    ran,
    records,
    run,
    set_up,
    write_cases,
)
from support.worker_counts import BOTH

from pytest_compaction.options.table import OPTIONS

ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e"
"""Clears a screen, sets a title and colors, and reverses the direction of writing."""


def refused(pytester, *arguments, compactor=None):
    """The lines on stderr of a run that does not start."""
    result = run(pytester, *arguments, compactor=compactor)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "Traceback" not in str(result.stderr)
    assert not (pytester.path / ".pytest_compaction").exists()
    return "\n".join(result.errlines).strip()


# --- what the command line names -----------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ancored", ["unknown compactor 'ancored'", "did you mean 'anchored'?", "truncate"]),
        (
            "zzz",
            ["unknown compactor 'zzz'", "the compactors are adk, ", "module:function"],
        ),
        ("no_such_module:compact", ["cannot import the module", "no_such_module"]),
        ("strategies:kep", ["the module 'strategies' has no 'kep'; did you mean 'keep'?"]),
        ("strategies:keep:size=3", ["'strategies:keep:size=3' cannot be called", "size"]),
        ("truncate:fraction=2", ["fraction=2 must be above 0 and at most 1"]),
        ("truncate:part=2", ["'truncate:part=2' does not take these parameters", "part"]),
        ("a:b:c", ["cannot read the compactor 'a:b:c'"]),
        ("strategies:LOG", ["'strategies:LOG' is PosixPath; expected a function"]),
    ],
)
def test_a_compactor_that_is_not_there_ends_the_run_and_says_what_there_is(pytester, name, words):
    set_up(pytester, "first")
    said = refused(pytester, f"--compactor={name}")
    for word in words:
        assert word in said


@pytest.mark.parametrize("option", ["model", "responder", "judge"])
@pytest.mark.parametrize(
    ("slip", "meant"), [("Oflline", "offline"), ("recordet", "recorded' (summaries that a model")]
)
def test_a_slip_in_the_name_of_a_model_ends_the_run_and_asks_what_was_meant(
    pytester, option, slip, meant
):
    set_up(pytester, "first")
    said = refused(pytester, f"--compaction-{option}={slip}", compactor="keep")
    assert f"unknown model '{slip}'; did you mean '{meant}" in said


WRONG_VALUES = {
    "--compaction-trials": ["0", "-1", "1.5", "many", "1001"],
    "--compaction-judgements": ["0", "-1", "1.5", "many"],
    "--compaction-pass-score": ["5.1", "-0.1", "high", "nan"],
    "--compaction-max-unscored": ["-1", "some"],
    "--compaction-show": ["-1", "some"],
    "--compaction-max-drop": ["-0.1", "5.1", "nan", "some"],
    "--compaction-max-newly-gone": ["-1", "some", "101%"],
    "--compaction-inconclusive": ["perhaps", "PASS"],
    "--compaction-over-budget": ["ignore", "FAIL"],
    "--compaction-report": ["report.pdf", "report"],
    "--compaction-concurrency": ["0", "all"],
    "--compaction-max-cost": ["-1", "nan", "ten"],
    "--compaction-timeout": ["0", "-1", "inf", "nan", "soon"],
    "--compaction-request-timeout": ["0", "-1", "inf", "nan", "soon"],
    "--compaction-trigger": ["never", "window:0", "window:1.1", "window:", "tokens:0", "turns:x"],
    "--compaction-executor": ["dask", "dask://", "ftp://host:1"],
    "--compaction-languages": ["xx", "klingon"],
    "--compaction-shard": ["0/2", "3/2", "two", "1/2/3"],
    "--compaction-budget": ["0", "-1", "1e3", "many", "1.5", "1000000001", "recorded,1000"],
    "--compaction-threshold": ["overall", "overall>=", "overall=3", "charm>=3", "file.charm>=3"],
    "--compaction-encoding": ["no_such_encoding"],
    "--compaction-cycles": ["-1", "1001", "many"],
    "--compaction-examples": ["none", "0", "-1"],
    "--compaction-judge-tolerance": ["much", "1,2,3", "-1", "nan", "0.5,6"],
    "--compaction-limit": ["-1", "few"],
    "--compaction-history": ["mine"],
    "--compaction-consistency": ["-0.1", "1.1", "nan", "high"],
    "--compaction-dialogue-budget": ["0", "1.1", "nan", "half"],
    "--compaction-dialogue-window": ["0", "wide"],
}
ANY_TEXT = {
    "--compactor",
    "--compaction-cases",
    "--compaction-model",
    "--compaction-responder",
    "--compaction-judge",
    "--compaction-reader",
    "--compaction-judge-prompt",
    "--compaction-rubric",
    "--compaction-store",
    "--compaction-export",
    "--compaction-runs",
    "--compaction-baseline",
    "--compaction-prices",
    "--compaction-tasks",
}
"""Options whose values are names or paths; other tests look at what they name."""


@pytest.mark.parametrize("flag", WRONG_VALUES)
def test_a_value_that_cannot_be_used_ends_the_run_and_is_named(pytester, flag):
    set_up(pytester, "first")
    for value in WRONG_VALUES[flag]:
        said = refused(pytester, f"{flag}={value}", compactor="keep")
        assert said.startswith("ERROR: ")
        assert value in said
        assert len(said.splitlines()) == 1


@pytest.mark.parametrize("compactor", [None, "keep"])
def test_an_option_that_does_not_exist_is_named_without_its_escapes_and_the_nearest_one(
    pytester, compactor
):
    set_up(pytester, "first")
    said = refused(pytester, f"--compaction-treshold{ESCAPES}=overall>=3", compactor=compactor)
    assert said.startswith(r"ERROR: there is no option --compaction-treshold\x1b[2J")
    assert "did you mean --compaction-threshold?" in said
    assert said.isprintable()


def test_every_option_with_a_value_has_its_wrong_values_tested():
    with_values = {option.flag for option in OPTIONS if option.ini_type != "bool"}
    assert with_values == set(WRONG_VALUES) | ANY_TEXT


def test_a_wrong_value_is_refused_even_without_a_compactor(pytester):
    said = refused(pytester, "--compaction-trials=none")
    assert said == "ERROR: --compaction-trials=none is not a whole number from 1 to 1000"


# --- case files ----------------------------------------------------------------------


def broken_items(result):
    return [name for name in ran(result) if name.startswith("broken-")]


@BOTH
def test_a_broken_case_file_is_one_failing_item_and_all_others_run(pytester, workers):
    set_up(pytester, "first", "second")
    data = case("broken")
    data["probes"][1]["facts"][0]["evidence"] = ["nowhere"]
    write_cases(pytester, data)
    both = f"{own('keep')},{own('forget')}"
    result = run(pytester, workers, f"--compactor={both}", compactor=None)
    result.assert_outcomes(passed=8, failed=8 + 1)
    assert flat(failure(result, "broken-broken.json")) == (
        "case file cases/broken.json cannot be used: "
        "/probes/1/facts/0/evidence/0: found 'nowhere'; expected the id of a message"
    )
    assert "Traceback" not in str(result.stdout)
    assert len(records(pytester).records) == 16


def test_each_broken_line_of_a_jsonl_file_is_an_item_of_its_own(pytester):
    place = set_up(pytester, "first")
    lines = [json.dumps(case("good")), "{", json.dumps(case("fine")), "[]"]
    (place / "many.jsonl").write_text("\n".join(lines))
    result = run(pytester, "-v")
    result.assert_outcomes(passed=12, failed=2)
    result.stdout.fnmatch_lines(["case file cases/many.jsonl:2 cannot be used:"])
    result.stdout.fnmatch_lines(["case file cases/many.jsonl:4 cannot be used:"])
    assert len(set(broken_items(result))) == 2


@pytest.mark.parametrize(
    ("path", "found"),
    [("nowhere", "no such file or folder"), ("empty", "a folder without case files")],
)
def test_a_missing_or_empty_case_folder_is_a_failing_item_never_a_green_run(pytester, path, found):
    set_up(pytester, "first")
    (pytester.path / "empty").mkdir()
    result = run(pytester, f"--compaction-cases={path}")
    result.assert_outcomes(failed=1)
    said = flat(failure(result, f"broken-{path}"))
    assert f"/: found {found}; expected a case file" in said
    both = run(pytester, f"--compaction-cases={path}", "--compaction-cases=cases")
    both.assert_outcomes(failed=1, passed=4)


# --- compactors ----------------------------------------------------------------------


BROKEN = {
    "raises": ": compact raised ValueError: the summariser is out of order",
    "nothing": " returned None; expected the list of chat messages",
    "text": " returned str; expected a list of chat messages",
    "number": " returned a wrong message: ",
    "orphan": " broke the message structure: ",
    "leaves": ": compact raised SystemExit: 3",
    "forever": ": compact did not return within 0.5 s (--compaction-timeout)",
    "forever_async": ": compact did not return within 0.5 s (--compaction-timeout)",
}
"""Strategies that break their contract, and what each of them is told."""


def test_a_compactor_that_breaks_its_contract_fails_its_own_items_with_the_reason(pytester):
    set_up(pytester, "first")
    names = ",".join(own(name) for name in (*BROKEN, "keep"))
    result = run(pytester, "-v", f"--compactor={names}", "--compaction-timeout=0.5", compactor=None)
    result.assert_outcomes(failed=4 * len(BROKEN), passed=4)
    for name, message in BROKEN.items():
        first, *others = sorted(f"strategies:{name}-first-{probe}" for probe in PROBES)
        said = flat(failure(result, first))
        assert said.startswith(f"strategies:{name}{message}")
        assert said.endswith("(case first, compaction point early)")
        for other in others:
            assert flat(failure(result, other)) == f"see test_probe[{first}]"
    assert not any("Traceback" in line for line in result.outlines)
    by_status = {(r["compactor"], r["status"]) for r in records(pytester).records}
    assert by_status == {(own("keep"), "passed"), *((own(name), "error") for name in BROKEN)}


def test_broken_structure_names_the_invariant_and_the_messages(pytester):
    set_up(pytester, "first")
    result = run(pytester, compactor="orphan")
    result.assert_outcomes(failed=4)
    said = flat(failure(result, "strategies:orphan-first-decided"))
    assert "strategies:orphan broke the message structure: " in said
    assert "call-1" in said
    assert "edited" in said


# --- hostile text --------------------------------------------------------------------


def hostile_case():
    data = case("first")
    for message in data["messages"]:
        message["content"] = f"{ESCAPES} {message['content']}"
    for probe in data["probes"]:
        probe["question"] = f"{ESCAPES} {probe['question']}"
        probe["facts"].append({"text": f"never {ESCAPES} {probe['id']}", "evidence": ["done"]})
        data["messages"][3]["content"] += f" This is never {ESCAPES} {probe['id']}."
    data["title"] = ESCAPES
    return data


def raw_controls(result):
    """Control and format characters that reached the terminal."""
    text = str(result.stdout) + str(result.stderr)
    return {ch for ch in text if not ch.isprintable() and ch != "\n"}


@pytest.mark.parametrize(
    "arguments",
    [
        [f"--compactor={own('hostile')}"],
        [f"--compactor={own('forget')}", "-rA", "--compaction-threshold=overall>=5"],
        [f"--compactor={own('noted', note=ESCAPES)}"],
        [f"--compactor={own('keep')}", "--compaction-judge=hostile"],
        [f"--compactor={own('keep')}", "--compaction-responder=echo"],
        [f"--compactor={own('keep')},{own('forget')}"],
    ],
)
def test_terminal_escapes_never_reach_the_terminal_raw(pytester, arguments):
    set_up(pytester, "first")
    bad_id = case("bad")
    bad_id["probes"][1]["id"] = ESCAPES
    bad_fact = case("bad_fact")
    bad_fact["probes"][0]["facts"][0]["text"] = f"{ESCAPES} stated nowhere"
    place = write_cases(pytester, hostile_case(), bad_id, bad_fact)
    (place / "bad.json").rename(place / f"{ESCAPES}.json")
    result = run(pytester, "-vv", *arguments, compactor=None)
    assert len(broken_items(result)) == 2
    assert len(records(pytester).records) == 4 * len(arguments[0].split(","))
    assert raw_controls(result) == set()


@pytest.mark.parametrize(
    "given",
    [
        f"--compactor={ESCAPES}",
        f"--compaction-model={ESCAPES}",
        f"--compaction-trigger={ESCAPES}",
        f"--compaction-threshold={ESCAPES}",
        "--compaction-threshold=pass^1@\x1b[2J>=1",
    ],
)
def test_terminal_escapes_in_option_values_are_shown_as_text(pytester, given):
    set_up(pytester, "first")
    result = run(pytester, given, compactor="keep")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert raw_controls(result) == set()


def test_lone_surrogates_survive_the_way_from_the_worker(pytester):
    set_up(pytester, "second")
    data = json.dumps(case("first")).replace("broker restarts slowly.", "broker \\\\ud800 slowly.")
    data = data.replace("the broker restarts slowly", "the broker \\ud800 slowly")
    write_cases(pytester, data.replace("\\\\ud800", "\\ud800"))
    arguments = [f"--compactor={own('keep')},{own('surrogates')}", "--compaction-judge=hostile"]
    result = run(pytester, "-n2", *arguments, "--compaction-max-unscored=99", compactor=None)
    assert result.parseoutcomes() == {"unscored": 8, "failed": 8 + 1}
    found = records(pytester).records
    assert len(found) == 16
    assert all("\ud800" not in json.dumps(record, ensure_ascii=False) for record in found)
