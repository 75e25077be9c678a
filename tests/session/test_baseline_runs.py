"""Runs that are compared with a baseline: what is red, what is shown, what is accepted."""

import json

import pytest
from support.scenarios import (
    case,
    flat,
    last_line,
    own,
    records,
    run,
    run_files,
    set_up,
    write_cases,
)
from support.talks import talk, write
from support.worker_counts import BOTH

OK, FAILED, USAGE = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.USAGE_ERROR
KEEPS = (
    "LONG = 'Raise the retry limit in src/queue.py.'\n"
    "def compact(messages, budget):\n"
    "    return [{**m, 'content': 'Raise it.'} if m['content'] == LONG else m for m in messages]\n"
)
FORGETS = (
    "def compact(messages, budget):\n"
    "    return [m for m in messages if '45' not in str(m.get('content'))]\n"
)
MAIN = "--compaction-baseline=main.json"
UPDATE = "--compaction-baseline-update"
NONE_GONE = "--compaction-max-newly-gone=0"


def measure(pytester, source, *arguments, **how):
    """A run of ``mine:compact``, which is the given source."""
    (pytester.path / "mine.py").write_text(source)
    return run(pytester, "--compactor=mine:compact", *arguments, compactor=None, **how)


def accepted(pytester, source=KEEPS):
    result = measure(pytester, source, MAIN, UPDATE)
    assert result.ret == OK
    return result


def test_a_run_is_accepted_as_the_baseline_and_says_where(pytester):
    set_up(pytester)
    result = accepted(pytester)
    result.stdout.fnmatch_lines(
        ["baseline updated: main.json, 8 items of mine:compact; review and commit it"]
    )
    data = json.loads((pytester.path / "main.json").read_text("utf-8"))
    assert [item["overall"] for item in data["strategies"]["mine:compact"]["items"]] == [5.0] * 8


@BOTH
def test_what_got_worse_is_red_and_is_shown_and_nothing_else(pytester, workers):
    set_up(pytester)
    accepted(pytester)
    result = measure(pytester, FORGETS, workers, MAIN, NONE_GONE)
    assert result.ret == FAILED
    assert result.parseoutcomes()["below"] == 4
    result.stdout.fnmatch_lines(
        [
            "=* compaction: worse than main =*",
            "               main    now  difference, paired 95 %",
            "overall        5.00   2.50  -2.50 (2 cases)          undecided",
            "facts kept     100%    50%  4 newly gone, 0 regained",
            "4 newly below 3.5, 0 recovered; largest losses:",
            "  5.00 -> 0.00  first-decided *1 of 1 fact gone",
            "newly gone (4):",
            "  first-decided @late: the broker restarts slowly",
            "  first-limit @late: 45",
            "all changes: pytest-compaction compare main.json last",
            "accept: pytest --compactor=… --compaction-baseline-update",
        ]
    )
    assert "over 8 items" not in str(result.stdout)
    assert "records: " not in str(result.stdout)
    assert last_line(result).startswith(
        "GATE FAILED overall -2.50 in 2 cases, not shown, main 5.00"
    )
    assert " · newly gone 4 > 0, regained 0 · " in last_line(result)


def test_with_six_cases_a_shown_drop_is_red_without_a_rule_on_facts(pytester):
    set_up(pytester, *map(str, range(6)))
    accepted(pytester)
    result = measure(pytester, FORGETS, MAIN)
    assert result.ret == FAILED
    assert last_line(result).startswith(
        "GATE FAILED overall fell by 2.50 [-2.50, -2.50], main 5.00"
    )


@BOTH
def test_what_is_no_worse_is_green_and_takes_a_line(pytester, workers):
    set_up(pytester)
    accepted(pytester)
    result = measure(pytester, KEEPS, workers, "-v", MAIN)
    assert result.ret == OK
    result.stdout.fnmatch_lines(
        [
            "compaction: mine:compact | * | baseline main",
            "compaction::overall vs main: drop<=0.1*PASSED*",
            "no worse than main: overall +0.00 (2 cases), 4 dimensions hold; facts: 0 newly",
        ]
    )
    assert last_line(result) == (
        "GATE PASSED no worse than main: overall +0.00 · newly gone 0, regained 0 · "
        "on 8 of 8 items · 0 items below 3.5"
    )


