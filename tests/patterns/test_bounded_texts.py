"""A pattern that grows faster than its text is given short texts alone, whatever comes in."""

import importlib
import json
import re._parser as parser

import pytest
from support.builders import case_data, write_case
from support.package_patterns import called
from support.pattern_exceptions import BOUNDED, MATCHED, QUESTION
from support.probe_logs import Log

from pytest_compaction.case.validation import schema_faults
from pytest_compaction.models.offline.question import quotations
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

        def use(text, start=0, stop=None):
            length = len(text[start:stop])
            self.longest = max(length, self.longest or 0)
            return method(text, start, len(text) if stop is None else stop)

        return use


CALLS = {
    "models.offline.question:_QUOTATION": lambda: quotations("“" * LONG),
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
    watched = [watch(name, monkeypatch) for name in sorted(BOUNDED.keys() - CALLS.keys())]
    data = case_data()
    data["probes"][0]["question"] = (ASKED * QUESTION)[:QUESTION]
    data["messages"][0]["content"] += ASKED * (2 * QUESTION // len(ASKED))
    inspection = inspect([write_case(tmp_path / "long.json", **data)], answer=False)
    assert inspection.cases
    assert [each.longest for each in watched] == [QUESTION] * len(watched)


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
