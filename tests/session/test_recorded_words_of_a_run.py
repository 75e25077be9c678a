"""The model ``recorded``: what a model wrote once is read again, and nobody is asked."""

import json
from dataclasses import replace

import pytest
from support.dialogue_project import TALKS
from support.scenarios import last_line, records, refused, run, run_files, set_up, write_cases
from support.sharded import IDS, merged
from support.stub_endpoint import long_case
from support.talks import talk
from support.talks import write as write_talks
from support.worker_counts import BOTH

from pytest_compaction.case import find_cases
from pytest_compaction.cli import main
from pytest_compaction.metrics import by_compactor, compare_strategies
from pytest_compaction.models import (
    WORDS_FILE,
    Archive,
    Manifest,
    RecordedPrompt,
    Words,
    current_place,
    words_digest,
    write,
)
from pytest_compaction.models.recorded import model as recorded_model
from pytest_compaction.records import load_run

MODEL = "--compaction-model=recorded"
REPORTED = "--compaction-over-budget=report"
UNSCORED = "--compaction-max-unscored=1000"
GATE = "--compaction-threshold=overall>=0"
SUMMARY = "## Decisions\n- The retry limit is 45 seconds."


def manifest(cases, strategies):
    return Manifest(
        model="a mock of a large language model",
        dates="2026-11-29",
        sampling="temperature 0",
        provenance=("Each alone.",),
        licence="MIT",
        cases=cases,
        strategies={name: RecordedPrompt("c" * 16, "2026-11-28") for name in strategies},
    )


@pytest.fixture
def record(pytester, monkeypatch):
    """Write the archive that a run with these strategies asks for, cases of it alone if named."""

    def record(*strategies, cases=("first", "second"), words=SUMMARY):
        asked = []

        async def call(self, call):
            place = current_place()
            self._numbers[place] += 1
            row = Words(
                "summary",
                place.case,
                place.strategy,
                place.point,
                place.trial,
                "",
                self._numbers[place],
                words_digest(call),
                words,
                budget=place.budget,
                trigger=place.trigger,
            )
            asked.append(row)
            return row.reply

        paths = [pytester.path / f"cases/{name}.json" for name in cases]
        digests = {case.id: case.digest for path in paths for case in find_cases([path]).cases}
        path = pytester.path / "cases" / WORDS_FILE
        seen = [Words("summary", c, s, "", 1, "", 1, "", "") for c in digests for s in strategies]
        write(path, manifest(digests, strategies), seen)
        with monkeypatch.context() as patch:
            patch.setattr(recorded_model._WordsCaller, "call", call)
            named = [f"--compaction-cases=cases/{name}.json" for name in cases]
            measure(pytester, f"--compactor={','.join(strategies)}", *named)
        write(path, manifest(digests, strategies), asked)
        for made in run_files(pytester):
            made.unlink()
        return path

    return record


def measure(pytester, *arguments):
    return run(pytester, MODEL, REPORTED, *arguments, compactor=None)


@pytest.fixture
def project(pytester, monkeypatch):
    """Two cases, and an endpoint that is shut."""
    set_up(pytester, "first", "second")
    write_cases(pytester, long_case("first"), long_case("second"))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.syspath_prepend(pytester.path)
    return pytester


def said(result):
    return " ".join("\n".join([*result.outlines, *result.errlines]).split())


def test_records_have_the_hash_of_the_prompt_that_the_words_answered(project, record):
    record("anchored")
    measure(project, "--compactor=anchored,truncate", "--compaction-report=page.html")
    found = {r["compactor"]: r["hashes"].get("summary_prompt") for r in records(project).records}
    assert found == {"anchored": "c" * 16, "truncate": None}
    page = (project.path / "page.html").read_text("utf-8")
    assert "The words were recorded 2026-11-28, and the hash is of what they answered" in page
    assert "What the user wants" in page


def words_by_strategy(pytester):
    return {(r["compactor"], r.get("words")) for r in records(pytester).records}