def test_a_certain_loss_in_few_cases_is_never_passed(pytester):
    set_up(pytester, "first")
    accepted(pytester)
    result = measure(pytester, FORGETS, MAIN)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(
        [
            "undecided against main: overall -2.50 (1 case) is more than the allowed 0.1, and",
            "newly gone (2):",
            "  first-decided @late: the broker restarts slowly",
            "  first-limit @late: 45",
        ]
    )
    assert "takes about" not in str(result.stdout)
    assert last_line(result).startswith("UNDECIDED overall -2.50 in 1 case, not shown, main 5.00")


def test_another_meaning_of_undecided_is_shown_in_the_line_of_the_gate(pytester):
    set_up(pytester, "first")
    accepted(pytester)
    (pytester.path / "pytest.ini").write_text("[pytest]\ncompaction_inconclusive = pass\n")
    result = measure(pytester, FORGETS, MAIN, "-rs")
    assert result.ret == OK
    result.assert_outcomes(passed=6, skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*undecided: overall -2.50 in 1 case, not shown*"])
    assert last_line(result).startswith("UNDECIDED overall -2.50 in 1 case")
    assert " · inconclusive=pass · " in last_line(result)
    same = last_line(measure(pytester, KEEPS, MAIN))
    assert same.startswith("GATE PASSED")
    assert " · inconclusive=pass · " in same


def test_where_the_rule_on_facts_decides_an_undecided_run_ends_with_0_and_warns(
    pytester, monkeypatch
):
    set_up(pytester, "first")
    accepted(pytester)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    result = measure(pytester, FORGETS, MAIN, "--compaction-max-newly-gone=2")
    assert result.ret == OK
    (command,) = (line for line in result.outlines if line.startswith("::"))
    assert command.startswith("::warning title=compaction")
    assert "newly gone 2 <= 2, regained 0" in command
    result = measure(pytester, FORGETS, MAIN)
    (command,) = (line for line in result.outlines if line.startswith("::"))
    assert command.startswith("::error title=compaction")


def test_a_mended_key_leaves_its_probe_out_and_a_changed_log_the_case(pytester):
    set_up(pytester)
    accepted(pytester)
    data = case("first")
    for probe in data["probes"]:
        if probe["id"] == "limit":
            probe["facts"][0]["keys"] = [["45"]]
    write_cases(pytester, data, case("second", budget=900))
    result = measure(pytester, FORGETS, MAIN, NONE_GONE)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(
        [
            "newly gone (1):",
            "  first-decided @late: the broker restarts slowly",
            "not comparable, since its text or keys changed (1):",
            "  first-limit @late: 45",
            "not comparable, since the log or the budget changed: 1 case (second)",
            "scores not comparable, since facts or traps changed: 1 probe (first-limit)",
        ]
    )


def test_against_older_shipped_cases_what_changed_is_said_with_the_way_to_renew(pytester):
    set_up(pytester)
    accepted(pytester)
    file = pytester.path / "main.json"
    data = json.loads(file.read_text("utf-8"))
    data["strategies"]["mine:compact"]["versions"]["cases"] = "1"
    file.write_text(json.dumps(data), "utf-8")
    changed = case("first")
    changed["probes"][0]["question"] += " Please."
    write_cases(pytester, changed)
    result = measure(pytester, KEEPS, MAIN)
    text = " ".join(" ".join(result.outlines).split())
    assert "main has version 1 of the shipped cases and this run an earlier version" in text
    assert "the case first is not the same in main and this run" in text
    assert "pytest --compactor=… --compaction-baseline-update" in text
    assert "newly gone (" not in text


def test_a_baseline_outside_the_repository_is_held_to_its_committed_hash(pytester, tmp_path):
    set_up(pytester, "first")
    outside = f"--compaction-baseline={tmp_path / 'main.json'}"
    result = measure(pytester, KEEPS, outside, UPDATE)
    assert result.ret == OK
    committed = pytester.path / "main.accepted.json"
    text = committed.read_text()
    assert "the broker restarts slowly" not in text, "no text of a transcript"
    assert json.loads(text)["strategies"]["mine:compact"]["overall"] == 5.0
    assert measure(pytester, KEEPS, outside).ret == OK
    file = tmp_path / "main.json"
    file.write_text(file.read_text().replace('"overall": 5.0', '"overall": 0.0'))
    result = measure(pytester, FORGETS, outside)
    assert result.ret == USAGE
    result.stderr.fnmatch_lines(["*it is not the accepted one: its sha256 is *"])
    file.unlink()
    result = measure(pytester, KEEPS, outside)
    assert result.ret == USAGE
    result.stderr.fnmatch_lines(["*main.accepted.json names the accepted one by its hash*"])


def test_after_an_upgrade_of_the_reader_the_views_of_the_baseline_are_read_again(pytester):
    set_up(pytester, "first")
    accepted(pytester, FORGETS)
    file = pytester.path / "main.json"
    data = json.loads(file.read_text())
    part = data["strategies"]["mine:compact"]
    part["versions"]["reader"] = "of yesterday"
    for item in part["items"]:  # as a reader that found everything would have read the views
        item |= {"overall": 5.0, "facts": dict.fromkeys(item["facts"], "stated")}
    file.write_text(json.dumps(data))
    result = measure(pytester, FORGETS, MAIN, NONE_GONE)
    assert result.ret == OK
    said = "main was read by another version of the reader; its views were read again"
    assert said in flat(result.outlines)
    assert "newly gone 0 <= 0" in last_line(result)
    part["views"] = {}
    file.write_text(json.dumps(data))
    result = measure(pytester, FORGETS, MAIN, NONE_GONE)
    assert result.ret == FAILED
    assert "accept a run anew with --compaction-baseline-update" in flat(result.outlines)


def test_thresholds_decide_as_well(pytester):
    set_up(pytester)
    accepted(pytester)
    result = measure(pytester, KEEPS, MAIN, "--compaction-threshold=overall>=4")
    assert last_line(result) == (
        "GATE PASSED overall 5.00 >= 4.00 · no worse than main: overall +0.00 · "
        "newly gone 0, regained 0 · on 8 of 8 items · 0 items below 3.5"
    )
    result = measure(pytester, FORGETS, MAIN, "--compaction-threshold=overall>=4")
    assert last_line(result).startswith(
        "GATE FAILED overall 2.50 < 4.00 · overall -2.50 in 2 cases"
    )


def test_a_folder_gives_its_newest_run_of_the_same_strategy(pytester):
    set_up(pytester)
    measure(pytester, FORGETS)
    measure(pytester, KEEPS)
    run(pytester)
    folder = "--compaction-baseline=.pytest_compaction/runs"
    result = measure(pytester, FORGETS, folder, NONE_GONE)
    result.stdout.fnmatch_lines(
        [
            "compaction: * | baseline runs (0002)",
            "=* compaction: worse than runs =*",
            "accept: --compaction-baseline=.pytest_compaction/runs/0004-mine_compact.jsonl",
        ]
    )
    result = measure(pytester, KEEPS, "--compaction-baseline=last")
    assert result.ret == OK
    assert "overall +2.50" in last_line(result)


def test_another_strategy_is_a_baseline_only_by_name(pytester):
    set_up(pytester)
    run(pytester)
    (file,) = run_files(pytester)
    named = f"--compaction-baseline={file.relative_to(pytester.path)}"
    result = measure(pytester, FORGETS, named)
    assert result.ret == USAGE
    result.stderr.fnmatch_lines(["*holds no run of mine:compact, only of strategies:keep*"])
    result = measure(pytester, FORGETS, f"{named}@{own('keep')}", NONE_GONE)
    assert "newly gone 4 > 0" in last_line(result)


def test_runs_that_cannot_be_compared_are_refused_before_anything_runs(pytester):
    set_up(pytester)
    accepted(pytester)
    write_cases(pytester, case("first", budget=900))
    result = measure(
        pytester, KEEPS, MAIN, "--compaction-pass-score=3", "--compaction-trigger=auto"
    )
    assert result.ret == USAGE
    result.stderr.fnmatch_lines(
        [
            "ERROR: --compaction-baseline=main.json: this run cannot be compared with it:",
            "  - the trigger differs: case in main, auto in this run",
            "*accept this run with --compaction-baseline-update*",
        ]
    )
    assert len(run_files(pytester)) == 1
    assert measure(pytester, KEEPS, MAIN, UPDATE).ret == OK
    assert measure(pytester, KEEPS, MAIN).ret == OK


def test_new_and_vanished_cases_are_said_and_not_refused(pytester):
    place = set_up(pytester)
    accepted(pytester)
    (place / "second.json").unlink()
    write_cases(pytester, case("third"))
    result = measure(pytester, KEEPS, MAIN)
    assert result.ret == OK
    result.stdout.fnmatch_lines(
        [
            "only in this run: 4 probes (third-decided, third-files, third-limit and 1 more)",
            "only in main: 4 probes (second-decided, second-files, second-limit and 1 more)",
        ]
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([MAIN], "there is no such file or folder; accept a run as the baseline with"),
        (["--compaction-baseline=none.jsonl"], "there is no such file or folder"),
        (["--compaction-baseline=last"], "there is no run in"),
        ([UPDATE], "writes a .json file to be committed, and none is named"),
        ([UPDATE, "--compaction-baseline=runs"], "--compaction-baseline=runs is no file of that"),
        ([UPDATE, MAIN, "--compaction-shard=1/2"], "takes a whole run"),
        ([MAIN, "--compaction-max-newly-gone=-1"], "=-1: expected a whole number of facts"),
        ([MAIN, "--compaction-max-newly-gone=101%"], "from 0% to 100%"),
        ([UPDATE, "--compaction-baseline=cases/first.json"], "is no baseline of format 1"),
        ([UPDATE, "--compaction-baseline=cases/first.json/x.json"], "cannot be written"),
    ],
)
def test_what_cannot_work_is_said_before_anything_runs(pytester, arguments, said):
    set_up(pytester, "first")
    result = measure(pytester, KEEPS, *arguments)
    assert result.ret == USAGE
    assert said in str(result.stderr)
    assert not run_files(pytester)


