"""Requests to a chat model, a stand-in for an endpoint, and real callers that give up soon."""

import asyncio
import contextlib
from dataclasses import replace

from support.builders import COUNTER, build_case
from support.endpoint_replies import sensible
from support.endpoint_server import serving

from pytest_compaction.judges import log_digest
from pytest_compaction.models import AnswerRequest, CallReply, ChatModel, JudgeRequest, ModelError
from pytest_compaction.models.calls.endpoint import (
    MAX_RETRIES,
    AdaptingCaller,
    Endpoint,
    RetryingCaller,
)
from pytest_compaction.models.wire.reply import usage_of

NAME = "test-model"
KEY = "sk-proj-Test0123456789abcdefXYZ"


class Replies:
    """A caller that replies with these bodies in turn, and with the last one from then on."""

    def __init__(self, *bodies):
        self._bodies = list(bodies)
        self.calls = []

    async def call(self, call):
        self.calls.append(call)
        body = self._bodies.pop(0) if len(self._bodies) > 1 else self._bodies[0]
        if callable(body):
            body = body(call)
        if isinstance(body, Exception):
            raise body
        return CallReply(body, usage_of(body))

    async def close(self):
        pass

    @property
    def prompt(self):
        """The text of the last message of the first call."""
        return self.calls[0].body["messages"][-1]["content"]


def chat(caller, name=NAME, **how):
    return ChatModel(name, caller, COUNTER, **how)


@contextlib.contextmanager
def servers_in_environment(monkeypatch):
    """Start servers with the given answers; the environment points to the latest one."""
    with contextlib.ExitStack() as running:

        def serve(decide=sensible):
            server = running.enter_context(serving(decide))
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            return server

        yield serve


def connected(retries=MAX_RETRIES, paying=None, **limits):
    """The callers of a run without a store; ``paying`` puts a spending limit in their chain."""
    endpoint = Endpoint(**limits)
    repeating = RetryingCaller(paying(endpoint) if paying else endpoint, endpoint.total, retries)
    return AdaptingCaller(repeating, endpoint.total)


def quick(**changes):
    """An endpoint that gives up soon, but leaves room for a busy machine."""
    return connected(**{"connect": 5.0, "read": 3.0, "total": 12.0, "retries": 1, **changes})


def hasty(**changes):
    """An endpoint that gives up at once, for replies that never come."""
    return quick(**{"read": 0.3, "total": 5.0, **changes})


def answer_request(case=None, **changes):
    case = case or build_case()
    probe = case.probes[0]
    return replace(AnswerRequest(case.messages, probe.question, probe.answer), **changes)


def judge_request(case=None, **changes):
    case = case or build_case()
    probe = case.probes[0]
    request = JudgeRequest(
        kind=probe.kind,
        question=probe.question,
        response="The timeout is 45 seconds.",
        facts=probe.facts,
        traps=probe.traps,
        answer=probe.answer,
        digest=log_digest(case, probe.point),
    )
    return replace(request, **changes)


def judged(request, score=4):
    """A correct judgement."""
    data = {
        "facts": members(range(1, len(request.facts) + 1), stated=True),
        "stale_claims": members(range(1, len(request.traps) + 1), hit=False),
        "criteria": members((c.id for c in request.criteria), score=score),
    }
    return {name: value for name, value in data.items() if value}


def members(names, **value):
    """The criteria of a judgement by name, each with a reasoning."""
    return {str(name): {"reasoning": "Because.", **value} for name in names}


def ask(work):
    """Run a coroutine."""
    return asyncio.run(work)


def error_of(work):
    """The text of the ModelError that a coroutine raises."""
    try:
        asyncio.run(work)
    except ModelError as error:
        return str(error)
    raise AssertionError("nothing was raised")


def through(endpoint, *requests):
    """Make requests one after another on one loop; each request is a function of the model."""

    async def work():
        model = chat(endpoint)
        try:
            return [await request(model) for request in requests]
        finally:
            await endpoint.close()

    return asyncio.run(work())


def error_through(endpoint, request=answer_request):
    """The text of the ModelError with which an answer of an endpoint ends."""

    async def work(model):
        try:
            await model.answer(request())
        except ModelError as error:
            return str(error)
        raise AssertionError("nothing was raised")

    [text] = through(endpoint, work)
    return text
