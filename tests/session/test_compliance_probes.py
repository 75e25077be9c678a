"""Compliance probes in a run: choices, the control, constraint survival, records and gate."""

import json
import re

from support.choices import PROBES, choice_data
from support.exporting import answered, batch_lines, exported, result
from support.scenarios import last_line, own, records, run, set_up, set_up_with
from support.stub_endpoint import PRICED
from support.worker_counts import BOTH

from pytest_compaction.metrics import constraint_survival

MODEL = "--compaction-model=gpt-4o-mini"
FORGETFUL = '''
"""Strategies that lose constraints."""


def forget_push(messages, budget):
    """Forgets what was said of main."""
    return [m for m in messages if "main" not in str(m.get("content"))]
'''


def project(pytester, *ids, **changes):
    """A project with cases of standing constraints only."""
    set_up_with(pytester, *(choice_data(id, **changes) for id in ids or ("export", "report")))
    pytester.makepyfile(forgetful=FORGETFUL)


def gate(*expressions):
    return [f"--compaction-threshold={expression}" for expression in expressions]


def summary_of(result):
    """The figures of the summary, without what a failed rule says and the rows of kinds."""
    begin = next(n for n, text in enumerate(result.outlines) if "== compaction ==" in text)
    asked = re.compile(r"\w+( +\d+){2} +\d+%( +\d+){1,2} +\d\.\d\d")
    return [text for text in result.outlines[begin:] if not asked.match(text)]


def line(result, start):
    return next(text for text in summary_of(result) if text.startswith(start))


def choices(pytester, compactor):
    found = [r for r in records(pytester).records if r["compactor"] == compactor]
    return {(r["case"], r["probe"]): r["compliance"] for r in found if r["kind"] == "compliance"}


@BOTH
def test_offline_a_choice_follows_the_view_and_both_figures_are_in_summary_and_gate(
    pytester, workers
):
    project(pytester)
    lost = run(
        pytester,
        workers,
        "--compactor=forgetful:forget_push",
        "--compaction-report=run.json",
        *gate("compliance>=0.3", "constraints>=0.3"),
        compactor=None,
    )
    assert "compliance 33% (no interval) of 6 choices" in lost.outlines
    assert "ER not defined: the control is missing" in str(lost.stdout)
    report = json.loads((pytester.path / "run.json").read_text("utf-8"))
    assert report["strategies"][0]["figures"]["constraints"]["value"] == 0.2
    assert last_line(lost).startswith("GATE FAILED constraints 0.20 < 0.30")
    found = choices(pytester, "forgetful:forget_push")
    assert {name: made["complied"] for (_, name), made in found.items()} == {
        "announce": True,
        "deliver": False,
        "tidy": False,
    }
    assert not any("reminded" in made for made in found.values())


@BOTH
def test_with_the_control_the_effect_retention_is_there_or_the_reason_why_not(pytester, workers):
    project(pytester)
    shown = run(
        pytester,
        workers,
        "--compactor=forgetful:forget_push",
        "--compaction-control",
        *gate("er>=0.5"),
        compactor=None,
    )
    shares = "  c_compacted 33%, c_long 100%, c_upper 100%; ER not defined: c_upper equals"
    assert line(shown, shares)
    assert last_line(shown) == (
        "GATE FAILED er: not defined, c_upper equals c_long · on 16 of 16 items"
    )
    mine = choices(pytester, "forgetful:forget_push")
    assert {made["reminded"]["complied"] for made in mine.values()} == {True}
    assert not any("reminded" in made for made in choices(pytester, "none").values())
    text = (pytester.path / ".pytest_compaction/runs").glob("*.jsonl").__next__().read_text()
    assert "NaN" not in text


def test_a_record_holds_the_choice_and_the_standing_constraints_of_its_point(pytester):
    project(pytester, "export")
    run(pytester)
    found = {record["probe"]: record for record in records(pytester).records}
    made = found["deliver"]["compliance"]
    assert made["chosen"] == made["complying"] == found["deliver"]["response"]
    assert found["deliver"]["criteria"][0]["id"] == "instruction_constraints"
    assert found["deliver"]["judges"] == []
    assert found["deliver"]["usage"]["judge"]["calls"] == 0
    assert {p: len(r["constraints"]["standing"]) for p, r in found.items()} == {
        "announce": 3,
        "deliver": 3,
        "loop": 3,
        "tidy": 2,
    }
    assert found["tidy"]["constraints"]["point"] == "early"
    assert "compliance" not in found["loop"]
    assert constraint_survival(records(pytester).records).value == 1


