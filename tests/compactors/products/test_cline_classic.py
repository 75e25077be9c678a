"""``cline:mode=classic``: repeated reads, and the arithmetic of the removal."""

import pytest
from support.builders import (
    COUNTER,
    assistant,
    context_of,
    system,
    tool,
    user,
)
from support.cline import SOURCE, file_read
from support.compacting import (
    compacted,
    ids,
    in_a_row,
    messages_of,
    talk,
    tokens,
    view_of,
)

from pytest_compaction.compactors.base.duplicate_reads import superseded_reads
from pytest_compaction.compactors.products.cline.modes import (
    NOTICE,
    allowed,
    first_pair_end,
    removed,
    sides,
)
from pytest_compaction.compactors.products.cline.strategy import (
    Cline,
)
from pytest_compaction.conversation.messages import structure_faults


def noted(view):
    return [m.id for m in view if any("was read again" in r.text for r in m.results)]


@pytest.mark.parametrize(
    ("window", "limit"),
    [
        (64_000, 37_000),
        (128_000, 98_000),
        (200_000, 160_000),
        (32_000, 25_600),
        (100_000, 80_000),
        (300_000, 260_000),
        (1_000_000, 960_000),
    ],
)
def test_the_limit_of_a_window_is_the_products(window, limit):
    assert allowed(window) == limit


def test_all_but_the_latest_read_of_a_file_give_way_to_a_note():
    chat = [
        system(),
        user("go"),
        *file_read("1"),
        *file_read("2", "src/b.py"),
        *file_read("3"),
        *file_read("4"),
    ]
    outcome, view = compacted(Cline("classic"), chat, context_of(tokens(chat) - 1))
    assert outcome.status == "compacted"
    assert noted(view) == ["m3", "m7"]
    assert view[3].results[0].text == "[src/a.py was read again further down; see there]"
    assert view[5].results[0].text == view[9].results[0].text == SOURCE
    assert ids(view) == ids(messages_of(chat))


def test_only_the_same_read_counts_and_a_failed_or_shell_read_does_not():
    other = file_read("2", start=1, end=10)
    failed = [
        assistant(None, ("3", "read_file", {"path": "src/a.py"})),
        tool("3", "no", is_error=True),
    ]
    shell = [assistant(None, ("4", "bash", {"command": "cat src/a.py"})), tool("4", SOURCE)] * 2
    messages = messages_of([user("go"), *file_read("1"), *other, *failed, *shell])
    assert superseded_reads(messages) == {}
    messages = messages_of([user("go"), *file_read("1"), *other, *failed, *shell, *file_read("5")])
    assert superseded_reads(messages) == {"1": "src/a.py"}


@pytest.mark.parametrize(("filler", "shortened"), [(300, False), (6000, True)])
def test_thirty_percent_saved_is_enough(filler, shortened):
    chat = [
        *talk(8),
        user("go"),
        *file_read("1"),
        assistant("x" * filler),
        user("again"),
        *file_read("2"),
    ]
    outcome, view = compacted(Cline("classic"), chat, context_of(tokens(chat) - 1))
    assert (len(view) < len(chat)) is shortened
    assert outcome.status == ("truncated" if shortened else "compacted")


@pytest.mark.parametrize(
    ("count", "half", "quarter"),
    [
        (2, 0, 0),
        (4, 0, 0),
        (5, 0, 2),
        (6, 2, 2),
        (7, 2, 2),
        (8, 2, 4),
        (10, 4, 6),
        (11, 4, 6),
        (18, 8, 12),
    ],
)
def test_an_even_number_after_the_first_pair_is_removed(count, half, quarter):
    messages = messages_of(talk(count))
    for wanted, is_quarter in ((half, False), (quarter, True)):
        begin, end = removed(messages, is_quarter)
        assert end - begin == wanted
        if wanted:
            assert begin == 3
            assert messages[end - 1].role == "assistant"


def test_the_first_pair_and_the_newest_half_stay_with_a_notice_in_the_first_answer():
    chat = talk(18)
    outcome, view = compacted(Cline("classic"), chat, context_of(tokens(chat) - 1))
    assert outcome.status == "truncated"
    assert ids(view) == ["m0", "m1", "m2", *(f"m{i}" for i in range(11, 19))]
    assert view[2].text == NOTICE
    assert view[1] == messages_of(chat)[1]
    fates = [(span.fate, len(span.ids)) for span in outcome.spans]
    assert fates == [("kept", 2), ("masked", 1), ("dropped", 8), ("kept", 8)]


def test_three_quarters_go_where_half_of_the_tokens_would_be_too_many():
    chat = talk(18)
    used = tokens(chat)
    _, view = compacted(Cline("classic"), chat, context_of(used // 2 + 1))
    assert len(view) == 3 + 8
    _, view = compacted(Cline("classic"), chat, context_of((used - 1) // 2))
    assert len(view) == 3 + 4


def test_what_one_side_says_in_a_row_counts_once_and_results_are_the_users():
    chat = [
        system(),
        user("go"),
        user("please"),
        assistant("first"),
        assistant(None, ("a", "bash", {}), ("b", "bash", {})),
        tool("a"),
        tool("b"),
        user("and?"),
        assistant("done"),
    ]
    assert sides(messages_of(chat)) == [(1, 3), (3, 5), (5, 8), (8, 9)]
    assert first_pair_end(messages_of(chat)) == 7


def test_no_result_loses_its_call_at_either_end():
    chat = [system(), user("go")]
    for number in range(12):
        chat += [
            assistant(f"step {number}", (f"c{number}", "bash", {})),
            tool(f"c{number}", SOURCE),
        ]
    for budget in (tokens(chat) - 1, 200):
        _, view = compacted(Cline("classic"), chat, context_of(budget))
        assert structure_faults(view) == []
        assert view[:2] == messages_of(chat)[:2]
        assert view[2].calls == messages_of(chat)[2].calls
        assert len(view) < len(chat)


def test_the_next_step_starts_from_the_view_and_the_notice_is_put_once():
    context = context_of(700, window=2000)
    first, second = in_a_row(Cline("classic"), [talk(18), talk(10)[1:]], context)
    view = view_of(Cline("classic"), second, context)
    assert [m.text for m in view].count(NOTICE) == 1
    assert view[2].text == NOTICE
    assert (first.status, second.status) == ("truncated", "truncated")


def test_the_faithful_step_may_stay_over_the_budget_and_the_hardened_profile_goes_on():
    chat = [*talk(18), user("now"), assistant("word " * 900)]
    faithful, hardened = Cline("classic"), Cline("classic", profile="hardened")
    _, view = compacted(faithful, chat, context_of(1100))
    assert COUNTER.messages(view) > 1100
    assert set(faithful.traits.violations) == {
        "turns-alternate",
        "log-order-and-text",
        "within-budget",
        "never-larger",
        "progress-or-stop",
    }
    _, view = compacted(hardened, chat, context_of(1100))
    assert COUNTER.messages(view) <= 1100
    assert hardened.traits.violations == {}
