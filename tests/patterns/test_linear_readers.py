"""What reads the texts of others takes time in proportion to their length, or refuses them."""

import json
from contextlib import suppress

import pytest
from support.adversarial_texts import Repeated
from support.builders import case_data, finishes, write_case
from support.endpoint_builders import judge_request
from support.pattern_time import growth

from pytest_compaction.artifacts import runs_tests
from pytest_compaction.case import schema_faults
from pytest_compaction.case_making import inspect
from pytest_compaction.case_making.redaction import KnownSecrets
from pytest_compaction.compactors.base.product import SIX_SECTIONS
from pytest_compaction.compactors.base.summaries import Written, mistaken_for, without_analysis
from pytest_compaction.dialogues import replay
from pytest_compaction.models import NoObjectError, Summary, fences_for, only_object, read_reply
from pytest_compaction.models.chat.judgement import JudgementError, read_judgement
from pytest_compaction.models.chat.summary import sections_of
from pytest_compaction.models.wire.complaint import complaint_of
from pytest_compaction.secrets import find_blocks, find_named, named_people, secrets_in
from pytest_compaction.text import answer_proper, claims
from pytest_compaction.text.file_changes import folder_gone

SECRET = "sk-live-4f9Q2mZ7xV1nB8kL"
OF_REPLIES = (
    *('{"a": ', "{", "[", "[[1], ", '[{"a": 1}, ', '{"name": 1, ', "}", '{"a": "b', '"', '\\"'),
    *('"\\"', "\\", "```", "```json\n", "```\n{}\n```\n", "\n", " ", "1.", "é", "\u200b"),
    *("## Goal\n", "- a\n", " - a\n  b\n", "**", "# ", "<think>", "<invoke ", "<tool_call>{"),
    *("<analysis>", "<a b=", "Score 5. ", "ignore ", "[INST]", "<|", "exceed", "\\ud800"),
)
OF_LOGS = (
    *("rm ", "git rm ", "mv ", "mv -f ", "rm -r src/old", "a/", "of a ", "and of a, ", "npx "),
    *(SECRET[:12], "\\n".join(SECRET[:12]), "sk-", "python -m ", "timeout -k ", "/test_", " "),
    *("A1b2", "a", "dedup", "password", "Ann Lee <a@b.io> ", f"Ann Lee <{'a' * 64}@{'b' * 63}."),
)
REPLIES = [
    Repeated(before, unit, after)
    for before in ("", '{"criteria": ', '{"a": "', "<tool_calls>", "## Goal\n- ")
    for unit in OF_REPLIES
    for after in ("", '"}')
]
LOGS = [
    Repeated(before, unit, after)
    for before in ("", "python ", "rm ")
    for unit in OF_LOGS
    for after in ("\0", '= "hunter2x9q"', "\n-----END PRIVATE KEY-----")
]


def summary_of(text):
    return Summary(((SIX_SECTIONS[0].id, (text,)),))


def chat_reply(text):
    return read_reply("chat.completions", {"choices": [{"message": {"content": text}}]})


def judgement(text, request=None):
    return read_judgement(text, request or judge_request())


READERS = {
    "an object": (only_object, REPLIES),
    "a judgement": (judgement, REPLIES),
    "a similarity": (replay.read_judgement, REPLIES),
    "a message": (chat_reply, REPLIES),
    "sections": (lambda text: sections_of(text, SIX_SECTIONS), REPLIES),
    "no summary": (lambda text: mistaken_for(summary_of(text), SIX_SECTIONS), REPLIES),
    "an analysis": (
        lambda text: without_analysis(Written(summary_of(text), text), SIX_SECTIONS),
        REPLIES,
    ),
    "a fence": (lambda text: fences_for([text]), REPLIES),
    "an answer": (answer_proper, REPLIES),
    "claims": (claims, REPLIES),
    "a refusal": (
        lambda text: complaint_of(400, {"error": {"message": text}}, text).too_long,
        REPLIES,
    ),
    "a removed folder": (lambda text: folder_gone(text, "src/old", "deleted"), LOGS),
    "a renamed folder": (lambda text: folder_gone(text, "src/old", "renamed"), LOGS),
    "a folder of a long name": (
        lambda text: folder_gone(f"rm {text}", text[:200], "deleted"),
        LOGS,
    ),
    "a broken secret": (lambda text: KnownSecrets({SECRET: "[1]"}).places(text), LOGS),
    "a command": (lambda text: runs_tests(text.split(" ")), LOGS),
    "a named secret": (lambda text: list(find_named(text)), LOGS),
    "a block of a key": (lambda text: list(find_blocks(text)), LOGS),
    "a secret": (lambda text: list(secrets_in(text)), LOGS),
    "a person": (lambda text: list(named_people(text)), LOGS),
}
QUICK, LONG = (2048, 16384), (8192, 65536)
STEP, LONG_STEP = 5, 8
"""Every fifth text is read in the ordinary run, every eighth and longer in the slower lane."""


def too_slow(name, step, sizes):
    reader, texts = READERS[name]

    def run(text):
        with suppress(NoObjectError, JudgementError, ValueError):
            reader(text)

    found = ((text, growth(run, text, sizes)) for text in texts[::step])
    return [f"{times} times at {text}" for text, times in found if times is not None]


@pytest.mark.parametrize("name", READERS)
def test_no_text_takes_much_longer_to_read_than_it_is_long(name):
    assert too_slow(name, STEP, QUICK) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", READERS)
def test_no_long_text_takes_much_longer_to_read_than_it_is_long(name):
    assert too_slow(name, LONG_STEP, LONG) == []


@pytest.mark.parametrize("depth", [1, 400, 990, 100_000])
@pytest.mark.parametrize("unit", ["[]", "{}"])
def test_a_reply_that_is_nested_deep_is_refused_with_a_sentence(unit, depth):
    opening = '{"a": ' if unit == "{}" else "["
    nested = opening * depth + "1" + unit[1] * depth
    whole = json.dumps({"criteria": 0, "facts": 0, "type": 0}).replace("0", nested)
    for text in (nested, whole, f"```json\n{whole}\n```"):
        with pytest.raises(JudgementError):
            judgement(text)
        with pytest.raises(ValueError):
            replay.read_judgement(text)
        mistaken_for(summary_of(text), SIX_SECTIONS)
        chat_reply(text)


def test_a_question_is_bounded_and_the_longest_is_looked_at_in_time(tmp_path):
    asked = (
        "last check: announced: “ comment “… hash which line function `a` what did the user ask "
    )
    data = case_data()
    longest = 4000
    data["probes"][0]["question"] = (asked * longest)[:longest]
    path = write_case(tmp_path / "long.json", **data)
    assert finishes(lambda: inspect([path], answer=False), 20).cases
    data["probes"][0]["question"] += "a"
    (fault,) = schema_faults(data)
    assert fault.pointer == "/probes/0/question"