@BOTH
def test_recorded_summaries_are_measured_without_a_key_and_where_no_model_is_named(
    project, record, no_model_named, workers
):
    record("anchored")
    shown = measure(project, "--compactor=anchored,truncate,roo", workers, "-v")
    assert shown.ret in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}
    assert words_by_strategy(project) == {
        ("anchored", "recorded"),
        ("truncate", None),
        ("roo", "rules"),
    }
    text = said(shown)
    assert "recorded words of 2026-11-29: a mock of a large language model; sampling:" in text
    assert f"anchored: words: recorded, 2 of 2 cases, prompt {'c' * 16} of 2026-11-28" in text
    assert "roo: words: rules, because none are recorded for these cases; they tell what" in text
    assert "words record --compactor=roo --model=NAME, or ask a model: --compaction-m" in text
    rows = {line.split()[0]: line.split()[-1] for line in shown.outlines if line.strip()}
    assert (rows["anchored"], rows["truncate"], rows["roo"]) == ("w", "-", "r")
    assert max(map(len, shown.outlines[shown.outlines.index("") :])) < 200
    header = records(project).header
    assert header["words"]["strategies"] == {"anchored": "recorded", "roo": "rules"}
    assert header["words"]["archives"][0]["provenance"] == ["Each alone."]
    pairs = compare_strategies(by_compactor(records(project).records)).pairs
    assert [{pair.first, pair.second} for pair in pairs] == [{"anchored", "truncate"}]
    unnamed(project, "--compactor=anchored,truncate,roo", workers, "-v")
    one, other = (path.read_bytes() for path in run_files(project))
    assert one == other
    assert unnamed(project, "--compactor=anchored", GATE).ret == pytest.ExitCode.OK


def test_every_way_of_running_gives_the_same_records(project, record):
    record("anchored")
    for workers in ("-n0", "-n2"):
        measure(project, "--compactor=anchored,roo", workers)
    serial, parallel = (path.read_bytes() for path in run_files(project))
    assert serial == parallel
    found = records(project).records
    assert {record["status"] for record in found} <= {"passed", "failed"}
    assert not any("flaws" in event for r in found for event in r["compaction"]["events"])


@BOTH
def test_an_archive_reads_the_words_of_its_strategy_and_searches_the_same_with_any_workers(
    project, record, workers
):
    record("anchored")
    for processes in ("-n0", workers):
        shown = measure(project, "--compactor=anchored,anchored+archive:k=2", processes, GATE, "-v")
        assert f"anchored+archive:k=2: words: recorded, 2 of 2 cases, prompt {'c' * 16}" in said(
            shown
        )
    serial, parallel = (path.read_bytes() for path in run_files(project))
    assert serial == parallel
    found = {(r["compactor"], r["case"], r["probe"]): r for r in records(project).records}
    alone = [key for key in found if key[0] == "anchored"]
    assert alone
    for _, *item in alone:
        mine, other = found["anchored", *item], found["anchored+archive:k=2", *item]
        assert [f["unasked"] for f in other["facts"]] == [f["survived"] for f in mine["facts"]]
        assert other["compaction"]["events"] == mine["compaction"]["events"]
    assert any(r["search"]["tokens"] for r in found.values() if "search" in r)


def test_words_of_another_request_are_marked_and_no_gate_passes_with_them(project, record, capsys):
    prompt = project.path / "brief.md"
    prompt.write_text("Say what was done and decided.\n\n$messages\n")
    strategy = "anchored:prompt=brief.md"
    record(strategy)
    gated = measure(project, f"--compactor={strategy}", GATE)
    assert gated.ret == pytest.ExitCode.OK
    baseline = f"--compaction-baseline={run_files(project)[-1]}"
    prompt.write_text("Say what was done and chosen.\n\n$messages\n")
    held = measure(project, f"--compactor={strategy}", baseline)
    assert held.ret == pytest.ExitCode.TESTS_FAILED
    assert "no recorded words answer what would be sent now" in last_line(held)
    shown = measure(project, f"--compactor={strategy},truncate")
    assert "stale: recorded words that answer another request" in said(shown)
    marked = [r for r in records(project).records if r["compactor"] == strategy]
    assert all(r["overall"] is not None and r["words"] == "recorded" for r in marked)
    command = f"pytest-compaction words record --compactor={strategy} --model=NAME"
    red = f"{strategy}: no recorded words answer what would be sent now in {{}} of {len(marked)} "
    red += f"items; record them: {command}"
    assert {"stale": 1} in [e.get("flaws") for r in marked for e in r["compaction"]["events"]]
    measured = [r for r in marked if any("flaws" in e for e in r["compaction"]["events"])]
    capsys.readouterr()
    assert main(["gate", "last", "--threshold=overall@truncate>=0"]) == 1
    assert red.format(len(measured)) in capsys.readouterr().out
    gated = measure(project, f"--compactor={strategy},truncate", GATE, UNSCORED)
    assert gated.ret == pytest.ExitCode.TESTS_FAILED
    assert any(line.split()[-2:] == ["-", "s"] for line in gated.outlines if line)
    assert red.format(len(marked)) in last_line(gated)
    found = [r for r in records(project).records if r["compactor"] == strategy]
    assert {(r["status"], r["stale"]) for r in found} == {("unscored", True)}
    reason = found[0]["reason"]
    assert "answer another request, of 2026-11-28, than the one that would be sent now" in reason
    assert command in reason


