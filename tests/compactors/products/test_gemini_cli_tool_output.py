"""``gemini-cli``: which tool output is masked, and what is cut at a compression."""

from support.builders import COUNTER, assistant, context_of, tool, user
from support.compacting import messages_of, tokens
from support.compacting import talk as remarks

from pytest_compaction.compactors.products.gemini_cli import (
    MASK,
    cut_results,
    head_and_tail,
    masked,
    preview,
)

LINES = "\n".join(f"line {i} of a long listing" for i in range(100))
LISTING = "".join(f"{i:06d} of a long listing\n" for i in range(1200))
WINDOW = 1_048_576


def test_tool_results_beyond_the_newest_are_cut_to_their_first_fifth_and_last_four():
    size = COUNTER.text(LISTING)
    chat = [*remarks(12)]
    for number in range(4):
        chat += [assistant(None, (f"c{number}", "bash", {})), tool(f"c{number}", LISTING)]
    chat += [user("next"), assistant("yes")]
    assert cut_results(messages_of(chat), context_of(window=WINDOW)) == messages_of(chat)
    window = WINDOW * (2 * size + 30) // 50_000
    cut = cut_results(messages_of(chat), context_of(window=window))
    results = [m.results[0].text for m in cut if m.results]
    most = 40_000 * window // WINDOW
    assert results[2:] == [LISTING, LISTING]
    assert results[0] == results[1] == head_and_tail(LISTING, most)
    assert results[0].startswith(LISTING[: most // 5])
    assert results[0].endswith(LISTING[-(most - most // 5) :])


def test_a_shorter_result_is_not_cut():
    assert head_and_tail("a" * 40_000, 40_000) == "a" * 40_000
    cut = head_and_tail("a" * 8_000 + "b" * 10 + "c" * 32_000, 40_000)
    assert cut == "a" * 8_000 + "\n[10 characters cut]\n" + "c" * 32_000


def test_a_result_beside_a_call_that_waits_is_not_cut():
    calls = assistant(None, ("a", "bash", {}), ("b", "bash", {}))
    waiting = messages_of([user("go"), calls, tool("a", LISTING)])
    assert cut_results(waiting, context_of(window=30_000)) == waiting


def test_less_stays_of_a_result_where_the_window_is_almost_full():
    chat = [user("go"), assistant(None, ("c", "bash", {})), tool("c", LISTING)]
    left = 20
    context = context_of(window=tokens(chat) + left)
    (result,) = cut_results(messages_of(chat), context)[2].results
    assert result.text == head_and_tail(LISTING, 4 * left)


def work_of(count, tool_name="bash", output=LINES, arguments=None):
    return [
        message
        for number in range(count)
        for message in (
            assistant(None, (f"c{number}", tool_name, arguments or {"command": "ls"})),
            tool(f"c{number}", output),
        )
    ]


def masks(chat, protected, least=None):
    """Which tool results are masked where so many tokens are protected; the least is 3/5."""
    window = WINDOW * protected // 50_000 + WINDOW // 50_000
    after = masked(messages_of(chat), context_of(window=window))
    return [message.results[0].text.startswith(MASK) for message in after if message.results]


def test_output_is_masked_in_batches_beyond_the_newest_that_is_protected():
    size = COUNTER.text(LINES)
    assert masks([user("go"), *work_of(4), assistant("ok")], 2 * size) == [False] * 4
    for count in (5, 6):
        chat = [user("go"), *work_of(count), assistant("ok")]
        assert masks(chat, 2 * size) == [True] * 2 + [False] * (count - 2)
    assert masks([user("go"), *work_of(6), assistant("ok"), assistant("ok")], 2 * size) == (
        [True] * 4 + [False] * 2
    )
    whole = [user("go"), *work_of(9), assistant("ok"), assistant("ok")]
    assert masks(whole, 2 * size) == [True] * 6 + [False] * 3


def test_output_that_was_not_yet_read_is_not_masked():
    size = COUNTER.text(LINES)
    parallel = [assistant(None, *((f"p{i}", "bash", {"command": "ls"}) for i in range(6)))]
    parallel += [tool(f"p{i}", LINES) for i in range(6)]
    assert masks([user("go"), *parallel], size) == [False] * 6
    assert masks([user("go"), *parallel, assistant("ok"), assistant("so")], size) == (
        [True] * 5 + [False]
    )


def test_output_that_is_masked_once_is_left_alone_afterwards():
    context = context_of(window=WINDOW * COUNTER.text(LINES) // 50_000)
    once = masked(messages_of([user("go"), *work_of(9)]), context)
    assert masked(once, context) == once


def test_what_a_tool_asked_the_user_is_never_masked_and_short_output_has_nothing_to_lose():
    context = context_of(window=WINDOW // 50_000 * 10)
    for chat in (work_of(6, "ask_user"), work_of(9, output="fine\n" * 12)):
        assert masked(messages_of([user("go"), *chat]), context) == messages_of([user("go"), *chat])


def test_of_a_shell_ten_lines_at_both_ends_stay_and_of_others_250_characters():
    lines = LINES.splitlines()
    shown = preview(LINES, of_shell=True).splitlines()
    assert shown == [MASK, *lines[:10], "[80 lines left out]", *lines[-10:]]
    shown = preview(LINES, of_shell=False)
    assert shown.startswith(f"{MASK}\n{LINES[:250]}\n[")
    assert shown.endswith(LINES[-250:])
    assert preview("x\n" * 20, of_shell=True) == "x\n" * 20
    assert preview("x" * 500, of_shell=False) == "x" * 500


def test_masking_takes_time_in_proportion_to_the_history():
    context = context_of(window=WINDOW // 50_000 * 100)
    after = masked(messages_of([user("go"), *work_of(4000, output=LINES[:600])]), context)
    assert sum(m.results[0].text.startswith(MASK) for m in after if m.results) > 3900
