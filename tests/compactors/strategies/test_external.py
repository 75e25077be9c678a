"""``external``: a program gets messages as JSON and gives some back, or a sentence says why."""

import asyncio
import json
import shlex
import sys
import time

import pytest
from support.builders import compact_now, context_of, session
from support.compacting import compacted, ids, messages_of, observed
from support.compositions import create

from pytest_compaction.compactors.protocol import CompactorError
from pytest_compaction.compactors.specs import UnknownCompactorError
from pytest_compaction.compactors.strategies.external import NO_PROGRAM, External
from pytest_compaction.models import Usage

HEAD = "import json, sys, os, time\ngiven = json.load(sys.stdin)\nkept = given['messages'][:1]\n"
NEWEST = "kept += given['messages'][-2:]\n"
SUMMARY = "kept += [{'role': 'user', 'content': 'So far: nothing.'}]\n"


def program(*lines):
    return External(shlex.join([sys.executable, "-c", HEAD + "".join(lines)]))


def test_messages_that_come_back_are_kept_and_others_are_new():
    outcome, view = compacted(
        program(SUMMARY, NEWEST, "print(json.dumps(kept))"), session(4), context_of(500)
    )
    assert outcome.status == "compacted"
    assert ids(view) == ["m0", "external-1-1", "m15", "m16"]
    assert view[1].origin == "synthetic"
    assert [span.fate for span in outcome.spans] == ["kept", "replaced", "kept"]


def test_the_program_gets_messages_budget_and_window_and_the_environment(monkeypatch):
    monkeypatch.setenv("SAID_BY_ENVIRONMENT", "here")
    text = "{**given, 'messages': 0, 'environment': os.environ['SAID_BY_ENVIRONMENT']}"
    tell = f"kept += [{{'role': 'user', 'content': json.dumps({text})}}]\nprint(json.dumps(kept))"
    _, view = compacted(program(tell), session(4), context_of(500, window=9000))
    assert json.loads(view[1].text) == {
        "messages": 0,
        "budget": 500,
        "window": 9000,
        "environment": "here",
    }


def test_usage_is_optional_and_booked_where_the_run_counts():
    class Counting:
        used = Usage()

        async def carried(self, call):
            _, own = await call()
            Counting.used += own.usage

    usage = (
        "print(json.dumps({'messages': kept, 'usage': {'input_tokens': 70, 'output_tokens': 9}}))"
    )
    compactor, context = program(SUMMARY, usage), context_of(500, model=Counting())
    compact_now(compactor, observed(compactor, session(4), context), context)
    assert Counting.used == Usage(calls=1, input_tokens=70, output_tokens=9)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("sys.exit(3)", "ended with exit code 3"),
        ("print('first', file=sys.stderr); sys.exit('no model')", "(standard error: no model)"),
        ("os.kill(os.getpid(), 9)", "ended with signal 9"),
        ("print('Sure, here you are')", "wrote no JSON to standard output: Sure, here you are"),
        ("pass", "wrote no JSON to standard output: nothing"),
        ("print('{}')", 'wrote JSON without "messages"'),
        ("print('7')", "external returned int; expected a list of chat messages"),
        ("print('[{\"role\": 3}]')", "external returned a wrong message"),
        (
            "print(json.dumps({'messages': kept, 'usage': {'tokens': 3}}))",
            "cannot be read (tokens)",
        ),
        ("print(json.dumps({'messages': kept, 'usage': 3}))", "cannot be read (usage)"),
    ],
)
def test_each_failure_is_a_sentence(lines, said):
    with pytest.raises(CompactorError) as raised:
        compacted(program(lines), session(4), context_of(500))
    assert said in str(raised.value)
    assert str(raised.value).startswith("external")


def test_a_key_on_standard_error_is_not_shown(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-for-this-test-1234567890")
    with pytest.raises(CompactorError) as raised:
        compacted(program("sys.exit(os.environ['OPENAI_API_KEY'])"), session(4), context_of(500))
    assert "[key]" in str(raised.value)
    assert "made-up" not in str(raised.value)


def test_a_program_that_does_not_end_is_ended_with_what_it_started():
    command = shlex.join(["sh", "-c", "sleep 60 & sleep 60"])
    began = time.monotonic()
    with pytest.raises(CompactorError, match="did not end within 1 s; give it more with timeout="):
        compacted(External(command, timeout=1), session(4), context_of(500))
    assert time.monotonic() - began < 30


def test_a_program_that_is_not_there_and_none_at_all_are_sentences():
    with pytest.raises(CompactorError, match="no-such-program cannot be started: No such"):
        compacted(External("no-such-program --json"), session(4), context_of(500))
    outcome, view = compacted(create("external"), session(4), context_of(500))
    assert (outcome.status, outcome.error, view) == ("failed", NO_PROGRAM, messages_of(session(4)))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ('external:command="it\'s"', "command cannot be split into words: No closing quotation"),
        ("external:timeout=0", "timeout=0 must be a whole number of seconds, at least 1"),
    ],
)
def test_a_command_that_cannot_be_read_is_refused_before_the_run(spec, said):
    with pytest.raises(UnknownCompactorError, match=said):
        create(spec)


def test_cancelling_a_compaction_ends_the_program():
    compactor, context = External("sleep 60"), context_of(500)
    state = observed(compactor, session(4), context)

    async def cancelled():
        task = asyncio.ensure_future(compactor.compact(state, context))
        await asyncio.sleep(0.2)
        task.cancel()
        await task

    began = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert time.monotonic() - began < 30
