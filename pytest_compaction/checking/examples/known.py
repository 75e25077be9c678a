"""Conversations made by hand that every check runs, beside those that are drawn.

Each is a situation in which a strategy of a real system is known to go wrong. The drawn
examples depend on the version of Hypothesis and on their number; these do not, so that
the declared violations of the shipped strategies show at every run.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from pytest_compaction.checking.examples.scenario import Fault, Scenario
from pytest_compaction.conversation.messages import (
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


@dataclass
class Log:
    """Writes messages m0, m1, …; sizes are in words."""

    messages: list[Message] = field(default_factory=list)

    def add(self, role: str, *parts: Part) -> None:
        """A message of these parts."""
        self.messages.append(Message(f"m{len(self.messages)}", role, parts))

    def says(self, role: str, count: int, pictured: bool = False) -> None:
        """A message of text, and of a picture if it is ``pictured``."""
        picture = (_PICTURE,) if pictured else ()
        self.add(role, Text(_words(len(self.messages), count)), *picture)

    def calls(self, *ids: str) -> None:
        """The assistant makes calls without a word."""
        made = (ToolCall(id, "bash", canonical_json({"command": f"cat {id}.log"})) for id in ids)
        self.add("assistant", *made)

    def result(self, id: str, count: int, pictured: bool = False) -> None:
        """The result of a call, with a picture if it is ``pictured``."""
        picture = (_PICTURE,) if pictured else ()
        self.add("tool", ToolResult(id, _words(len(self.messages), count)), *picture)

    def work(self, rounds: int, count: int) -> None:
        """Rounds of one call and its result each."""
        for _ in range(rounds):
            id = f"c{len(self.messages)}"
            self.calls(id)
            self.result(id, count)

    def batches(self, *cuts: int) -> tuple[tuple[Message, ...], ...]:
        """The messages, cut before these indices."""
        ends = [*cuts, len(self.messages)]
        return tuple(
            tuple(self.messages[begin:end]) for begin, end in zip([0, *cuts], ends, strict=True)
        )


def _words(number: int, count: int) -> str:
    """``count`` words, which are about as many tokens."""
    return f"Step {number}: " + " ".join(_TALK[(number + i) % len(_TALK)] for i in range(count))


def _long_work() -> Scenario:
    """A request, many tool calls, then the answer, twice: more than the budget at every size."""
    log = Log()
    log.says("system", 20)
    log.says("user", 30)
    log.work(14, 60)
    log.says("assistant", 40)
    cut = len(log.messages)
    log.says("user", 20)
    log.work(12, 60)
    log.says("assistant", 40)
    return Scenario(log.batches(cut), 1500, 600)


def _open_calls() -> Scenario:
    """Compacted while two of three calls wait for their results, which come afterwards."""
    log = Log()
    log.says("user", 30)
    log.work(6, 90)
    log.says("user", 20)
    log.calls("a", "b", "c")
    log.result("a", 40)
    cut = len(log.messages)
    log.result("b", 40)
    log.result("c", 40)
    log.says("assistant", 30)
    log.says("user", 20)
    return Scenario(log.batches(cut), 1000, 400)


def _short_talk() -> Scenario:
    """Only short messages, hardly over the budget, compacted again and again."""
    log = Log()
    for _ in range(6):
        log.says("user", 4)
        log.says("assistant", 4)
    log.says("user", 4)
    return Scenario(log.batches(), 150, 60, again=3)


def _room_enough() -> Scenario:
    """Short messages far below the budget, compacted twice all the same."""
    log = Log()
    for _ in range(6):
        log.says("user", 6)
        log.says("assistant", 6)
    return Scenario(log.batches(4), 1500, 600)


def _long_rules() -> Scenario:
    """A system prompt larger than the window: removing anything else makes no difference."""
    log = Log()
    log.says("system", 6000)
    log.says("user", 20)
    log.says("assistant", 20)
    log.work(12, 10)
    log.says("user", 20)
    return Scenario(log.batches(), 1400, 560, again=3)


def _large_end() -> Scenario:
    """The newest messages alone are more than the budget."""
    log = Log()
    log.says("system", 20)
    log.says("user", 40)
    log.work(3, 60)
    log.says("user", 20)
    log.calls("a", "b")
    log.result("a", 2500)
    log.result("b", 20)
    return Scenario(log.batches(), 4000, 700, again=3)


def _large_request() -> Scenario:
    """The last thing that the user said takes almost a third of the budget."""
    log = Log()
    log.says("user", 20)
    log.work(10, 60)
    log.says("user", 125)
    log.says("assistant", 20)
    return Scenario(log.batches(), 1000, 450)


def _large_beginning() -> Scenario:
    """The first request alone is more than the budget, and what follows is short."""
    log = Log()
    log.says("user", 900)
    log.says("assistant", 10)
    for _ in range(6):
        log.says("user", 4)
        log.says("assistant", 4)
    log.says("user", 4)
    return Scenario(log.batches(), 1500, 600, again=3)


def _small_beginning() -> Scenario:
    """Two short messages, then one long turn that is to stay."""
    log = Log()
    log.says("user", 2)
    log.says("assistant", 2)
    log.says("user", 20)
    log.work(4, 250)
    log.says("assistant", 20)
    return Scenario(log.batches(), 8000, 600, again=2)


def _next_to_nothing() -> Scenario:
    """A first request over the budget, and so little beside it that no note is shorter."""
    log = Log()
    log.says("user", 900)
    for _ in range(2):
        log.says("assistant", 1)
        log.says("user", 1)
    log.says("assistant", 1)
    return Scenario(log.batches(), 1500, 600, again=2)


def _many_requests() -> Scenario:
    """What the user said is more than the budget, though each message is small."""
    log = Log()
    for _ in range(8):
        log.says("user", 90)
        log.says("assistant", 10)
    return Scenario(log.batches(), 1000, 400)


def _large_result_then_work() -> Scenario:
    """A result larger than the budget, compacted, and then a lot more work."""
    log = Log()
    log.add("user", Text("The lease in src/queue.py must be 45 seconds, not 30."))
    log.calls("a")
    log.result("a", 900)
    cut = len(log.messages)
    log.says("assistant", 20)
    log.says("user", 20)
    log.work(6, 60)
    log.add("assistant", Text("The broker in src/broker.py now waits 12 seconds."))
    log.says("user", 20)
    log.work(6, 60)
    log.says("assistant", 20)
    return Scenario(log.batches(cut), 1500, 600)


def _large_first_steps() -> Scenario:
    """The first call has a result that fills the budget, and a lot of work follows."""
    log = Log()
    log.says("system", 20)
    log.says("user", 20)
    log.work(1, 560)
    log.work(12, 60)
    log.says("user", 20)
    return Scenario(log.batches(), 4000, 600)


def _said_by_the_client() -> Scenario:
    """The client's own message comes first, and the last request is being worked on."""
    log = Log()
    log.says("system", 20)
    log.add("user", Text("<environment_context>\ncwd: /work\n</environment_context>"))
    log.says("user", 30)
    log.says("assistant", 90)
    log.says("user", 20)
    log.work(8, 60)
    return Scenario(log.batches(), 4000, 600)


