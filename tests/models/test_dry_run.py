"""A dry run: stored replies are given as they are, and rules stand in for the rest."""

import asyncio
from pathlib import Path

import pytest
from support.builders import COUNTER
from support.endpoint_builders import Replies, answer_request, chat
from support.endpoint_replies import completion

import pytest_compaction
from pytest_compaction.models import DryRunCaller, DryRunModel


@pytest.mark.parametrize(
    ("length", "marked"), [("short", False), ("middle", True), ("long", False)]
)
def test_an_answer_of_the_usual_length_is_marked_as_one_by_rules(length, marked):
    model = DryRunModel(chat(DryRunCaller(None, COUNTER)), COUNTER, length)
    reply = asyncio.run(model.answer(answer_request()))
    assert reply.text
    assert reply.by_rules == (length == "middle")


def test_an_answer_of_the_model_is_not_marked():
    model = DryRunModel(chat(Replies(completion("45 seconds"))), COUNTER)
    reply = asyncio.run(model.answer(answer_request()))
    assert (reply.text, reply.by_rules) == ("45 seconds", False)


def test_only_what_asks_nobody_knows_the_models_of_a_dry_run():
    package = Path(pytest_compaction.__file__).parent
    knowing = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "DryRunModel" in path.read_text("utf-8")
    }
    assert knowing == {
        *("models/__init__.py", "models/dry_run.py", "models/recorded/requests.py"),
        "session/estimate.py",
    }
