"""When to compact: reading a trigger, and when it fires."""

import pytest
from support.builders import as_messages, assistant, user

from pytest_compaction.run import Trigger, TriggerError, parse_trigger

SINCE = as_messages([user("a"), assistant("b"), user("c")])


@pytest.mark.parametrize(
    ("text", "trigger"),
    [
        ("case", Trigger("case")),
        ("auto", Trigger("auto")),
        ("adaptive", Trigger("adaptive")),
        ("window:0.8", Trigger("window", 0.8)),
        ("window:1", Trigger("window", 1)),
        ("tokens:20000", Trigger("tokens", 20000)),
        ("turns:5", Trigger("turns", 5)),
        ("growth:9000", Trigger("growth", 9000)),
        ("tokens:1234567.5", Trigger("tokens", 1234567.5)),
    ],
)
def test_a_trigger_is_read_and_written(text, trigger):
    assert parse_trigger(text) == trigger
    assert parse_trigger(str(trigger)) == trigger


@pytest.mark.parametrize(
    "text",
    [
        "",
        "cases",
        "case:1",
        "auto:0.5",
        "adaptive:2",
        "window",
        "window:",
        "window:0",
        "window:1.1",
        "window:nan",
        "window:80%",
        "tokens:0",
        "growth:0",
        "tokens:-5",
        "tokens:inf",
        "tokens:x",
        "turns:0",
        "turns:inf",
        "turns",
        ":5",
    ],
)
def test_a_trigger_that_cannot_be_read_says_what_can_be_written(text):
    with pytest.raises(TriggerError) as caught:
        parse_trigger(text)
    assert str(caught.value).startswith(f"{text!r} is not a trigger; write case, auto, window:F")


@pytest.mark.parametrize(
    ("trigger", "tokens", "fires"),
    [
        ("window:0.8", 799, False),
        ("window:0.8", 800, True),
        ("tokens:500", 499, False),
        ("tokens:500", 500, True),
        ("turns:2", 0, True),
        ("turns:3", 10**6, False),
        ("case", 10**6, False),
    ],
)
def test_a_trigger_fires_at_its_limit(trigger, tokens, fires):
    assert parse_trigger(trigger).fires(tokens, 1000, SINCE, None) is fires


def test_auto_fires_when_the_strategy_says_so():
    trigger = parse_trigger("auto")
    assert trigger.fires(1, 1000, SINCE, "900 of 1000 tokens used")
    assert not trigger.fires(10**6, 1000, SINCE, None)


def test_other_triggers_do_not_listen_to_the_strategy():
    assert not parse_trigger("tokens:500").fires(1, 1000, SINCE, "due")
    assert not parse_trigger("case").fires(1, 1000, SINCE, "due")
