"""Tasks and results on their way: what they carry, what they must not, and what is refused."""

import hashlib
import os
import pickle
import sys
import zlib
from dataclasses import replace

import pytest
from support.builders import build_case
from support.remote import briefing, perform_here, task_of, unpacked

from pytest_compaction.compactors import named_strategies, parse_spec
from pytest_compaction.conversation import Message, Text
from pytest_compaction.models import (
    CallReply,
    ModelError,
    NotAskedError,
    NotRecordedError,
    Prompts,
    UnsupportedError,
    Usage,
    prices_at,
)
from pytest_compaction.models.calls.endpoint import AttemptError
from pytest_compaction.run import CompactionError, own_modules, perform
from pytest_compaction.run.remote import (
    Failure,
    Result,
    TaskError,
    decoded,
    digest_of_module,
    encoded,
)

STRATEGY = "def compact(messages, budget):\n    return messages\n"
KEY = "sk-of-the-worker-0123456789abcdef"


def over_the_wire(value):
    return pickle.loads(pickle.dumps(value))


def read(data, case):
    return decoded(data, case, lambda response: f"made for {response.probe.id}")


def sent_back(error):
    """The error that a task ended with, on the side of the run."""
    case = build_case()
    data = encoded(Result(failure=Failure.of(error)), case)
    return read(data, case).failure.error()


