"""``hermes:mode=lean``: what is read, what rules add, what stays, and what is said again."""

import pytest
from support.builders import COUNTER, assistant, context_of, session, system, tool, user
from support.compacting import SayingModel, SpyModel, compacted, ids, in_a_row, messages_of

from pytest_compaction.compactors.products import hermes, hermes_lean
from pytest_compaction.compactors.products.hermes import END, PREAMBLE, Hermes
from pytest_compaction.compactors.products.hermes_cuts import joins
from pytest_compaction.compactors.products.hermes_lean import (
    ANCHOR_HEADING,
    QUOTES_HEADING,
    RECOVERY_HEADING,
    STILL_OPEN,
    additions,
    demoted,
    lean_tail_start,
    pressed,
    sampled,
    tail_tokens,
)
from pytest_compaction.models import SummaryReply, written_summary


class Writing(SpyModel):
    """Writes a summary as a model behind an endpoint does."""

    async def summarize(self, request):
        self.requests.append(request)
        return SummaryReply(written_summary("## Goal\nThe limits."))


def lean():
    return Hermes(mode="lean")


def work(count, words=40):
    """Rounds of a call and its result each."""
    return [
        message
        for n in range(count)
        for message in (assistant(None, (f"w{n}", "bash", {})), tool(f"w{n}", "out " * words))
    ]


def record(view):
    return next(message for message in view if PREAMBLE in message.text)


def test_the_constants_are_those_of_the_source():
    assert (hermes_lean.LEAST_TAIL, hermes_lean.MOST_TAIL) == (10_000, 25_000)
    assert (hermes_lean.TAIL_OF_WINDOW, hermes_lean.MOST_OF_WINDOW) == (0.025, 0.2)
    assert (hermes_lean.WHOLE_ROUNDS, hermes_lean.LONG_RESULT) == (6, 1_500)
    assert (hermes_lean.READ_INPUT, hermes_lean.SLICES) == (160_000, 8)
    assert (hermes_lean.ANCHORS, hermes_lean.QUOTED, hermes_lean.QUOTE) == (7_000, 24_000, 4_000)
    assert (hermes.LOG, len(Hermes(mode="lean").sections)) == (4_000, 12)


@pytest.mark.parametrize(
    ("window", "tokens"),
    [(200_000, (10_000, 15_000)), (1_000_000, (25_000, 37_500)), (600_000, (15_000, 22_500))],
)
def test_the_tail_is_a_small_share_of_the_window_within_limits(window, tokens):
    assert tail_tokens(context_of(window=window)) == tokens


def test_rules_add_names_requests_and_where_to_look_to_what_the_model_wrote():
    chat = session(40)
    chat[113] = user("Look at src/queue/lease.py, see #4711 and ValueError: too old.")
    chat[117] = user("Again #4711, please.")
    context = context_of(4000, window=40_000, model=Writing())
    outcome, view = compacted(lean(), chat, context)
    assert outcome.status == "compacted"
    text = record(view).text
    assert text.index("The limits.") < text.index(ANCHOR_HEADING) < text.index(QUOTES_HEADING)
    assert "issues: #4711 (x2)" in text
    [files] = [line for line in text.splitlines() if line.startswith("files: ")]
    assert "src/queue/lease.py" in files
    assert "errors: ValueError: too old" in text
    quotes = text.partition(QUOTES_HEADING)[2]
    assert quotes.index("> Again #4711, please.") < quotes.index("> Look at src/queue/lease.py")
    assert RECOVERY_HEADING in quotes
    assert COUNTER.messages(view[-3:]) < tail_tokens(context)[1]


def test_what_rules_add_is_bounded_in_proportion_to_the_window():
    chat = messages_of([user(f"wish {n} " + "word " * 300) for n in range(40)])
    quoted = additions(chat, context_of(window=40_000))[QUOTES_HEADING]
    assert 4_000 < len(quoted) < 5_200
    assert quoted.startswith("> wish 39")
    assert quoted.endswith("[cut]")