def test_a_strategy_that_raises_is_red_and_what_was_scored_is_accepted(pytester):
    set_up(pytester)
    source = KEEPS.replace("    return", "    assert 'first' not in str(messages[-1])\n    return")
    result = measure(pytester, source, MAIN, UPDATE)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(["baseline updated: *8 items of mine:compact, 3 without a score;*"])
    result = measure(pytester, KEEPS, MAIN)
    assert result.ret == OK
    result.stdout.fnmatch_lines(["not compared: 3 items without a score"])
    then = (pytester.path / "main.json").read_bytes()
    result = measure(pytester, source.replace("'first'", "''"), MAIN, UPDATE)
    assert result.ret == FAILED
    said = "baseline not updated: nothing was scored, so main.json is*"
    result.stdout.fnmatch_lines(["*ERROR* baseline-update *", said])
    assert (pytester.path / "main.json").read_bytes() == then


def test_a_run_in_which_nothing_was_compacted_is_not_accepted(pytester):
    set_up(pytester)
    accepted(pytester)
    then = (pytester.path / "main.json").read_bytes()
    same = "def compact(messages, budget):\n    return messages\n"
    result = measure(pytester, same, MAIN, UPDATE)
    assert result.ret == FAILED
    said = (
        "baseline not updated: mine:compact: nothing was compacted: no view of 8 items is smaller"
    )
    assert said in flat(result.outlines)
    assert "so main.json is as it was" in flat(result.outlines)
    assert (pytester.path / "main.json").read_bytes() == then
    control = ["--compactor=none", UPDATE]
    result = run(pytester, *control, "--compaction-baseline=none.json", compactor=None)
    assert result.ret == FAILED
    assert not (pytester.path / "none.json").exists()
    named = "--compaction-threshold=overall@none>=0"
    result = run(pytester, *control, named, "--compaction-baseline=none.json", compactor=None)
    assert result.ret == OK
    assert (pytester.path / "none.json").exists()