class Trap(str):
    """A text that runs code where it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("sprung",)


def test_what_a_strategy_puts_into_a_view_runs_no_code_in_the_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case, view = build_case(), (Message("m", "user", (Text(Trap("words")),)),)
    sent = encoded(Result(((("view", 0), view),)), case)
    found = dict(read(over_the_wire(sent), case).found)
    assert found == {("view", 0): view}
    assert type(found["view", 0][0].parts[0].text) is str
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "sent", [b"no", zlib.compress(b"[1"), zlib.compress(b"7"), zlib.compress(b'{"Path": {}}')]
)
def test_what_is_no_result_is_refused(sent):
    with pytest.raises((KeyError, TypeError, ValueError, zlib.error)):
        read(sent, build_case())


def test_a_task_arrives_as_it_was_sent():
    task = replace(task_of(build_case()), replies={"d": CallReply({"a": 1}, Usage(1, 2, 3, 4))})
    found = unpacked(over_the_wire(task.packed()))
    assert found == task
    assert found.case.messages == task.case.messages


def test_a_result_is_about_the_case_and_the_probes_of_its_reader():
    task = task_of(build_case())
    result = read(over_the_wire(perform_here(task)), task.case)
    assert result.failure is None
    found = dict(result.found)
    assert [key for key in found if key[0] == "view"] == [("view", 0), ("view", 1)]
    for probe in task.case.probes:
        response = found["response", probe.id]
        assert response.case is task.case
        assert response.probe is probe
        assert response.text == f"made for {probe.id}"
    ours = {id(message) for message in task.case.messages}
    assert any(id(message) in ours for message in found["view", 0])


def test_a_result_does_not_carry_the_log():
    case = build_case()
    told = case.messages[0]
    longer = replace(told.parts[0], text=" ".join(f"{told.id}{n}" for n in range(5000)))
    long_log = replace(case, messages=(replace(told, parts=(longer,)), *case.messages[1:]))
    sent, long_sent = (len(task_of(each).packed()[1]) for each in (case, long_log))
    back, long_back = (len(perform_here(task_of(each, "none"))) for each in (case, long_log))
    assert long_sent > sent + 5000
    assert long_back < back + 1000


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (CompactionError("no view", spent={"compaction": Usage(1, 2, 3, 4)}), CompactionError),
        (NotRecordedError("not in the store"), NotRecordedError),
        (NotAskedError("not asked"), NotAskedError),
        (UnsupportedError("cannot do this"), UnsupportedError),
        (AttemptError("the model", " is away", charged=True, passing=True), ModelError),
        (ModelError("it did not answer", spent={"judge": Usage(1)}), ModelError),
        (TaskError("a sentence"), TaskError),
    ],
)
def test_an_error_comes_back_as_the_kind_that_an_item_tells_apart(error, kind):
    found = sent_back(error)
    assert type(found) is kind
    assert str(found) == str(error)
    assert getattr(found, "spent", {}) == getattr(error, "spent", {})


def test_an_error_of_another_kind_keeps_its_name():
    class OddError(Exception):
        def __init__(self, first, second):
            super().__init__(f"{first} and {second}")

    found = sent_back(OddError("this", "that"))
    assert isinstance(found, TaskError)
    assert str(found) == "OddError: this and that"


def test_no_key_of_the_environment_is_in_a_task_or_in_an_error(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    paying = replace(briefing(), prompts=Prompts.load(), prices=prices_at(None))
    sent = replace(task_of(build_case()), briefing=paying)
    assert KEY.encode() not in pickle.dumps(unpacked(sent.packed()))
    assert KEY not in Failure.of(ValueError(f"refused {KEY}")).text


def test_a_worker_with_other_code_does_nothing_and_says_what_differs():
    said = perform(("another digest", b"no task"))
    assert "other code than the run" in said
    assert "snowballstemmer" in said
    assert "restart the workers" in said


def test_a_strategy_that_cannot_be_imported_there_is_a_sentence():
    said = perform_here(task_of(build_case(), "nowhere.to_be_found:compact"))
    assert "on a worker: cannot import the module of the compactor" in said
    assert "nowhere.to_be_found:compact" in said


def test_a_strategy_whose_code_has_changed_since_the_worker_began_is_a_sentence(
    tmp_path, monkeypatch
):
    (tmp_path / "my_changing_strategy.py").write_text(STRATEGY)
    monkeypatch.syspath_prepend(tmp_path)
    task = task_of(build_case(), "my_changing_strategy:compact")
    known = replace(
        task, briefing=replace(task.briefing, modules={"my_changing_strategy": ("x", "")})
    )
    try:
        said = perform_here(known)
        assert "'my_changing_strategy' is not the one of the run" in said
        same = {"my_changing_strategy": (digest_of_module("my_changing_strategy"), "")}
        sent = replace(task, briefing=replace(task.briefing, modules=same))
        assert isinstance(perform_here(sent), bytes)
    finally:
        sys.modules.pop("my_changing_strategy")
        digest_of_module.cache_clear()


def test_a_worker_finds_a_strategy_in_the_folder_of_the_sender(tmp_path, monkeypatch):
    (tmp_path / "my_far_strategy.py").write_text(STRATEGY)
    monkeypatch.setattr(sys, "path", list(sys.path))
    task = task_of(build_case(), "my_far_strategy:compact")
    digest = hashlib.sha256((tmp_path / "my_far_strategy.py").read_bytes()).hexdigest()
    far = {"my_far_strategy": (digest, str(tmp_path)), "other": ("", "/not/there")}
    there = replace(task, briefing=replace(task.briefing, modules=far))
    try:
        assert isinstance(perform_here(there), bytes)
        assert "/not/there" not in sys.path
    finally:
        sys.modules.pop("my_far_strategy")


def test_the_folder_of_a_module_is_the_one_that_it_is_imported_from(tmp_path, monkeypatch):
    package = tmp_path / "my_strategies_package" / "inner"
    package.mkdir(parents=True)
    for place in (package.parent, package):
        (place / "__init__.py").write_text(STRATEGY)
    (package / "mine.py").write_text(STRATEGY)
    monkeypatch.syspath_prepend(tmp_path)
    names = ("my_strategies_package.inner.mine", "my_strategies_package.inner", "pytest")
    try:
        _, specs = named_strategies([f"{name}:compact" for name in names[:2]], {})
        found = own_modules([*specs, parse_spec("pytest:fixture"), parse_spec("truncate")])
        assert {name: folder for name, (_, folder) in found.items()} == {
            **dict.fromkeys(names[:2], str(tmp_path.resolve())),
            "pytest": "",
        }
    finally:
        for name in [name for name in sys.modules if name.startswith("my_strategies_package")]:
            del sys.modules[name]


def test_a_worker_that_would_ask_another_endpoint_does_nothing(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    paying = replace(briefing(), prompts=Prompts.load(), prices=prices_at(None))
    said = perform_here(replace(task_of(build_case()), briefing=paying))
    assert "OPENAI_BASE_URL names the host 127.0.0.1 there and api.openai.com here" in said
