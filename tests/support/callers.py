"""Callers and calls shared by the tests of the store, the spending limit and the estimate."""

import asyncio

from pytest_compaction.models import Call, CallReply, ModelError, Usage

MODEL = "gpt-4o-mini"


def call(text="What is the limit?", trial=1, role="responder", **body):
    said = [{"role": "user", "content": text}]
    return Call(
        "chat.completions",
        {"model": MODEL, "messages": said, "max_tokens": 500, **body},
        trial,
        role,
    )


class Answering:
    """A caller that answers every call in the same way, and waits or fails if it is told to."""

    def __init__(self, usage=Usage(1, 1000, 0, 500), gate=None, fails=()):
        self.calls = []
        self.usage = usage
        self.gate = gate
        self.fails = set(fails)
        self.closed = False
        self.most_at_once = 0
        self._now = 0

    async def call(self, call):
        self.calls.append(call)
        number = len(self.calls)
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            await asyncio.sleep(0)
            if self.gate is not None:
                await self.gate.wait()
            if number in self.fails:
                raise ModelError("the endpoint refused the connection")
        finally:
            self._now -= 1
        return CallReply({"text": f"answer {number}"}, self.usage, 0.25)

    async def close(self):
        self.closed = True


class Noting:
    """Accounts in memory."""

    def __init__(self):
        self.hits = []
        self.notes = []

    def stored(self, role, model):
        self.hits.append((role, model))

    def note(self, text):
        self.notes.append(text)

    def claim(self, digest):
        return "ours"

    def unclaim(self, digest, kept):
        pass
