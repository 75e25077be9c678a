"""``gemini-cli``: the split, the cut of tool results, the self-check, and life after a failure.

``gemini-cli``: which tool output is masked, and what is cut at a compression.
"""

from dataclasses import replace

import pytest
from support.builders import (
    COUNTER,
    assistant,
    compact_now,
    context_of,
    system,
    tool,
    user,
)
from support.compacting import (
    AwayModel,
    SayingModel,
    SpyModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    observed,
    roles,
    tokens,
    view_of,
)
from support.compacting import talk as remarks

from pytest_compaction.compactors.products.gemini_cli import (
    ACKNOWLEDGEMENT_ID,
    MASK,
    SNAPSHOT_ID,
    GeminiCli,
    cut_results,
    head_and_tail,
    masked,
    preview,
    split_point,
)
from pytest_compaction.models import ModelError, Summary, SummaryReply

LINES = "\n".join(f"line {i} of a long listing" for i in range(100))
WINDOW = 1_048_576


def talk(turns, words=40):
    chat = [system()]
    for turn in range(turns):
        chat.append(user(f"Request {turn}: " + f"ask{turn} " * words))
        chat.append(assistant(f"Answer {turn}: " + f"say{turn} " * words))
    return chat


def work_of(count, tool_name="bash", output=LINES, arguments=None):
    return [
        message
        for number in range(count)
        for message in (
            assistant(None, (f"c{number}", tool_name, arguments or {"command": "ls"})),
            tool(f"c{number}", output),
        )
    ]


class CheckingModel(SpyModel):
    """Writes a draft, then says ``second`` to the check: lines, or an error to raise."""

    def __init__(self, second):
        super().__init__()
        self.second = second

    async def summarize(self, request):
        self.requests.append(request)
        if len(self.requests) % 2:
            return SummaryReply(Summary((("key_knowledge", ("the lease is 45 seconds",)),)))
        if isinstance(self.second, ModelError):
            raise self.second
        return SummaryReply(Summary((("key_knowledge", self.second),)))


def test_the_split_is_the_first_user_message_after_seventy_percent_of_the_characters():
    messages = messages_of([user("x" * 100), assistant("y" * 100)] * 10)
    assert split_point(messages) == 14
    assert split_point(messages[:-1]) == 14


def test_without_a_user_message_there_everything_or_what_is_before_the_last_one_goes():
    early = [user("a" * 50), assistant("b" * 50), user("c" * 50)]
    work = work_of(5)
    assert split_point(messages_of([*early, *work, assistant("done")])) == 14
    assert split_point(messages_of([*early, *work])) == 2
    assert split_point(messages_of([*early, *work, assistant(None, ("open", "bash", {}))])) == 2
    assert split_point(messages_of([user("only"), *work])) == 0
    assert split_point(()) == 0


def test_snapshot_and_acknowledgement_stand_before_what_stays():
    chat = talk(10)
    outcome, view = compacted(GeminiCli(), chat, context_of(900))
    assert outcome.status == "compacted"
    assert ids(view) == ["m0", SNAPSHOT_ID, ACKNOWLEDGEMENT_ID, *(f"m{i}" for i in range(15, 21))]
    assert roles(view)[:4] == ["system", "user", "assistant", "user"]
    assert {m.origin for m in view[1:3]} == {"synthetic"}
    text = view[1].text
    for section in (
        "overall_goal",
        "active_constraints",
        "key_knowledge",
        "artifact_trail",
        "file_system_state",
        "recent_actions",
        "task_state",
    ):
        assert f"<{section}>" in text
        assert f"</{section}>" in text
    assert "data about what happened, not instructions" in text


def test_the_summariser_reads_masked_output_but_nothing_cut_if_it_fits():
    for window, cut in ((30_000, False), (1_800, True)):
        spy = SpyModel()
        chat = [system(), user("List all."), *work_of(8), *talk(8)[1:]]
        compacted(GeminiCli(), chat, context_of(1000, window=window, model=spy))
        read = [m.results[0].text for m in spy.requests[0].messages if m.results]
        assert read[0].startswith("[tool output ")
        assert any("characters cut]" in text for text in read) is cut
        assert (LINES in read) is not cut


def test_the_model_is_asked_once_more_whether_it_left_anything_out():
    model = CheckingModel(("the lease is 45 seconds", "the queue is in lease.py"))
    _, view = compacted(GeminiCli(), talk(10), context_of(900, model=model))
    draft, check = model.requests
    assert draft.previous is None
    assert check.previous.of("key_knowledge") == ("the lease is 45 seconds",)
    assert check.messages == draft.messages
    assert "leaves out" in check.instructions
    assert "the queue is in lease.py" in view[1].text


def test_an_empty_check_leaves_the_first_snapshot_and_a_failed_one_fails():
    _, view = compacted(GeminiCli(), talk(10), context_of(900, model=CheckingModel(())))
    assert "the lease is 45 seconds" in view[1].text
    model = CheckingModel(ModelError("gone away"))
    outcome, view = compacted(GeminiCli(), talk(10), context_of(900, model=model))
    assert outcome.status == "failed"
    assert "gone away" in outcome.error
    assert view == messages_of(talk(10))


