"""``codex``: which user messages stay, to the token, and the summary after them."""

from dataclasses import replace

from support.builders import (
    COUNTER,
    assistant,
    context_of,
    session,
    system,
    tool,
    user,
)
from support.compacting import (
    NativeModel,
    SayingModel,
    SpyModel,
    compacted,
    ids,
    messages_of,
    roles,
)

from pytest_compaction.compactors.products.codex import OUTPUT_LEFT_OUT, PREAMBLE, Codex
from pytest_compaction.conversation import Image, Opaque

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,a"}}


def cost(chat):
    return COUNTER.message(messages_of([chat])[0])


def test_user_messages_stay_in_their_order_and_one_summary_comes_last():
    outcome, view = compacted(Codex(mode="local"), session(4, words=5), context_of(500))
    assert outcome.status == "compacted"
    assert ids(view) == ["m0", "m1", "m5", "m9", "m13", "codex-summary-1"]
    assert roles(view) == ["system", *["user"] * 5]
    assert view[-1].text.startswith(PREAMBLE)
    assert view[-1].origin == "synthetic"
    assert COUNTER.messages(view) <= 500


def test_the_newest_user_messages_within_the_limit_stay_and_the_next_one_is_cut():
    requests = [user(f"wish{i} " * 100) for i in range(4)]
    chat = [system(), *[m for wish in requests for m in (wish, assistant("done " * 400))]]
    two = cost(requests[3]) + cost(requests[2])
    context = context_of(2000, window=272_000)
    _, exact = compacted(Codex(mode="local", users=two), chat, context)
    assert ids(exact) == ["m0", "m5", "m7", "codex-summary-1"]
    _, cut = compacted(Codex(mode="local", users=two + 100), chat, context)
    assert ids(cut) == ["m0", "m3", "m5", "m7", "codex-summary-1"]
    assert COUNTER.messages(cut[1:-1]) <= two + 100
    assert cut[1].text.startswith("wish1 wish1")
    assert cut[1].text.rstrip().endswith("wish1")
    assert "left out" in cut[1].text
    _, whole = compacted(Codex(mode="local", users=two + cost(requests[1])), chat, context)
    assert whole[1] == messages_of(chat)[3]


def test_the_limit_is_in_proportion_to_the_window_and_leaves_the_summary_a_quarter():
    chat = [system(), *[user(f"wish{i} " * 100) for i in range(30)]]
    context = context_of(4000, window=34_000)
    _, view = compacted(Codex(mode="local"), chat, context)
    assert 2400 <= COUNTER.messages(view[1:-1]) <= 2500 == 20_000 * 34_000 // 272_000
    context = context_of(1000, window=200_000)
    _, view = compacted(Codex(mode="local"), chat, context)
    room = 1000 - cost(chat[0]) - 60
    assert COUNTER.messages(view[1:-1]) <= room * 3 // 4
    assert COUNTER.messages(view) <= 1000


def test_what_the_client_said_first_is_initial_context_and_no_request():
    chat = [
        system(),
        user("<environment_context>\ncwd: /work\n</environment_context>"),
        user("# AGENTS.md instructions for /work\nRun the tests."),
        *session(4)[1:],
        user("<environment_context>\ncwd: /tmp\n</environment_context>"),
        assistant("noted " * 40),
    ]
    _, view = compacted(Codex(mode="local"), chat, context_of(700))
    assert ids(view)[:3] == ["m0", "m1", "m2"]
    assert "/tmp" not in "".join(message.text for message in view[1:-1])


def test_drops_the_images_of_user_messages():
    chat = [*session(4), user([{"type": "text", "text": "As shown:"}, PICTURE]), user([PICTURE])]
    context = context_of(2600)
    chat.append(assistant("answer " * 2000))
    outcome, view = compacted(Codex(mode="local"), chat, context)
    assert not any(isinstance(part, Image) for message in view for part in message.parts)
    assert "m17" in ids(view)
    assert "m18" not in ids(view)
    assert ("m17",) in [span.ids for span in outcome.spans if span.fate == "masked"]


def test_cuts_a_last_request_over_the_limit():
    chat = [*session(4), user("please " * 300), assistant("ok " * 900)]
    context = context_of(1000, window=2720)
    assert "last-user-kept" in Codex(mode="local").traits.violations
    _, view = compacted(Codex(mode="local"), chat, context)
    assert "left out" in view[-2].text