def _long_answer() -> Scenario:
    """The last that the model said is longer than the budget."""
    log = Log()
    log.says("user", 20)
    log.work(6, 60)
    log.says("assistant", 500)
    log.says("user", 20)
    return Scenario(log.batches(), 4000, 450)


def _two_remarks() -> Scenario:
    """A system prompt and two remarks, just over the budget: no summary is shorter than one."""
    log = Log()
    log.says("system", 20)
    log.says("user", 5)
    log.says("user", 15)
    return Scenario(log.batches(), 150, 60)


def _request_like_budget() -> Scenario:
    """The last thing that the user said leaves next to nothing of the budget."""
    log = Log()
    log.says("user", 20)
    log.work(10, 60)
    log.says("user", 500)
    log.says("assistant", 20)
    return Scenario(log.batches(), 4000, 600)


def _pictured_requests() -> Scenario:
    """Requests that nothing but tools answers, the second and the last with a picture."""
    log = Log()
    for number in range(5):
        log.says("user", 40, pictured=number == 1)
        log.work(1, 60)
    log.says("user", 40, pictured=True)
    log.says("assistant", 40)
    return Scenario(log.batches(), 4000, 500)


def _much_to_keep() -> Scenario:
    """Pictures, signs, a part of no known kind: the budget leaves room for all of them."""
    log = Log()
    log.says("user", 20)
    log.work(12, 300)
    log.says("user", 20, pictured=True)
    log.says("user", 15)
    log.calls("a")
    log.result("a", 20, pictured=True)
    log.says("assistant", 20)
    log.add("user", Text("Call it “naïve ①”, in Ω\u00a0units: 漢字 ﬁrst, Å second."))
    blob = canonical_json({"type": "vendor_blob", "data": "0x0107"})
    log.add("assistant", Text("The first and the second are named."), Opaque(blob))
    log.says("user", 20)
    return Scenario(log.batches(), 12000, 5500)


_WITH_FAULTS: Final = (
    # A summariser that cannot be reached, writes nothing, repeats its instructions, makes a
    # call, as text, is cut off in its reasoning, or writes four times what it was asked for.
    replace(_pictured_requests(), fault=Fault("raises")),
    replace(_pictured_requests(), fault=Fault("empty")),
    replace(_long_work(), fault=Fault("empty")),
    replace(_large_result_then_work(), fault=Fault("empty")),
    replace(_long_answer(), fault=Fault("empty")),
    replace(_long_work(), window=8000, fault=Fault("prompt")),
    replace(_long_work(), window=8000, fault=Fault("call-like")),
    replace(_long_work(), window=8000, fault=Fault("reasoning")),
    replace(_short_talk(), fault=Fault("oversized")),
)

KNOWN: Final = (
    _long_work(),
    _open_calls(),
    _short_talk(),
    _room_enough(),
    _long_rules(),
    _large_end(),
    _large_request(),
    _large_beginning(),
    _small_beginning(),
    _next_to_nothing(),
    _many_requests(),
    _large_result_then_work(),
    _large_first_steps(),
    _said_by_the_client(),
    _two_remarks(),
    _request_like_budget(),
    _much_to_keep(),
    *_WITH_FAULTS,
)
"""The situations, from the most common one on."""
