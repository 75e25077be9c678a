"""``--compaction-next-actions`` in a run: what is asked, shown, replayed, estimated and refused."""

import csv
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
import support.remote  # noqa: F401 - for good, because it imports distributed
from support.endpoint_replies import is_check
from support.exporting import batch_lines, exported
from support.next_calls import FORGETFUL, NextEndpoint, next_data, next_reply, probe, way_of
from support.scenarios import flat, last_line, records, refused, run, run_files, write_cases
from support.stub_endpoint import PRICED

NEXT = "--compaction-next-actions"
MODEL = "--compaction-model=gpt-4o-mini"
BOTH = "--compactor=forgetful:remembers,forgetful:loses"
GIVEN = (NEXT, MODEL, "--compaction-judge=offline")
OWN = """
from dataclasses import replace


def test_probe(case, probe, compactor, judge):
    own = replace(probe, id=f"own-{probe.id}", point=1)
    judge(own, compactor(case).ask(own))
"""
CASES = tuple(f"c{number}" for number in range(6))


@pytest.fixture
def serve(monkeypatch):
    """Start an endpoint that the environment points to; ``says`` answers for the next calls."""
    running = []

    def start(says=next_reply):
        running.append(NextEndpoint(says).__enter__())
        monkeypatch.setenv("OPENAI_BASE_URL", running[-1].url)
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        return running[-1]

    yield start
    for endpoint in running:
        endpoint.__exit__()


def project(pytester, *ids, **changes):
    write_cases(pytester, *(next_data(id, **changes) for id in ids or CASES))
    pytester.makepyfile(forgetful=FORGETFUL)
    pytester.makeconftest(PRICED)


def measure(pytester, *arguments):
    return run(pytester, *GIVEN, *arguments, compactor=None)


def figures(pytester, name="out.json"):
    report = json.loads((pytester.path / name).read_text("utf-8"))
    return {each["name"]: each["figures"] for each in report["strategies"]}


def timeless(pytester):
    return [{**record, "latency_s": None} for record in records(pytester).records]


def test_a_view_that_keeps_the_announcement_keeps_the_lead_of_the_log(pytester, serve):
    endpoint = serve()
    project(pytester)
    reports = [f"--compaction-report=out.{suffix}" for suffix in ("json", "csv", "md", "html")]
    result = measure(pytester, BOTH, *reports, "--compaction-threshold=next_choice>=0.5")
    found = figures(pytester)
    kept, lost = found["forgetful:remembers"], found["forgetful:loses"]
    for way, wrong in (("choice", 0.0), ("call", 0.5)):
        assert kept[f"next_{way}"] | {"of": None} == lost[f"next_{way}"] | kept[f"next_{way}"] | {
            "of": None
        }
        assert (kept[f"next_{way}"]["value"], lost[f"next_{way}"]["value"]) == (1.0, 0.0)
        assert kept[f"next_{way}"]["interval"] == [1.0, 1.0]
        shares = [lost[f"next_{way}_{context}"]["value"] for context in ("view", "tail", "full")]
        assert shares == [wrong, wrong, 1.0]
    said = flat(result.outlines)
    assert "next choice: 100% [100%, 100%]; view 100%, tail 0%, full 100% of 6 points" in said
    assert "no next call in the log, left out: c0 (p2), c1 (p2)" in said
    assert last_line(result).startswith("GATE FAILED next_choice@forgetful:loses 0.00 < 0.50")
    assert "next choice" in (pytester.path / "out.md").read_text("utf-8")
    assert "next choice" in (pytester.path / "out.html").read_text("utf-8")
    rows = list(csv.DictReader((pytester.path / "out.csv").read_text("utf-8").splitlines()))
    asked = [row for row in rows if row["next_choice_view"]]
    assert {row["probe"] for row in asked} == {"limit"}, "once a point"
    # From both views, from the tail of each, and from the log; equal requests are asked once.
    assert len(endpoint.asked_next) == len(set(map(json.dumps, endpoint.asked_next)))


