"""The calls and compactions of recorded sessions, in the terms in which they are counted."""

import pytest
from support.claude_code_lines import answer, compacted, imported, said, use
from support.paths import public_data

from pytest_compaction.case_making import KeptRules, recorded_session
from pytest_compaction.importers import load_importers, read_by_best
from pytest_compaction.metrics import after_compactions, repeated


def session(tmp_path, *steps, window=None):
    """The session of some steps: a call with its result, a text of the user, or whole lines."""
    lines = [said("user", "u", None, "fix the parser", sessionId="s")]
    last = "u"
    for number, step in enumerate(steps):
        if isinstance(step, list):  # a compaction
            lines += [line(last) for line in step]
            last = lines[-1]["uuid"]
            continue
        if isinstance(step, str):
            lines.append(said("user", f"u{number}", last, step))
            last = f"u{number}"
            continue
        name, given, result, *usage = step
        id = f"t{number}"
        lines.append(said("assistant", f"a{number}", last, [use(id, name, **given)], f"m{number}"))
        lines[-1]["message"]["usage"] = {"input_tokens": usage[0]} if usage else {}
        lines.append(said("user", f"r{number}", f"a{number}", [answer(id, result)]))
        last = f"r{number}"
    return recorded_session(imported(tmp_path, *lines), window)


def compaction(number, summary="We were at it.", **metadata):
    """A compaction for :func:`session`, after whatever the last line is."""
    boundary, line = compacted(number, None, summary, **metadata)
    return [lambda last: {**boundary, "logicalParentUuid": last}, lambda last: line]


def read(path="/r/a.py", result="the text", **more):
    return ("Read", {"file_path": path, **more}, result)


def bash(script, result="output", **more):
    return ("Bash", {"command": script, **more}, result)


@pytest.mark.parametrize(
    ("step", "kind", "files"),
    [
        (read(), "look", ("/r/a.py",)),
        (("Grep", {"pattern": "x", "path": "/r/src"}, "a"), "look", ("/r/src",)),
        (("WebSearch", {"query": "x"}, "a"), "look", ()),
        (("mcp__wiki__get_page", {"page": "7"}, "a"), "look", ()),
        (("Edit", {"file_path": "/r/a.py", "new_string": "b"}, "ok"), "change", ("/r/a.py",)),
        (("TaskOutput", {"task_id": "7"}, "a"), "idle", ()),
        (("BashOutput", {"bash_id": "7"}, "a"), "idle", ()),
        (("TaskList", {}, "a"), "idle", ()),
        (("TodoWrite", {"todos": []}, "a"), "idle", ()),
        (("mcp__tracker__create_issue", {"title": "x"}, "a"), "other", ()),
        (bash("head -n 5 a.py"), "look", ("a.py",)),
        (bash("cd /r && cat a.py b.py"), "look", ("a.py", "b.py")),
        (bash("sed -n '1,80p' src/a.py | head -20"), "look", ("src/a.py",)),
        (bash("rg -n parser src | sort"), "look", ()),
        (bash("git log --oneline | head -3"), "look", ()),
        (bash("git branch -a | grep main"), "look", ()),
        (bash("git branch topic"), "command", ()),
        (bash("git stash"), "command", ()),
        (bash("wc -l a.py"), "look", ()),
        (bash("cat a.py | wc -l"), "look", ("a.py",)),
        (bash("cd /r && pwd"), "idle", ()),
        (bash("sleep 30; echo done"), "idle", ()),
        (bash(""), "command", ()),
        (bash("pytest -q"), "command", ()),
        (bash("cat a.py && make"), "command", ()),
        (bash("echo b > a.py"), "change", ("a.py",)),
        (bash("rm a.py"), "change", ("a.py",)),
        (bash("cat a.py; " * 10_000), "change", ()),
        (("read_files", {"files": [f"{n}.py" for n in range(99)]}, "a"), "look", ()),
    ],
)
def test_what_a_call_does(tmp_path, step, kind, files):
    (call,) = session(tmp_path, step).calls
    assert (call.kind, call.files) == (kind, files)


def fetches_again(tmp_path, first, second):
    steps = [first, *[("TodoWrite", {}, "ok")] * 4, second, ("TodoWrite", {}, "ok")]
    return repeated(session(tmp_path, *steps).calls)[5] == 0


def test_what_tells_a_request_from_another(tmp_path):
    assert fetches_again(tmp_path, read(), read())
    assert not fetches_again(tmp_path, read(), read("/r/b.py"))
    assert not fetches_again(tmp_path, read(), read(offset=10))
    assert not fetches_again(tmp_path, read(), read(result="another text"))
    assert fetches_again(tmp_path, bash("git  status"), bash("git status", description="look"))
    assert not fetches_again(tmp_path, bash("git status"), bash("git status -s"))