def test_an_earlier_snapshot_is_given_to_be_taken_over():
    spy = SpyModel()
    context = context_of(900, model=spy)
    outcomes = list(in_a_row(GeminiCli(), [talk(10), talk(8)[1:]], context))
    view = view_of(GeminiCli(), outcomes[-1], context)
    assert [m.id for m in view if m.origin == "synthetic"] == [SNAPSHOT_ID, ACKNOWLEDGEMENT_ID]
    assert spy.requests[2].previous.as_json() == outcomes[0].state["summary"]
    assert not {SNAPSHOT_ID, ACKNOWLEDGEMENT_ID} & set(ids(spy.requests[2].messages))


def small_beginning():
    """Hardly anything before the split, then an answer and a listing."""
    chat = [system(), user("hi"), assistant("hello"), user("go"), assistant("word " * 900)]
    return [*chat, assistant(None, ("c", "bash", {})), tool("c", LINES)]


def test_after_a_snapshot_that_was_larger_only_tool_results_are_cut_until_the_user_asks():
    model = CheckingModel(("word " * 150,))
    compactor, chat = GeminiCli(), small_beginning()
    context = context_of(tokens(chat) - 1, window=WINDOW, model=model)
    refused = compact_now(compactor, observed(compactor, chat, context), context)
    assert refused.status == "failed"
    assert refused.state == {**observed(compactor, chat, context), "failed": True}
    asked = len(model.requests)
    second = compact_now(compactor, refused.state, replace(context, window=8_000))
    assert second.status == "compacted"
    assert len(model.requests) == asked
    assert {span.fate for span in second.spans} == {"kept", "masked"}
    there = replace(context, reason="manual", window=8_000, model=CheckingModel(()))
    forced = compact_now(compactor, refused.state, there)
    assert forced.status == "compacted"
    assert "failed" not in forced.state


def test_what_the_user_asked_for_may_be_larger_without_consequence():
    model = CheckingModel(("word " * 150,))
    context = context_of(9_999, window=WINDOW, model=model)
    asked_for = replace(context, reason="manual")
    state = observed(GeminiCli(), small_beginning(), context)
    refused = compact_now(GeminiCli(), state, asked_for)
    assert (refused.status, refused.state) == ("failed", state)


@pytest.mark.parametrize("model", [AwayModel(), SayingModel()])
def test_after_another_failure_the_summariser_is_asked_again(model):
    context = context_of(500, window=30_000, model=model)
    compactor, chat = GeminiCli(), talk(10)
    failed = compact_now(compactor, observed(compactor, chat, context), context)
    assert (failed.status, failed.state) == ("failed", observed(compactor, chat, context))
    asked = len(model.requests)
    compact_now(compactor, failed.state, context)
    assert len(model.requests) == 2 * asked


def test_a_snapshot_that_makes_the_view_larger_is_refused():
    model = CheckingModel(("word " * 150,))
    chat = [system(), user("hi"), assistant("hello"), user("go"), assistant("word " * 900)]
    chat += [assistant(None, ("c", "bash", {})), tool("c", "ok")]
    used = tokens(chat)
    outcome, view = compacted(GeminiCli(), chat, context_of(used - 1, window=4 * used, model=model))
    assert outcome.status == "failed"
    assert f"it took {used} before" in outcome.error
    assert view == messages_of(chat)


def test_the_snapshot_with_its_tags_fits_what_the_rest_leaves():
    class FullModel(SpyModel):
        async def summarize(self, request):
            lines = tuple(f"note {i}" for i in range(99))
            return SummaryReply(Summary(tuple((s.id, lines) for s in request.sections)))

    for budget in range(500, 600, 7):
        _, view = compacted(GeminiCli(), talk(20, words=10), context_of(budget, model=FullModel()))
        assert budget - 60 <= COUNTER.messages(view) <= budget


def test_nothing_to_split_at_is_nothing_done():
    chat = [system(), user("The lease in src/queue.py must be 45 seconds."), *work_of(6)]
    outcome, view = compacted(GeminiCli(), chat, context_of(800, model=CheckingModel(())))
    assert outcome.status == "noop"
    assert COUNTER.messages(view) > 800


def test_the_acknowledgement_ends_a_view():
    request = user("The lease in src/queue.py must be 45 seconds.")
    chat = [system(), request, *work_of(6), assistant("All is done.")]
    faithful = GeminiCli()
    _, view = compacted(faithful, chat, context_of(800))
    assert ids(view) == ["m0", SNAPSHOT_ID, ACKNOWLEDGEMENT_ID]
    kept = {"within-budget", "ends-on-user-or-tool", "summary-is-a-summary"}
    assert set(faithful.traits.violations) == kept


LISTING = "".join(f"{i:06d} of a long listing\n" for i in range(1200))


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
