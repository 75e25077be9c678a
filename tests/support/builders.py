"""Small cases, messages, records and Hypothesis strategies that the tests share."""

import asyncio
import copy
import json
import threading

from hypothesis import strategies as st

from pytest_compaction.case import case_from_json
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation import TokenCounter
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.models import OfflineModel

COUNTER = TokenCounter()


# --- chat messages -------------------------------------------------------------------


def user(text, **more):
    return {"role": "user", "content": text, **more}


def system(text="You are a careful engineer.", **more):
    return {"role": "system", "content": text, **more}


def assistant(text=None, *calls, **more):
    """An assistant message; calls as (id, name, arguments)."""
    message = {"role": "assistant", "content": text, **more}
    if calls:
        message["tool_calls"] = [call(*each) for each in calls]
    return message


def call(id, name="read_file", arguments=None):
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return {"id": id, "type": "function", "function": {"name": name, "arguments": text}}


def tool(call_id, text="done", **more):
    return {"role": "tool", "tool_call_id": call_id, "content": text, **more}


def session(turns=6, words=40):
    """A debugging session; each turn has a request, a file written, its result, and an answer."""
    messages = [system()]
    for turn in range(turns):
        path = f"src/module_{turn}.py"
        filler = " ".join(f"word{turn}x{i}" for i in range(words))
        messages += [
            user(f"Please fix the retry limit in {path}; it must be {100 + turn}. {filler}"),
            assistant(
                f"I will change {path} now.",
                (f"c{turn}", "write_file", {"path": path, "content": f"LIMIT = {100 + turn}\n"}),
            ),
            tool(f"c{turn}", f"wrote {path}: {filler}"),
            assistant(f"We decided to use {100 + turn} in {path} because the tests need it."),
        ]
    return messages


# --- cases ---------------------------------------------------------------------------


def case_data(**changes):
    """A small valid case as plain JSON; keyword arguments replace top-level keys."""
    data = {
        "id": "small",
        "task": "debugging",
        "window": 4000,
        "budget": 1000,
        "messages": [
            {"id": "m0", **system()},
            {"id": "m1", **user("Fix the timeout in src/lease/queue.py; it must be 45 seconds.")},
            {
                "id": "m2",
                **assistant(
                    "I read the file.", ("c1", "read_file", {"path": "src/lease/queue.py"})
                ),
            },
            {"id": "m3", **tool("c1", "TIMEOUT = 30")},
            {"id": "m4", **assistant("Changed the timeout from 30 to 45 in src/lease/queue.py.")},
            {"id": "m5", **user("Now run the tests.")},
            {"id": "m6", **assistant("All 12 tests pass.")},
        ],
        "compaction_points": [{"id": "early", "after": "m4"}, {"id": "late", "after": "m6"}],
        "probes": [
            {
                "id": "timeout",
                "kind": "recall",
                "question": "What is the timeout now?",
                "facts": [{"text": "45 seconds", "evidence": ["m1"]}],
                "traps": [{"text": "the timeout is 30", "current": "45"}],
            },
            {
                "id": "files",
                "kind": "file",
                "question": "Which files were touched?",
                "point": "early",
                "facts": [
                    {
                        "text": "src/lease/queue.py",
                        "evidence": ["m4"],
                        "type": "path",
                        "change": "modified",
                    }
                ],
                "answer": {"format": "list", "max_tokens": 200},
            },
        ],
    }
    data = copy.deepcopy(data)
    data.update(changes)
    return data


def build_case(**changes):
    return case_from_json(case_data(**changes))


def case_of(messages, points=None, window=100_000, budget=1000, id="made"):
    """A case over chat messages; ``points`` are indices, the last message by default."""
    messages = [{"id": f"m{i}", **message} for i, message in enumerate(messages)]
    after = points if points is not None else [len(messages) - 1]
    return case_from_json(
        {
            "id": id,
            "task": "debugging",
            "window": window,
            "budget": budget,
            "messages": messages,
            "compaction_points": [{"after": messages[index]["id"]} for index in after],
            "probes": [
                {
                    "id": "p",
                    "kind": "recall",
                    "question": "What?",
                    "facts": [{"text": "x", "evidence": [messages[0]["id"]]}],
                }
            ],
        }
    )


def write_case(path, **changes):
    path.write_text(json.dumps(case_data(**changes)), "utf-8")
    return path


# --- strategies at work --------------------------------------------------------------


