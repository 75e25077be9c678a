"""The chat model: renders requests to calls of an OpenAI-compatible endpoint and reads replies.

A call depends on the request alone, so that the same request is the same call in every
process, and a store can answer it. A reply that lacks something raises a
:class:`~pytest_compaction.models.protocol.ModelError` that says so. In judging it gives
the reason why a response is unscored.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Final

from pytest_compaction.cache import KeptResults
from pytest_compaction.case import AnswerSpec
from pytest_compaction.conversation import TokenCounter, json_or_none
from pytest_compaction.conversation.formats.chat import chat_messages
from pytest_compaction.conversation.formats.parts import string
from pytest_compaction.conversation.formats.requests import clean
from pytest_compaction.conversation.formats.responses import needs_responses, responses_input
from pytest_compaction.models.chat.judgement import (
    JudgementError,
    judge_fields,
    nugget_fields,
    read_fields,
    read_judgement,
    read_readings,
    reading_format,
    response_format,
)
from pytest_compaction.models.chat.log_excerpt import excerpts_for
from pytest_compaction.models.chat.prompts import Prompts, frame
from pytest_compaction.models.chat.summary import asked_for, has_heading, read_summary
from pytest_compaction.models.embeddings import EmbedReply, EmbedRequest, vectors_in
from pytest_compaction.models.own_tokens import own_tokens
from pytest_compaction.models.parameters import Parameters, misuse_of
from pytest_compaction.models.protocol import (
    AnswerReply,
    AnswerRequest,
    CompactReply,
    CompactRequest,
    JudgeReply,
    JudgeRequest,
    ModelError,
    NoReplyError,
    NotAskedError,
    ReadReply,
    ReadRequest,
    RefusalError,
    SummaryReply,
    SummaryRequest,
)
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, Caller, Operation, Role
from pytest_compaction.models.wire.reply import (
    NotCompactedError,
    WireReply,
    compacted,
    counted,
    read_reply,
)
from pytest_compaction.text import Reading, answer_proper, printable

LOG_TOKENS: Final = 6000
"""The most tokens of the log that the judge is shown."""
WORDS_PER_TOKEN: Final = 0.7
"""A cautious figure for English: models count words better than tokens."""
JUDGE_TOKENS: Final = 200
CRITERION_TOKENS: Final = 120
NUMBER_TOKENS: Final = 80
"""Tokens of a judgement: as a whole, for each criterion, and for each fact or stale claim."""
CLAIM_TOKENS: Final = 160
"""Tokens of the outcome of a claim in a view, with the passage that decides."""
REASONING_TOKENS: Final = 8192
"""Added to the limit of models that think before they reply, and when a reply was cut."""
SLACK_TOKENS: Final = 64
"""Room for the few tokens by which a short reply differs between tokenizers."""

_REASONS: Final = re.compile(
    r"(?:^|[/:_-])(?:o\d|gpt-(?:[5-9]|oss)|r1|qwq)|reason|think", re.IGNORECASE
)
_CUT: Final = "it was cut at its limit of tokens"
FLAG: Final = "text addressed to the judge stands in the answer"

_FORMS: Final = {
    "text": "in plain text",
    "list": "as a list, each item on a line of its own that begins with a hyphen",
    "sentence": "in one sentence",
    "json": "as JSON and nothing else",
    "letter": "with the letter A or B and nothing else",
    "one-of-three": "with the letter A, B or C and nothing else",
    "object": "as one JSON object and nothing else",
}
_DECIDED: Final = frozenset({"letter", "one-of-three", "object"})
"""The forms in which a model has to decide, and has no room to say that it does not know."""


class ChatModel:
    """A model behind a ``Caller`` (:mod:`..wire.call`), by the name that it has there.

    ``prompts`` are the templates. ``log_tokens`` bounds what the judge is shown of a log.
    ``trial`` makes the calls of one repetition different from those of another. ``kept`` keeps
    what rules find in a log from run to run.
    """

    def __init__(
        self,
        name: str,
        caller: Caller,
        tokens: TokenCounter | None = None,
        prompts: Prompts | None = None,
        log_tokens: int = LOG_TOKENS,
        trial: int = 1,
        kept: KeptResults | None = None,
    ) -> None:
        self._name = name
        self._caller = caller
        self._tokens = tokens or TokenCounter()
        self._prompts = prompts or Prompts.load()
        self._log_tokens = log_tokens
        self._trial = trial
        self._kept = kept or KeptResults()

    @property
    def name(self) -> str:
        return self._name

    def at_trial(self, trial: int) -> ChatModel:
        other = copy(self)
        other._trial = trial
        return other

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """The summary in a reply, cut to fit the request's budget.

        A refusal raises :class:`ModelError`. A reply that only repeats the prompt's own
        words gives an empty summary.
        """
        prompt = request.prompt or frame()
        asked = asked_for(request, prompt, int(request.budget * WORDS_PER_TOKEN))
        body = self._chat_body(asked.messages, request.budget)
        reply, usage, latency = await self._text("chat.completions", body, "compaction")
        text = reply.text
        if reply.cut:  # without a last line that was cut off: half a path is a wrong path
            head = text.rpartition("\n")[0]
            text = head if head.strip() else text
        fixed = self._tokens.text("\n".join(asked.own)) * usage.calls
        usage = replace(usage, prompt_tokens=fixed)
        summary = read_summary(text, request, asked, prompt, self._tokens.text)
        flaws = ["cut"] if reply.cut else []
        if summary.empty:
            flaws.append("empty")
        elif prompt.reply == "sections" and not has_heading(text, request.sections):
            flaws.append("misformed")
        return SummaryReply(summary, usage, latency, tuple(flaws))

    async def answer(self, request: AnswerRequest) -> AnswerReply:
        """The model's next message after the view and the question.

        A view that holds opaque items of the responses API is answered through it.
        Request parameters go with the call; the reply tells which of the edits that they ask
        for were made. A parameter that this model sets itself raises :class:`ModelError`.
        """
        misused = misuse_of(request.parameters)
        if misused is not None:
            raise ModelError(misused)
        fields = {"question": clean(request.question), "form": asked_form(request.answer)}
        decides = request.answer.format in _DECIDED
        prompt = self._prompts.choose if decides else self._prompts.answer
        question = prompt.messages(fields)
        limit = request.answer.max_tokens
        operation: Operation = "chat.completions"
        if needs_responses(request.view):
            operation = "responses"
            body = {
                "model": self._name,
                "input": [*responses_input(request.view), *question],
                "max_output_tokens": _room(self._name, limit),
                "temperature": 0,
                "store": False,
                **_tools([{"type": "function", **tool["function"]} for tool in request.tools]),
                **request.parameters,
            }
        else:
            messages = [*chat_messages(request.view), *question]
            extra = {**_tools(request.tools), **request.parameters}
            body = self._chat_body(messages, limit, extra)
        reply, usage, latency = await self._text(operation, body, request.role)
        applied = reply.applied if request.parameters else None
        called = _told(reply.calls) if request.tools else ""
        return AnswerReply(called or reply.text, usage, latency, applied)

    def refuses(self, parameters: Parameters) -> str | None:
        """``None``: only a request shows whether the endpoint takes them."""
        return None

    async def judge(self, request: JudgeRequest) -> JudgeReply:
        """All that applies in one request; a bad reply is repaired once, or is unscored."""
        numbers = len(request.nuggets) or len(request.facts) + len(request.traps)
        limit = JUDGE_TOKENS + CRITERION_TOKENS * len(request.criteria) + NUMBER_TOKENS * numbers
        if request.nuggets:
            prompt = self._prompts.nuggets.messages(nugget_fields(request))
        else:
            log = excerpts_for(request, self._log_tokens, self._tokens, self._kept)
            fields = judge_fields(request, log, asked_form(request.answer), self._prompts.criteria)
            prompt = self._prompts.judge.messages(fields)
        extra = {"response_format": response_format(request)}
        judged = JudgeReply()

        def fault_of(reply: WireReply) -> str | None:
            nonlocal judged
            judged = _judged(reply, request)
            return judged.unscored

        usage, fault = await self._repaired(prompt, limit, extra, "judge", fault_of)
        if fault:
            reason = f"the judge {self._name} gave no usable judgement: {fault}"
            judged = JudgeReply(unscored=printable(reason, 300))
        flags = (FLAG,) if answer_proper(request.response)[1] else ()
        return replace(judged, flags=flags, usage=usage)

    async def read(self, request: ReadRequest) -> ReadReply:
        """What the view does with all claims; without a usable reply they are all unread."""
        readings: tuple[Reading, ...] = ()

        def fault_of(reply: WireReply) -> str | None:
            nonlocal readings
            try:
                readings = () if reply.problem else read_readings(reply.text, request)
            except ValueError as error:
                cut = f", and {_CUT}" if reply.cut else ""
                return f"{error}{cut}"
            return reply.problem or None

        prompt = self._prompts.read.messages(read_fields(request))
        limit = JUDGE_TOKENS + CLAIM_TOKENS * len(request.claims)
        extra = {"response_format": reading_format(request)}
        usage, fault = await self._repaired(prompt, limit, extra, "reader", fault_of)
        if fault:
            why = printable(f"the reader {self._name} gave no usable reply: {fault}", 300)
            readings = (Reading("unread", why=why),) * len(request.claims)
        return ReadReply(readings, usage)

    async def _repaired(
        self,
        prompt: list[dict[str, Any]],
        limit: int,
        extra: Mapping[str, Any],
        role: Role,
        fault_of: Callable[[WireReply], str | None],
    ) -> tuple[Usage, str | None]:
        """Ask, once more if the reply has a fault; the usage, and the last fault."""
        body = self._chat_body(prompt, limit, extra)
        reply, usage, _ = await self._ask("chat.completions", body, role)
        fault = fault_of(reply)
        if fault is None or reply.refused:
            return usage, fault
        said = [{"role": "assistant", "content": reply.text}] if reply.text else []
        problem = {"problem": printable(fault, 300)}
        prompt = [*prompt, *said, *self._prompts.repair.messages(problem)]
        limit += REASONING_TOKENS if reply.cut else 0
        body = self._chat_body(prompt, limit, extra)
        try:
            reply, more, _ = await self._ask("chat.completions", body, role)
        except NotAskedError as error:
            error.after(role, usage)
            raise
        except ModelError as error:
            return usage, f"{fault}, and asked again: {error}"
        return usage + more, fault_of(reply)

    async def compact(self, request: CompactRequest) -> CompactReply:
        """Let the endpoint compact natively; items that only it can read stay byte-identical."""
        body: dict[str, Any] = {
            "model": self._name,
            "input": responses_input(request.messages),
        }
        if request.instructions:
            body["instructions"] = clean(request.instructions)
        operation: Operation = "responses.compact"
        if request.by_trigger:
            operation = "responses"
            body["input"].append({"type": "compaction_trigger"})
            body["store"] = False
        call = Call(operation, body, self._trial, "compaction")
        reply = await self._caller.call(call)
        usage = counted(call, reply, self._tokens)
        try:
            messages = compacted(reply.body, request.messages, request.by_trigger)
        except NotCompactedError as error:
            said = f"{self._name} did not compact: {error}"
            raise ModelError(said, spent={"compaction": usage}) from None
        return CompactReply(messages, usage)

    async def embed(self, request: EmbedRequest) -> EmbedReply:
        """The vectors of texts, which are the same in each trial."""
        texts = [clean(text) for text in request.texts]
        body = {"model": request.model, "input": texts, "encoding_format": "float"}
        call = Call("embeddings", body)
        reply = await self._caller.call(call)
        usage = replace(counted(call, reply, self._tokens), output_tokens=0)
        try:
            vectors = vectors_in(reply.body, len(texts))
        except ValueError as error:
            said = printable(f"{request.model} gave no embeddings: {error}", 300)
            raise ModelError(said, spent={"compaction": usage}) from None
        return EmbedReply(vectors, usage, reply.latency_s)

    async def _text(
        self, operation: Operation, body: Mapping[str, Any], role: Role
    ) -> tuple[WireReply, Usage, float | None]:
        """A reply with text; a reply cut before its text began is asked for once more, longer."""
        reply, usage, latency = await self._ask(operation, body, role)
        if reply.cut and not reply.text:
            try:
                reply, more, longer = await self._ask(operation, roomier(body), role)
            except ModelError as error:
                error.after(role, usage)
                raise
            usage += more
            latency = None if latency is None or longer is None else latency + longer
        if reply.problem and not ("tools" in body and _told(reply.calls)):
            said = printable(f"{self._name} gave no answer: {reply.problem}", 300)
            kind = RefusalError if reply.refused else NoReplyError
            raise kind(said, spent={role: usage})
        return reply, usage, latency

    async def _ask(
        self, operation: Operation, body: Mapping[str, Any], role: Role
    ) -> tuple[WireReply, Usage, float | None]:
        call = Call(operation, body, self._trial, role)
        answered = await self._caller.call(call)
        # The texts are long, and their encoder lets other threads run.
        told = await asyncio.to_thread(own_tokens, call, answered, self._tokens)
        usage = replace(counted(call, answered, self._tokens), own_tokens=told)
        return read_reply(operation, answered.body), usage, answered.latency_s

    def _chat_body(
        self,
        messages: list[dict[str, Any]],
        limit: int,
        extra: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        return {
            "model": self._name,
            "messages": messages,
            "max_tokens": _room(self._name, limit),
            "temperature": 0,
            "seed": self._trial,
            **(extra or {}),
        }


def _judged(reply: WireReply, request: JudgeRequest) -> JudgeReply:
    if reply.problem:
        return JudgeReply(unscored=reply.problem)
    try:
        judged = read_judgement(reply.text, request)
    except JudgementError as error:
        cut = f", and {_CUT}" if reply.cut else ""
        return JudgeReply(unscored=f"{error}{cut}")
    if reply.cut:
        return JudgeReply(unscored=f"{_CUT}, so that something may be missing")
    return judged


def _tools(tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"tools": [dict(tool) for tool in tools]} if tools else {}


def _told(calls: Sequence[Mapping[str, Any]]) -> str:
    """The texts among the arguments of calls, one a line."""
    given = (json_or_none(string(call.get("arguments"))) for call in calls)
    texts = (text for each in given if isinstance(each, dict) for text in each.values())
    return "\n".join(" ".join(text.split()) for text in texts if isinstance(text, str))


def asked_form(spec: AnswerSpec) -> str:
    """The form in which an answer is asked for: shape, length and what it must not mention."""
    parts = [_FORMS[spec.format]]
    if spec.format in _DECIDED:
        return parts[0]
    if spec.max_items is not None:
        parts.append(f"at most {spec.max_items} items")
    words = spec.max_words
    if words is None:
        words = max(10, int(spec.max_tokens * WORDS_PER_TOKEN) // 10 * 10)
    parts.append(f"at most {words} words")
    if spec.forbid:
        parts.append(f"without mentioning {'; '.join(clean(text) for text in spec.forbid)}")
    return ", ".join(parts)


def roomier(body: Mapping[str, Any]) -> dict[str, Any]:
    """The request with more room for its reply, after a reply was cut before its text began."""
    name = next(name for name in ("max_tokens", "max_output_tokens") if name in body)
    return {**body, name: body[name] + REASONING_TOKENS}


def without_room_to_think(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The request as it would be to a model that does not think before it replies."""
    if "max_tokens" not in body or not _REASONS.search(str(body.get("model"))):
        return body
    return {**body, "max_tokens": body["max_tokens"] - REASONING_TOKENS}


def _room(model: str, tokens: int) -> int:
    """The limit with slack for other tokenizers, and with room to think: that is output too."""
    roomy = int(tokens * 1.25) + SLACK_TOKENS
    return roomy + REASONING_TOKENS if _REASONS.search(model) else roomy
