"""``ledger``: its entries, their order of precedence, and its place in a view."""

import re

from support.builders import COUNTER, assistant, context_of, system, tool, user
from support.compacting import compacted, ids, in_a_row, messages_of, view_of

from pytest_compaction.artifacts import Trail
from pytest_compaction.compactors.strategies.ledger import LEDGER_ID, PREAMBLE, Ledger, written


def calls(*steps):
    """Messages of one call each: (tool, arguments, result)."""
    found = []
    for number, (name, arguments, result) in enumerate(steps):
        id = f"{name}-{number}"
        found += [assistant(None, (id, name, arguments)), tool(id, result)]
    return found


def write(path, content="LIMIT = 1\n"):
    return ("write_file", {"path": path, "content": content}, "wrote it")


def read(path):
    return ("read_file", {"path": path}, "text " * 20)


def shell(command, output=""):
    return ("bash", {"command": command}, output)


WORK = calls(
    write("src/new.py", "LIMIT = 90\n"),
    ("edit_file", {"path": "src/new.py", "old": "LIMIT = 90", "new": "LIMIT = 160"}, "edited"),
    ("edit_file", {"path": "ci/old.ini", "old": "a = 1", "new": "retries = 7"}, "edited"),
    read("docs/ci.md"),
    shell("rm ci/key.sh"),
    shell("git mv tests/test_misc.py tests/test_codecs.py"),
    shell("tool verify", "tool: E417 version mismatch: bundle says 1, tree says 2\nexit code 17"),
    shell("git commit -qm 'ci: raise the limit'", "done"),
    shell("make check", "fine"),
    shell("make check", "fine"),
    shell("pytest -q", "108 passed in 2.1s"),
    shell("ls -la", "a b c"),
)


def page(room=1000, limit=100, chat=WORK):
    return written(Trail().followed_by(messages_of(chat)), room, limit, COUNTER.text)


def test_the_ledger_names_everything_under_its_heading():
    assert page() == "\n".join(
        [
            "## Files changed",
            "- `src/new.py` created: LIMIT = 160",
            "- `ci/old.ini` modified: retries = 7",
            "- `ci/key.sh` deleted",
            "- `tests/test_codecs.py` renamed from tests/test_misc.py",
            "",
            "## Last test run",
            "- 108 passed (`pytest -q`)",
            "",
            "## Errors as printed",
            "- tool: E417 version mismatch: bundle says 1, tree says 2",
            "",
            "## Files only read",
            "- `docs/ci.md` read",
            "",
            "## Commands run",
            "- `tool verify`, failed",
            "- `make check`, 2 times",
            "- `git commit -qm 'ci: raise the limit'`",
        ]
    )


def test_a_later_value_takes_the_place_of_the_earlier_one():
    assert "LIMIT = 160" in page()
    assert "LIMIT = 90" not in page()


def test_changed_files_are_the_last_to_give_way_and_what_is_missing_is_counted():
    everything = 14
    for room in range(60, 400, 10):
        text = page(room)
        shown = [line for line in text.splitlines() if line.startswith("- ")]
        missing = len([line for line in page().splitlines() if line.startswith("- ")]) - len(shown)
        if shown and missing:
            assert text.endswith(f"({missing} entries left out)")
        changed = sum("src/new.py" in s or "ci/" in s or "test_codecs" in s for s in shown)
        if any("make check" in line or "docs/ci.md" in line or "E417" in line for line in shown):
            assert changed >= 4
        assert COUNTER.text(f"{PREAMBLE}\n\n{text}") <= room or not text
        assert len(shown) <= everything


def test_old_files_lose_what_changed_in_them_before_they_are_left_out():
    chat = calls(*(write(f"src/part_{i}.py", f"VALUE_{i} = {i * 1000}\n") for i in range(20)))
    text = page(330, chat=chat)
    assert all(f"`src/part_{i}.py` created" in text for i in range(20))
    assert "VALUE_19 = 19000" in text
    assert "VALUE_0 = 0" not in text


