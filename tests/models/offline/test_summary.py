"""The offline summariser: what it chooses, whatever the sections are called."""

import time
from dataclasses import replace

from pytest_compaction.compactors.strategies.anchored import SECTIONS
from pytest_compaction.conversation import TokenCounter
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.models.offline.summary import summarize
from tests.support.builders import assistant, system, tool, user

COUNT = TokenCounter().text
RULE = "Never touch the folder ops/, it belongs to the harbour team."


def run(number, command, output):
    return [
        assistant(None, (f"c{number}", "bash", {"command": command})),
        tool(f"c{number}", output),
    ]


def edit(number, path, old, new):
    arguments = {"path": path, "old": old, "new": new}
    return [
        assistant(None, (f"c{number}", "edit_file", arguments)),
        tool(f"c{number}", f"edited {path} at line 3"),
    ]


def chatter(number, sentences=6):
    said = [
        f"The garden of house {number} has tall roses beside a wooden bench {n} {number}."
        for n in range(sentences)
    ]
    return [user("ok go on"), assistant(" ".join(said))]


def written(chat, budget=1000, previous=None, sections=SECTIONS):
    return summarize(from_chat(chat), sections, budget, previous, COUNT)


def text_of(summary, sections=SECTIONS):
    return summary.render(sections)


def test_titles_and_texts_of_sections_do_not_change_what_is_chosen():
    chat = [system(), user(RULE), *(m for n in range(30) for m in chatter(n))]
    renamed = tuple(
        replace(s, title="Weather in Paris and all around it" + s.id, asks="Only the weather.")
        for s in SECTIONS
    )
    assert written(chat, 700) == written(chat, 700, sections=renamed)


def test_a_source_that_no_section_gathers_is_left_out():
    chat = [user("Fix src/a.py, please."), *edit(1, "src/a.py", "x = 1", "x = 2")]
    left = tuple(s for s in SECTIONS if "files" not in s.gathers)
    assert "`src/a.py` modified" in text_of(written(chat))
    assert "`src/a.py` modified" not in text_of(written(chat, sections=left), left)


def test_only_the_last_value_of_a_setting_is_kept():
    chat = [
        user("Set the lease, please."),
        *edit(1, "app.toml", "lease_seconds = 30", "lease_seconds = 45"),
        *edit(2, "app.toml", "lease_seconds = 45", "lease_seconds = 20"),
    ]
    text = text_of(written(chat))
    assert "lease_seconds = 20 (app.toml)" in text
    assert "lease_seconds = 45" not in text


def test_a_command_tells_its_last_outcome_only():
    chat = [
        user("Does the rehearsal lose leases?"),
        *run(1, "python -m queue rehearse", "jobs 120, runs 135\nleases lost: 15"),
        *run(2, "python -m queue rehearse", "jobs 120, runs 120\nleases lost: 0"),
    ]
    text = text_of(written(chat))
    assert "`python -m queue rehearse`: jobs 120, runs 120, leases lost: 0" in text
    assert "leases lost: 15" not in text


def test_errors_of_a_test_run_go_when_tests_pass_again():
    failing = "E   AssertionError: assert 44 == 20\n1 failed, 3 passed in 0.1s"
    chat = [user("Mount late, please."), *run(1, "pytest -q", failing)]
    assert "assert 44 == 20" in text_of(written(chat))
    chat += run(2, "pytest -q", "4 passed in 0.1s")
    text = text_of(written(chat))
    assert "assert 44 == 20" not in text
    assert "Last test run: 4 passed (`pytest -q`)" in text


def test_a_condition_outlasts_chatter_over_four_compactions():
    summary = written([user(RULE), *chatter(0)], 500)
    for number in range(1, 5):
        new = [m for n in range(10) for m in chatter(10 * number + n)]
        summary = written(new, 500, previous=summary)
    assert RULE in text_of(summary)


def test_the_same_from_a_summary_that_is_read_as_conversation():
    view = [user(RULE), *chatter(0)]
    for number in range(1, 5):
        text = text_of(written(view, 500))
        new = [m for n in range(10) for m in chatter(10 * number + n)]
        first = replace(from_chat([user(text)])[0], origin="synthetic")
        summary = summarize((first, *from_chat(new)), SECTIONS, 500, None, COUNT)
        view = [user(text_of(summary))]
        assert RULE in text_of(summary)


def test_items_below_a_lead_in_are_conditions_like_it():
    items = "These rules must hold:\n\n- plain subjects\n- hands off ops/ and its tables\n"
    chat = [user("The queue runs jobs twice under load."), *chatter(0), user(items)]
    chat += [m for n in range(20) for m in chatter(n)]
    assert "hands off ops/ and its tables" in text_of(written(chat, 400))


def test_a_summary_of_small_talk_is_not_empty():
    assert not written([user("Hello."), assistant("Hi.")]).empty


def test_time_is_linear_in_the_log():
    def seconds(size):
        chat = [user(RULE), *(m for n in range(size) for m in chatter(n))]
        messages = from_chat(chat)
        begun = time.process_time()
        summarize(messages, SECTIONS, 1000, None, COUNT)
        return time.process_time() - begun

    seconds(200)
    assert seconds(800) < 16 * max(seconds(200), 0.005)