def test_a_case_without_compliance_probes_and_constraints_shows_neither(pytester):
    set_up(pytester, "first")
    shown = run(pytester, *gate("compliance>=0.5"))
    assert not any(t.startswith(("compliance", "constraints")) for t in summary_of(shown))
    assert last_line(shown) == ("GATE FAILED compliance: nothing was measured · on 4 of 4 items")
    assert not {"compliance", "constraints"} & records(pytester).records[0].keys()


def test_several_strategies_are_compared_with_their_choices(pytester):
    project(pytester)
    both = f"--compactor=forgetful:forget_push,{own('keep')}"
    shown = run(pytester, "-v", both, "--compaction-control", compactor=None)
    lines = [text.strip() for text in shown.outlines]
    assert sum(text.startswith("compliance 33%") for text in lines) == 1
    assert sum(text.startswith("compliance 100%") for text in lines) == 1
    assert sum(", constraints 20%, " in text for text in lines) == 1
    begin = next(n for n, text in enumerate(shown.outlines) if text.startswith("survival:"))
    end = next(n for n, text in enumerate(shown.outlines) if text.startswith("records:"))
    assert max(map(len, shown.outlines[begin:end])) <= 80


@BOTH
def test_a_model_that_always_says_a_complies_half_the_time_and_no_judge_is_asked(
    pytester, endpoint, workers
):
    project(pytester, probes=[*PROBES[:2], PROBES[0] | {"id": "x"}, PROBES[1] | {"id": "y"}])
    pytester.makeconftest(PRICED)
    shown = run(pytester, workers, MODEL, "--compaction-control")
    assert line(shown, "compliance").split()[1] == "50%"
    # 8 items of each arm, and 8 reminders of the strategy; equal requests are asked once.
    assert set(endpoint.roles()) == {"compaction", "responder", "judge"}
    assert endpoint.roles()["judge"] == endpoint.roles()["compaction"] == 0
    assert "c_long 50%, c_upper 50%; ER not defined" in str(shown.stdout)


def test_as_many_calls_are_estimated_as_a_run_with_choices_makes(pytester, endpoint):
    project(pytester, "export")
    pytester.makeconftest(PRICED)
    arguments = (MODEL, "--compactor=truncate", "--compaction-control")
    run(pytester, *arguments, compactor=None)
    made = endpoint.roles()
    # The views are the whole log: three choices, three with a reminder, and one question.
    assert made == {"compaction": 0, "responder": 3 + 3 + 1, "judge": 1}
    again = run(
        pytester,
        *arguments,
        "--compaction-store=empty",
        "--compaction-estimate",
        compactor=None,
    )
    assert "About 10 calls" in " ".join(again.outlines)


def test_a_reply_that_is_no_letter_is_unscored_with_the_reason(pytester):
    project(pytester, "export", probes=PROBES[:1])
    shown = run(pytester, "--compaction-responder=mute")
    assert "the reply is empty" in str(shown.stdout)
    assert line(shown, "nothing was scored") == "nothing was scored (1 unscored)"
    (record,) = records(pytester).records
    assert (record["status"], record["compliance"]["complied"]) == ("unscored", None)


def test_the_requests_of_both_questions_go_out_in_one_export(pytester, monkeypatch):
    project(pytester, "export")
    pytester.makeconftest(PRICED)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    arguments = ("--compactor=forgetful:forget_push", "--compaction-control")
    exported(pytester, *arguments)
    lines = batch_lines(pytester.path / "out")
    asked = [each["body"]["messages"][-1]["content"] for each in lines]
    chosen = [text for text in asked if "Reply with one letter" in text]
    assert len(chosen) == 3 * 3, "from the view, reminded, and from the whole log"
    assert answered(pytester, map(result, lines)) == 0
    exported(pytester, *arguments)
    texts = [json.dumps(each["body"]) for each in batch_lines(pytester.path / "out")]
    assert texts
    assert not any("Reply with one letter" in text for text in texts), "no judge reads a choice"