def test_a_case_without_words_is_named_and_a_rule_is_an_error(project, record, capsys):
    record("anchored", cases=("first",))
    shown = measure(project, "--compactor=anchored,truncate", "-v")
    assert "anchored: no words of 1 case, not in its figures: second; record" in said(shown)
    cases = {(r["compactor"], r["case"]) for r in records(project).records}
    assert cases == {("anchored", "first"), ("truncate", "first"), ("truncate", "second")}
    both, rule = "--compactor=anchored,truncate", "--compaction-threshold=overall@{}>=0"
    assert "anchored has a rule, and no words of 1 case" in refused(
        measure(project, both, rule.format("anchored"))
    )
    measure(project, both, rule.format("truncate"))
    assert records(project).header["words"]["missing"] == {"anchored": ["second"]}
    capsys.readouterr()
    assert main(["gate", "last", "--threshold=overall@anchored>=0"]) == pytest.ExitCode.USAGE_ERROR
    assert "anchored: no words of some cases are recorded" in capsys.readouterr().err
    assert main(["gate", "last", "--threshold=overall@truncate>=0"]) == pytest.ExitCode.OK


def note_silent(path, strategy, silent, kept):
    """Say in the archive where the strategy asks no model; only ``kept`` keeps its words."""
    archive = Archive(path)
    words = [row for row in archive.words if row.case == kept]
    write(path, replace(archive.manifest, silent={strategy: silent}), words)


@BOTH
def test_a_case_in_which_a_strategy_asks_nothing_is_measured_as_it_runs(project, record, workers):
    """With the last 20 messages kept, nothing of so short a case is summarised."""
    path = record("langchain", "anchored")
    digests = Archive(path).manifest.cases
    rule = "--compaction-threshold=removed@langchain>=0"
    refused = measure(project, "--compactor=langchain", rule, workers)
    assert "so that a gate would rest on summaries by rules" in said(refused)
    write(path, replace(Archive(path).manifest, silent={"langchain": digests}), Archive(path).words)
    shown = measure(project, "--compactor=langchain,anchored", rule, workers)
    assert "GATE FAILED" in last_line(shown)
    assert "langchain: nothing was compacted" in last_line(shown)
    assert "langchain: words: recorded, 2 of 2 cases (2 of them ask no model)" in said(shown)
    assert words_by_strategy(project) == {("langchain", None), ("anchored", "recorded")}
    assert records(project).header["words"]["silent"] == {"langchain": ["first", "second"]}
    assert "missing" not in records(project).header["words"]


def test_words_of_two_models_are_not_measured_together(project, record):
    archive = Archive(record("anchored"))
    other = project.path / "other"
    other.mkdir()
    (project.path / "cases" / "second.json").rename(other / "second.json")
    words = [row for row in archive.words if row.case == "second"]
    write(other / WORDS_FILE, replace(archive.manifest, model="another model"), words)
    both = ("--compaction-cases=cases", "--compaction-cases=other")
    assert "are of 2 models, whose rows share no mean" in refused(
        measure(project, "--compactor=anchored", *both)
    )
    for alone in (("--compactor=truncate", *both), ("--compactor=anchored", both[1])):
        assert measure(project, *alone).ret != pytest.ExitCode.USAGE_ERROR


def test_words_at_another_budget_are_named_as_such(project, record, no_model_named):
    record("anchored")
    shown = unnamed(project, "--compactor=anchored", "--compaction-budget=280")
    assert "none are recorded at this budget" in said(shown)


def test_a_case_that_changed_is_not_silent_and_neither_is_one_at_another_budget(project, record):
    path = record("anchored")
    digests = Archive(path).manifest.cases
    gated = ("--compactor=anchored", GATE)
    for silent, budget in (({"second": "0" * 16}, ()), (digests, ("--compaction-budget=300",))):
        note_silent(path, "anchored", silent, "first")
        assert "no words" in refused(measure(project, *gated, *budget))