NUMBERED = "     1→def f():\n     2→    return 1"
PLAIN = "def f():\n    return 1"


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (read(result=NUMBERED), bash("cat /r/a.py", PLAIN), True),
        (read(result=NUMBERED), bash("cd /r && cat a.py", PLAIN), True),
        (bash("cat a.py", PLAIN), read(result=NUMBERED), True),
        (bash("cat -n a.py", NUMBERED.replace("→", "\t")), bash("cat a.py", PLAIN), True),
        (
            read(result="     2→    return 1", offset=2, limit=1),
            bash("sed -n 2p a.py", "    return 1"),
            True,
        ),
        (read(offset=2, limit=8), bash("sed -n '2,9p' /r/a.py", "the text"), True),
        (read(limit=20), bash("head -20 /r/a.py", "the text"), True),
        (bash("head -n 10 a.py"), bash("head a.py"), True),
        (read(offset=30), bash("tail -n +30 /r/a.py", "the text"), True),
        (
            ("read_file", {"path": "a.py", "start_line": 2, "end_line": 9}, "b"),
            bash("sed -n 2,9p a.py", "b"),
            True,
        ),
        (bash("tail -n 5 a.py"), bash("tail -5 a.py"), True),
        (bash("tail -n 5 a.py"), bash("head -n 5 a.py"), False),
        (read(offset=2, limit=8), bash("sed -n 2,8p /r/a.py", "the text"), False),
        (read(result=NUMBERED), bash("cat /r/b.py", PLAIN), False),
        (read(result=NUMBERED), bash("cat /q/a.py", PLAIN), False),
        (read(result=NUMBERED), bash("cat /r/a.py", PLAIN + "0"), False),
        (read(result=NUMBERED), bash("cat /r/a.py | head", PLAIN), False),
        (read(result=NUMBERED), bash("cat /r/a.py /r/b.py", PLAIN), False),
        (read(result=NUMBERED), bash("cat /r/a.py && make", PLAIN), False),
        (read(result=NUMBERED, pages="1"), bash("cat /r/a.py", PLAIN), False),
    ],
)
def test_the_same_lines_of_a_file_are_the_same_by_any_tool(tmp_path, first, second, same):
    assert fetches_again(tmp_path, first, second) is same


def test_what_a_harness_adds_to_a_result_is_no_difference(tmp_path):
    noisy = read(result="the text\n<system-reminder>be brief</system-reminder>")
    assert fetches_again(tmp_path, read(), noisy)
    assert not fetches_again(tmp_path, read(), read(result="the text\n<system-reminder>be brief"))
    first = bash("ls", "Chunk ID: 1a\nWall time: 0.1 seconds\na.py")
    assert fetches_again(tmp_path, first, bash("ls", "Chunk ID: 2b\nWall time: 0.25 seconds\na.py"))


def test_a_call_that_failed_fetched_nothing(tmp_path):
    id = "t"
    lines = [
        said("user", "u", None, "fix it", sessionId="s"),
        said("assistant", "a", "u", [use(id, file_path="/r/a.py")], "m"),
        said("user", "r", "a", [answer(id, "no such file", is_error=True)]),
    ]
    (call,) = recorded_session(imported(tmp_path, *lines)).calls
    assert (call.kind, call.result, call.tokens) == ("look", "", 0)


# --- compactions ----------------------------------------------------------------------------


def test_what_the_log_tells_of_a_compaction(tmp_path):
    stated = compaction(150, trigger="manual", postTokens=9_000, durationMs=61_500)
    found = session(tmp_path, read(), stated, read())
    (one,) = found.compactions
    assert (one.calls, one.trigger, one.seconds) == (1, "manual", 61.5)
    assert (one.before.tokens, one.left.tokens) == (150_000, 9_000)
    assert (one.before.here, one.left.here) == (False, False)
    assert (one.no_op, one.doubled, one.followed) == (False, False, None)


@pytest.mark.parametrize(
    ("answered", "compacted_at", "seconds"),
    [
        ("2026-01-01T10:00:00.500Z", "2026-01-01T10:01:02.000Z", 61.5),
        ("2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z", None),
        ("2026-01-01T10:00:01Z", "2026-01-01T10:00:00Z", None),
        ("2026-01-01T10:00:00", "2026-01-01T10:00:09Z", None),
        ("soon", 7, None),
    ],
)
def test_a_working_agent_tells_by_its_times_how_long_it_waited(
    tmp_path, answered, compacted_at, seconds
):
    boundary, summary = compacted(1, "r", "We read.")
    lines = [
        said("user", "u", None, "fix it", sessionId="s"),
        said("assistant", "a", "u", [use("t", file_path="/r/a.py")], "m"),
        said("user", "r", "a", [answer("t", "the text")], timestamp=answered),
        {**boundary, "timestamp": compacted_at},
        summary,
    ]
    (one,) = recorded_session(imported(tmp_path, *lines)).compactions
    assert one.seconds == seconds
    lines.insert(3, said("user", "v", "r", "go on", timestamp=answered))
    (one,) = recorded_session(imported(tmp_path, *lines)).compactions
    assert one.seconds is None  # nobody waited for it


