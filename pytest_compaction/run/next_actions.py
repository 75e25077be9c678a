"""Next action: asks a model which call comes next after a compaction, and scores its replies.

The key is the message of the log that calls tools next, before the following compaction point.
What was said between the point and that message is put after each context, so that the model knows
the request that the call answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pytest_compaction.case import AnswerSpec, Case
from pytest_compaction.compactors import View
from pytest_compaction.conversation import (
    Message,
    ToolCall,
    canonical_json,
    json_or_none,
    short_hash,
)
from pytest_compaction.metrics import WAYS, arguments_right, same_value, working_folder
from pytest_compaction.models import (
    AnswerReply,
    ModelError,
    NoObjectError,
    NotAskedError,
    RequestSlot,
    Usage,
    only_object,
    requests_in,
)
from pytest_compaction.run.responder import Responder, seen
from pytest_compaction.text import printable

_LETTERS: Final = "ABC"
_SPECS: Final = {
    "choice": AnswerSpec(format="one-of-three", max_tokens=16),
    "call": AnswerSpec(format="object", max_tokens=600),
}
_OPTION: Final = 500
"""The most characters of a call that an option shows."""
_LONG: Final = 300
"""Characters above which a text of the recorded call is not asked for."""
_TOOLS: Final = 60
_ARGUMENTS: Final = 20
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class NextCall:
    """The calls of the log that follow a point, and how a model is asked for them.

    ``since`` are the messages between the point and the ``message`` that calls. ``options`` are
    three calls of one tool, of which that with the letter ``right`` is recorded; without two others
    to choose from there are none. ``tools`` are the tools of the log with their arguments.
    """

    message: str
    since: tuple[Message, ...]
    calls: tuple[ToolCall, ...]
    tools: str
    folder: str
    options: tuple[str, ...] = ()
    right: str = ""

    def question(self, way: str) -> str:
        """The question that asks for the call as a choice or freely."""
        if way == "choice":
            lines = (f"{letter}) {o}" for letter, o in zip(_LETTERS, self.options, strict=True))
            return (
                "The work goes on with one of these calls of a tool:\n" + "\n".join(lines) + "\n\n"
                "Which of them is the next one, after all that was said and done? Nothing is "
                "carried out. Reply with one letter, A, B or C, and nothing else."
            )
        return (
            f"The work goes on with a call of a tool. The tools are: {self.tools}.\n\n"
            "Which call is the next one, after all that was said and done? Nothing is carried "
            'out. Reply with one JSON object: {"tool": its name, "arguments": {each argument by '
            f'its name}}}}. Write "..." in place of a text of more than {_LONG} characters.'
        )

    def score(self, way: str, reply: str) -> float | str:
        """How far a reply is right (0 to 1), or why it has no score."""
        if way == "choice":
            letter = reply.strip().upper()
            if len(letter) == 1 and letter in _LETTERS:
                return float(letter == self.right)
            return f"the reply is not one letter, A, B or C: {printable(reply, _SHOWN)!r}"
        try:
            named = only_object(reply)
        except NoObjectError as error:
            return f"the reply is no call: {error}"
        tool, arguments = named.get("tool"), named.get("arguments", {})
        if not isinstance(tool, str) or not isinstance(arguments, dict):
            return "the reply is no call: it lacks a tool, or its arguments are no object"
        scores = [self._right(call, tool, arguments) for call in self.calls]
        compared = [score for score in scores if score is not None]
        return max(compared) if compared else "the recorded call has nothing that can be compared"

    def _right(self, call: ToolCall, tool: str, arguments: Mapping[str, Any]) -> float | None:
        """The score against one call; ``None`` if its arguments are all long texts, or no JSON."""
        wanted = call.parsed()
        long = {name for name, value in wanted.items() if _has_long_text(value)}
        asked, named = (
            {name: value for name, value in each.items() if name not in long}
            for each in (wanted, arguments)
        )
        if not asked and call.arguments.strip() not in {"", "{}"}:
            return None
        return arguments_right(asked, named, self.folder) if call.name == tool else 0.0


def _has_long_text(value: Any) -> bool:
    """Whether a value of JSON is a long text or holds one, however deep."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str) and len(each) > _LONG:
            return True
        waiting += (
            each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        )
    return False


