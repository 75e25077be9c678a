"""One tiny call a role before the first paid call of a run: what the endpoint takes.

The call has what the calls of the run have: a system message, two messages of the user in a row,
a temperature, a seed, a bound on the output, and for a judge a schema. What is refused is adapted
before anything of size is sent. The replies are kept beside the store of calls, with what was
adapted, so that a later run knows it without asking.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_compaction.models.calls.address import base_url_for, shown_host
from pytest_compaction.models.calls.endpoint import ADAPTED, AdaptingCaller
from pytest_compaction.models.calls.prices import PriceTable
from pytest_compaction.models.calls.store import Store
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call
from pytest_compaction.models.wire.reply import read_reply, whole_tokens
from pytest_compaction.text import printable

FOLDER: Final = "checks"
"""The folder within the store for the replies to checks."""
CHECK_TOKENS: Final = 96
"""The most output of one check: with its prompt two or three of them stay under 500 tokens."""
_SAID: Final = (
    ("system", "Answer as shortly as you can."),
    ("user", "The lease is 45 seconds."),
    ("user", "How many seconds is the lease? Answer in the form that was asked for, else in JSON."),
)
_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"seconds": {"type": "integer"}},
    "required": ["seconds"],
    "additionalProperties": False,
}
_ROWS: Final = (
    ("schema", ("json_object", "response_format"), "taken"),
    ("roles", ("roles", "system", "tool"), "taken"),
    ("stream", ("stream",), "not needed"),
    ("output", ("output", "max_completion", "max_output"), "taken"),
    ("parameters", ("temperature", "seed", "store"), "taken"),
)
"""Rows of the table: words in the names of the adaptations there, and what else was found."""
_IN_TEXT: Final = "in the text of the reply"
_CONTEXT_MEMBERS: Final = (
    *("max_model_len", "context_length", "context_window", "max_context_length"),
    *("inputTokenLimit", "n_ctx", "n_ctx_train"),
)
"""Names under which servers tell the context of a model in their list of models."""


def check_calls(models: Iterable[str], judges: Iterable[str]) -> tuple[Call, ...]:
    """The calls that check these models: one as an answer is asked for, one as a judgement is."""
    body = {
        "messages": [{"role": role, "content": content} for role, content in _SAID],
        "max_tokens": CHECK_TOKENS,
        "temperature": 0,
        "seed": 1,
    }
    schema = {"name": "lease", "strict": True, "schema": _SCHEMA}
    judged = {**body, "response_format": {"type": "json_schema", "json_schema": schema}}
    checks = [(body, name) for name in dict.fromkeys(models)]
    checks += [(judged, name) for name in dict.fromkeys(judges)]
    return tuple(
        Call("chat.completions", {"model": name, **each}, role="check") for each, name in checks
    )


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of the check of one model; ``problem`` says why it found nothing."""

    model: str
    adapted: frozenset[str] = frozenset()
    usage: Usage = Usage()
    thinking: str = ""
    problem: str = ""
    is_new: bool = False
    """Whether the endpoint was asked, and not only the store."""

    def lines(self, prices: PriceTable, context: int | None = None) -> list[str]:
        """A table of what was found and what is adapted."""
        calls = self.usage.calls
        total = self.usage.input_tokens + self.usage.output_tokens
        head = f"{printable(self.model, 80)} at {shown_host(base_url_for())}"
        head += f": {calls} call{'' if calls == 1 else 's'}, {total} tokens"
        if self.problem:
            return [head, f"  {self.problem}"]
        rows = [("", "found", "adapted")]
        for what, words, usual in _ROWS:
            names = sorted(name for name in self.adapted if any(word in name for word in words))
            rows.append((what, "not as usual" if names else usual, "; ".join(names)))
        cut = "cut out" if self.thinking == _IN_TEXT else ""
        rows.append(("thinking", self.thinking or "none seen", cut))
        rows.append(("limits", f"context of {context:,} tokens" if context else "not told", ""))
        each = [prices.cost(self.model, Usage(1, 1000 * n, 0, 1000 - 1000 * n)) for n in (1, 0)]
        known = [f"{1000 * usd:g}" for usd in each if usd is not None]
        priced = f"{' in, '.join(known)} out a million tokens" if len(known) == 2 else "not known"
        rows.append(("prices", priced, ""))
        return [head, *(f"  {what:<12}{said:<34}{done}".rstrip() for what, said, done in rows)]


class EndpointCheck:
    """Checks each model once, before the first call to it that the store cannot answer.

    Of the processes of a run the first makes the calls; the store has them for the others.
    """

    def __init__(
        self,
        store: Store,
        adapting: AdaptingCaller,
        calls: Sequence[Call],
        tell: Callable[[Checked], object],
    ) -> None:
        self._store = store
        self._adapting = adapting
        self._calls = calls
        self._tell = tell
        self._begun: dict[str, asyncio.Task[Checked]] = {}

    async def before(self, call: Call) -> None:
        """Check the model of a call that is about to be paid for, unless that was done."""
        if call.operation == "chat.completions":
            await self.of(call.model)

    async def of(self, model: str) -> Checked:
        """Check a model; it is made once, however many wait for it."""
        if model not in self._begun:
            self._begun[model] = asyncio.ensure_future(self._checked(model))
        return await asyncio.shield(self._begun[model])

    async def missing(self, model: str) -> list[Call]:
        """The calls that check a model and are still to be paid for."""
        calls = [call for call in self._calls if call.model == model]
        return [call for call in calls if await self._store.held(call, call.digest) is None]

    async def _checked(self, model: str) -> Checked:
        found = Checked(model)
        calls = [call for call in self._calls if call.model == model]
        replies = await asyncio.gather(*map(self._store.call, calls), return_exceptions=True)
        for call, reply in zip(calls, replies, strict=True):
            if isinstance(reply, ModelError):
                found = replace(found, problem=str(reply), is_new=True)
                break
            if isinstance(reply, BaseException):
                raise reply
            told = reply.body.get(ADAPTED)
            names = frozenset(map(str, told if isinstance(told, list) else ()))
            self._adapting.adopt(call, names)
            found = Checked(
                model,
                found.adapted | names,
                found.usage + reply.usage,
                _thinking_in(reply.body) or found.thinking,
                is_new=found.is_new or reply.latency_s is not None,
            )
        self._tell(found)
        return found


def _thinking_in(body: Mapping[str, Any]) -> str:
    said = read_reply("chat.completions", body)
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else {}
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(message, Mapping):
        return ""
    content = message.get("content")
    if isinstance(content, str) and content.strip() != said.text:
        return _IN_TEXT
    if message.get("reasoning_content") or message.get("reasoning") or isinstance(content, list):
        return "apart from the reply"
    return ""


def context_of(listed: Mapping[str, Any], model: str) -> int | None:
    """The context of a model by the endpoint's list of models, which some servers tell."""
    found = listed.get("data")
    for each in found if isinstance(found, list) else ():
        if isinstance(each, Mapping) and each.get("id") == model:
            meta = each.get("meta")
            told = {**(meta if isinstance(meta, Mapping) else {}), **each}
            sizes = [whole_tokens(told.get(name)) for name in _CONTEXT_MEMBERS]
            return next(filter(None, sizes), None)
    return None
