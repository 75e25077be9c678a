"""Counting tokens: exact for ordinary text, bounded for any other."""

import gc
import itertools
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs, any_text, assistant, finishes, prose, tool, user

from pytest_compaction.conversation import (
    DEFAULT_ENCODING,
    IMAGE_TOKENS,
    MESSAGE_TOKENS,
    EncodingUnavailableError,
    TokenCounter,
    tokens,
)
from pytest_compaction.conversation.formats.chat import from_chat


def plain(text):
    return len(tiktoken.get_encoding(DEFAULT_ENCODING).encode_ordinary(text))


@pytest.fixture
def fresh_encodings():
    tokens._encoding.cache_clear()
    yield
    tokens._encoding.cache_clear()


@given(any_text | prose, st.integers(1, 400))
def test_ordinary_text_is_counted_exactly(text, times):
    text = (text + "\n ") * times
    assert TokenCounter().text(text) == plain(text)


def test_a_long_ordinary_text_is_counted_exactly():
    text = "The worker holds its lease for 45 seconds; see src/lease/queue.py.\n" * 5000
    assert TokenCounter().text(text) == plain(text)


def test_marks_of_chat_formats_are_counted_as_text():
    text = "<|endoftext|> and <|im_start|>"
    assert TokenCounter().text(text) == plain(text) > 6


@pytest.mark.parametrize("unit", ["a", " ", "\n", "🙂", "=", "漢字", "0123456789abcdef", "-_"])
def test_a_long_run_is_counted_within_one_percent(unit):
    text = (unit * 60_000)[:60_000]
    assert TokenCounter().text(f"so: {text} end") == pytest.approx(
        plain(f"so: {text} end"), rel=0.01
    )


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        " " * 1_000_000,
        "\n" * 1_000_000,
        "🙂" * 100_000,
        ("b" * 4095 + " ") * 240,
        ("b" * 4095 + " " * 4095) * 120,
        "\ud800" * 100_000,
    ],
    ids=["letter", "spaces", "lines", "emoji", "long words", "words and spaces", "surrogates"],
)
def test_pathological_text_does_not_hang(text):
    count = finishes(lambda: TokenCounter().text(text))
    assert 1000 < count <= 4 * len(text)


@given(
    st.lists(st.sampled_from(["a", " ", "\n", "🙂 ", "word "]), max_size=6), st.integers(1, 9000)
)
def test_the_encoder_gets_the_whole_text_without_a_long_run(units, times):
    text = "".join(unit * times for unit in units)
    pieces = tokens._pieces(text)
    assert "".join(pieces) == text
    for piece in pieces:
        runs = [len("".join(run)) for _, run in itertools.groupby(piece, key=str.isspace)]
        assert max(runs, default=0) <= 4096


def test_no_text_has_no_tokens():
    assert TokenCounter().text("") == 0


@given(agent_logs())
def test_a_log_costs_what_its_messages_cost(chat):
    messages = from_chat(chat)
    assert COUNTER.messages(messages) == sum(COUNTER.message(message) for message in messages)


def test_a_message_costs_its_parts_and_the_overhead_of_the_format():
    call, result, image = from_chat(
        [
            assistant("hello", ("c1", "read_file", '{"path": "a.py"}')),
            tool("c1", "x = 1"),
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x" * 9999}}]},
        ]
    )
    assert COUNTER.message(call) == MESSAGE_TOKENS + sum(
        map(plain, ["hello", "read_file", '{"path": "a.py"}'])
    )
    assert COUNTER.message(result) == MESSAGE_TOKENS + plain("x = 1")
    assert COUNTER.message(image) == MESSAGE_TOKENS + IMAGE_TOKENS


def test_thinking_and_opaque_parts_are_counted():
    parts = [{"type": "thinking", "thinking": "w " * 100}, {"type": "blob", "x": "w " * 100}]
    (message,) = from_chat([{"role": "assistant", "content": parts}])
    assert COUNTER.message(message) > 200


def test_more_text_never_costs_less():
    (short, long) = from_chat([user("one two"), user("one two three four")])
    assert COUNTER.message(short) < COUNTER.message(long)