@BOTH
def test_a_run_that_was_stopped_decides_and_accepts_nothing(pytester, workers):
    place = set_up(pytester)
    accepted(pytester)
    place.joinpath("test_own.py").write_text(
        "def test_probe(case, probe, compactor, judge):\n"
        "    judge(probe, compactor(case).ask(probe)).check()\n"
        "    assert probe.id != 'next'\n"
    )
    then = (pytester.path / "main.json").read_bytes()
    result = measure(pytester, KEEPS, workers, "-x", MAIN)
    assert result.ret != OK
    why = "undecided, the run was stopped before all items ran"
    result.stdout.fnmatch_lines([f"overall vs main: drop<=0.1: {why}"])
    assert last_line(result).startswith("UNDECIDED the run ")
    result = measure(pytester, FORGETS, workers, "-x", MAIN, UPDATE)
    assert result.ret != OK
    result.stdout.fnmatch_lines([f"baseline-update: {why}"])
    assert (pytester.path / "main.json").read_bytes() == then


def test_a_run_whose_items_are_not_in_the_baseline_is_never_green(pytester):
    set_up(pytester, "first")
    accepted(pytester)
    write_cases(pytester, case("second"))
    result = measure(pytester, KEEPS, MAIN, "-k", "second")
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(["overall vs main: drop<=0.1: no item of this run is in main"])
    assert last_line(result).startswith("GATE FAILED overall vs main")


