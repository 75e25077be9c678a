"""What can be brought as a strategy besides functions: classes, methods, sessions, factories."""

import functools
import sys
import threading
import types

import pytest
from support.builders import assistant, context_of, tool, user
from support.compacting import compacted, ids
from support.compositions import create, refusal

MODULE = "brought_by_a_user"
CHAT = [
    user("Raise the limit."),
    assistant("I look.", ("c1", "read_file", {"path": "a.py"})),
    tool("c1", "LIMIT = 1"),
    user("Go on."),
]


class Sync:
    """Keeps the newest messages."""

    def __init__(self, keep=1):
        self.keep = keep

    def compact(self, messages):
        return messages[-self.keep :]

    def others(self, messages, *, token_budget):
        assert token_budget == 200
        return messages[-1:]


class Async:
    async def compact(self, history, max_tokens, keep=1):
        assert max_tokens == 200
        return history[-keep:]


class Half:
    async def compact(self, state, context):
        return state


class Session:
    """A session with the methods of those of the Agents SDK."""

    def __init__(self, session_id, note=""):
        self.session_id, self.note, self.items = session_id, note, ["left over"]

    async def add_items(self, items):
        self.items += items

    async def get_items(self, limit=None):
        return self.items

    async def clear_session(self):
        self.items = []

    async def run_compaction(self, args=None):
        assert args == {"force": True}
        assert [item["type"] for item in self.items[:3]] == [
            "message", "message", "function_call",
        ]  # fmt: skip
        summary = {"role": "assistant", "content": f"All done.{self.note}"}
        self.items = [self.items[0], summary, {"type": "compaction", "encrypted_content": "q+/="}]


class PlainSession:
    """Compacts without being asked twice, and returns nothing."""

    def __init__(self):
        self.items = []

    def add_items(self, items):
        self.items = list(items)

    def get_items(self):
        return self.items

    def compact(self, *, budget):
        assert budget == 200
        self.items = self.items[-1:]


class Called:
    """Keeps the newest."""

    def __init__(self, keep: int = 1):
        self.keep = keep

    async def __call__(self, messages, budget, more: int = 0):
        return messages[-self.keep - more :]


class Needing:
    def __init__(self, client):
        self.client = client

    def compact(self, messages):
        return messages[-1:]


def counted(messages, keep: int | None = None, share=0.5):
    """Counts."""
    return messages[-(keep or 1) :]


def make_session():
    return PlainSession()


def make_class():
    return Sync


def remembering(messages, previous, state):
    state["times"] = state.get("times", 0) + 1
    said = f"{state['times']} {previous and previous[0]['content']}"
    return [{"role": "user", "content": said}]


def remembering_pair(messages, state):
    return messages[-1:], {"seen": len(messages), **state}


def not_json(messages, state):
    state["now"] = object()
    return messages[-1:]


@pytest.fixture(autouse=True)
def own_module(monkeypatch):
    module = types.ModuleType(MODULE)
    for thing in (Sync, Async, Half, Session, PlainSession, make_session, make_class):
        setattr(module, thing.__name__, thing)
    for thing in (remembering, remembering_pair, not_json, Called, Needing, counted):
        setattr(module, thing.__name__, thing)
    module.runnable = types.SimpleNamespace(invoke=lambda input, config=None: input[-1:])
    module.bound = Sync(2).compact
    module.instance = Sync(2)
    module.plain_session = PlainSession()
    module.session = Session("one")
    module.locked = Session("one", threading.Lock())
    module.bound_count = functools.partial(counted, keep=2)
    module.partial = functools.partial(Sync(2).compact)
    monkeypatch.setitem(sys.modules, MODULE, module)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Sync", ["m3"]),
        ("Sync:keep=3", ["m1", "m2", "m3"]),
        ("Sync.others:keep=3", ["m3"]),
        ("Async", ["m3"]),
        ("Async:keep=3", ["m1", "m2", "m3"]),
        ("bound", ["m2", "m3"]),
        ("instance", ["m2", "m3"]),
        ("partial", ["m2", "m3"]),
        ("make_class:keep=3", ["m1", "m2", "m3"]),
        ("Called:keep=2:more=1", ["m1", "m2", "m3"]),
        ("Called:messages=anthropic", ["m3"]),
        ("counted:keep=None", ["m3"]),
        ("counted:messages=langchain:keep=2", ["m2", "m3"]),
        ("counted:messages=pydantic-ai:keep=2", ["m2", "m3"]),
        ("runnable", ["m3"]),
        ("bound_count", ["m2", "m3"]),
        ("make_session", ["m3"]),
        ("PlainSession", ["m3"]),
        ("plain_session", ["m3"]),
    ],
)
def test_it_compacts(text, left):
    made = create(f"{MODULE}:{text}")
    assert ids(compacted(made, CHAT, context_of(200))[1]) == left


def test_a_partial_is_described_by_its_function():
    assert create(f"{MODULE}:bound_count").description == "Counts."


def test_a_session_is_given_items_and_nothing_stays_in_it():
    made = create(f"{MODULE}:Session:note=!")
    for _ in range(2):
        _, view = compacted(made, CHAT, context_of(200))
        assert view[0].id == "m0"
        assert view[1].text == "All done.!"
        assert "q+/=" in view[2].parts[0].payload
    assert made.description == "A session with the methods of those of the Agents SDK."
    assert "run_compaction is called" in made.understood


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Half",
            "is not a compactor: it has no start, observe, due, render, name, traits; a class",
        ),
        ("locked", "is one session for all cases, which would mix their messages; name"),
        ("Sync:size=3", "does not take these parameters: there is no 'size'; it takes keep"),
        ("Needing", "cannot be made: TypeError: Needing.__init__() missing 1 required"),
        ("Called:keep=few", "does not take these parameters: keep=few is not a number"),
        ("counted:keep=2.5", "keep=2.5 is not a whole number"),
        ("counted:share=half", "share=half is not a number"),
        ("Sync.other", "did you mean 'others'?"),
        ("Session:messages=chart", "messages=chart must be one of chat, langchain"),
    ],
)
def test_what_is_no_strategy_is_refused_with_what_would_be_one(text, said):
    assert said in refusal(f"{MODULE}:{text}")


def twice(name):
    """The view after two compactions by one function, and the state that is left."""
    from support.builders import compact_now

    made, context = create(f"{MODULE}:{name}"), context_of(200)
    _, view = compacted(made, CHAT, context)
    state = made.start()
    for _ in range(2):
        from pytest_compaction.conversation.formats.chat import from_chat

        named = [{**m, "id": f"{len(state['messages'])}-{n}"} for n, m in enumerate(CHAT)]
        state = made.observe(state, from_chat(named), context)
        state = compact_now(made, state, context).state
    return view, state


def test_a_function_may_have_what_it_returned_and_a_state_of_its_own():
    view, state = twice("remembering")
    assert view[0].text == "1 None"
    assert state["messages"][0]["content"] == "2 1 None"
    assert twice("remembering_pair")[1]["own"] == {"seen": 4}


def test_a_state_that_is_not_json_is_named():
    from pytest_compaction.compactors import CompactorError

    with pytest.raises(CompactorError, match="its state cannot be kept, because it is not JSON"):
        compacted(create(f"{MODULE}:not_json"), CHAT, context_of(200))