def test_of_too_many_files_the_newest_are_named_in_the_order_of_their_last_touch():
    chat = calls(*(write(f"src/part_{i}.py") for i in range(40)))
    lines = [line for line in page(200, chat=chat).splitlines() if line.startswith("- ")]
    numbers = [int(line.split("part_")[1].split(".")[0]) for line in lines]
    assert numbers == list(range(40 - len(numbers), 40))
    assert 4 < len(numbers) < 40


def failing(*outputs):
    return calls(*(shell("make", f"{output}\nexit code 2") for output in outputs))


def test_an_error_is_written_as_it_was_printed():
    spaced = "KeyError:  'a   b'"
    long = "ValueError: " + "".join(f"row {i:03}; " for i in range(40))
    longer = "TypeError: " + "".join(f"row {i:03}; " for i in range(60))
    assert 300 < len(long.strip()) < 400 < len(longer)
    text = page(chat=failing(spaced, long, longer))
    assert f"- {spaced}\n- {long.strip()}\n- {longer[:350]}" in text
    assert re.search(r"… \[\d+ more characters\]$", text.partition("\n\n")[0])


def test_an_error_that_has_no_room_leaves_it_to_the_others_and_is_counted():
    long = "TypeError: " + "".join(f"row {i:03}; " for i in range(40))
    text = page(150, chat=failing("ValueError: first of all", long))
    assert "- ValueError: first of all" in text
    assert "TypeError" not in text
    missing = 1 + ("`make`" not in text)
    assert text.endswith(f"({missing} entries left out)")


def test_the_limit_is_on_entries():
    text = page(limit=3)
    assert len([line for line in text.splitlines() if line.startswith("- ")]) == 3
    assert text.endswith("entries left out)")


def test_a_session_without_tools_has_no_ledger():
    chat = [user("Hello."), assistant("Hello.")]
    assert page(chat=chat) == ""
    assert (
        Ledger().insertion(Ledger().note(Ledger().begin(), messages_of(chat)), context_of()) is None
    )


def talk(turns, number=0):
    return [
        message
        for turn in range(turns)
        for message in (
            user(f"What about idea {number}-{turn}? " + "detail " * 30),
            assistant(f"Idea {number}-{turn} is noted. " + "remark " * 30),
        )
    ]


def test_alone_it_keeps_system_prompt_ledger_and_newest_part_within_the_budget():
    chat = [system(), *WORK, *talk(8)]
    outcome, view = compacted(Ledger(share=0.5), chat, context_of(700))
    assert outcome.status == "truncated"
    assert view[0].role == "system"
    assert (view[1].id, view[1].role, view[1].origin) == (LEDGER_ID, "user", "synthetic")
    assert view[1].text.startswith(PREAMBLE)
    assert COUNTER.message(view[1]) <= 0.5 * 700 + 4
    assert ids(view)[-1] == f"m{len(chat) - 1}"
    assert COUNTER.messages(view) <= 700
    assert "`ci/key.sh` deleted" in view[1].text


def test_it_remembers_files_of_long_ago_over_many_compactions_and_stands_once():
    context, compactor = context_of(700), Ledger(share=0.4)
    batches = [[system(), *WORK, *talk(4)], *(talk(6, n) for n in range(4))]
    outcomes = list(in_a_row(compactor, batches, context))
    assert [outcome.status for outcome in outcomes] == ["noop", *["truncated"] * 4]
    view = view_of(compactor, outcomes[-1], context)
    assert [m.id for m in view if m.origin == "synthetic"] == [LEDGER_ID]
    assert "`tests/test_codecs.py` renamed from tests/test_misc.py" in view[1].text


def test_a_call_that_waits_stays_even_where_the_ledger_then_has_no_room():
    waiting = assistant("look", ("open", "bash", {"command": "echo " + "x " * 130}))
    chat = [*WORK, *talk(3), waiting]
    outcome, view = compacted(Ledger(share=0.5), chat, context_of(220))
    assert outcome.status == "truncated"
    assert view[-1].calls[0].id == "open"
    assert LEDGER_ID not in ids(view)
    assert COUNTER.messages(view) <= 220
    refused, _ = compacted(Ledger(), chat, context_of(100))
    assert (refused.status, "what must stay takes more" in refused.error) == ("failed", True)
