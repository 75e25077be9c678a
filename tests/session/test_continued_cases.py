"""``--compaction-cycles``: a case is continued until it is compacted so often, or stuck."""

import json
from itertools import pairwise

import pytest
from support.endpoint_server import serving
from support.scenarios import flat, lean, records, refused, write_cases
from support.stub_endpoint import PRICED, long_case

from pytest_compaction import cli
from pytest_compaction.case import find_cases
from pytest_compaction.conversation import structure_faults
from pytest_compaction.run.feeder import again

CYCLES = ("--compaction-cycles=7", "--compaction-trigger=tokens:600", "--compaction-budget=250")


def run(pytester, *given):
    write_cases(pytester, long_case("small", budget=250))
    return pytester.runpytest_inprocess(*lean(), *given, "-n0", "--tb=no")


def continued(pytester):
    """The compactions in the log and those after it, by strategy."""
    found = {}
    for record in records(pytester).records:
        made = record["compaction"]
        found[record["compactor"]] = (made["events"], made.get("continued", []))
    return found


def test_a_case_is_continued_until_it_was_compacted_so_often_or_is_stuck(pytester, capsys):
    result = run(pytester, "--compactor=truncate,mask-observations", *CYCLES)
    assert "cases continued to 7 compactions" in result.stdout.str()
    found = continued(pytester)
    own, more = found["truncate"]
    assert len(own) + len(more) == 7
    assert len({event["point"] for event in more}) == len(more)
    assert all(event["before"] >= 600 and event["after"] <= 250 for event in more)
    own, more = found["mask-observations"]
    assert own or len(more) == 1
    assert more[-1]["after"] > 250
    capsys.readouterr()
    assert cli.main(["report", "last", "--table=cycles", "--format=json"]) == 0
    rows = {
        row["compactor"]: row
        for row in json.loads(capsys.readouterr().out)["tables"]["cycles"]["rows"]
    }
    assert (rows["truncate"]["cycles"], rows["truncate"]["stuck"]["value"]) == (7, 0)
    assert rows["mask-observations"]["stuck"]["value"] == 1
    run(pytester, "--compactor=truncate", CYCLES[0], "--compaction-trigger=growth:300", CYCLES[2])
    own, more = continued(pytester)["truncate"]
    assert len(own) + len(more) == 7
    for last, event in pairwise([*own, *more]):
        assert event["before"] >= last["after"] + 300


def test_the_same_case_is_continued_alike_and_its_questions_are_not_changed(pytester):
    run(pytester, "--compactor=truncate", *CYCLES)
    first = records(pytester).records
    run(pytester, "--compactor=truncate", *CYCLES)
    second = records(pytester).records
    assert [r["compaction"] for r in first] == [r["compaction"] for r in second]
    run(pytester, "--compactor=truncate", *CYCLES[1:])
    alone = records(pytester).records
    assert [(r["probe"], r["overall"], r["facts"]) for r in alone] == [
        (r["probe"], r["overall"], r["facts"]) for r in first
    ]
    assert all("continued" not in r["compaction"] for r in alone)


def test_a_log_said_again_has_new_ids_and_whole_calls(tmp_path):
    path = tmp_path / "case.json"
    path.write_text(json.dumps(long_case("small")), "utf-8")
    (made,) = find_cases([path]).cases
    log = made.messages
    both = [*log, *again(log, 1), *again(log, 2)]
    assert structure_faults(both) == []
    assert len({message.id for message in both}) == len(both)
    assert [m.text for m in again(log, 1)] == [m.text for m in log if m.role != "system"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((), "the trigger 'case' compacts only at points"),
        ((CYCLES[1], "--compaction-model=recorded"), "no words are recorded for continued cases"),
    ],
)
def test_what_cannot_be_continued_is_refused(pytester, given, told):
    assert told in refused(run(pytester, "--compactor=anchored", "--compaction-cycles=7", *given))


def test_a_run_says_that_no_words_are_recorded_and_rules_write(pytester, no_model_named):
    result = run(pytester, "--compactor=anchored", *CYCLES, "-v")
    told = flat(result.outlines)
    assert "words: rules, because none are recorded for continued cases" in told
    assert "words record" not in told
    own, more = continued(pytester)["anchored"]
    assert len(own) + len(more) == 7


def test_a_model_writes_for_continued_cases_and_its_seconds_and_dollars_are_told(
    pytester, monkeypatch, capsys
):
    pytester.makeconftest(PRICED)
    given = ("--compactor=anchored", *CYCLES, "--compaction-model=gpt-5-mini")
    with serving() as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-for-this-test-0123456789")
        run(pytester, *given)
        own, more = continued(pytester)["anchored"]
        asked = len(endpoint.bodies)
        run(pytester, *given, "--compaction-replay")
        assert len(endpoint.bodies) == asked, "a replay asks for nothing"
    assert len(own) + len(more) == 7
    assert all(event["calls"] >= 1 for event in more)
    assert continued(pytester)["anchored"] == (own, more)
    capsys.readouterr()
    runs = pytester.path / ".pytest_compaction" / "runs"
    first, _ = sorted(map(str, runs.glob("*.jsonl")))
    assert cli.main(["report", first, "--table=cycles", "--format=json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["tables"]["cycles"]["rows"]
    assert row["seconds"] > 0
    assert row["usd"] > 0