def test_the_first_request_tells_the_tokens_after_where_the_record_does_not(tmp_path):
    found = session(tmp_path, read(), compaction(150), (*read(), 31_000))
    assert found.compactions[0].left.tokens == 31_000


def test_tokens_that_the_log_does_not_tell_are_counted(tmp_path):
    found = session(tmp_path, read(), compaction(1, preTokens="many", trigger=7), read())
    (one,) = found.compactions
    assert one.trigger == ""
    assert one.before.here
    assert one.left.here
    assert 0 < one.left.tokens < one.before.tokens


def test_a_compaction_that_frees_nothing_is_a_no_op(tmp_path):
    for after, is_no_op in ((150_000, True), (149_999, False)):
        found = session(tmp_path, read(), compaction(150, postTokens=after), read())
        assert found.compactions[0].no_op is is_no_op
    long = session(tmp_path, compaction(1, "much more than was said. " * 50, preTokens=None))
    assert long.compactions[0].no_op


def test_a_window_more_than_65_percent_full_is_bloated(tmp_path):
    def one(left, window=None, **metadata):
        steps = [read(), compaction(100, postTokens=left, **metadata), read()]
        return session(tmp_path, *steps, window=window).compactions[0]

    assert one(65_001).bloated
    assert not one(65_000).bloated
    assert one(65_000).window_from == "the fullest context that was compacted"
    assert not one(66_000, 200_000).bloated
    assert one(66_000, 200_000).window_from == "given"
    by_hand = one(66_000, trigger="manual")
    assert (by_hand.window, by_hand.bloated) == (None, None)


def test_two_compactions_with_nothing_between_are_doubled(tmp_path):
    twice = session(tmp_path, read(), compaction(1), compaction(2), read(), compaction(3))
    assert [one.doubled for one in twice.compactions] == [False, True, False]


@pytest.mark.parametrize(
    ("summary", "followed"),
    [("We kept the schema migration and retry limits.", True), ("We talked.", False)],
)
def test_an_instruction_is_ignored_if_the_summary_does_not_take_it_up(tmp_path, summary, followed):
    asked = "<command-name>/compact</command-name><command-message>compact</command-message>"
    asked += "<command-args>keep the schema migration and the retry limits</command-args>"
    found = session(tmp_path, read(), compaction(1, summary, trigger="manual"), asked, read())
    assert found.compactions[0].followed is followed
    by_itself = session(tmp_path, read(), compaction(1, summary, trigger="auto"), asked, read())
    assert by_itself.compactions[0].followed is None


def test_files_that_the_program_attaches_again_stand_apart(tmp_path):
    def attached(last):
        file = {"type": "file", "filename": "/r/a.py", "content": {"file": {"content": "x = 1"}}}
        return {"type": "attachment", "uuid": "at", "parentUuid": last, "attachment": file}

    found = session(tmp_path, read(), [*compaction(1), attached], read())
    (one,) = found.compactions
    assert one.attached == 1
    assert one.attached_tokens > 3
    assert len(found.calls) == 2


def test_words_of_the_user_after_a_compaction(tmp_path):
    rule = "Always keep the retry limit of the upload handler at five attempts."
    again = "I said to keep the retry limit of the upload handler at five attempts, again."
    talk = [rule, *[read(f"/r/{number}.py") for number in range(20)], compaction(1)]
    found = session(tmp_path, *talk, read("/r/x.py"), again, read(), "no, the other one", read())
    (one,) = found.compactions
    assert (one.said_again, one.corrections) == (1, 1)
    stopped = ["[Request interrupted by user]", "Use the other file."]
    found = session(tmp_path, *talk, read("/r/x.py"), *stopped, read())
    assert found.compactions[0].corrections == 1
    kept = session(tmp_path, *talk, read("/r/x.py"), "Thanks, go on.", read(), read())
    assert (kept.compactions[0].said_again, kept.compactions[0].corrections) == (0, 0)