def test_a_strategy_that_asks_where_it_was_silent_is_unscored(project, record):
    path = record("anchored")
    note_silent(path, "anchored", Archive(path).manifest.cases, "first")
    shown = measure(project, "--compactor=anchored", GATE)
    assert shown.ret == pytest.ExitCode.TESTS_FAILED
    found = {(r["case"], r["status"] == "unscored", r["reason"]) for r in records(project).records}
    [reason] = {reason for case, unscored, reason in found if unscored}
    assert {case for case, unscored, _ in found if unscored} == {"second"}
    assert "request 1 of anchored at" in reason
    assert "has no recorded words; record them: pytest-compaction words record" in reason


def unnamed(pytester, *arguments):
    return run(pytester, REPORTED, *arguments, compactor=None)


@BOTH
def test_without_any_words_rules_write_and_say_so_and_no_gate_passes_with_them(
    project, no_model_named, workers, capsys
):
    shown = unnamed(project, "--compactor=anchored,truncate", workers)
    assert words_by_strategy(project) == {("anchored", "rules"), ("truncate", None)}
    text = said(shown)
    assert "| model offline |" in text
    assert "nothing of prompts and models, which have no effect; record them: pytest-comp" in text
    assert "--compactor=anchored --model=NAME, or ask a model: --compaction-model=NAME" in text
    rows = {line.split()[0]: line.split()[-1] for line in shown.outlines if line.strip()}
    assert (rows["anchored"], rows["truncate"]) == ("r", "-")
    assert records(project).header["words"]["strategies"] == {"anchored": "rules"}
    capsys.readouterr()
    assert main(["gate", "last", "--threshold=overall>=0"]) == pytest.ExitCode.USAGE_ERROR
    assert "anchored: rules wrote its summaries" in capsys.readouterr().err
    for gate in ([GATE], ["--compaction-baseline=base.json", "--compaction-baseline-update"]):
        assert "ask for rules in so many words: --compaction-model=offline" in refused(
            unnamed(project, "--compactor=anchored", *gate)
        )
    rules = ("--compactor=anchored", "--compaction-model=offline", GATE)
    assert unnamed(project, *rules).ret == pytest.ExitCode.OK


@BOTH
def test_dialogues_beside_cases_with_words_are_summarised_by_rules(
    project, record, no_model_named, workers
):
    record("anchored")
    write_talks(project.path, talk(1, turns=6))
    both = ("--compactor=anchored", "--compaction-cases=cases", TALKS)
    shown = unnamed(project, *both, workers)
    found = records(project)
    assert {r.get("words") for r in found.records if r.get("type") != "dialogue"} == {"recorded"}
    [dialogue] = [r for r in found.records if r.get("type") == "dialogue"]
    assert dialogue["usage"]["compaction"]["calls"] == 1
    assert "anchored: words: recorded, 2 of 2 cases" in said(shown)
    assert "dialogues: words: rules, because none are recorded for dialogues" in said(shown)
    assert "no words are recorded for dialogues; name a model that can be asked" in refused(
        measure(project, *both)
    )


@pytest.mark.parametrize("rule", ["consistency>=0", "dialogue.pass^1>=0"])
def test_a_rule_on_dialogues_needs_rules_in_so_many_words(project, no_model_named, rule):
    write_talks(project.path, talk(1, turns=6))
    gated = (TALKS, f"--compaction-threshold={rule}")
    assert f"{rule}: no words of anchored are recorded for dialogues" in refused(
        unnamed(project, "--compactor=anchored", *gated)
    )
    for passes in (("--compactor=anchored", "--compaction-model=offline"), ("--compactor=window",)):
        assert unnamed(project, *passes, *gated).ret == pytest.ExitCode.OK


def test_strategies_that_ask_no_model_need_no_word_on_models(project, no_model_named):
    kept = "--compactor=truncate,window"
    assert unnamed(project, kept, GATE).ret == pytest.ExitCode.OK
    assert words_by_strategy(project) == {("truncate", None), ("window", None)}
    named = unnamed(project, kept, GATE, "--compaction-model=offline")
    assert said(named).count("rules") == 0
    one, other = (load_run(path).records for path in run_files(project))
    assert one == [{k: v for k, v in record.items() if k != "words"} for record in other]


def test_a_baseline_by_rules_is_none_of_recorded_words(project, record, no_model_named):
    base = "--compaction-baseline=base.json"
    both = "--compactor=anchored,truncate"
    by_rules = (both, "--compaction-model=offline", base, "--compaction-baseline-update")
    assert unnamed(project, *by_rules).ret == pytest.ExitCode.OK
    record("anchored")
    assert "the words of anchored differ: rules in base, recorded in this" in refused(
        unnamed(project, both, base)
    )
    assert unnamed(project, "--compactor=truncate", base).ret == pytest.ExitCode.OK