def test_nothing_of_it_is_asked_or_shown_without_the_option(pytester, serve):
    endpoint = serve()
    project(pytester, "one")
    result = run(
        pytester, MODEL, BOTH, "--compaction-judge=offline", "--compaction-report=o.md",
        compactor=None,
    )  # fmt: skip
    assert endpoint.asked_next == []
    text = str(result.stdout) + (pytester.path / "o.md").read_text("utf-8")
    assert "next" not in text.lower().replace("next request", "")
    assert not any("next_action" in record for record in records(pytester).records)


def test_a_reply_out_of_form_is_unscored_and_not_wrong(pytester, serve):
    serve(lambda body: "Perhaps A?\x1b[2J" if way_of(body) == "choice" else "read it")
    project(pytester, "one")
    result = measure(pytester, "--compactor=forgetful:remembers")
    said = flat(result.outlines)
    assert "2 next actions without a score, left out" in said
    assert "next choice" not in said
    (asked,) = [r["next_action"] for r in records(pytester).records if r["probe"] == "limit"]
    assert asked["choice"] == {"view": None, "tail": None, "full": None}
    assert any(
        note.startswith("choice, view: the reply is not one letter") for note in asked["notes"]
    )
    assert "\x1b" not in "".join(asked["notes"])
    assert {r["status"] for r in records(pytester).records} == {"passed"}, "the probes have scores"


def test_the_control_is_asked_from_its_log_alone(pytester, serve):
    endpoint = serve()
    project(pytester, "one")
    measure(pytester, "--compactor=none")
    (asked,) = [r["next_action"] for r in records(pytester).records if r["probe"] == "limit"]
    assert asked == {
        "message": "plan-call",
        "choice": {"view": 1.0},
        "call": {"view": 1.0},
        "notes": [],
    }
    assert len(endpoint.asked_next) == 2


@pytest.mark.parametrize("workers", ["-n0", pytest.param("-n3", marks=pytest.mark.exhaustive)])
def test_a_replay_makes_no_call_and_any_number_of_workers_writes_the_same_bytes(
    pytester, serve, workers
):
    endpoint = serve()
    project(pytester, "c0", "c1")
    measure(pytester, BOTH, "-n0")
    first, made = timeless(pytester), len(endpoint.asked)
    for processes in ("-n0", workers):
        measure(pytester, BOTH, processes, "--compaction-replay")
        assert timeless(pytester) == first
    assert len(endpoint.asked) == made
    serial, parallel = (path.read_bytes() for path in run_files(pytester)[-2:])
    assert serial == parallel


def test_a_replay_without_the_recorded_calls_fails_the_item(pytester, serve):
    serve()
    project(pytester, "one")
    run(pytester, MODEL, BOTH, "--compaction-judge=offline", compactor=None)
    measure(pytester, BOTH, "--compaction-replay")
    found = {r["probe"]: r["status"] for r in records(pytester).records}
    assert found == {"limit": "error", "again": "passed", "later": "passed"}


def test_as_many_calls_are_estimated_as_are_made(pytester, serve):
    endpoint = serve()
    project(pytester, "one", "two")
    # Strategies of users are not run for an estimate.
    result = measure(pytester, "--compactor=truncate", "--compaction-estimate")
    assert endpoint.asked == []
    measure(pytester, "--compactor=truncate")
    made = [body for body in endpoint.bodies if way_of(body)]
    assert made
    calls = sum(record["usage"]["responder"]["calls"] for record in records(pytester).records)
    assert calls == 2 * (3 + 6)
    responder = next(line for line in result.outlines if line.startswith("responder"))
    asked = [body for body in endpoint.bodies if not is_check(body)]
    assert int(responder.split()[2]) == len(asked)


def test_an_export_has_the_requests(pytester, serve):
    endpoint = serve()
    project(pytester, "one")
    arguments = ("--compactor=forgetful:remembers", NEXT)
    run(pytester, MODEL, *arguments[:1], "--compaction-judge=offline", compactor=None)
    answers = len(endpoint.asked)
    exported(pytester, *arguments)
    lines = [line["body"] for line in batch_lines(pytester.path / "out")]
    assert sorted(way_of(body) for body in lines if way_of(body)) == ["call"] * 3 + ["choice"] * 3
    assert len(endpoint.asked) == answers


