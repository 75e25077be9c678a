"""A text is scrubbed once, and each key in it is replaced."""

import pytest

from pytest_compaction.secrets import keys, scrubbed


def test_a_text_is_scrubbed_once_for_the_same_secrets(monkeypatch):
    text = f"said in each request: {'sk-'}0123456789abcdefghij"
    looked = []
    plain = keys.find_known
    monkeypatch.setattr(
        keys, "find_known", lambda text, secrets: looked.append(text) or plain(text, secrets)
    )
    assert [scrubbed(text, ("hunter2hunter2",)) for _ in range(3)] == [
        "said in each request: [key]"
    ] * 3
    assert looked == [text]
    assert scrubbed(text + " hunter3hunter3", ("hunter3hunter3",)).count("[key]") == 2


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "MY_TOKEN"])
def test_a_secret_that_is_set_later_is_scrubbed_from_a_text_seen_before(monkeypatch, name):
    monkeypatch.delenv(name, raising=False)
    assert scrubbed("the word is hunter4hunter4") == "the word is hunter4hunter4"
    monkeypatch.setenv(name, "hunter4hunter4")
    assert scrubbed("the word is hunter4hunter4") == "the word is [key]"
