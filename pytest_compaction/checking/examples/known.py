"""Conversations made by hand that every check runs, beside those that are drawn.

Each is a situation in which a strategy of a real system is known to go wrong. The drawn
examples depend on the version of Hypothesis and on their number; these do not, so that
the declared violations of the shipped strategies show at every run.

A conversation is written in words of a small notation. ``s20``, ``u20`` and ``a20`` are messages of
system, user and assistant with so many words; ``w6x90`` are six rounds of a call and its result of
90 words; ``call:a,b`` makes calls and ``r:a40`` is a result; ``p`` at the end adds a picture;
``=name`` is a message of :data:`_WRITTEN`; ``|`` stands where the log is compacted.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from pytest_compaction.checking.examples.scenario import Fault, Scenario
from pytest_compaction.conversation import (
    Image,
    Message,
    Opaque,
    Part,
    Text,
    ToolCall,
    ToolResult,
    canonical_json,
)

_TALK: Final = (
    "the queue keeps its lease while the broker restarts and the worker waits for a reply"
).split()
_PICTURE: Final = Image(
    canonical_json(
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    )
)
_WRITTEN: Final[dict[str, tuple[str, tuple[Part, ...]]]] = {
    "lease": ("user", (Text("The lease in src/queue.py must be 45 seconds, not 30."),)),
    "broker": ("assistant", (Text("The broker in src/broker.py now waits 12 seconds."),)),
    "client": ("user", (Text("<environment_context>\ncwd: /work\n</environment_context>"),)),
    "signs": ("user", (Text("Call it “naïve ①”, in Ω\u00a0units: 漢字 ﬁrst, Å second."),)),
    "blob": (
        "assistant",
        (
            Text("The first and the second are named."),
            Opaque(canonical_json({"type": "vendor_blob", "data": "0x0107"})),
        ),
    ),
}
_ROLES: Final = {"s": "system", "u": "user", "a": "assistant"}
_SAYS: Final = re.compile(r"([sua])([0-9]+)(p?)")
_WORK: Final = re.compile(r"w([0-9]+)x([0-9]+)")
_RESULT: Final = re.compile(r"r:([a-z])([0-9]+)(p?)")


def _scenario(conversation: str, window: int, budget: int, again: int = 0) -> Scenario:
    batches: list[list[Message]] = [[]]
    number = 0

    def add(role: str, *parts: Part) -> None:
        nonlocal number
        batches[-1].append(Message(f"m{number}", role, parts))
        number += 1

    def call(*ids: str) -> None:
        made = (ToolCall(id, "bash", canonical_json({"command": f"cat {id}.log"})) for id in ids)
        add("assistant", *made)

    def words(count: str) -> str:
        """So many words, which are about as many tokens."""
        said = (_TALK[(number + i) % len(_TALK)] for i in range(int(count)))
        return f"Step {number}: " + " ".join(said)

    for step in conversation.split():
        if step == "|":
            batches.append([])
        elif step.startswith("="):
            role, parts = _WRITTEN[step[1:]]
            add(role, *parts)
        elif step.startswith("call:"):
            call(*step.removeprefix("call:").split(","))
        elif found := _WORK.fullmatch(step):
            for _ in range(int(found[1])):
                id = f"c{number}"
                call(id)
                add("tool", ToolResult(id, words(found[2])))
        elif found := _RESULT.fullmatch(step):
            add("tool", ToolResult(found[1], words(found[2])), *[_PICTURE] * len(found[3]))
        elif found := _SAYS.fullmatch(step):
            add(_ROLES[found[1]], Text(words(found[2])), *[_PICTURE] * len(found[3]))
        else:
            raise ValueError(step)
    return Scenario(tuple(map(tuple, batches)), window, budget, again=again)


_LONG_WORK: Final = _scenario("s20 u30 w14x60 a40 | u20 w12x60 a40", 1500, 600)
"""A request, many tool calls, then the answer, twice: more than the budget at every size."""
_SHORT_TALK: Final = _scenario("u4 a4 " * 6 + "u4", 150, 60, again=3)
"""Only short messages, hardly over the budget, compacted again and again."""
_LARGE_RESULT_THEN_WORK: Final = _scenario(
    "=lease call:a r:a900 | a20 u20 w6x60 =broker u20 w6x60 a20", 1500, 600
)
"""A result larger than the budget, compacted, and then a lot more work."""
_LONG_ANSWER: Final = _scenario("u20 w6x60 a500 u20", 4000, 450)
"""The last that the model said is longer than the budget."""
_PICTURED_REQUESTS: Final = _scenario(
    "u40 w1x60 u40p w1x60 " + "u40 w1x60 " * 3 + "u40p a40", 4000, 500
)
"""Requests that nothing but tools answers, the second and the last with a picture."""

KNOWN: Final = (
    _LONG_WORK,
    # Compacted while two of three calls wait for their results, which come afterwards.
    _scenario("u30 w6x90 u20 call:a,b,c r:a40 | r:b40 r:c40 a30 u20", 1000, 400),
    _SHORT_TALK,
    # Short messages far below the budget, compacted twice all the same.
    _scenario("u6 a6 u6 a6 | " + "u6 a6 " * 4, 1500, 600),
    # A system prompt larger than the window: removing anything else makes no difference.
    _scenario("s6000 u20 a20 w12x10 u20", 1400, 560, again=3),
    # The newest messages alone are more than the budget.
    _scenario("s20 u40 w3x60 u20 call:a,b r:a2500 r:b20", 4000, 700, again=3),
    # The last thing that the user said takes almost a third of the budget.
    _scenario("u20 w10x60 u125 a20", 1000, 450),
    # The first request alone is more than the budget, and what follows is short.
    _scenario("u900 a10 " + "u4 a4 " * 6 + "u4", 1500, 600, again=3),
    # The last request is more than twice the budget, and what came before it is short.
    _scenario("u20 a20 " * 8 + "u3900 a20", 3000, 1200, again=3),
    # Two short messages, then one long turn that is to stay.
    _scenario("u2 a2 u20 w4x250 a20", 8000, 600, again=2),
    # A first request over the budget, and so little beside it that no note is shorter.
    _scenario("u900 a1 u1 a1 u1 a1", 1500, 600, again=2),
    # What the user said is more than the budget, though each message is small.
    _scenario("u90 a10 " * 8, 1000, 400),
    _LARGE_RESULT_THEN_WORK,
    # The first call has a result that fills the budget, and a lot of work follows.
    _scenario("s20 u20 w1x560 w12x60 u20", 4000, 600),
    # The client's own message comes first, and the last request is being worked on.
    _scenario("s20 =client u30 a90 u20 w8x60", 4000, 600),
    # A system prompt and two remarks, just over the budget: no summary is shorter than one.
    _scenario("s20 u5 u15", 150, 60),
    # The last thing that the user said leaves next to nothing of the budget.
    _scenario("u20 w10x60 u500 a20", 4000, 600),
    # Pictures, signs, a part of no known kind: the budget leaves room for all of them.
    _scenario("u20 w12x300 u20p u15 call:a r:a20p a20 =signs =blob u20", 12000, 5500),
    # A summariser that cannot be reached, writes nothing, repeats its instructions, makes a
    # call, as text, is cut off in its reasoning, or writes four times what it was asked for.
    replace(_PICTURED_REQUESTS, fault=Fault("raises")),
    replace(_PICTURED_REQUESTS, fault=Fault("empty")),
    replace(_LONG_WORK, fault=Fault("empty")),
    replace(_LARGE_RESULT_THEN_WORK, fault=Fault("empty")),
    replace(_LONG_ANSWER, fault=Fault("empty")),
    replace(_LONG_WORK, window=8000, fault=Fault("prompt")),
    replace(_LONG_WORK, window=8000, fault=Fault("call-like")),
    replace(_LONG_WORK, window=8000, fault=Fault("reasoning")),
    replace(_SHORT_TALK, fault=Fault("oversized")),
)