def test_the_summariser_reads_stretches_of_all_that_goes_and_ends_with_the_newest():
    chat = messages_of([assistant(f"note{n} " * 100) for n in range(80)])
    read = sampled(chat, 16_000)
    assert sum(len(message.text) for message in read) <= 16_000
    places = [int(message.id[1:]) for message in read]
    assert places == sorted(places)
    assert places[-1] == 79
    assert {place // 10 for place in places} == set(range(8))
    assert sampled(chat, 100_000) == chat


def test_only_the_newest_rounds_keep_their_long_results():
    chat = messages_of(work(8, words=500))
    after = demoted(chat, 0)
    cut = [n for n, message in enumerate(after) if message != chat[n]]
    assert cut == [1, 3]
    assert "session_search" in after[1].results[0].text
    assert demoted(chat, 2)[1] == chat[1]


def test_results_give_way_in_a_tail_that_is_too_large():
    chat = messages_of([*session(3), user("Go."), *work(6, words=300), assistant("Seen.")])
    context = context_of(window=8_000)
    after = pressed(chat, len(chat) - 10, 900, context)
    whole = [n for n, message in enumerate(after) if message.results and message == chat[n]]
    assert whole
    assert whole[0] > len(chat) - 10
    assert COUNTER.messages(after[-10:]) <= 900


def test_a_turn_that_takes_too_much_is_cut_and_its_request_said_again():
    chat = [*session(4), user("Now do this."), *work(30)]
    start = lean_tail_start(messages_of(chat), 4, 200, 300, context_of(window=8_000))
    assert start > len(session(4))
    outcome, view = compacted(lean(), chat, context_of(2500, window=5000))
    assert outcome.status == "compacted"
    said = [message for message in view if "Now do this." in message.text]
    assert any(STILL_OPEN in message.text for message in said)
    assert view.index(said[-1]) >= view.index(record(view))


def test_a_request_that_was_answered_is_not_said_again():
    _, view = compacted(lean(), session(10), context_of(2500, window=5000))
    assert not any(STILL_OPEN in message.text for message in view)


def test_an_earlier_summary_goes_and_what_stood_in_its_message_is_read():
    spy = SpyModel()
    context = context_of(2500, window=5000, model=spy)
    outcomes = list(in_a_row(lean(), [session(10), session(10)[1:]], context))
    view = lean().render(outcomes[1].state, context).messages
    assert sum(PREAMBLE in message.text for message in view) == 1
    assert "hermes-summary-1" not in ids(view)
    assert spy.requests[1].previous is not None
    assert not any(PREAMBLE in message.text for message in spy.requests[1].messages)


def test_arguments_of_old_calls_stay():
    long = {"path": "c.py", "content": "x" * 900}
    chat = [system(), user("Go."), assistant(None, ("c", "write_file", long)), tool("c", "ok")]
    _, view = compacted(lean(), [*chat, *session(10)[1:]], context_of(2500, window=5000))
    [call] = [call for message in view for call in message.calls if call.id == "c"]
    assert call.parsed() == long


def test_an_empty_reply_leaves_the_view_as_it_was():
    context = context_of(2500, window=5000, model=SayingModel())
    outcome, view = compacted(lean(), session(10), context)
    assert (outcome.status, view) == ("failed", messages_of(session(10)))


def test_a_call_that_waits_stays_as_it_is_beside_the_summary():
    head = messages_of([system(), user("u")])
    tail = messages_of([assistant("Look.", ("c", "bash", {}))], 50)
    made, call = joins(head, tail, "the summary", "s", opens=True)
    assert (made.role, call) == ("assistant", tail[0])


def test_the_summary_opens_the_conversation_in_its_first_request_or_before_it():
    asked = user("Now this.")
    [made] = joins(messages_of([system()]), messages_of([asked], 5), "it", "s", opens=True)
    assert [part.text for part in made.parts] == ["it", "Now this."]
    calls = [assistant(None, ("c", "bash", {})), tool("c"), asked]
    made, *rest = joins(messages_of([system()]), messages_of(calls, 5), "it", "s", opens=True)
    assert (made.role, tuple(rest)) == ("user", messages_of(calls, 5))


def test_the_record_ends_with_its_line():
    _, view = compacted(lean(), session(10), context_of(2500, window=5000))
    assert record(view).text.endswith(END)
