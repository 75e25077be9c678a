"""Public sessions of Claude Code, pi and Cline: from import to what forgetting costs there."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from filelock import FileLock
from support.builders import COUNTER
from support.next_calls import NextEndpoint, way_of
from support.paths import COMMON_FOLDER, public_data
from support.scenarios import records, run

from pytest_compaction import cli
from pytest_compaction.case import find_cases
from pytest_compaction.metrics import cycles_of, tokens_per_task

SESSIONS = (
    "claude-code-compacted/session-3.jsonl",
    "claude-code-compacted/session-4.jsonl",
    "pi-agent/large-session.jsonl",
    "cline/session.messages.json",
)
CASES = ("cline-agentic", "cline-basic", "large-session", "session-3", "session-4")
DATA_GO = "/Users/user/Work/entire/devenv/cli/cmd/entire/cli/list/data.go"


@pytest.fixture(scope="module")
def imported():
    """The folder with the cases of the sessions, imported once for all workers of the tests."""
    folder = Path(os.environ[COMMON_FOLDER], "public-sessions")
    with FileLock(f"{folder}.lock"):
        for name in () if folder.exists() else SESSIONS:
            arguments = ["import", str(public_data(name)), "-o", str(folder), "--without-probes"]
            assert cli.main(arguments) == 0
    return folder


@pytest.fixture
def measure(imported, pytester):
    """Runs strategies on some of the cases, and gives their records by strategy."""

    def measured(compactors, *arguments, cases=CASES):
        (pytester.path / "cases").mkdir()
        for case in cases:
            shutil.copy(imported / f"{case}.json", pytester.path / "cases")
        over = "--compaction-over-budget=report"
        run(pytester, f"--compactor={compactors}", over, *arguments, compactor=None)
        found = {}
        for record in records(pytester).records:
            found.setdefault(record["compactor"], []).append(record)
        return found

    return measured


def cases_in(folder):
    return {case.id: case for case in find_cases([folder]).cases}


BY_RULES = "--compaction-model=offline"


# --- found again ----------------------------------------------------------------------------


def test_a_search_of_the_archive_proves_what_can_be_had_again(measure):
    found = measure("truncate,truncate+archive", BY_RULES)
    alone = {(r["case"], r["probe"]): r for r in found["truncate"]}
    proved = []
    for record in found["truncate+archive"]:
        without = alone[record["case"], record["probe"]]
        assert record["tokens"]["view"] == without["tokens"]["view"] + record["search"]["tokens"]
        for fact, before in zip(record["facts"], without["facts"], strict=True):
            assert fact["unasked"] is before["survived"]
            if before["survived"]:
                assert (fact["recoverable"], fact.get("proved")) == (None, None)
            else:
                assert (fact["recoverable"], fact["proved"]) == (fact["survived"], True)
                proved.append((record["case"], fact["text"], fact["survived"]))
    # By hand: the calls that read two files are named by the word of the question; those that
    # changed five are not, and the question for requests shares no word with the request.
    files = [
        (text.endswith("was read"), back) for case, text, back in proved if case == "session-3"
    ]
    assert files == [(True, True)] * 2 + [(False, False)] * 5
    asked = "continue the debug (use skill)"
    assert [back for case, text, back in proved if text == asked] == [False]


def test_page_table_and_item_say_what_is_proved(measure, pytester, capsys):
    measure("truncate+archive", BY_RULES, "--compaction-report=page.html", cases=["session-3"])
    page = (pytester.path / "page.html").read_text("utf-8")
    assert '2 <span class="bounds">of 7, proved</span>' in page
    capsys.readouterr()
    assert cli.main(["report", "last", "--table=losses"]) == 0
    assert "With an archive recoverable and gone are proved" in capsys.readouterr().out
    assert cli.main(["show", "last", "read-files"]) == 0
    assert "proved: found by a search" in " ".join(capsys.readouterr().out.split())


# --- next action ----------------------------------------------------------------------------


def next_message(case, point):
    """The first message with calls after a point and up to the next, read from the case."""
    ends = [each.index for each in case.points[1:]] + [len(case.messages) - 1]
    after = case.messages[case.points[point].index + 1 : ends[point] + 1]
    return next((message.id for message in after if message.calls), None)


def test_the_recorded_calls_are_the_key_at_every_point_that_one_follows(
    measure, imported, monkeypatch
):
    def says(body):
        call = {"tool": "Read", "arguments": {"file_path": DATA_GO}}
        return "A" if way_of(body) == "choice" else json.dumps(call)

    asked = "--compaction-next-actions", "--compaction-model=gpt-4o-mini"
    with NextEndpoint(says) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-for-this-test-0123456789")
        found = measure("truncate", *asked, "--compaction-judge=offline")["truncate"]
    told = {(r["case"], r["point"]["id"]): r["next_action"] for r in found if "next_action" in r}
    keys = {
        (id, case.points[number].id): next_message(case, number)
        for id, case in cases_in(imported).items()
        for number in range(len(case.points))
    }
    assert {point: each.get("message") for point, each in told.items()} == keys
    assert sum(key is not None for key in keys.values()) >= 12
    # Counted by hand: after its compaction session 3 reads list/data.go, and its next other reads
    # are of strategy/common.go and strategy/session.go.
    after = told["session-3", "p2"]
    assert after["call"] == {"view": 1.0, "tail": 1.0, "full": 1.0}
    options = [
        set(re.findall(r"^[ABC]\) Read .*?/(\w+/\w+\.go)\"", text, re.M))
        for body in endpoint.asked_next
        if DATA_GO in (text := str(body["messages"][-1]["content"])) and way_of(body) == "choice"
    ]
    assert {"list/data.go", "strategy/common.go", "strategy/session.go"} in options


# --- tokens per task and cycles -------------------------------------------------------------


def results(name):
    """The text of each result of a Claude Code session, in the order of the calls."""
    made, texts = [], {}
    for line in public_data(name).read_text("utf-8").splitlines():
        content = (json.loads(line).get("message") or {}).get("content")
        for block in content if isinstance(content, list) else ():
            if block["type"] == "tool_use":
                made.append(block["id"])
            elif block["type"] == "tool_result":
                said = block["content"]
                texts[block["tool_use_id"]] = (
                    said if isinstance(said, str) else "".join(part["text"] for part in said)
                )
    clean = re.compile(r"<system-reminder>.*?</system-reminder>", re.S)
    return [clean.sub("", texts.get(id, "")).strip() for id in made]


def test_what_was_fetched_again_is_the_observed_part_of_tokens_per_task(measure):
    name = "claude-code-compacted/session-4.jsonl"
    found = measure("recorded", BY_RULES, cases=["session-4"])["recorded"]
    (session,) = tokens_per_task(found).sessions
    # Calls 76 and 96 repeat earlier ones after the second compaction; the session has no forty
    # calls far from any compaction that could be taken off.
    again = [COUNTER.text(results(name)[number - 1]) for number in (76, 96)]
    assert session.read_again == pytest.approx(1.25 * sum(again))
    assert (session.observed, session.net) == (2, 0)


def test_the_cycles_on_record_free_what_the_views_on_record_leave_out(measure, imported):
    found = measure("recorded", BY_RULES, cases=["session-4"])["recorded"]
    case = cases_in(imported)["session-4"]
    freed, view, start = [], (), 0
    for point in case.points:
        before = [*view, *case.messages[start : point.index + 1]]
        if point.recorded:
            left = COUNTER.messages(point.recorded)
            freed.append(1 - left / COUNTER.messages(before))
            view, start = point.recorded, point.index + 1
    cycles = cycles_of(found)
    assert (cycles.sessions, cycles.cycles) == (1, len(freed)) == (1, 2)
    assert cycles.freed.value == pytest.approx(sum(freed) / 2)
    assert cycles.least_freed == pytest.approx(min(freed))
    assert cycles.stuck.value == 0


@pytest.mark.parametrize("strategy", ["truncate", "mask-observations"])
def test_a_session_is_continued_until_it_is_stuck(measure, strategy):
    ways = ("--compaction-cycles=4", "--compaction-trigger=tokens:20000")
    found = measure(strategy, BY_RULES, *ways, "--compaction-budget=5000", cases=["session-4"])
    cycles = cycles_of(found[strategy])
    assert cycles.stuck.value == (strategy == "mask-observations")
    assert cycles.cycles >= 4 - 3 * cycles.stuck.value
