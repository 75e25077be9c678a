"""A pattern that grows faster than its text is given short texts alone, whatever comes in."""

import importlib
import json
import re._parser as parser

import pytest
from support.builders import case_data, write_case
from support.long_conversations import write
from support.package_patterns import called
from support.pattern_exceptions import BOUNDED, MATCHED, QUESTION
from support.probe_logs import Log

from pytest_compaction.case.case import AnswerSpec
from pytest_compaction.case.case_set import find_cases
from pytest_compaction.case.validation import schema_faults
from pytest_compaction.models.offline.long_memory.answer import answer
from pytest_compaction.models.offline.long_memory.lookup import parts_of
from pytest_compaction.probes.lint import inspect
from pytest_compaction.secrets import people
from pytest_compaction.secrets.blocks import find_blocks
from pytest_compaction.secrets.named import find_named
from pytest_compaction.secrets.stated import find_stated

LONG = 50_000
ASKED = "last check: announced: “ comment “… hash which line function `a` what did the user ask "


class Watched:
    """A pattern that notes the longest text it is given."""

    def __init__(self, pattern):
        self.pattern, self.longest = pattern, None

    def __getattr__(self, name):
        method = getattr(self.pattern, name)

        def use(text, *places):
            start, stop = (*places, *(0, None)[len(places) :])
            self.longest = max(len(text[start:stop]), self.longest or 0)
            return method(text, *places)

        return use


CALLS = {
    "probes.sources.values:_VALUE_LINE": lambda: (
        Log().say("user", f"Port: {'1' * LONG}\n" * 3).chatter(3).probes()
    ),
    "secrets.blocks:_LINE_BEFORE": lambda: list(
        find_blocks(f"{'A1b2' * LONG}\n-----END PRIVATE KEY-----")
    ),
    "secrets.named:_HEAD": lambda: list(find_named(f'{"a" * LONG}password = "hunter2x9q"')),
    "secrets.people:_NOBODY": lambda: list(
        people.named_people(f"Ann Lee <{'a' * 64}@{('b' * 63 + '.') * 5}io> " * 100)
    ),
    "secrets.stated:_OTHER_KEYS": lambda: list(
        find_stated(f"{'dedup' * LONG} token is 3f786850e387550fdab836ed7e6dc881de23001b")
    ),
}


MEMORY = "models.offline.long_memory"
LONG_MEMORY = {
    f"{MEMORY}.answer:_COUNT": "How many clubs are there?",
    f"{MEMORY}.answer:_TOTAL": "What did I say of the harbour fair?",
    f"{MEMORY}.days:_AFTER": "How many days after the parade did the auction come?",
    f"{MEMORY}.lookup:_ASKS": "Who leads the harbour fair?",
}
"""A question for each pattern that reads questions about long conversations."""


def watch(name, monkeypatch):
    place, _, variable = name.partition(":")
    module = importlib.import_module(f"pytest_compaction.{place}")
    watched = Watched(getattr(module, variable))
    monkeypatch.setattr(module, variable, watched)
    return watched


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_pattern_that_grows_faster_is_given_short_texts(name, monkeypatch):
    watched = watch(name, monkeypatch)
    CALLS[name]()
    assert watched.longest is not None
    assert watched.longest <= BOUNDED[name]


def test_patterns_on_questions_are_given_no_longer_text(monkeypatch, tmp_path):
    names = BOUNDED.keys() - CALLS.keys() - LONG_MEMORY.keys()
    watched = [watch(name, monkeypatch) for name in sorted(names)]
    data = case_data()
    data["probes"][0]["question"] = (ASKED * QUESTION)[:QUESTION]
    data["messages"][0]["content"] += ASKED * (2 * QUESTION // len(ASKED))
    inspection = inspect([write_case(tmp_path / "long.json", **data)], answer=False)
    assert inspection.cases
    assert [each.longest for each in watched] == [QUESTION] * len(watched)


@pytest.mark.parametrize("name", sorted(LONG_MEMORY))
def test_patterns_on_questions_of_long_memory_are_given_no_longer_text(name, monkeypatch, tmp_path):
    folder = write(tmp_path / "chats" / "3K" / "1", 3000)
    question = LONG_MEMORY[name].ljust(QUESTION, "?")
    asked = {"knowledge_update": [{"question": question, "rubric": ["900 euros"]}]}
    (folder / "probing_questions" / "probing_questions.json").write_text(json.dumps(asked), "utf-8")
    case = find_cases([folder]).case("3K-1")
    watched = watch(name, monkeypatch)
    answer(case.messages, case.probes[0].question, AnswerSpec(), len)
    if name.endswith("lookup:_ASKS"):  # is given questions whose subject is one of several
        parts_of(case.probes[0].question)
    assert watched.longest == QUESTION


def test_a_question_is_not_longer_than_its_patterns_can_bear():
    data = case_data()
    data["probes"][0]["question"] = "a" * QUESTION
    assert schema_faults(json.loads(json.dumps(data))) == []
    data["probes"][0]["question"] += "a"
    [fault] = schema_faults(data)
    assert fault.pointer == "/probes/0/question"


def test_an_address_is_not_longer_than_its_pattern_can_bear():
    assert parser.parse(people._MAIL).getwidth()[1] <= BOUNDED["secrets.people:_NOBODY"]


@pytest.mark.parametrize("name", sorted(MATCHED))
def test_a_pattern_that_is_matched_at_one_place_is_used_in_no_other_way(name):
    module, variable = name.partition(":")[0], MATCHED[name][1]
    assert called(module, variable) == {"match"}