def test_where_the_model_writes_nothing_its_last_message_stands_for_the_summary():
    chat = [*session(5), assistant("The lease is 45 s."), user("And?")]
    chat += [assistant(None, ("c", "bash", {})), tool("c", "ok")]
    _, view = compacted(Codex(mode="local"), chat, context_of(700, model=SayingModel()))
    assert view[-1].text == f"{PREAMBLE}\n\nThe lease is 45 s."
    chat = [system(), user("go"), assistant(None, ("c", "bash", {})), tool("c", "word " * 900)]
    _, view = compacted(Codex(mode="local"), chat, context_of(700, model=SayingModel()))
    assert view[-1].text.strip() == PREAMBLE


def test_in_the_middle_of_a_turn_the_initial_context_stands_before_the_last_request():
    told = "<environment_context>\ncwd: /work\n</environment_context>"
    chat = [system(), user(told), *session(3)[1:], user("Now the docs.")]
    last = len(chat) - 1
    working = [*chat, assistant(None, ("c", "bash", {})), tool("c", "word " * 900)]
    context = context_of(700)
    _, view = compacted(Codex(mode="local"), working, context)
    assert ids(view)[0] == "m0"
    assert ids(view)[-3:] == ["m1", f"m{last}", "codex-summary-1"]
    assert "log-order-and-text" in Codex(mode="local").traits.violations
    for chat, when in (
        ([*working, assistant("Done.")], context),
        (working, replace(context, reason="manual")),
    ):
        _, view = compacted(Codex(mode="local"), chat, when)
        assert ids(view)[:2] == ["m0", "m1"]


def test_the_summariser_reads_no_more_of_results_than_it_is_let():
    spy = SpyModel()
    compacted(Codex(mode="local", read_results=9), session(5), context_of(700, model=spy))
    results = [result.text for m in spy.requests[0].messages for result in m.results]
    assert results
    assert all(len(text) <= 9 or "more characters]" in text for text in results)


def test_a_history_longer_than_the_window_loses_its_oldest_part_before_it_is_read():
    spy = SpyModel()
    chat = session(12)
    context = context_of(600, window=1500, model=spy)
    compacted(Codex(mode="local"), chat, context)
    asked = spy.requests[0].messages
    assert ids(asked) == [f"m{i}" for i in range(len(chat) - len(asked), len(chat))]
    assert len(asked) < len(chat) - 1
    assert COUNTER.messages(asked) + spy.requests[0].budget <= 1500


def test_the_remote_way_keeps_messages_with_their_images_and_puts_the_item_last():
    model = NativeModel()
    chat = [*session(3), user([{"type": "text", "text": "As here."}, PICTURE]), assistant("Done.")]
    compactor = Codex()
    outcome, view = compacted(compactor, chat, context_of(800, model=model))
    assert outcome.status == "compacted"
    assert compactor.traits.opaque
    assert ids(view) == ["m0", "m1", "m5", "m9", "m13", "codex-item-1"]
    assert any(isinstance(part, Image) for part in view[-2].parts)
    assert all(isinstance(part, Opaque) for part in view[-1].parts)
    assert model.requests == []
    [asked] = model.compacts
    assert asked.by_trigger
    assert (asked.instructions, ids(asked.messages)[0]) == (system()["content"], "m1")


def test_the_remote_way_cuts_the_message_over_its_limit_and_keeps_its_images():
    chat = [system(), user([{"type": "text", "text": "wish " * 400}, PICTURE]), assistant("On.")]
    context = context_of(400, window=272_000, model=NativeModel())
    _, view = compacted(Codex(users=200), chat, context)
    assert "left out" in view[1].text
    assert any(isinstance(part, Image) for part in view[1].parts)


def test_the_limits_of_both_ways_are_those_of_the_product():
    assert (Codex().most, Codex(mode="local").most, Codex(users=7).most) == (64_000, 20_000, 7)


def test_the_remote_way_leaves_out_the_newest_results_where_the_window_is_too_small():
    model = NativeModel()
    chat = [*session(2), assistant(None, ("z", "bash", {})), tool("z", "out " * 900)]
    compacted(Codex(), chat, context_of(300, window=1500, model=model))
    assert model.compacts[0].messages[-1].results[0].text == OUTPUT_LEFT_OUT


def test_the_remote_way_needs_exactly_one_item_and_an_endpoint():
    item = {"type": "compaction", "encrypted_content": "q"}
    for model, said in (
        (NativeModel(item, item), "not one"),
        (SpyModel(), "or use codex:mode=local"),
    ):
        outcome, view = compacted(Codex(), session(4), context_of(500, model=model))
        assert (outcome.status, view) == ("failed", messages_of(session(4)))
        assert said in outcome.error