@pytest.mark.usefixtures("fresh_encodings")
def test_an_unknown_encoding_is_told_which_there_are():
    with pytest.raises(EncodingUnavailableError) as caught:
        TokenCounter("klingon").text("x")
    assert "unknown token encoding 'klingon'" in str(caught.value)
    assert DEFAULT_ENCODING in str(caught.value)


@pytest.mark.usefixtures("fresh_encodings")
def test_an_encoding_that_cannot_be_fetched_says_what_to_do(monkeypatch):
    def refuse(name):
        raise ConnectionError("no route to host")

    monkeypatch.setattr(tiktoken, "get_encoding", refuse)
    with pytest.raises(EncodingUnavailableError) as caught:
        TokenCounter("o200k_base").text("x")
    assert "the vocabulary of 'o200k_base' could not be fetched (ConnectionError)" in str(
        caught.value
    )
    assert DEFAULT_ENCODING in str(caught.value)


@pytest.mark.usefixtures("fresh_encodings")
def test_the_default_encoding_needs_no_network(monkeypatch):
    import socket

    def refuse(*args, **kwargs):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert TokenCounter().text("hello world") == 2


class Held(str):
    """A text that says whether anything still holds it."""

    __slots__ = ("__weakref__",)


def held_of(texts):
    """How many of the texts a counter still holds after counting them, the last of all."""
    counter = TokenCounter()
    seen = []
    for text in texts:
        seen.append(weakref.ref(text))
        counter.text(text)
        del text
    gc.collect()
    found = [number for number, ref in enumerate(seen) if ref() is not None]
    assert counter.text("the counter is alive") == plain("the counter is alive")
    return found


def test_a_counter_remembers_so_many_texts_and_no_more(monkeypatch):
    monkeypatch.setattr(tokens, "_MOST_TEXTS", 10)
    assert held_of(Held(f"text {n}") for n in range(50)) == list(range(40, 50))


def test_a_counter_remembers_so_many_characters_and_no_more(monkeypatch):
    monkeypatch.setattr(tokens, "_MOST_CHARACTERS", 1000)
    assert held_of(Held(f"{n:0300}") for n in range(9)) == [6, 7, 8]


def test_a_long_text_is_not_kept_and_counted_once(monkeypatch):
    assert held_of(Held("a b " * n) for n in (10, 10_000, 20)) == [0, 2]
    counter, counted = TokenCounter(), []
    encoded = counter._encoded
    monkeypatch.setattr(counter, "_encoded", lambda text: counted.append(1) or encoded(text))
    assert {counter.text("a b " * 10_000) for _ in range(3)} == {plain("a b " * 10_000)}
    assert len(counted) == 1


def test_a_text_that_is_counted_again_is_remembered_longer(monkeypatch):
    monkeypatch.setattr(tokens, "_MOST_TEXTS", 3)
    counter = TokenCounter()
    first, second = Held("first"), Held("second")
    refs = weakref.ref(first), weakref.ref(second)
    for text in (first, second, "third", "first", "fourth"):
        counter.text(text)
    del first, second, text
    gc.collect()
    assert [ref() for ref in refs] == ["first", None]


def test_forgetting_and_threads_change_no_count(monkeypatch):
    monkeypatch.setattr(tokens, "_MOST_TEXTS", 5)
    counter = TokenCounter()
    texts = [f"line {n} " * (n % 17) for n in range(60)] * 20
    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(counter.text, texts))
    assert counts == [plain(text) for text in texts]


def test_a_counter_that_was_told_gives_the_same_counts_and_encodes_nothing(monkeypatch):
    texts = ["one", "two words", "drei Wörter hier", "\ud800 half a pair"]
    first = TokenCounter()
    first.tell({})
    counts = [first.text(text) for text in texts]
    second = TokenCounter()
    second.tell(first.take_fresh())
    monkeypatch.setattr(TokenCounter, "_encoded", lambda *_: pytest.fail("encoded"))
    assert [second.text(text) for text in texts] == counts
    assert second.take_fresh() == {}


def test_a_counter_collects_what_nobody_told_and_gives_it_once():
    counter = TokenCounter()
    counter.text("before anybody told anything")
    counter.tell({})
    assert counter.text("one") == 1
    counter.text("one")
    assert list(counter.take_fresh().values()) == [1]
    assert counter.take_fresh() == {}
