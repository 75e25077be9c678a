"""The offline summariser: lines sorted into sections, the newest within the budget."""

import time
from dataclasses import replace

import pytest

from pytest_compaction.compactors.base.summaries import data_tables, sections_of
from pytest_compaction.compactors.strategies.anchored import SECTIONS
from pytest_compaction.conversation import TokenCounter
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.models.offline.summary import summarize
from tests.support.builders import assistant, system, tool, user

COUNT = TokenCounter().text


def call(number, name, arguments, output):
    return [assistant(None, (f"c{number}", name, arguments)), tool(f"c{number}", output)]


def edit(number, path):
    return call(number, "edit_file", {"path": path, "old": "x = 1", "new": "x = 2"}, "edited")


def run(number, command, output):
    return call(number, "bash", {"command": command}, output)


def chatter(number):
    said = [f"The garden of house {number} has roses beside bench {n}." for n in range(6)]
    return [user(f"Look at house {number}."), assistant(" ".join(said))]


def written(chat, budget=1000, previous=None, sections=SECTIONS):
    return summarize(from_chat(chat), sections, budget, previous, COUNT)


WORK = [
    user("Mend the mount."),
    *run(1, "pytest -q", "AssertionError: assert 44 == 20\n1 failed in 0.1s"),
    *edit(2, "src/mount.py"),
    assistant("It mounts late instead. The next step is the release. So far 3 tests are green."),
]


@pytest.mark.parametrize("table", sorted(data_tables("sections")))
def test_each_section_has_the_lines_that_it_asks_for(table):
    sections = sections_of(table)
    summary = written(WORK, sections=sections)
    lines = {
        "intent": "Mend the mount.",
        "errors": "AssertionError: assert 44 == 20",
        "values": "`pytest -q`: 1 failed in 0.1s",
        "files": "`src/mount.py` modified",
        "decisions": "It mounts late instead.",
        "next": "The next step is the release.",
        "state": "So far 3 tests are green.",
    }
    for source in {source for section in sections for source in section.gathers}:
        asking = [section for section in sections if source in section.gathers]
        assert any(lines[source] in summary.of(section.id) for section in asking), source


def test_a_source_that_no_section_gathers_is_left_out():
    left = tuple(section for section in SECTIONS if "files" not in section.gathers)
    assert "`src/mount.py` modified" in written(WORK).render(SECTIONS)
    assert "`src/mount.py` modified" not in written(WORK, sections=left).render(left)


def test_titles_and_texts_of_sections_do_not_change_what_is_chosen():
    chat = [system(), *WORK, *(m for n in range(30) for m in chatter(n))]
    renamed = tuple(
        replace(s, title=f"Weather {number}", asks="Only the weather.")
        for number, s in enumerate(SECTIONS)
    )
    assert written(chat, 9000) == written(chat, 9000, sections=renamed)


@pytest.mark.parametrize("budget", [40, 100, 400, 2000])
def test_the_newest_lines_that_fit_the_budget_are_kept_in_their_order(budget):
    chat = [message for n in range(60) for message in chatter(n)]
    summary = written(chat, budget)
    assert 0 < COUNT(summary.render(SECTIONS)) <= budget
    asked = summary.of("session_intent")
    assert asked == tuple(f"Look at house {n}." for n in range(60 - len(asked), 60))


def test_sections_share_the_room_by_their_weight():
    chat = [message for n in range(200) for message in chatter(n)]
    intent, decisions = (
        replace(s, share=share) for s, share in zip(SECTIONS[::2], (1, 3), strict=True)
    )
    summary = written(chat, 1000, sections=(intent, decisions))
    sizes = [sum(map(COUNT, summary.of(each.id))) for each in (intent, decisions)]
    assert sizes[1] / sizes[0] == pytest.approx(3, rel=0.3)


def test_lines_of_an_earlier_summary_stay_in_their_section_before_the_new_ones():
    previous = written(WORK)
    summary = written([user("Now mend the unmount.")], previous=previous)
    assert summary.of("session_intent") == (
        *previous.of("session_intent"),
        "Now mend the unmount.",
    )
    assert summary.of("next_steps") == previous.of("next_steps")
    read = replace(from_chat([user(previous.render(SECTIONS))])[0], origin="synthetic")
    messages = (read, *from_chat([user("Now mend the unmount.")]))
    assert summarize(messages, SECTIONS, 1000, None, COUNT) == summary


def test_a_line_of_no_section_is_sorted_as_if_it_were_said():
    elsewhere = sections_of("regenerate")
    previous = written(WORK, sections=(replace(elsewhere[0], id="elsewhere"), *elsewhere[1:]))
    summary = written([], previous=previous)
    assert "Mend the mount." in summary.of("decisions")


def test_a_line_that_is_repeated_is_there_once():
    chat = [user("Keep it short."), user("Mend it."), user("Keep it short.")]
    assert written(chat).of("session_intent") == ("Mend it.", "Keep it short.")


def test_time_is_linear_in_the_log():
    def seconds(size):
        messages = from_chat([m for n in range(size) for m in chatter(n)])
        begun = time.process_time()
        summarize(messages, SECTIONS, 1000, None, COUNT)
        return time.process_time() - begun

    seconds(200)
    assert seconds(800) < 16 * max(seconds(200), 0.005)
