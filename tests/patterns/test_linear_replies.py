"""Whatever a model replies, it is read in time in proportion to its length, or is refused."""

import json
from contextlib import suppress

import pytest
from support.adversarial_texts import Repeated
from support.endpoint_builders import judge_request
from support.pattern_time import growth

from pytest_compaction.compactors.base.not_a_summary import mistaken_for
from pytest_compaction.compactors.base.six_sections import SECTIONS
from pytest_compaction.compactors.base.summaries import Written, without_analysis
from pytest_compaction.dialogues import similarity
from pytest_compaction.models.chat.fences import fences_for
from pytest_compaction.models.chat.judge_reply import JudgementError, read_judgement
from pytest_compaction.models.chat.summary_reply import sections_of
from pytest_compaction.models.offline.nuggets.event_list import events_of
from pytest_compaction.models.structured_summary import Summary
from pytest_compaction.models.wire.only_object import NoObjectError, only_object
from pytest_compaction.models.wire.refusals import complaint_of
from pytest_compaction.models.wire.reply import read_reply
from pytest_compaction.text.claims import answer_proper, claims

UNITS = (
    *('{"a": ', "{", "[", "[[1], ", '[{"a": 1}, ', '{"name": 1, ', "}", '{"a": "b', '"', '\\"'),
    *(
        '"\\"',
        "\\",
        "```",
        "```json\n",
        "```\n{}\n```\n",
        "\n",
        " ",
        "\t",
        "1",
        "1.",
        "é",
        "\u200b",
    ),
    *("## Goal\n", "- a\n", " - a\n  b\n", "**", "# ", "<think>", "<invoke ", "<tool_call>{"),
    *("<analysis>", "<a b=", "Score 5. ", "ignore ", "[INST]", "<|", "exceed", "\\ud800"),
)
BEFORE = ("", '{"criteria": ', '{"a": "', "<tool_calls>", "## Goal\n- ")
TEXTS = [
    Repeated(before, unit, after) for before in BEFORE for unit in UNITS for after in ("", '"}')
]
SLOW = {"an answer", "claims", "a fence"}
QUICK = (2048, 16384)
LONG = (8192, 65536)


def summary_of(text):
    return Summary(((SECTIONS[0].id, (text,)),))


def chat_reply(text):
    return read_reply("chat.completions", {"choices": [{"message": {"content": text}}]})


def judgement(request=None):
    request = request or judge_request()
    return lambda text: read_judgement(text, request)


READERS = {
    "an object": only_object,
    "a judgement": judgement(),
    "a similarity": similarity.read_judgement,
    "a message": chat_reply,
    "sections": lambda text: sections_of(text, SECTIONS),
    "no summary": lambda text: mistaken_for(summary_of(text), SECTIONS),
    "an analysis": lambda text: without_analysis(Written(summary_of(text), text), SECTIONS),
    "a fence": lambda text: fences_for([text]),
    "an answer": answer_proper,
    "claims": claims,
    "events": lambda text: events_of(text, ["the lease", "the movers"]),
    "a refusal": lambda text: complaint_of(400, {"error": {"message": text}}, text).too_long,
}


def too_slow(reader, texts, sizes):
    def run(text):
        with suppress(NoObjectError, JudgementError, ValueError):
            reader(text)

    found = ((text, growth(run, text, sizes)) for text in texts)
    return [f"{times} times at {text}" for text, times in found if times is not None]


@pytest.mark.parametrize("name", READERS)
def test_no_reply_takes_much_longer_to_read_than_it_is_long(name):
    assert too_slow(READERS[name], TEXTS[:: 7 if name in SLOW else 2], QUICK) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", READERS)
def test_no_long_reply_takes_much_longer_to_read_than_it_is_long(name):
    assert too_slow(READERS[name], TEXTS, LONG) == []


@pytest.mark.parametrize("depth", [1, 50, 400, 900, 960, 990, 1_000, 2_000, 100_000])
@pytest.mark.parametrize("unit", ["[]", "{}"])
def test_a_reply_that_is_nested_deep_is_refused_with_a_sentence(unit, depth):
    opening = '{"a": ' if unit == "{}" else "["
    nested = opening * depth + "1" + unit[1] * depth
    whole = json.dumps({"criteria": 0, "facts": 0, "type": 0}).replace("0", nested)
    for text in (nested, whole, f"```json\n{whole}\n```"):
        with pytest.raises(JudgementError):
            judgement()(text)
        with pytest.raises(ValueError):
            similarity.read_judgement(text)
        mistaken_for(summary_of(text), SECTIONS)
        chat_reply(text)