def next_call(case: Case, point: int) -> NextCall | None:
    """The calls that follow a point before the next one; ``None`` if the log has none there."""
    begin = case.points[point].index + 1
    last = point + 1 == len(case.points)
    end = len(case.messages) if last else case.points[point + 1].index + 1
    at = next((n for n in range(begin, end) if case.messages[n].calls), None)
    if at is None:
        return None
    since = list(case.messages[begin:at])
    while since and since[-1].role == "assistant":  # it may announce the call
        since.pop()
    message, folder = case.messages[at], working_folder(case.messages[: at + 1])
    found = NextCall(message.id, tuple(since), message.calls, _tools(case.messages), folder)
    for call in message.calls:
        others = _others(case.messages, at, call, folder)
        if len(others) == 2:
            right, place = _shown(call), f"{case.id} {case.points[point].id}"
            ranked = {each: short_hash(canonical_json([place, each])) for each in (right, *others)}
            options = tuple(sorted(ranked, key=lambda each: (ranked[each], each)))
            return replace(found, options=options, right=_LETTERS[options.index(right)])
    return found


def _others(messages: Sequence[Message], at: int, call: ToolCall, folder: str) -> list[str]:
    """Two calls of the same tool that differ from all that are right, also in what is shown.

    The next ones after the message are taken, and only where there are too few the last ones before
    it, which are easily told to be over.
    """
    taken = [other for other in messages[at].calls if other.name == call.name]
    shown = [_shown(other) for other in taken]
    found: list[str] = []
    for place in (*range(at + 1, len(messages)), *reversed(range(at))):
        for other in messages[place].calls:
            text = _shown(other)
            if other.name != call.name or text in shown:
                continue
            if any(same_value(_value(other), _value(each), folder) for each in taken):
                continue
            taken.append(other)
            shown.append(text)
            found.append(text)
            if len(found) == 2:
                return found
    return found


def _value(call: ToolCall) -> Any:
    """The arguments of a call as a value; the text where it is no JSON."""
    found = json_or_none(call.arguments)
    return call.arguments if found is None else found


def _shown(call: ToolCall) -> str:
    text = " ".join(f"{call.name} {call.arguments}".split())
    return text if len(text) <= _OPTION else f"{text[: _OPTION - 1]}…"


def _tools(messages: Sequence[Message]) -> str:
    """The tools that a log calls, with the names of their arguments."""
    found: dict[str, set[str]] = {}
    for call in (call for message in messages for call in message.calls):
        found.setdefault(call.name, set()).update(call.parsed())
    return "; ".join(
        printable(f"{name}({', '.join(sorted(arguments)[:_ARGUMENTS])})", _OPTION)
        for name, arguments in sorted(found.items())[:_TOOLS]
    )


@dataclass(frozen=True, slots=True)
class NextAction:
    """How far a model knows the next action after a point.

    ``message`` is that of the recorded calls, empty if none follows the point. ``shares`` are from
    0 to 1 by way and context, ``None`` for a reply without a score; ``notes`` say why.
    """

    message: str = ""
    shares: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    usage: Usage = Usage()


NO_CALL: Final = NextAction(notes=("no call of a tool follows before the next point",))


async def asked_next(
    wanted: NextCall, contexts: Mapping[str, View | None], responder: Responder, turn: RequestSlot
) -> NextAction:
    """Ask for the next call in both ways from each context; ``None`` is one that was not made.

    A failure of the model leaves that reply without a score. :class:`NotAskedError` is raised, with
    the use of the other requests.
    """
    ways = [way for way in WAYS if way == "call" or wanted.options]
    made = {name: view for name, view in contexts.items() if view is not None}
    asked = [(way, name, view) for way in ways for name, view in made.items()]
    shares: dict[str, dict[str, float | None]] = {way: dict.fromkeys(contexts) for way in ways}
    notes = [f"{name}: no message fits" for name in contexts if name not in made]
    notes += [] if wanted.options else ["choice: the log has no two other calls of the same tool"]

    async def reply(way: str, view: View) -> AnswerReply:
        messages, question = (*view.messages, *wanted.since), wanted.question(way)
        return await responder.answer(messages, question, _SPECS[way], view.parameters)

    with requests_in(turn):
        replies = await asyncio.gather(
            *(reply(way, view) for way, _, view in asked), return_exceptions=True
        )
    usage, unasked = Usage(), None
    for (way, context, view), found in zip(asked, replies, strict=True):
        if isinstance(found, AnswerReply):
            usage += found.usage
            problem = seen(view, found.applied, responder.tokens).problem
            score = problem or wanted.score(way, found.text)
        elif isinstance(found, ModelError):
            usage += found.spent.get("responder", Usage())
            score, unasked = str(found), found if isinstance(found, NotAskedError) else unasked
        else:
            raise found
        shares[way][context] = None if isinstance(score, str) else score
        notes += [f"{way}, {context}: {score}"] if isinstance(score, str) else []
    if unasked is not None:
        unasked.spent["responder"] = usage
        raise unasked
    return NextAction(wanted.message, shares, tuple(notes), usage)