def context_of(budget=1000, window=100_000, model=None):
    return Context(window, budget, COUNTER, model or OfflineModel(COUNTER))


def compact_now(compactor, state, context):
    return asyncio.run(compactor.compact(state, context))


def finishes(work, seconds=60):
    """Run ``work`` in a thread and return its result; fail if it does not end in time."""
    found = []
    thread = threading.Thread(target=lambda: found.append(work()), daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), f"did not finish within {seconds} s"
    assert found, "raised in its thread"
    return found[0]


# --- records -------------------------------------------------------------------------


def record(case="a", probe="p", compactor="anchored", trial=1, **changes):
    """A scored record as a run writes it."""
    name = changes.pop(
        "item", f"cases/test_probes.py::test_probe[{compactor}-{case}-{probe}-{trial}]"
    )
    made = {
        "item": name,
        "case": case,
        "task": "debugging",
        "probe": probe,
        "kind": "recall",
        "compactor": compactor,
        "trial": trial,
        "status": "passed",
        "reason": "",
        "overall": 4.0,
        "dimensions": {
            "accuracy": 4.0,
            "context": 4.0,
            "artifact": None,
            "continuity": None,
            "completeness": 4.0,
            "instruction": 4.0,
        },
        "criteria": [],
        "facts": [],
        "traps": [],
        "tokens": {"log": 1000, "view": 100, "summary": 50},
        "compaction": {"steps": {"compacted": 1}, "errors": [], "budget": 1000},
    }
    made.update(changes)
    return made


def unscored(**changes):
    return record(**{"status": "unscored", "overall": None, "dimensions": {}, **changes})


# --- Hypothesis ----------------------------------------------------------------------

words = st.sampled_from(
    """the cache queue worker lease timeout retry is now 30 45 1,200 0.75 v1.5 src/app/run.py
    tests/test_a.py parse_row ValueError failed because decided instead next must not keep
    deploy naïve 漢字""".split()
)
sentences = st.lists(words, min_size=1, max_size=12).map(lambda w: " ".join(w) + ".")
prose = st.lists(sentences, min_size=1, max_size=4).map(" ".join)
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)

json_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
)
json_values = st.recursive(
    json_scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abcxyz_", max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)

text_parts = any_text.filter(bool).map(lambda text: {"type": "text", "text": text})
image_parts = st.sampled_from(["a", "b"]).map(
    lambda name: {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{name}"}}
)
thinking_parts = st.builds(
    lambda text, signature: {"type": "thinking", "thinking": text, "signature": signature},
    any_text,
    any_text,
)
opaque_parts = st.builds(
    lambda value, key: {"type": "vendor_blob", key: value},
    json_values,
    st.sampled_from(["data", "x", "ключ"]),
)
content_parts = text_parts | image_parts | thinking_parts | opaque_parts
contents = prose | st.lists(content_parts, min_size=1, max_size=3)


@st.composite
def tool_turns(draw, prefix, pending=False):
    """An assistant message with one to three parallel calls, and their results."""
    ids = [f"{prefix}-{i}" for i in range(draw(st.integers(1, 3)))]
    calls = []
    for id in ids:
        name = draw(st.sampled_from(["read_file", "write_file", "bash", "search"]))
        path = draw(st.sampled_from(["src/app/run.py", "tests/test_a.py", "README.md"]))
        calls.append((id, name, {"path": path, "content": draw(prose), "command": "pytest -q"}))
    messages = [assistant(draw(st.none() | prose), *calls)]
    answered = (
        draw(st.permutations(ids)) if not pending else ids[: draw(st.integers(0, len(ids) - 1))]
    )
    for id in answered:
        error = {"is_error": True} if draw(st.integers(0, 4)) == 0 else {}
        messages.append(tool(id, draw(prose) * draw(st.integers(1, 4)), **error))
    return messages


@st.composite
def agent_logs(draw, pending=False, max_turns=8):
    """A whole log of an agent with a sound structure, optionally with a pending call at its end."""
    messages = [system(draw(prose))] if draw(st.booleans()) else []
    for turn in range(draw(st.integers(1, max_turns))):
        kind = draw(st.sampled_from(["user", "assistant", "tools", "tools"]))
        if kind == "tools":
            messages += draw(tool_turns(f"t{turn}"))
        elif kind == "user":
            messages.append(user(draw(contents)))
        else:
            messages.append(assistant(draw(prose)))
    if pending:
        messages += draw(tool_turns("open", pending=True))
    return messages


def as_messages(chat):
    return from_chat(chat)
