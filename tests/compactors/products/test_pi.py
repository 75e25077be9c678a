"""``pi``: where it cuts, what it summarises apart, its lists of files, and what it reads again."""

from support.builders import COUNTER, assistant, context_of, session, system, tool, user
from support.compacting import (
    SpyModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    observed,
    tokens,
    view_of,
)

from pytest_compaction.compactors.products.pi import (
    PREAMBLE,
    SPLIT,
    SUMMARY_ID,
    Pi,
    cut_point,
)
from pytest_compaction.conversation import pending_calls

WINDOW = 200_000


def work(rounds, first=0, words=60):
    """Rounds of one call and its result each."""
    return [
        message
        for n in range(first, first + rounds)
        for message in (
            assistant(None, (f"w{n}", "read_file", {"path": f"src/part_{n}.py"})),
            tool(f"w{n}", f"line {n} " * words),
        )
    ]


def newest(chat, count):
    return COUNTER.messages(messages_of(chat)[-count:])


def test_the_newest_tokens_stay_and_all_before_becomes_one_summary():
    chat = session(6)
    keep = newest(chat, 8)
    outcome, view = compacted(Pi(keep=keep), chat, context_of(2 * keep + 300, window=WINDOW))
    assert outcome.status == "compacted"
    assert ids(view) == ["m0", SUMMARY_ID, *(f"m{n}" for n in range(17, 25))]
    assert view[1].role == "user"
    assert view[1].text.startswith(PREAMBLE)
    assert SPLIT not in view[1].text
    assert [span.fate for span in outcome.spans] == ["kept", "replaced", "kept"]


def test_a_cut_within_a_turn_summarises_the_beginning_of_the_turn_apart():
    chat = [*session(3), user("Please read all parts of the parser."), *work(10)]
    spy = SpyModel()
    keep = newest(chat, 8)
    context = context_of(2 * keep + 400, window=WINDOW, model=spy)
    _, view = compacted(Pi(keep=keep), chat, context)
    history, turn = spy.requests
    assert ids(history.messages) == [f"m{n}" for n in range(1, 13)]
    assert ids(turn.messages) == [f"m{n}" for n in range(13, 26)]
    assert [section.title for section in turn.sections] == [
        "Original request",
        "Early progress",
        "Context for what follows",
    ]
    assert len(history.sections) == 6
    assert turn.budget < history.budget
    assert SPLIT in view[1].text
    assert ids(view)[2:] == [f"m{n}" for n in range(26, 34)]
    assert pending_calls(view) == ()


def test_a_cut_is_never_before_a_result():
    chat = [user("Read them."), assistant(None, ("a", "bash", {}), ("b", "bash", {}))]
    chat += [tool("a", "x " * 50), tool("b", "y " * 50), assistant("Both are read.")]
    messages, context = messages_of(chat), context_of()
    for keep in range(1, tokens(chat) + 20):
        assert cut_point(messages, 0, keep, context) in {0, 1, 4}
    assert cut_point(messages, 0, newest(chat, 3), context) == 4
    assert cut_point(messages[2:4], 0, 10, context) is None


def test_the_summariser_reads_the_beginning_of_each_result_and_whole_messages():
    chat = [system(), user("Read it. " + "wish " * 600), *work(1, words=900), *session(6)[1:]]
    spy = SpyModel()
    compacted(Pi(keep=300), chat, context_of(1500, window=WINDOW, model=spy))
    (asked,) = spy.requests
    (result,) = asked.messages[2].results
    assert result.text.startswith("line 0 line 0")
    assert 2000 < len(result.text) < 2050
    assert asked.messages[0].text == chat[1]["content"]
    spy.requests.clear()
    context = context_of(1500, window=WINDOW, model=spy)
    compacted(Pi(keep=300, read_results=100), chat, context)
    assert len(spy.requests[0].messages[2].results[0].text) < 150


def test_files_are_listed_over_all_compactions_and_a_changed_one_is_not_listed_as_read():
    chat = [
        system(),
        user("Go."),
        assistant(None, ("r", "read_file", {"path": "a.py"}), ("s", "read_file", {"path": "b.py"})),
        tool("r"),
        tool("s"),
        assistant(None, ("e", "edit_file", {"path": "b.py", "old": "1", "new": "2"})),
        tool("e"),
        assistant(None, ("x", "bash", {"command": "touch c.py"})),
        tool("x"),
        *session(5)[1:],
    ]
    context = context_of(1200, window=WINDOW)
    compactor = Pi(keep=300)
    first, second = in_a_row(compactor, [chat, session(6)[1:]], context)
    text = view_of(compactor, first, context)[1].text
    assert "<read-files>\na.py\n</read-files>" in text
    assert "<modified-files>\nb.py\n" in text
    assert "c.py" not in text.partition("<read-files>")[2]
    later = view_of(compactor, second, context)[1].text
    assert later.count("<read-files>\na.py") == later.count("<modified-files>\nb.py") == 1


def test_the_summary_is_updated_with_what_was_said_since():
    spy = SpyModel()
    context = context_of(1200, window=WINDOW, model=spy)
    compactor = Pi(keep=300)
    outcomes = list(in_a_row(compactor, [session(6), session(6)[1:]], context))
    assert spy.requests[0].previous is None
    assert spy.requests[-1].previous is not None
    assert spy.requests[-1].previous.of("goal")
    view = view_of(compactor, outcomes[-1], context)
    assert [m.id for m in view if m.origin == "synthetic"] == [SUMMARY_ID]
    assert all(m.id != SUMMARY_ID for request in spy.requests for m in request.messages)


def test_what_stayed_at_the_last_compaction_is_summarised_at_the_next():
    spy = SpyModel()
    compactor, context = Pi(keep=300), context_of(1200, window=WINDOW, model=spy)
    first, last = in_a_row(compactor, [session(6), session(6)[1:]], context)
    stayed = set(ids(view_of(compactor, first, context))) - {"m0", SUMMARY_ID}
    gone = stayed - set(ids(view_of(compactor, last, context)))
    assert gone
    assert gone <= {message.id for request in spy.requests for message in request.messages}


def test_an_earlier_summary_is_kept_where_there_is_nothing_else_before_a_split_turn():
    compactor, context = Pi(keep=300), context_of(1500, window=WINDOW)
    begun = [*session(6), user("Read on, please. " + "go " * 30)]
    first, last = in_a_row(Pi(keep=1), [begun, work(16, words=40)], context)
    summary = view_of(compactor, first, context)[1].text
    later = view_of(compactor, last, context)[1].text
    assert SPLIT in later
    assert later.partition(SPLIT)[0].strip() in summary


def test_summarises_the_request_of_a_split_turn():
    chat = [*session(3), user("Please read all parts."), *work(12)]
    context = context_of(1200, window=WINDOW)
    assert "m13" not in ids(compacted(Pi(keep=300), chat, context)[1])


def test_it_is_not_due_again_before_something_is_said():
    chat = session(6)
    used = tokens(chat)
    full = context_of(900, window=WINDOW)
    lower = Pi(reserve=WINDOW - used + 1, keep=300)
    state = observed(lower, chat, full)
    assert lower.due(state, full) is not None
    (outcome,) = in_a_row(lower, [chat], full)
    small = context_of(900, window=100)
    assert lower.due(outcome.state, small) is None
    said = observed(lower, [user("go on")], small, outcome.state, 90)
    assert lower.due(said, small) is not None