def test_a_baseline_in_the_ini_file_is_left_out_by_the_word_none(pytester):
    set_up(pytester)
    accepted(pytester)
    (pytester.path / "pytest.ini").write_text(
        "[pytest]\ncompaction_baseline = main.json\ncompaction_max_drop = 5\n"
    )
    assert "no worse than main" in last_line(measure(pytester, FORGETS))
    result = measure(pytester, FORGETS, "--compaction-baseline=none")
    assert result.ret == FAILED
    assert "GATE" not in str(result.stdout)
    assert "baseline" not in records(pytester).header["settings"]


def test_a_run_of_dialogues_alone_cannot_be_compared_and_is_red(pytester):
    set_up(pytester, "first")
    accepted(pytester)
    write(pytester.path, talk(1))
    talks = ["--compaction-cases=talks.jsonl", "--compaction-consistency=0.99"]
    result = measure(
        pytester, "def compact(messages, budget):\n    return messages[-1:]\n", MAIN, *talks
    )
    assert result.ret == FAILED
    why = "overall vs main: drop<=0.1: no probe was asked"
    result.stdout.fnmatch_lines([why])
    assert last_line(result) == f"GATE FAILED {why} · on 1 of 1 item"
    result = measure(pytester, KEEPS, MAIN, UPDATE, *talks)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(
        ["baseline not updated: no probe was asked, so main.json is as it*"]
    )


def test_a_shard_and_a_listing_compare_nothing(pytester):
    set_up(pytester)
    assert measure(pytester, KEEPS, MAIN, "--collect-only").ret == OK
    result = measure(pytester, FORGETS, MAIN, "--compaction-shard=1/1")
    assert result.ret == OK
    assert "vs main" not in str(result.stdout)
