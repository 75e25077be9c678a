"""The estimate: it counts as many calls as a run makes, and makes none itself."""

import re

import pytest
from support.scenarios import own, records, run, run_files, set_up, write_cases
from support.sessions import (
    ASKING,
    CASE,
    MODEL,
    endpoint_reply,
    ids,
    mostly_exhaustive,
    run_really,
    selection,
    session_of,
)
from support.stub_endpoint import PRICED, long_case
from support.worker_counts import BOTH

from pytest_compaction.models import CallReply
from pytest_compaction.models.calls.endpoint import Endpoint
from pytest_compaction.models.wire.reply import usage_of
from pytest_compaction.session import estimate as estimate_hooks
from pytest_compaction.session.estimate import estimate


@pytest.fixture
def calls(monkeypatch):
    """The calls that reach the endpoint; each is answered at once and differently."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-this-test-0123456789")
    made = []

    async def call(self, call):
        made.append(call)
        body = endpoint_reply(call)
        return CallReply(body, usage_of(body), 0.1)

    monkeypatch.setattr(Endpoint, "call", call)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    return made


def measured(calls):
    """The calls that do not check the endpoint."""
    return [call for call in calls if call.role != "check"]


ROUNDS = {"strands": 2}
"""Summarises until the view fits, so the number of its calls depends on the lengths of replies."""


MADE = [name for name in [*ASKING, "truncate"] if name != "codex"]
"""``codex`` asks for a compaction item, which the endpoint of these tests does not make."""


@pytest.mark.parametrize("name", mostly_exhaustive(MADE))
def test_as_many_calls_are_estimated_as_are_made_with_every_shipped_strategy(tmp_path, calls, name):
    session = session_of(tmp_path, name)
    try:
        chosen = selection(session, ids(session, 4))
        found = estimate(session, session.endpoints, chosen)
        assert calls == []
        run_really(session, chosen)
        roles = {part.role: part.usage.calls for part in found.planned}
        made = {role: sum(c.role == role for c in calls) for role in roles}
        assert found.calls == pytest.approx(len(calls), rel=0.1)
        assert roles == pytest.approx(made, rel=0.1, abs=ROUNDS.get(name, 1))
        assert (roles.get("compaction", 0) > 0) == (name != "truncate")
        after = estimate(session, session.endpoints, chosen)
        assert (after.calls, after.usd) == (0, 0.0), "all of it is in the store by now"
        # A question is embedded for the view at each point, after the first time from the store.
        again = after.stored - len(measured(calls))
        assert again > 0 if "embedding" in name else again == 0
    finally:
        session.close()


def notes_of(words):
    """Reply to each request for a summary with a different text of about this many words."""

    plain = endpoint_reply

    def body_of(call):
        body = plain(call)
        if call.role == "compaction":
            message = body["choices"][0]["message"]
            heads = [line for line in message["content"].splitlines() if line.startswith("## ")]
            many = range(max(1, words // len(heads) // 8))
            notes = "\n".join(f"- note {call.digest[:8]} {n} on the limit of 45" for n in many)
            message["content"] = "\n".join(f"{head}\n{notes}" for head in heads)
        return body

    return body_of


@pytest.mark.exhaustive
@pytest.mark.parametrize("words", [10, 2000])
def test_where_a_log_is_compacted_by_its_size_both_ends_are_estimated(
    tmp_path, calls, monkeypatch, words
):
    session = session_of(tmp_path, "regenerate", trigger="tokens:3000")
    monkeypatch.setitem(globals(), "endpoint_reply", notes_of(words))
    try:
        chosen = selection(session, ids(session, 2))
        found = estimate(session, session.endpoints, chosen)
        short, long = found.ends
        assert short.calls < found.calls < long.calls
        run_really(session, chosen)
        assert short.calls * 0.9 <= len(calls) <= long.calls * 1.1
        near = short if words < 100 else long
        assert len(calls) == pytest.approx(near.calls, rel=0.1)
        assert estimate(session, session.endpoints, chosen).ends == ()
    finally:
        session.close()


@pytest.mark.parametrize(("name", "trigger"), [("truncate", "tokens:3000"), ("anchored", "case")])
def test_where_no_reply_decides_how_often_there_is_one_figure(tmp_path, calls, name, trigger):
    session = session_of(tmp_path, name, trigger=trigger)
    try:
        found = estimate(session, session.endpoints, selection(session, ids(session, 2)))
        assert found.calls > 0
        assert found.ends == ()
    finally:
        session.close()


def test_trials_and_judges_multiply_and_what_is_stored_is_taken_off(tmp_path, calls):
    session = session_of(tmp_path, "anchored", trials=2, judges=(MODEL, "gpt-4.1-mini"))
    try:
        chosen = selection(session, ids(session, 2))
        found = estimate(session, session.endpoints, chosen)
        run_really(session, [one for one in chosen if one.item.arm.trial == 1])
        half, stored = len(calls), len(measured(calls))
        assert half == stored + 3
        rest = estimate(session, session.endpoints, chosen)
        assert (rest.calls, rest.stored) == (found.calls - half, stored)
        judges = {part.model: part.usage.calls for part in found.planned if part.role == "judge"}
        assert judges == {MODEL: 4, "gpt-4.1-mini": 4}
        run_really(session, chosen)
        assert len(calls) == found.calls
        assert 0 < rest.usd < found.usd
    finally:
        session.close()


def test_refresh_is_estimated_as_if_nothing_were_stored(tmp_path, calls):
    session = session_of(tmp_path, "truncate")
    chosen = selection(session, ids(session, 2))
    run_really(session, chosen)
    session.close()
    session = session_of(tmp_path, "truncate", refresh=True)
    found = estimate(session, session.endpoints, chosen)
    session.close()
    assert (found.calls, found.stored) == (4 + 2, 0)


def test_tokens_and_dollars_are_of_the_order_of_the_real_ones(tmp_path, calls):
    session = session_of(tmp_path, "anchored")
    try:
        chosen = selection(session, ids(session, 3))
        found = estimate(session, session.endpoints, chosen)
        run_really(session, chosen)
        read = sum(usage_of(endpoint_reply(call)).input_tokens for call in calls)
        assert read / 2 < found.usage.input_tokens < read * 2
        spent = session.endpoints.accounts.spent()
        assert spent / 3 < found.usd < spent * 3
    finally:
        session.close()


# --- as a user sees it ---------------------------------------------------------------


def project(pytester, monkeypatch):
    set_up(pytester)
    write_cases(pytester, long_case("first"), long_case("second"))
    pytester.makeconftest(PRICED)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")


@BOTH
def test_the_estimate_is_printed_nothing_is_run_and_the_exit_code_is_good(
    pytester, monkeypatch, workers
):
    project(pytester, monkeypatch)
    result = run(
        pytester,
        workers,
        "--compactor=anchored",
        f"--compaction-model={MODEL}",
        "--compaction-estimate",
        "--compaction-threshold=overall>=5",
        compactor=None,
    )
    assert result.ret == pytest.ExitCode.OK
    shown = " ".join(str(result.stdout).split())
    for words in (
        "check gpt-4o-mini 2 0 ",
        "compaction gpt-4o-mini 2 0 ",
        "responder gpt-4o-mini 8 0 ",
        "judge gpt-4o-mini 8 0 ",
        "total 20 0 ",
        "About 20 calls to gpt-4o-mini, ",
        "Nothing was asked.",
    ):
        assert words in shown
    assert "GATE" not in shown
    assert run_files(pytester) == []


def test_both_ends_are_printed(pytester, monkeypatch):
    project(pytester, monkeypatch)
    arguments = [f"--compaction-model={MODEL}", "--compaction-trigger=tokens:8000"]
    arguments += ["--compaction-estimate", f"--compaction-cases={CASE}", "-k", "root-cause"]
    result = run(pytester, "--compactor=regenerate", *arguments, compactor=None)
    shown = " ".join(str(result.stdout).split())
    ends = re.search(
        r"[^;]*; between ([\d,]+) calls for 0\.\d+ with short replies and ([\d,]+) calls for "
        r"0\.\d+ with long ones",
        shown,
    )
    assert ends, shown
    assert f"with short replies {ends[1]} 0 " in shown
    assert f"with long replies {ends[2]} 0 " in shown
    assert "the number of calls depends on the length of the summaries" in shown


def test_strategies_of_ones_own_are_not_run_for_an_estimate(pytester, monkeypatch):
    project(pytester, monkeypatch)
    arguments = [f"--compaction-model={MODEL}", "--compaction-estimate"]
    result = run(pytester, *arguments, compactor="counted")
    shown = " ".join(str(result.stdout).split())
    assert "total 18 0 " in shown
    assert f"a sliding window stands in for {own('counted')}" in shown
    assert not (pytester.path / "calls.log").exists()


@pytest.mark.parametrize(
    ("instead", "said"),
    [
        ("estimate", "all models of this run work offline. Nothing was asked."),
        ("export=out", "nothing is asked of an endpoint: all models * work offline"),
    ],
)
def test_offline_there_is_nothing_to_estimate_or_to_export(pytester, instead, said):
    set_up(pytester, "first")
    result = run(pytester, f"--compaction-{instead}")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines([said])
    assert run_files(pytester) == []
    assert not (pytester.path / "out").exists()


def test_before_a_run_with_a_limit_one_line_says_what_it_will_spend(pytester, calls):
    set_up(pytester, "first")
    write_cases(pytester, long_case("first"))
    arguments = ["--compactor=anchored", f"--compaction-model={MODEL}", "--compaction-max-cost=9"]
    first = run(pytester, *arguments, compactor=None)
    first.stdout.fnmatch_lines(
        [f"compaction: about {len(calls)} calls to {MODEL}, * out, about 0.* US dollars *"]
    )
    again = run(pytester, *arguments, compactor=None)
    stored = len(measured(calls))
    again.stdout.fnmatch_lines([f"compaction: nothing to pay: all {stored} model calls are *"])
    replay = run(pytester, *arguments, "--compaction-replay", compactor=None)
    replay.stdout.no_fnmatch_line("compaction: nothing to pay*")
    assert len(records(pytester).records) == 4


@pytest.mark.parametrize(("limit", "dry_runs"), [([], 0), (["--compaction-max-cost=9"], 1)])
def test_a_run_without_a_limit_is_not_run_dry_first(pytester, calls, monkeypatch, limit, dry_runs):
    made = []
    plain = estimate_hooks.estimate
    monkeypatch.setattr(
        estimate_hooks, "estimate", lambda *arguments: made.append(plain(*arguments)) or made[-1]
    )
    set_up(pytester, "first")
    write_cases(pytester, long_case("first"))
    arguments = ["--compactor=anchored", f"--compaction-model={MODEL}", *limit]
    result = run(pytester, *arguments, compactor=None)
    assert len(made) == dry_runs
    assert ("compaction: about" in str(result.stdout)) == bool(dry_runs)
    assert len(calls) > 0


def test_a_module_that_cannot_be_collected_is_an_error_all_the_same(pytester):
    place = set_up(pytester, "first")
    place.joinpath("test_own.py").write_text("import no_such_module\n")
    result = run(pytester, "--compaction-estimate")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "compaction estimate" not in str(result.stdout)