def test_words_of_cases_elsewhere_are_looked_for_in_the_folder_that_is_named(
    project, record, no_model_named, tmp_path_factory
):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    archive = record("anchored")
    for folder in ("named/deep", "named"):
        (elsewhere / folder).mkdir(exist_ok=True, parents=True)
    for name in ("first", "second"):
        (project.path / f"cases/{name}.json").rename(elsewhere / f"named/deep/{name}.json")
    for place, words in (("named", "recorded"), ("", "rules")):
        archive = archive.rename(elsewhere / place / WORDS_FILE)
        unnamed(project, "--compactor=anchored", f"--compaction-cases={elsewhere / 'named'}")
        assert words_by_strategy(project) == {("anchored", words)}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--compaction-trials=3"], "anchored has recorded words of 1 of these; take --comp"),
        (["--compactor=anchored:instruction=brief"], "no words are recorded for them"),
    ],
)
def test_what_cannot_be_told_from_words_is_refused(project, record, arguments, text):
    record("anchored")
    assert text in refused(measure(project, "--compactor=anchored", *arguments))


def test_a_strategy_that_asks_once_more_than_was_recorded_is_unscored(project, record):
    path = record("anchored")
    archive = Archive(path)
    last = [replace(row, number=2) for row in archive.words]
    write(path, archive.manifest, last)
    measure(project, "--compactor=anchored")
    reasons = {r["reason"] for r in records(project).records}
    assert {r["status"] for r in records(project).records} == {"unscored"}
    assert all("request 1 of anchored at " in reason for reason in reasons)


def test_a_damaged_archive_ends_the_session_with_a_sentence(project, record):
    record("anchored").write_bytes(b"PK" + bytes(100))
    assert "words.zip cannot be used: words.jsonl: BadZipFile" in refused(
        measure(project, "--compactor=anchored")
    )


def test_a_baseline_of_other_words_is_refused(project, record):
    path = record("anchored")
    update = ("--compaction-baseline=base.json", "--compaction-baseline-update")
    measure(project, "--compactor=anchored", *update)
    same = measure(project, "--compactor=anchored", update[0])
    assert same.ret == pytest.ExitCode.OK
    archive = Archive(path)
    write(path, replace(archive.manifest, model="another model"), archive.words)
    assert "the words differ: a mock of a large language model wrote them in " in refused(
        measure(project, "--compactor=anchored", update[0])
    )


def test_reports_say_who_wrote_and_compare_no_rows_of_other_words(project, record):
    record("anchored")
    reports = [f"--compaction-report=out.{suffix}" for suffix in ("md", "json", "html")]
    measure(project, "--compactor=anchored,anchored:summary=0.2,truncate", *reports)
    text = (project.path / "out.md").read_text("utf-8")
    assert "Summaries of anchored: recorded words (a mock of a large language model, 2026" in text
    assert "of anchored:summary=0.2: rules, on which prompts and models have no effect." in text
    assert "| compactor | words |" in text
    assert "Rows of other words than recorded are compared with none." in text
    found = json.loads((project.path / "out.json").read_text("utf-8"))
    assert found["words"]["strategies"] == {"anchored": "recorded", "anchored:summary=0.2": "rules"}
    [compared] = found["comparisons"]
    assert {compared["first"], compared["second"]} == {"anchored", "truncate"}
    assert found["ab"] == []
    page = (project.path / "out.html").read_text("utf-8")
    assert "anchored (recorded)" in page
    assert "anchored:summary=0.2 (rules)" in page
    assert "truncate (" not in page


def test_shards_of_recorded_words_become_the_run(project, record, capsys):
    write_cases(project, *map(long_case, IDS))
    record("anchored", cases=IDS)
    strategies = "--compactor=anchored,truncate,roo"
    whole = measure(project, strategies)
    (one,) = run_files(project)
    for index in (1, 2):
        measure(project, strategies, f"--compaction-shard={index}/2")
    capsys.readouterr()
    code, output = merged(project)
    assert code == whole.ret
    assert output.read_bytes() == one.read_bytes()
    shown = capsys.readouterr().out
    rows = {line.split()[0]: line.split()[-1] for line in shown.splitlines() if line.strip()}
    assert (rows["anchored"], rows["truncate"], rows["roo"]) == ("w", "-", "r")