def test_an_executor_writes_the_same_records(pytester, serve, monkeypatch):
    serve()
    project(pytester, "one")
    measure(pytester, BOTH)
    local = timeless(pytester)
    with ThreadPoolExecutor(2) as pool:
        monkeypatch.setitem(sys.modules, "pools", SimpleNamespace(two=lambda: pool))
        measure(pytester, BOTH, "--compaction-executor=pools:two")
    assert timeless(pytester) == local


@pytest.mark.parametrize("workers", ["-n0", pytest.param("-n2", marks=pytest.mark.exhaustive)])
def test_a_point_without_questions_is_asked_for_the_next_action_alone(pytester, serve, workers):
    endpoint = serve()
    project(pytester, "one", probes=[probe("later", "p2")])
    result = measure(pytester, "--compactor=forgetful:remembers", workers)
    result.assert_outcomes(passed=1, skipped=1)
    found = {record["probe"]: record for record in records(pytester).records}
    alone = found["next-p1"]
    assert (alone["status"], alone["overall"], alone["facts"]) == ("skipped", None, [])
    assert "the next action alone is asked for there" in alone["reason"]
    assert alone["next_action"]["choice"] == {"view": 1.0, "tail": 0.0, "full": 1.0}
    assert alone["usage"]["responder"]["calls"] == 6, "no question of its own"
    assert len(endpoint.asked_next) == 6
    assert "next choice: 100%" in flat(result.outlines)


def test_what_is_asked_of_other_points_moves_no_other_figure(pytester, serve):
    serve()
    project(pytester, probes=[probe("later", "p2")])
    measure(pytester, BOTH, "--compaction-report=asked.json")
    run(
        pytester, MODEL, BOTH, "--compaction-judge=offline", "--compaction-report=plain.json",
        compactor=None,
    )  # fmt: skip
    asked, plain = (figures(pytester, f"{name}.json") for name in ("asked", "plain"))
    for name, figures_of in plain.items():
        for key, figure in figures_of.items():
            if figure and key != "usd":
                assert figure["value"] == asked[name][key]["value"]


def test_a_case_without_questions_is_asked_for_next_actions_and_is_else_no_case(pytester, serve):
    serve()
    project(pytester, probes=[])
    threshold = "--compaction-threshold=next_choice>=0.5"
    result = measure(pytester, "--compactor=forgetful:remembers", threshold)
    assert last_line(result).startswith("GATE PASSED next_choice 1.00 >= 0.50")
    assert len(records(pytester).records) == 12
    said = flat(result.outlines)
    assert "next choice: 100% [100%, 100%]; view 100%, tail 0%, full 100% of 6 points" in said
    assert "left out: c0 (p2), c1 (p2)" in said
    plain = run(pytester, MODEL, "--compactor=forgetful:remembers", compactor=None)
    assert "/probes: found list []; expected at least 1 item" in str(plain.stdout)


def test_a_module_may_ask_at_a_point_without_questions(pytester, serve):
    serve()
    project(pytester, "one", probes=[probe("limit", "p1")])
    pytester.path.joinpath("cases/test_own.py").write_text(OWN)
    result = measure(pytester, "--compactor=forgetful:remembers")
    result.assert_outcomes(passed=2)
    assert not any("next_action" in record for record in records(pytester).records)


def test_without_a_model_a_sentence_says_so(pytester):
    project(pytester, "one")
    assert "--compaction-next-actions asks a model which call comes next" in refused(
        run(pytester, NEXT, BOTH, compactor=None)
    )


def test_a_rule_on_it_without_the_option_is_red_and_says_what_to_add(pytester):
    project(pytester, "one")
    result = run(pytester, BOTH, "--compaction-threshold=next_call>=0.5", compactor=None)
    assert "add --compaction-next-actions, with a model" in last_line(result)