@pytest.mark.parametrize(
    ("said", "then", "broken"),
    [
        ("Never use `git push --force` here.", "git push --force", ("git push --force",)),
        ("Don't run scripts/deploy.sh, use make stage.", "./scripts/deploy.sh", ("deploy.sh",)),
        ("Never use `git push --force` here.", "git push", ()),
        ("Don't run `make all` until the tests pass.", "make all", ()),
        ("Don't forget to run `make all`.", "make all", ()),
        ("Never run `rm -rf` but `trash-put`.", "trash-put old", ()),
        ("Please don't edit /r/gen.py by hand.", "echo x > /r/gen.py", ("gen.py",)),
        ("Please don't edit /r/gen.py by hand.", "cat /r/gen.py", ()),
        ("We never saw `make all` fail; run `make all`.", "make all", ()),
    ],
)
def test_what_the_user_forbade_by_name_and_the_agent_does_after_a_compaction(
    tmp_path, said, then, broken
):
    found = session(tmp_path, said, read(), compaction(1), bash(then), read())
    assert found.compactions[0].broken == broken
    early = session(tmp_path, said, bash(then), compaction(1), read(), read())
    assert early.compactions[0].broken == ()
    late = session(tmp_path, read(), compaction(1), said, bash(then), read())
    assert late.compactions[0].broken == ()


@pytest.mark.parametrize(
    ("rule", "then", "told"),
    [
        ("Never run `make release` on the host.", "make release", (1, 1, 0)),
        ("Never run `make release` on the host.", "make dry release", (1, 0, 1)),
        ("Always check the build with `make verify`.", "make verify", (1, 0, 1)),
        ("Always check the build with `make verify`.", "make build check", (1, 0, 0)),
        ("Never make a release without asking me first.", "make release", (1, 0, 0)),
        ("Never run `make release` on the host.", "ls", (0, 0, 0)),
    ],
)
def test_rules_that_a_later_call_could_break_were_broken_or_kept_as_far_as_calls_tell(
    tmp_path, rule, then, told
):
    talk = [rule, *[read(f"/r/{number}.py") for number in range(20)], compaction(1)]
    found = session(tmp_path, *talk, bash(then), read())
    assert found.compactions[0].rules == KeptRules(*told)


# --- public sessions, counted by hand --------------------------------------------------------

BY_HAND = {
    "session-1.jsonl": [{10: (9, 0, None), 40: (20, 0, None)}],
    "session-3.jsonl": [{10: (6, 0, (12, 59, 0)), 40: (20, 0, None)}],
    "session-4.jsonl": [
        {10: (9, 0, None), 40: (38, 0, None)},
        {10: (10, 1, (23, 143, 1)), 40: (33, 2, None)},
    ],
}
"""By session, for each compaction and horizon: looks and commands, those fetched again, and the far
points with their looks and how many of these were fetched again (``None`` where none was counted).

Counted on 30 November 2026 from the raw lines: each ``tool_use`` block was listed with its number,
name and input, and with the length and a hash of its result, and the list was read from the top.
Session 1 repeats only its lint, after edits. In session 3, call 10 reads list/data.go as call 9 had
just before the compaction, and call 14, the next that names this file, edits it. In session 4, call
76 reads lines 180 to 280 of manual_commit_hooks.go as call 31 had, and call 96 the state of a
session as call 42 had; 95 and 97 repeat 41 and 35 but got another text, and 77 is worded unlike 32.
For the far points the looks and commands were marked on the list, and the marks of ten calls after
each were added up.
"""

WORK_BY_HAND = {"session-1.jsonl": [0], "session-3.jsonl": [4], "session-4.jsonl": [40, 29]}
"""By session, for each compaction: the calls before the first new work, 40 if there are more.

Counted on the same list: session 1 goes on with a first ``go build``; session 3 looks four times
and edits with call 14; session 4 looks, loads a skill and keeps its list for 45 calls, and after
the second compaction for 29, before it edits with call 105.
"""


def public_session(name):
    _, read_transcripts = read_by_best(
        public_data(f"claude-code-compacted/{name}"), load_importers().importers
    )
    (transcript,) = read_transcripts
    return recorded_session(transcript)


@pytest.mark.parametrize("name", WORK_BY_HAND)
def test_calls_before_new_work_in_public_sessions_are_counted_as_by_hand(name):
    found = public_session(name)
    after = after_compactions(found.calls, [one.calls for one in found.compactions])
    assert [each.before_work for each in after] == WORK_BY_HAND[name]


@pytest.mark.parametrize("name", BY_HAND)
def test_public_sessions_are_counted_as_by_hand(name):
    found = public_session(name)
    after = after_compactions(found.calls, [one.calls for one in found.compactions])
    assert len(after) == len(BY_HAND[name])
    for each, expected in zip(after, BY_HAND[name], strict=True):
        for horizon, (calls, again, elsewhere) in expected.items():
            held = each.fetched[horizon]
            assert (held.after.calls, held.after.again) == (calls, again)
            if elsewhere is not None:
                control = held.elsewhere
                assert (held.points, control.calls, control.again) == elsewhere
